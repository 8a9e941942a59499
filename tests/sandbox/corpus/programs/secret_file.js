const fs = require("fs");

function secret_file(path) {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "refused";
  }
}
