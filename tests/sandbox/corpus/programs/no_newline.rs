fn main() {
    print!("done");
}
