let sum = 0;
for (const line of require("fs").readFileSync(0, "latin1").split("\n")) sum += Number(line);
console.log(sum);
