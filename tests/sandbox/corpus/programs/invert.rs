use std::collections::{BTreeMap, HashMap};

fn invert(names: HashMap<i64, String>) -> BTreeMap<String, i64> {
    names.into_iter().map(|(number, name)| (name, number)).collect()
}
