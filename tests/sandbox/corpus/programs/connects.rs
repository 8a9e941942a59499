use std::net::TcpStream;

fn connects(port: u16) -> &'static str {
    match TcpStream::connect(("127.0.0.1", port)) {
        Ok(_) => "connected",
        Err(_) => "refused",
    }
}
