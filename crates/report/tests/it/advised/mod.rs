//! Advice of every form for every database: invented, but each setting is one that a rule can advise.

use advice::{
    Advice, Alternative, Decision, DefaultValue, Effect, Expiry, Ground, Kind, NoAdvice, Recommendation,
    Setting, Syntax, Why,
};
use verdict::{Answer, Estimate};

fn estimate(point: f64) -> Estimate {
    Estimate {
        point: Some(point),
        interval: Some((point * 0.95, point * 1.05)),
        level: Some(0.9929),
        reason: None,
    }
}

fn recommendation(value: &str, over: &str) -> Recommendation {
    Recommendation {
        value: value.to_owned(),
        loadable: true,
        estimate: None,
        statement: format!(
            "{value} compared with {over}: 1.30× the commits/s (1.24–1.37, 99.29 % simultaneous, 10 rounds of study commit-modes)"
        ),
        effects: vec![Effect {
            over: over.to_owned(),
            metric: "commits_per_s".to_owned(),
            ratio: estimate(1.3),
            answer: Answer::Different,
        }],
        alternatives: Vec::new(),
        stronger: Vec::new(),
        grounds: vec![Ground {
            study: "commit-modes".to_owned(),
            finding: "compare sync, dsync against fdatasync".to_owned(),
            metric: "commits_per_s".to_owned(),
            trials: 20,
        }],
        audits: ["littles-law", "same-knobs", "volatile-cache"].map(str::to_owned).to_vec(),
        unchecked: Vec::new(),
        caveats: vec!["Measured with one write a commit.".to_owned()],
        expires: Expiry {
            kernel: "6.18.0".to_owned(),
            device: "Samsung SSD 990 PRO of 1.82 TiB".to_owned(),
            filesystem: "ext4".to_owned(),
            memory_bytes: 64 << 30,
            size_bytes: Some(1 << 30),
        },
    }
}

fn setting(name: &str, default: &'static str, found: Recommendation) -> Setting {
    let default = DefaultValue::Always(default);
    Setting { name: name.to_owned(), kind: Kind::Name, default, decision: Decision::Advised(Box::new(found)) }
}

fn without(name: &str, why: Why, reason: &str, study: Option<&str>) -> Setting {
    let none = NoAdvice {
        why,
        reason: reason.to_owned(),
        study: study.map(str::to_owned),
        seen: None,
        effort: None,
        audit: None,
    };
    let default = DefaultValue::Since { version: "18", value: "16", before: "1" };
    Setting { name: name.to_owned(), kind: Kind::Integer, default, decision: Decision::NoAdvice(none) }
}

fn of(database: &str, fragment: &str, syntax: Syntax, settings: Vec<Setting>) -> Advice {
    Advice { database: database.to_owned(), fragment: fragment.to_owned(), syntax, settings }
}

/// One for each database.
pub(crate) fn all() -> Vec<Advice> {
    vec![postgresql(), rocksdb(), mysql(), sqlite(), etcd(), data_loader()]
}

fn postgresql() -> Advice {
    let cost = Recommendation {
        estimate: Some(estimate(3.87)),
        alternatives: vec![Alternative {
            value: "31.2".to_owned(),
            statement: "raw, with nothing cached: 31.2× (30.1–32.4, 99.38 % simultaneous)".to_owned(),
            loses: String::new(),
        }],
        ..recommendation("3.87", "a sequential page")
    };
    let buffers = Recommendation {
        loadable: false,
        ..recommendation("1.05 × the pages of the largest temporary table", "1.0")
    };
    let settings = vec![
        setting("wal_sync_method", "fdatasync", recommendation("open_datasync", "fdatasync")),
        setting("wal_init_zero", "on", recommendation("on", "off")),
        setting("wal_recycle", "on", recommendation("on", "off")),
        setting("commit_delay", "0", recommendation("45", "0")),
        setting("random_page_cost", "4.0", cost),
        setting("effective_io_concurrency", "16", recommendation("32", "16")),
        setting("maintenance_io_concurrency", "16", recommendation("32", "16")),
        setting("temp_buffers", "8MB", buffers),
    ];
    of("PostgreSQL 15–18", "postgresql.conf", Syntax::PostgresqlConf, settings)
}

fn rocksdb() -> Advice {
    let manual = Recommendation {
        alternatives: vec![Alternative {
            value: "true".to_owned(),
            statement: "manual_wal_flush compared with RocksDB's default: 1.90× the entries/s (1.80–2.00, 99.62 % simultaneous)"
                .to_owned(),
            loses: "acknowledged writes if the process dies: up to 300 entries in one kill here".to_owned(),
        }],
        ..recommendation("false", "true")
    };
    let settings = vec![
        setting("use_direct_reads", "false", recommendation("true", "false")),
        setting("use_direct_io_for_flush_and_compaction", "false", recommendation("true", "false")),
        setting("recycle_log_file_num", "0", recommendation("1", "0")),
        setting("manual_wal_flush", "false", manual),
    ];
    of("RocksDB", "rocksdb-options.ini", Syntax::RocksdbOptions, settings)
}

fn mysql() -> Advice {
    let settings = vec![
        setting("innodb_flush_method", "O_DIRECT", recommendation("O_DIRECT", "fsync")),
        setting("innodb_use_fdatasync", "ON", recommendation("ON", "OFF")),
    ];
    of("MySQL 8 (InnoDB)", "my.cnf", Syntax::MysqlOptions, settings)
}

fn sqlite() -> Advice {
    let full = Recommendation {
        alternatives: vec![Alternative {
            value: "NORMAL".to_owned(),
            statement: "NORMAL compared with FULL: 20.1× the entries/s (19.2–21.0, 98.75 % simultaneous)"
                .to_owned(),
            loses: "the last transactions if the power fails".to_owned(),
        }],
        ..recommendation("FULL", "NORMAL")
    };
    let journal = setting("journal_mode", "DELETE", recommendation("WAL", "DELETE"));
    of("SQLite 3", "sqlite.sql", Syntax::SqlitePragmas, vec![journal, setting("synchronous", "FULL", full)])
}

fn etcd() -> Advice {
    let failed = without(
        "disk",
        Why::AuditFailed,
        "It rests on the failed audit volatile-cache of study wal-layout",
        None,
    );
    of("etcd", "etcd.txt", Syntax::Text, vec![failed])
}

fn data_loader() -> Advice {
    let block =
        without("block_size", Why::NotMeasured, "no study of this run has the workload scan", Some("scan"));
    let hint =
        without("page_cache", Why::NotMeasured, "no study of this run has the workload scan", Some("scan"));
    of("Data loaders", "data-loader.txt", Syntax::Text, vec![block, hint])
}
