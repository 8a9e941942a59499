// Hostile program in JavaScript, which is TypeScript too. The first line of standard input names what to try, the
// others are its arguments. What Node.js can't do itself it has the Python of the sandbox do.
const child = require("child_process");
const fs = require("fs");
const net = require("net");
const dgram = require("dgram");
const { Worker } = require("worker_threads");

const MEGABYTE = 1 << 20;
const PYTHON = "/opt/python/bin/python3";
const EXECUTE = `
import ctypes, sys
library = ctypes.CDLL(None, use_errno=True)
for call in sys.stdin:
    name, *words = call.split()
    texts = [ctypes.create_string_buffer(bytes.fromhex(word[1:]), 256) if word[0] == "x" else None for word in words]
    values = [ctypes.c_long(int(word)) if text is None else text for word, text in zip(words, texts)]
    failed = library.syscall(*values) == -1
    print(*(("refused", name, ctypes.get_errno()) if failed else ("allowed", name)), flush=True)
`;
const TAKE = `import time; held = bytearray(b"y") * (100 << 20); time.sleep(5)`;

function attempt(act) {
  try {
    return act();
  } catch (error) {
    return undefined;
  }
}

function wait(seconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
}

function start(command, words) {
  const started = child.spawn(command, words, { detached: true, stdio: "ignore" });
  started.on("error", () => {});
  return started;
}

function flood(stream) {
  const text = Buffer.alloc(65536, "x");
  while (true) {
    try {
      fs.writeSync(stream, text);
    } catch (error) {
      if (error.code !== "EAGAIN") process.exit(1);
    }
  }
}

function fill(path) {
  const text = Buffer.alloc(MEGABYTE, "x");
  const file = fs.openSync(path, "w");
  for (let turn = 0; turn < 10240; turn++) fs.writeSync(file, text);
}

function show(path) {
  attempt(() => {
    if (fs.lstatSync(path).isFile()) console.log(`${path}: ${fs.readFileSync(path).toString("latin1", 0, 65536)}`);
  });
}

function walk(folder) {
  for (const entry of attempt(() => fs.readdirSync(folder, { withFileTypes: true })) || []) {
    if (entry.isDirectory()) walk(`${folder}/${entry.name}`);
    else show(`${folder}/${entry.name}`);
  }
}

async function reach(target) {
  const [kind, host, port] = target.split(" ");
  await new Promise((done) => {
    setTimeout(() => done(target), 300);
    if (kind === "udp") {
      const made = dgram.createSocket(host.includes(":") ? "udp6" : "udp4");
      made.on("error", done);
      made.send("x", Number(port), host, done);
      return;
    }
    const made = kind === "unix" ? net.connect(host.replace("@", "\0")) : net.connect(Number(port), host);
    made.on("error", done);
    made.on("connect", () => {
      console.log(`connected ${target}`);
      done(target);
    });
  });
}

const attacks = {
  honest: () => console.log("still here"),
  fork_bomb: () => {
    while (true) attempt(() => start("/bin/sh", ["-c", "sleep 600"]));
  },
  shell_fork_bomb: () => child.spawnSync("/bin/bash", ["-c", ":(){ :|:& };:; sleep 600"]),
  thread_bomb: () => {
    for (let number = 0; number < 1000; number++) {
      new Worker("setInterval(() => {}, 1000)", { eval: true }).on("error", () => process.exit(1));
    }
  },
  output_flood: () => flood(1),
  error_flood: () => flood(2),
  huge_file: () => fill("big"),
  fills_every_folder: (folders) => {
    for (const folder of folders) attempt(() => fill(`${folder}/big`));
    process.exit(1);
  },
  many_files: () => {
    for (let number = 0; number < 300000; number++) fs.closeSync(fs.openSync(String(number), "w"));
  },
  memory_hog: () => {
    const held = [];
    while (true) held.push(Buffer.alloc(10 * MEGABYTE, held.length + 1));
  },
  memory_of_children: () => {
    for (let number = 0; number < 8; number++) start(PYTHON, ["-I", "-S", "-c", TAKE]); // ends when all of them have
  },
  deaf_loop: () => {
    for (const name of Object.keys(require("os").constants.signals)) attempt(() => process.on(name, () => {}));
    for (let turn = 0; ; turn++);
  },
  sleeper: () => wait(600),
  stopped: () => {
    process.kill(0, "SIGSTOP");
    wait(600);
  },
  daemon: () => {
    start("/bin/sh", ["-c", "trap '' TERM HUP; (setsid sleep 600 &) ; while :; do sleep 1; done"]).unref();
    console.log("parent is done");
  },
  kills_everything: () => {
    child.spawnSync("/bin/sh", ["-c", "prlimit --pid 1 --nofile=1:1 --cpu=1:1; renice 19 1"]);
    for (const number of [-1, 1, process.ppid]) attempt(() => process.kill(number, "SIGKILL"));
  },
  connects: async (targets) => {
    for (const target of targets) await reach(target);
    process.exit(0);
  },
  secrets: (paths) => {
    console.log(process.env);
    for (const name of fs.readdirSync("/proc")) {
      if (/^\d/.test(name)) for (const part of ["environ", "cmdline"]) show(`/proc/${name}/${part}`);
    }
    for (const path of paths) {
      if (attempt(() => fs.lstatSync(path))) console.log(`exists ${path}`);
      show(path);
    }
    const skipped = ["bin", "boot", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin", "sys", "usr"];
    for (const name of fs.readdirSync("/")) if (!skipped.includes(name)) walk(`/${name}`);
    for (const root of ["/opt/runner", "/proc/1/cwd", "/proc/1/root/tmp"]) walk(root);
    console.log("end of search");
  },
  writes_outside: ([mark, ...words]) => {
    for (const word of words) {
      const gap = word.indexOf(" ");
      const kind = word.slice(0, gap);
      const path = word.slice(gap + 1) + (kind === "folder" ? `/${mark}` : "");
      attempt(() => {
        if (kind === "open") fs.closeSync(fs.openSync(path, fs.constants.O_WRONLY));
        else fs.appendFileSync(path, mark);
        console.log(`wrote ${path}`);
      });
      if (kind === "file") attempt(() => fs.unlinkSync(path));
    }
  },
  forbidden_calls: (calls) => {
    const done = child.spawnSync(PYTHON, ["-I", "-S", "-c", EXECUTE], { input: calls.join("\n") });
    process.stdout.write(done.stdout);
    console.log("end of calls");
  },
  leaves_traps: (paths) => {
    const here = process.cwd();
    paths.forEach((path, number) => fs.symlinkSync(path, `link${number}`));
    child.spawnSync("/bin/sh", ["-c", "mkfifo pipe /tmp/pipe; cp -r /proc/self/fdinfo /dev/shm/"]);
    fs.writeFileSync("holes", "");
    fs.truncateSync("holes", 2 ** 40);
    fs.mkdirSync("closed/inner", { recursive: true });
    fs.chmodSync("closed", 0);
    for (let level = 0; level < 400; level++) {
      fs.mkdirSync("deep");
      process.chdir("deep");
    }
    process.chdir(here);
    console.log("traps are set");
  },
  runs_python: (lines) => {
    const done = child.spawnSync(PYTHON, ["-I", "-S", "-B", "-c", lines.join("\n")], { stdio: "inherit" });
    process.exit(done.status === null ? 1 : done.status);
  },
};

const [name, ...words] = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
attacks[name](words);
