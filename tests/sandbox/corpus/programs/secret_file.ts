import { readFileSync } from "node:fs";

function secret_file(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "refused";
  }
}
