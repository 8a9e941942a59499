import * as fs from "fs";

function private_file(n: number): number {
  fs.writeFileSync("number.txt", String(n));
  return Number(fs.readFileSync("number.txt", "utf8"));
}
