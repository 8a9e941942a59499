use std::sync::atomic::{AtomicI64, Ordering};

static CALLS: AtomicI64 = AtomicI64::new(0);

fn counter(_n: i64) -> i64 {
    CALLS.fetch_add(1, Ordering::SeqCst) + 1
}
