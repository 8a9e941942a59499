fn echo_bigint(n: taskfoundry::BigInt) -> taskfoundry::BigInt {
    n
}
