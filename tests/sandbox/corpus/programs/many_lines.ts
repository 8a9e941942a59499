import fs = require("fs");

let sum = 0;
for (const line of fs.readFileSync(0, "latin1").split("\n")) sum += Number(line);
console.log(sum);
