use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};
use std::sync::{mpsc, Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, process, thread};

fn dive(depth: u64) -> u64 {
    if depth == 0 { 0 } else { 1 + dive(depth - 1) }
}

fn main() {
    let start = Instant::now();
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let total: i64 = text.split_whitespace().map(|word| word.parse::<i64>().unwrap()).sum();
    let mut counts = HashMap::new();
    for number in 0..100_000u64 {
        *counts.entry(number * 7919 % 1009).or_insert(0) += 1;
    }
    let mut numbers: Vec<u64> = (0..2_000_000).map(|n| n * 2_654_435_761 % 1_000_003).collect();
    numbers.sort_unstable();
    let sum = Arc::new(Mutex::new(0));
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let (sum, sender) = (sum.clone(), sender.clone());
            thread::spawn(move || {
                *sum.lock().unwrap() += number;
                thread::sleep(Duration::from_millis(10));
                sender.send(number).unwrap();
            })
        })
        .collect();
    for one in threads {
        one.join().unwrap();
    }
    let path = env::temp_dir().join("work.txt");
    fs::write(&path, "x".repeat(100_000)).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    fs::copy(&path, "copy.txt").unwrap();
    for entry in fs::read_dir(".").unwrap() {
        entry.unwrap();
    }
    fs::remove_file(&path).unwrap();
    let child = process::Command::new("echo").arg("child").output().unwrap();
    let names: BTreeMap<_, _> = [("a", 1)].into_iter().collect();
    println!("{total} {} {} {size} {} {names:?}", counts.len(), sum.lock().unwrap(), receiver.iter().take(4).count());
    println!("{:?} {} {}", child.stdout, dive(10_000), thread::available_parallelism().unwrap().get() > 0);
    eprintln!("{:?} {}", SystemTime::now() > SystemTime::UNIX_EPOCH, start.elapsed().as_secs() < 100);
    io::stdout().flush().unwrap();
    let caught = std::panic::catch_unwind(|| panic!("x"));
    process::exit(if caught.is_err() { 3 } else { 0 });
}
