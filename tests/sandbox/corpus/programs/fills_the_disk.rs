use std::fs::File;
use std::io::Write;

fn main() {
    let mut file = File::create("endless.bin").unwrap();
    while file.write_all(&[120; 65536]).is_ok() {}
    std::process::exit(1);
}
