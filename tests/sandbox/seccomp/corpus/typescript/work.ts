declare const require: (name: string) => any;

interface Pair<T> {
  left: T;
  right: readonly T[];
}

const add = <T extends number | bigint>(pair: Pair<T>): number => Number(pair.left) + pair.right.length;
const text: string = require("node:fs").readFileSync(0, "utf8");
console.log(add({left: 1n, right: [2n]}), text.trim().split(" ").map(Number), new Map([["a", 1]]));
