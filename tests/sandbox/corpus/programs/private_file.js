const fs = require("fs");

function private_file(n) {
  fs.writeFileSync("number.txt", String(n));
  return Number(fs.readFileSync("number.txt", "utf8"));
}
