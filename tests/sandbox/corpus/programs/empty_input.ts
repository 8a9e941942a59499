const size: number = require("fs").readFileSync(0).length;
console.log(size || "empty");
