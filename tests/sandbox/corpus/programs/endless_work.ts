let n: number = 1;
for (;;) n = ((n * 3) % 1000) + 1;
