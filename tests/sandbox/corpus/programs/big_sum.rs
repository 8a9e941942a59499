use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<i64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    println!("{}", numbers[0] + numbers[1]);
}
