fn primes(n: i64) -> Vec<i64> {
    let size = n as usize;
    let mut composite = vec![false; size];
    let mut found = Vec::new();
    for number in 2..size {
        if composite[number] {
            continue;
        }
        found.push(number as i64);
        for multiple in (number * number..size).step_by(number) {
            composite[multiple] = true;
        }
    }
    found
}
