import fs from "fs";

console.error("something else");
console.log(fs.readFileSync(0, "utf8").trim());
