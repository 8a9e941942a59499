const [a, b] = require("fs").readFileSync("/dev/stdin", "utf8").trim().split(" ").map(BigInt);
console.log(String(a + b));
