import { readFileSync } from "fs";

console.log(readFileSync(0, "utf8").trim());
process.abort();
