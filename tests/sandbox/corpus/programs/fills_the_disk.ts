import * as fs from "fs";

try {
  const file: number = fs.openSync("endless.bin", "w");
  for (;;) fs.writeSync(file, Buffer.alloc(65536, "x"));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
