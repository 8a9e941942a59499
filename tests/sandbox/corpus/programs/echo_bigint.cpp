taskfoundry::BigInt echo_bigint(taskfoundry::BigInt n) { return n; }
