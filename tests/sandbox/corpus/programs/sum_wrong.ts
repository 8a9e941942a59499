import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter(Boolean);
console.log(words.map(Number).reduce((a, b) => a * b, 1));
