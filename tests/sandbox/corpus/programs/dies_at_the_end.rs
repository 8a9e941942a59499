use std::io::{self, Write};

fn main() {
    io::copy(&mut io::stdin(), &mut io::stdout()).unwrap();
    io::stdout().flush().unwrap();
    std::process::abort();
}
