const fs = require("fs");

try {
  const file = fs.openSync("endless.bin", "w");
  for (;;) fs.writeSync(file, Buffer.alloc(65536, "x"));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
