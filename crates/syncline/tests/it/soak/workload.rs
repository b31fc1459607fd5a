//! A study of every workload that takes a second, so that a kill soon meets every moment of a trial.

use crate::laboratory::STUDY;

/// What is killed.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) study: &'static str,
    /// A kill comes at most this number of milliseconds after the start.
    pub(super) span_ms: usize,
    /// Whether a server runs on the disk, which reaches no directory that is root's alone.
    pub(super) is_servers: bool,
}

const APPEND: &str = r#"
question = "?"
workload = "append"
baseline = { arm = "pwrite" }
[fixed]
entries = 2000
[[arm]]
name = "pwrite"
[[arm]]
name = "fdatasync"
durability = "fdatasync"
runtime = "20ms"
[[arm]]
name = "sqlite"
engine = "sqlite"
durability = "normal"
[profile.quick]
rounds = 2
warmup_rounds = 0
"#;

const KV: &str = r#"
question = "?"
workload = "kv"
baseline = { arm = "fjall" }
[fixed]
keys = 500
reads = 200
phase_runtime = "0s"
threads = 2
[[arm]]
name = "fjall"
engine = "fjall"
durability = "buffer"
[[arm]]
name = "lmdb"
engine = "lmdb"
durability = "nosync"
[[arm]]
name = "redb"
engine = "redb"
durability = "none"
[profile.quick]
rounds = 2
warmup_rounds = 0
"#;

const POOL: &str = r#"
question = "?"
workload = "pool"
baseline = {}
[factors]
headroom = [1.0, 1.25]
[fixed]
blocks = 128
[profile.quick]
rounds = 3
warmup_rounds = 0
"#;

const POSTGRES: &str = r#"
question = "?"
workload = "pool"
baseline = {}
[factors]
headroom = [1.0, 1.25]
[fixed]
subject = "postgres"
blocks = 128
[profile.quick]
rounds = 2
warmup_rounds = 0
"#;

const SCAN: &str = r#"
question = "?"
workload = "scan"
baseline = {}
[factors]
page_cache = ["auto", "sequential"]
[fixed]
files = 4
file_size = "256KiB"
block_size = "64KiB"
passes = 2
[profile.quick]
rounds = 3
warmup_rounds = 0
"#;

const DEVICE: &str = r#"
question = "?"
workload = "device"
baseline = {}
[factors]
mode = ["buffered", "mmap"]
[fixed]
rw = "randread"
bs = "4KiB"
size = "4MiB"
runtime = "50ms"
[profile.quick]
rounds = 3
warmup_rounds = 0
"#;

const MOUNTED: &str = r#"
question = "?"
workload = "commit"
baseline = { mode = "buffered" }
[factors]
mode = ["buffered", "direct"]
[fixed]
filesystem = "ext4"
data_size = "8MiB"
wal_size = "4MiB"
groups = 40
runtime = "0s"
[profile.quick]
rounds = 2
warmup_rounds = 0
"#;

const fn on_any_disk(name: &'static str, study: &'static str) -> Workload {
    Workload { name, study, span_ms: 700, is_servers: false }
}

/// Every workload.
pub(super) const ON_ANY_DISK: &[Workload] = &[
    on_any_disk("commit", STUDY),
    on_any_disk("append", APPEND),
    on_any_disk("device", DEVICE),
    on_any_disk("kv", KV),
    on_any_disk("pool", POOL),
    on_any_disk("scan", SCAN),
];

/// What needs root, loop devices and a server too.
pub(super) fn on_this_machine() -> &'static [Workload] {
    const WITH_ROOT: &[Workload] = &[
        on_any_disk("commit on a loop file system", MOUNTED),
        Workload { name: "pool of PostgreSQL", study: POSTGRES, span_ms: 4000, is_servers: true },
    ];
    if rustix::process::geteuid().is_root() { WITH_ROOT } else { &[] }
}
