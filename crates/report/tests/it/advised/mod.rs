//! Advice of every form for every database: invented, but each setting is one that a rule can advise.

use advice::computed::{Machine, Period, ServerCounters, WalVolume, computed};
use advice::{
    Advice, Alternative, Cause, Caveat, Choose, Command, Compared, DefaultValue, Effect, Expiry, Facts,
    Ground, Loss, MeasuredOn, Needs, NoAdvice, RunName, Setting, Statement, TakesEffect, ValueKind, Weighed,
    Why,
};
use model::host::Trace;
use model::mechanism::Measured;
use settings::Syntax;
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
        ours: ours.to_owned().into(),
        theirs: theirs.to_owned().into(),
        metric: metric.to_owned(),
        ratio: estimate(ratio),
        figures: Some((9_100.0 * ratio, 9_100.0)),
        rounds: 10,
        study: "commit-modes".to_owned(),
        is_floor_known: true,
        is_close: false,
    };
    Statement::Compared { pairs: vec![pair], follows: None }
}

/// A value that is 1.3 times as good as another one.
fn weighed(value: &str, over: &str) -> Weighed {
    let effect = Effect {
        value: value.to_owned(),
        over: over.to_owned(),
        metric: "commits_per_s".to_owned(),
        ratio: estimate(1.3),
        figures: Some((11_830.0, 9_100.0)),
        conditions: None,
        answer: Answer::Different,
    };
    Weighed {
        effects: vec![effect],
        grounds: vec![Ground {
            study: "commit-modes".to_owned(),
            finding: "compare sync, dsync against fdatasync".to_owned(),
            metric: "commits_per_s".to_owned(),
            trials: 20,
        }],
        audits: ["littles-law", "same-knobs", "volatile-cache"].map(str::to_owned).to_vec(),
        caveats: vec![Caveat::Note("Measured with one write a commit.")],
        expires: Expiry {
            kernel: "6.18.0".to_owned(),
            device: "Samsung SSD 990 PRO of 1.82 TiB".to_owned(),
            filesystem: "ext4".to_owned(),
            memory_bytes: 64 << 30,
            size_bytes: Some(1 << 30),
        },
        ..Weighed::new(Choose::Compared, against(value, over, "commits_per_s", 1.3))
    }
}

/// The same, and nothing is proven.
fn undecided(value: &str, over: &str) -> Weighed {
    let mut weighed = weighed(value, over);
    for effect in &mut weighed.effects {
        effect.answer = Answer::Undecided;
        effect.ratio.interval = Some((0.93, 1.56));
    }
    let command = Command::Rounds { study: "depth".to_owned(), profile: "answer".to_owned(), rounds: 24 };
    weighed.needs = Some(Needs::new(command, Some(130.0)));
    weighed
}

fn facts(name: &'static str, kind: ValueKind, default: &'static str) -> Facts {
    let manual = "https://www.postgresql.org/docs/18/";
    Facts::new(name, kind, DefaultValue::Always(default), TakesEffect::Reload, manual)
        .risks(&["a full disk stops the server"])
}

fn setting(
    database: &str,
    (name, kind, default): (&'static str, ValueKind, &'static str),
    weighed: Weighed,
) -> Setting {
    Setting::new(facts(name, kind, default).provable(), database, Ok(weighed))
}

/// The same, measured on the database itself.
fn on_itself(weighed: Weighed) -> Weighed {
    Weighed { measured_on: MeasuredOn::Database, ..weighed }
}

fn without(name: &'static str, why: Why, cause: Cause, study: Option<&str>) -> Setting {
    let needs = study.map(|study| Needs::new(Command::Run { study: study.to_owned() }, Some(60.0)));
    let none = NoAdvice { needs, ..NoAdvice::because(why, cause) };
    let default = DefaultValue::None("there is none");
    let facts = Facts::new(name, ValueKind::Relative, default, TakesEffect::AtOpen, "https://etcd.io/docs/");
    Setting::new(facts, "etcd", Err(none))
}

/// Small: the tests of the binary start a server with these values.
fn machine() -> Machine {
    Machine { memory_bytes: Some(1 << 30), rotates: Some(false) }
}

fn counters() -> ServerCounters {
    let wal = WalVolume { bytes: 259_200 << 20, seconds: 259_200.0, period: Period::SinceReset };
    ServerCounters { connections_max: 100, wal: Measured::Value(wal) }
}

fn of(database: &str, id: &str, fragment: &str, syntax: Syntax, settings: Vec<Setting>) -> Advice {
    Advice {
        database: database.to_owned(),
        id: id.to_owned(),
        fragment: fragment.to_owned(),
        syntax,
        settings,
        computed: if id == "postgresql" { computed(machine(), Some(&counters())) } else { Vec::new() },
        trace: (id == "postgresql").then_some(Trace::Process),
        run: RunName::default(),
    }
}

/// One for each database.
pub(crate) fn all() -> Vec<Advice> {
    vec![postgresql(), rocksdb(), mysql(), mariadb(), sqlite(), etcd(), data_loader()]
}

fn postgresql() -> Advice {
    let cost = |nearest: &str, point: f64| Weighed {
        alternatives: vec![Alternative {
            value: "31.2".to_owned(),
            statement: Statement::Assuming { what: "raw, with nothing cached", ratio: estimate(31.2) },
            loses: None,
        }],
        effects: Vec::new(),
        choose: Choose::Estimated {
            estimate: estimate(point),
            nearest: nearest.to_owned(),
            among: vec![1.0, 1.1, 2.0, 4.0],
        },
        ..weighed(nearest, "a sequential page")
    };
    let delay =
        Weighed { choose: Choose::Untried(vec!["45".to_owned()]), effects: Vec::new(), ..weighed("45", "0") };
    let words = "1.05 × the pages of the largest temporary table".to_owned();
    let buffers = Weighed {
        choose: Choose::Said { words, estimate: None },
        effects: Vec::new(),
        ..on_itself(weighed("1.05 × the table", "the table"))
    };
    let settings = vec![
        setting(
            "postgresql",
            ("wal_sync_method", ValueKind::Name, "fdatasync"),
            weighed("open_datasync", "fdatasync"),
        ),
        setting("postgresql", ("wal_init_zero", ValueKind::Flag, "on"), weighed("off", "on")),
        setting("postgresql", ("wal_recycle", ValueKind::Flag, "on"), weighed("on", "off")),
        setting("postgresql", ("commit_delay", ValueKind::Microseconds, "0"), delay),
        setting("postgresql", ("random_page_cost", ValueKind::Real, "4.0"), cost("1.1", 1.11)),
        setting("postgresql", ("effective_io_concurrency", ValueKind::Integer, "16"), weighed("32", "16")),
        setting(
            "postgresql",
            ("maintenance_io_concurrency", ValueKind::Integer, "16"),
            undecided("64", "16"),
        ),
        setting("postgresql", ("temp_buffers", ValueKind::Relative, "8MB"), buffers),
    ];
    of("PostgreSQL 15–18", "postgresql", "postgresql.conf", Syntax::PostgresqlConf, settings)
}

fn rocksdb() -> Advice {
    let manual = Weighed {
        alternatives: vec![Alternative {
            value: "true".to_owned(),
            statement: against("manual_wal_flush", "RocksDB's default", "entries_per_s", 1.9),
            loses: Some(Loss::EntriesInKill(300.0)),
        }],
        effects: Vec::new(),
        choose: Choose::Guaranteed("false"),
        ..weighed("false", "true")
    };
    let settings = vec![
        setting(
            "rocksdb",
            ("use_direct_reads", ValueKind::Flag, "false"),
            on_itself(weighed("true", "false")),
        ),
        setting(
            "rocksdb",
            ("use_direct_io_for_flush_and_compaction", ValueKind::Flag, "false"),
            on_itself(weighed("true", "false")),
        ),
        setting("rocksdb", ("recycle_log_file_num", ValueKind::Integer, "0"), weighed("1", "0")),
        setting("rocksdb", ("manual_wal_flush", ValueKind::Flag, "false"), manual),
    ];
    of("RocksDB", "rocksdb", "rocksdb-options.ini", Syntax::RocksdbOptions, settings)
}

fn mysql() -> Advice {
    let since = |name, kind, value, before, weighed| {
        let default = DefaultValue::Since { version: "8.4", value, before };
        let facts = Facts { default, ..facts(name, kind, value) };
        Setting::new(facts, "mysql", Ok(weighed))
    };
    let settings = vec![
        since("innodb_flush_method", ValueKind::Name, "O_DIRECT", "fsync", weighed("O_DIRECT", "fsync")),
        since("innodb_use_fdatasync", ValueKind::Flag, "ON", "OFF", weighed("ON", "OFF")),
    ];
    of("MySQL 8 (InnoDB)", "mysql", "my.cnf", Syntax::MysqlOptions, settings)
}

fn mariadb() -> Advice {
    let default = DefaultValue::Since { version: "10.6", value: "O_DIRECT", before: "fsync" };
    let method = Facts { default, ..facts("innodb_flush_method", ValueKind::Name, "O_DIRECT") };
    let neighbors = Weighed { choose: Choose::Favoured("0"), effects: Vec::new(), ..weighed("0", "1") };
    let settings = vec![
        Setting::new(method, "mariadb", Ok(weighed("O_DIRECT", "fsync"))),
        setting("mariadb", ("innodb_flush_neighbors", ValueKind::Integer, "1"), neighbors),
    ];
    of("MariaDB 10.6–12 (InnoDB)", "mariadb", "mariadb.cnf", Syntax::MariadbOptions, settings)
}

fn sqlite() -> Advice {
    let full = Weighed {
        alternatives: vec![Alternative {
            value: "NORMAL".to_owned(),
            statement: against("NORMAL", "FULL", "entries_per_s", 20.1),
            loses: Some(Loss::Note("the last transactions when the power fails")),
        }],
        effects: Vec::new(),
        choose: Choose::Guaranteed("FULL"),
        ..weighed("FULL", "NORMAL")
    };
    let settings = vec![
        setting("sqlite", ("journal_mode", ValueKind::Name, "DELETE"), on_itself(weighed("WAL", "DELETE"))),
        setting("sqlite", ("synchronous", ValueKind::Name, "FULL"), full),
    ];
    of("SQLite 3", "sqlite", "sqlite.sql", Syntax::SqlitePragmas, settings)
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
    of("etcd", "etcd", "etcd.txt", Syntax::Text, vec![failed])
}

fn no_scan() -> Cause {
    Cause::NoCells { workload: "scan".to_owned(), held: Vec::new() }
}

fn data_loader() -> Advice {
    let reader = without("block_size, page_cache, concurrency", Why::NotMeasured, no_scan(), Some("scan"));
    of("Data loaders", "data-loader", "data-loader.txt", Syntax::Text, vec![reader])
}
