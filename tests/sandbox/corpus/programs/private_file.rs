use std::fs;

fn private_file(n: i64) -> i64 {
    fs::write("number.txt", n.to_string()).unwrap();
    fs::read_to_string("number.txt").unwrap().parse().unwrap()
}
