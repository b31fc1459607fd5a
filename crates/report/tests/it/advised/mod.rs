//! Advice of every form for every database: invented, but each setting is one that a rule can advise.

use advice::{
    Advice, Alternative, Arm, Cached, Cause, Caveat, Compared, Decision, DefaultValue, Effect, Expiry,
    Ground, Kind, Loss, NoAdvice, Recommendation, Setting, Statement, Syntax, Why,
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

fn against(ours: &str, theirs: &str, metric: &str, ratio: f64) -> Statement {
    let pair = Compared {
        ours: Arm::Value(ours.to_owned()),
        theirs: Arm::Value(theirs.to_owned()),
        metric: metric.to_owned(),
        ratio: estimate(ratio),
        rounds: 10,
        study: "commit-modes".to_owned(),
        is_floor_known: true,
        is_close: false,
    };
    Statement::Compared { pairs: vec![pair], follows: None }
}

fn recommendation(value: &str, over: &str) -> Recommendation {
    Recommendation {
        value: value.to_owned(),
        loadable: true,
        estimate: None,
        statement: against(value, over, "commits_per_s", 1.3),
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
        caveats: vec![Caveat::Note("Measured with one write a commit.")],
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

fn without(name: &str, why: Why, cause: Cause, study: Option<&str>) -> Setting {
    let none =
        NoAdvice { why, cause: Box::new(cause), study: study.map(str::to_owned), effort: None, audit: None };
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
            statement: Statement::Cost { cached: Cached::Nothing, ratio: estimate(31.2) },
            loses: None,
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
            statement: against("manual_wal_flush", "RocksDB's default", "entries_per_s", 1.9),
            loses: Some(Loss::EntriesInKill(300.0)),
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
            statement: against("NORMAL", "FULL", "entries_per_s", 20.1),
            loses: Some(Loss::Note("the last transactions when the power fails")),
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
        Cause::AuditFailed {
            study: "wal-layout".to_owned(),
            audit: "volatile-cache".to_owned(),
            summary: "No flush reached the device.".to_owned(),
        },
        None,
    );
    of("etcd", "etcd.txt", Syntax::Text, vec![failed])
}

fn no_scan() -> Cause {
    Cause::NoCells { workload: "scan".to_owned(), held: Vec::new() }
}

fn data_loader() -> Advice {
    let block = without("block_size", Why::NotMeasured, no_scan(), Some("scan"));
    let hint = without("page_cache", Why::NotMeasured, no_scan(), Some("scan"));
    of("Data loaders", "data-loader.txt", Syntax::Text, vec![block, hint])
}
