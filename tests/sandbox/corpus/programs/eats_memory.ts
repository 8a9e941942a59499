const kept: number[][] = [];
for (;;) kept.push(new Array<number>(10_000).fill(kept.length));
