import * as readline from "readline";

const lines: readline.Interface = readline.createInterface({ input: process.stdin });
lines.on("line", (line: string) => console.log(`${line}!`));
