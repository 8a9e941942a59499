use std::io;

fn main() {
    eprintln!("working");
    io::copy(&mut io::stdin(), &mut io::stdout()).unwrap();
}
