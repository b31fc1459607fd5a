//! etcd: a key is acknowledged when the log of its member has it on the disk.

use super::table::{Promise, PromiseTable};
use crate::DurabilityClass;

const SOURCE: &str = "https://etcd.io/docs/v3.5/op-guide/configuration/";

pub(super) static TABLE: PromiseTable = PromiseTable { server: "etcd", promises, keeping: &[] };

fn promises() -> Vec<Promise> {
    vec![
        Promise::new(DurabilityClass::Power, SOURCE, &[("unsafe-no-fsync", "false")]).by_default(),
        // "Disables fsync, unsafe, will cause data loss."
        Promise::new(DurabilityClass::None, SOURCE, &[("unsafe-no-fsync", "true")]),
    ]
}
