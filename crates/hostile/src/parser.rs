//! Every parser of what other people write, with its promise and with sound input to begin from.

mod container;
mod explain;
mod fio;
mod history;
mod operation_log;
mod preflight;
mod proof;
mod quantities;
mod refusal;
mod run_directory;
mod settings;
mod store;
mod study;
mod tables;
mod trace_records;
mod undo;
mod volumes;
mod watch_record;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Parser {
    /// Its name, which its fuzz target has too.
    pub name: &'static str,
    /// Panics if the parser breaks its promise.
    pub promise: fn(&[u8]),
    /// Sound input: files, and directories of them, of the repository.
    seeds: &'static [&'static str],
}

/// The list.
pub const PARSERS: &[Parser] = &[
    Parser {
        name: "study",
        promise: study::study,
        seeds: &["studies", "examples/record-size.toml", "crates/hostile/seeds/study"],
    },
    Parser { name: "quantity", promise: quantities::quantity, seeds: &["crates/hostile/seeds/quantity"] },
    Parser { name: "level", promise: quantities::level, seeds: &["crates/hostile/seeds/quantity"] },
    Parser { name: "limit", promise: quantities::limit, seeds: &["crates/hostile/seeds/limit"] },
    Parser { name: "target", promise: quantities::target, seeds: &["crates/hostile/seeds/target"] },
    Parser {
        name: "plan",
        promise: run_directory::plan,
        seeds: &["crates/hostile/seeds/run/plan.json", "crates/hostile/seeds/plan"],
    },
    Parser { name: "host", promise: run_directory::host, seeds: &["crates/hostile/seeds/run/host.json"] },
    Parser { name: "record", promise: run_directory::record, seeds: &["crates/hostile/seeds/record"] },
    Parser { name: "shared", promise: run_directory::shared, seeds: &["crates/hostile/seeds/shared"] },
    Parser { name: "traced", promise: run_directory::traced, seeds: &["crates/hostile/seeds/traced"] },
    Parser { name: "spikes", promise: run_directory::spikes, seeds: &["crates/hostile/seeds/spikes"] },
    Parser { name: "message", promise: run_directory::message, seeds: &["crates/hostile/seeds/message"] },
    Parser {
        name: "sidecar",
        promise: run_directory::sidecar,
        seeds: &["crates/hostile/seeds/run/sidecars/tiny-r001-c000.json", "crates/hostile/seeds/sidecar"],
    },
    Parser {
        name: "histogram",
        promise: run_directory::histogram,
        seeds: &["crates/hostile/seeds/histogram"],
    },
    Parser {
        name: "fio_job",
        promise: fio::job,
        seeds: &["examples/randread.fio", "crates/hostile/seeds/fio_job"],
    },
    Parser {
        name: "fio_json",
        promise: fio::json,
        seeds: &["crates/fio/tests/fixtures", "crates/hostile/seeds/fio_json"],
    },
    Parser {
        name: "published_table",
        promise: tables::table,
        seeds: &["examples/page-000.csv", "examples/page-001.csv", "crates/hostile/seeds/published_table"],
    },
    Parser {
        name: "published_markdown",
        promise: tables::table,
        seeds: &["crates/hostile/seeds/published_markdown"],
    },
    Parser {
        name: "published_html",
        promise: tables::table,
        seeds: &["crates/hostile/seeds/published_html"],
    },
    Parser {
        name: "published_text",
        promise: tables::table,
        seeds: &["crates/hostile/seeds/published_text"],
    },
    Parser { name: "fio_normal", promise: tables::table, seeds: &["crates/hostile/seeds/fio_normal"] },
    Parser { name: "fio_terse", promise: tables::table, seeds: &["crates/hostile/seeds/fio_terse"] },
    Parser { name: "pg_test_fsync", promise: tables::table, seeds: &["crates/hostile/seeds/pg_test_fsync"] },
    Parser { name: "pgbench", promise: tables::table, seeds: &["crates/hostile/seeds/pgbench"] },
    Parser { name: "db_bench", promise: tables::table, seeds: &["crates/hostile/seeds/db_bench"] },
    Parser { name: "sysbench", promise: tables::table, seeds: &["crates/hostile/seeds/sysbench"] },
    Parser { name: "kbench", promise: tables::table, seeds: &["crates/hostile/seeds/kbench"] },
    Parser { name: "jmh", promise: tables::table, seeds: &["crates/hostile/seeds/jmh"] },
    Parser {
        name: "published_prose",
        promise: tables::table,
        seeds: &["crates/hostile/seeds/published_prose"],
    },
    Parser {
        name: "printed_number",
        promise: tables::number,
        seeds: &["crates/hostile/seeds/printed_number"],
    },
    Parser {
        name: "device_file",
        promise: tables::device_file,
        seeds: &["crates/hostile/seeds/device_file"],
    },
    Parser {
        name: "operation_log",
        promise: operation_log::log,
        seeds: &["crates/hostile/seeds/operation_log"],
    },
    Parser { name: "columns", promise: tables::columns, seeds: &["crates/hostile/seeds/columns"] },
    Parser {
        name: "postgresql_conf",
        promise: settings::postgresql_conf,
        seeds: &["examples/postgresql.conf", "crates/hostile/seeds/postgresql_conf"],
    },
    Parser {
        name: "mysql_options",
        promise: settings::mysql_options,
        seeds: &["crates/hostile/seeds/mysql_options"],
    },
    Parser {
        name: "rocksdb_options",
        promise: settings::rocksdb_options,
        seeds: &["crates/hostile/seeds/rocksdb_options"],
    },
    Parser {
        name: "etcd_environment",
        promise: settings::etcd_environment,
        seeds: &["crates/hostile/seeds/etcd_environment"],
    },
    Parser {
        name: "sqlite_pragmas",
        promise: settings::sqlite_pragmas,
        seeds: &["crates/hostile/seeds/sqlite_pragmas"],
    },
    Parser { name: "design", promise: proof::design, seeds: &["crates/hostile/seeds/design"] },
    Parser { name: "undo_journal", promise: undo::journal, seeds: &["crates/hostile/seeds/undo_journal"] },
    Parser {
        name: "store_manifest",
        promise: store::manifest,
        seeds: &["crates/hostile/seeds/store_manifest"],
    },
    Parser { name: "store_log", promise: store::log, seeds: &["crates/hostile/seeds/store_log"] },
    Parser { name: "store_run", promise: store::run, seeds: &["crates/hostile/seeds/store_run"] },
    Parser { name: "store_page", promise: store::page, seeds: &["crates/hostile/seeds/store_page"] },
    Parser { name: "store_index", promise: store::index, seeds: &["crates/hostile/seeds/store_index"] },
    Parser { name: "store_filter", promise: store::filter, seeds: &["crates/hostile/seeds/store_filter"] },
    Parser {
        name: "trace_format",
        promise: trace_records::format,
        seeds: &["crates/trace/tests/fixtures/formats"],
    },
    Parser {
        name: "trace_record",
        promise: trace_records::record,
        seeds: &["crates/hostile/seeds/trace_record"],
    },
    Parser {
        name: "limits_file",
        promise: preflight::limits,
        seeds: &["examples/kubernetes/limits.toml", "crates/hostile/seeds/limits_file"],
    },
    Parser {
        name: "container_config",
        promise: container::config,
        seeds: &["crates/hostile/seeds/container_config"],
    },
    Parser { name: "volumes", promise: volumes::volumes, seeds: &["crates/sizing/volumes.toml"] },
    Parser { name: "history", promise: history::history, seeds: &["crates/hostile/seeds/history"] },
    Parser {
        name: "watch_record",
        promise: watch_record::record,
        seeds: &["crates/hostile/seeds/watch_record"],
    },
    Parser { name: "explain", promise: explain::explain, seeds: &["crates/postgresql/tests/explained"] },
];

/// Calls the promise of the parser of this name: all that its fuzz target does.
pub fn check(name: &str, bytes: &[u8]) {
    let parser = PARSERS.iter().find(|parser| parser.name == name).expect("a target is named by its parser");
    (parser.promise)(bytes);
}

impl Parser {
    /// Its seeds, in the order of their paths.
    ///
    /// # Errors
    /// A seed that cannot be read.
    pub fn seeds(&self) -> io::Result<Vec<Vec<u8>>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files: Vec<PathBuf> = Vec::new();
        for seed in self.seeds.iter().map(|seed| root.join(seed)) {
            if seed.is_dir() {
                for entry in fs::read_dir(&seed)? {
                    files.push(entry?.path());
                }
            } else {
                files.push(seed);
            }
        }
        files.sort();
        files.iter().map(fs::read).collect()
    }
}
