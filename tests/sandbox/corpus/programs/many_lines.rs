use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    println!("{}", text.lines().map(|line| line.parse::<i64>().unwrap()).sum::<i64>());
}
