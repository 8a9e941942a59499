import { readFileSync } from "fs";

const [a, b]: bigint[] = readFileSync("/dev/stdin", "utf8").trim().split(" ").map(BigInt);
console.log(String(a + b));
