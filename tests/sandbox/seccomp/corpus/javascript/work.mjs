import {execFileSync, spawn} from "node:child_process";
import {createHash, randomBytes} from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {Worker, isMainThread, parentPort} from "node:worker_threads";
import zlib from "node:zlib";

if (isMainThread) {
  const text = fs.readFileSync(0, "utf8");
  console.log(text.split(/\s+/).filter(Boolean).map(Number).reduce((a, b) => a + b, 0), 2n ** 2000n % 997n);
  const numbers = Float64Array.from({length: 2_000_000}, Math.random).sort();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "work-"));
  const file = path.join(folder, "a");
  fs.writeFileSync(file, "x".repeat(100_000));
  await fs.promises.copyFile(file, `${file}b`);
  const watcher = fs.watch(folder);
  console.log((await fs.promises.readdir(folder)).length, fs.statSync(file).size, numbers.length);
  watcher.close();
  fs.rmSync(folder, {recursive: true});
  console.log(createHash("sha256").update(zlib.gzipSync(randomBytes(1 << 20))).digest("hex").length);
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(execFileSync("echo", ["child"]).toString());
  await new Promise((resolve) => spawn("cat", [], {stdio: ["ignore", "pipe", "pipe"]}).on("exit", resolve));
  const worker = new Worker(new URL(import.meta.url));
  console.log(await new Promise((resolve) => worker.on("message", resolve)));
  const held = Array.from({length: 64}, () => Buffer.alloc(1 << 20));
  console.log(held.length, os.cpus().length > 0, process.memoryUsage().rss > 0, process.cpuUsage().user > 0);
  const dive = (depth) => (depth === 0 ? 0 : 1 + dive(depth - 1));
  try { dive(1e7); } catch (error) { console.log(error.name); }
  setImmediate(() => process.exit(3));
} else {
  parentPort.postMessage("from a thread");
}
