fn echo_bytes(data: Vec<u8>) -> Vec<u8> {
    data
}
