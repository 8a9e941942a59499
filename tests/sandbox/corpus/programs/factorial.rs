use taskfoundry::BigInt;

fn factorial(n: i64) -> BigInt {
    let mut digits: Vec<i64> = vec![1];
    for factor in 2..=n {
        let mut carry = 0;
        for digit in digits.iter_mut() {
            carry += *digit * factor;
            *digit = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    BigInt(digits.iter().rev().map(|digit| digit.to_string()).collect())
}
