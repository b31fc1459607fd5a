//! Settings files as databases read them, and the results for them.

use super::{Entry, Include, Included, Kept, Syntax, read, read_with_includes, review, syntax_of};
use crate::database::DATABASES;
use crate::{
    Advice, Alternative, Cause, Choose, DefaultValue, Effect, Facts, Kind, Loss, NoAdvice, Now, Release,
    Setting, Statement, TakesEffect, Weighed, Why,
};
use proptest::prelude::*;
use verdict::{Answer, Estimate};

fn entries(syntax: Syntax, text: &str) -> Vec<(String, String, usize)> {
    let entries = read(syntax, text).unwrap();
    entries.into_iter().map(|Entry { name, value, place }| (name, value, place.line)).collect()
}

#[track_caller]
fn check(syntax: Syntax, text: &str, expected: &[(&str, &str, usize)]) {
    let expected: Vec<(String, String, usize)> =
        expected.iter().map(|(name, value, line)| ((*name).to_owned(), (*value).to_owned(), *line)).collect();
    assert_eq!(entries(syntax, text), expected);
}

#[track_caller]
fn refused(syntax: Syntax, text: &str, words: &str) {
    let error = read(syntax, text).unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn postgresql_conf_is_read_as_the_server_does() {
    let text = "# a comment\n\nWAL_SYNC_METHOD = fdatasync # as it was\ncommit_delay 1ms\n  random_page_cost=1.1\n\
                search_path = '\"$user\", ''x'' \\'y\\''\nx.y = ''\nport = 5432\r\n";
    check(
        Syntax::PostgresqlConf,
        text,
        &[
            ("wal_sync_method", "fdatasync", 3),
            ("commit_delay", "1ms", 4),
            ("random_page_cost", "1.1", 5),
            ("search_path", "\"$user\", 'x' 'y'", 6),
            ("x.y", "", 7),
            ("port", "5432", 8),
        ],
    );
    refused(
        Syntax::PostgresqlConf,
        "a = 1\ninclude 'b.conf'",
        "2: cannot include b.conf: it is in another file",
    );
    refused(Syntax::PostgresqlConf, "include_dir = conf.d", "1: cannot include conf.d");
    refused(Syntax::PostgresqlConf, "a = 'b", "1: the quote of a does not end");
    refused(Syntax::PostgresqlConf, "a = b c", "there is text after the value of a");
    refused(Syntax::PostgresqlConf, "a = *", "the value of a must be in single quotes");
    refused(Syntax::PostgresqlConf, "a =", "a has no value");
    refused(Syntax::PostgresqlConf, "a = # 'b'", "a has no value");
    refused(Syntax::PostgresqlConf, "= 1", "the setting's name is missing");
}

#[test]
fn other_files_are_read_as_their_programs_do() {
    let text = "[client]\nport=1\n[mysqld]\n# c\n; c\ninnodb-flush-method = O_DIRECT # why\nloose_x='a b'\nskip_name\nskip-innodb-doublewrite\n";
    check(
        Syntax::MysqlOptions,
        text,
        &[
            ("innodb_flush_method", "O_DIRECT", 6),
            ("x", "a b", 7),
            ("skip_name", "ON", 8),
            ("innodb_doublewrite", "OFF", 9),
        ],
    );
    refused(Syntax::MysqlOptions, "[mysqld]\n!includedir /etc/my.cnf.d", "2: cannot include /etc/my.cnf.d");
    refused(Syntax::MysqlOptions, "!include", "1: write an include as");
    refused(Syntax::MysqlOptions, "!import a", "1: write an include as");
    refused(Syntax::MysqlOptions, "a=1", "before any [group]");
    let text = "[Version]\n  rocksdb_version=9.0.0\n[DBOptions]\n  use_direct_reads=true # c\n  a=b\\#c\n[CFOptions \"default\"]\n  d=1\n";
    check(Syntax::RocksdbOptions, text, &[("use_direct_reads", "true", 4), ("a", "b\\#c", 5)]);
    refused(Syntax::RocksdbOptions, "[DBOptions\na=1", "no closing bracket");
    refused(Syntax::RocksdbOptions, "[DBOptions]\na", "2: write an option as name=value");
    refused(Syntax::RocksdbOptions, "[DBOptions]\n=b", "2: write an option as name=value");
    let text = "-- c; d\nCREATE TABLE t(a);\nPRAGMA main.synchronous = 1;\n/* x\n */ pragma journal_mode('wal');\nPRAGMA page_size;";
    check(Syntax::SqlitePragmas, text, &[("synchronous", "NORMAL", 3), ("journal_mode", "wal", 5)]);
    check(Syntax::SqlitePragmas, "PRAGMA synchronous=ON", &[("synchronous", "NORMAL", 1)]);
    refused(Syntax::SqlitePragmas, "\nPRAGMA synchronous(1", "2: the pragma's closing bracket is missing");
    assert_eq!(syntax_of("OPTIONS-000005"), Some(Syntax::RocksdbOptions));
    assert_eq!(syntax_of("a.txt"), None);
}

/// The files of an invented disk.
fn with_includes(text: &str, disk: &[(&str, &str)]) -> Result<Vec<(String, String, String)>, String> {
    let mut fetch = |include: &Include, from: Option<&str>| {
        let found = |name: &str| {
            let (_, text) = disk.iter().find(|(known, _)| *known == name)?;
            Some(Included { file: name.to_owned(), text: (*text).to_owned() })
        };
        match include {
            Include::File { path, is_optional, .. } => match found(path) {
                Some(file) => Ok(vec![file]),
                None if *is_optional => Ok(Vec::new()),
                None => Err(format!("no such file, seen from {}", from.unwrap_or("the first"))),
            },
            Include::Directory { path, ending, .. } => Ok(disk
                .iter()
                .filter(|(name, _)| name.starts_with(path.as_str()) && name.ends_with(ending))
                .filter_map(|(name, _)| found(name))
                .collect()),
        }
    };
    let entries =
        read_with_includes(Syntax::PostgresqlConf, text, &mut fetch).map_err(|why| why.to_string())?;
    Ok(entries.into_iter().map(|entry| (entry.name, entry.value, entry.place.to_string())).collect())
}

#[test]
fn what_a_file_takes_in_counts_where_it_stands() {
    let disk = [
        ("a.conf", "x = 2\ninclude 'b.conf'"),
        ("b.conf", "\ny = 3"),
        ("d/1.conf", "x = 4"),
        ("d/2.txt", "x = 5"),
    ];
    let found =
        with_includes("x = 1\ninclude 'a.conf'\ninclude_if_exists 'none'\ninclude_dir 'd'\nz = 6", &disk)
            .unwrap();
    let told: Vec<(&str, &str, &str)> =
        found.iter().map(|(name, value, place)| (name.as_str(), value.as_str(), place.as_str())).collect();
    assert_eq!(
        told,
        [
            ("x", "1", "line 1"),
            ("x", "2", "a.conf line 1"),
            ("y", "3", "b.conf line 2"),
            ("x", "4", "d/1.conf line 1"),
            ("z", "6", "line 5"),
        ]
    );
    let absent = with_includes("include 'a.conf'", &[("a.conf", "\ninclude 'gone'")]).unwrap_err();
    assert_eq!(absent, "a.conf:2: cannot include gone: no such file, seen from a.conf");
    let spoilt = with_includes("include 'a.conf'", &[("a.conf", "x = 'y")]).unwrap_err();
    assert_eq!(spoilt, "a.conf:1: the quote of x does not end");
    let endless = with_includes("include 'a.conf'", &[("a.conf", "include 'a.conf'")]).unwrap_err();
    assert!(endless.contains("more than 10 deep"), "{endless}");
    let wide =
        with_includes("include_dir 'd'", &[("d/1.conf", "include_dir 'd'"), ("d/2.conf", "include_dir 'd'")]);
    assert!(wide.unwrap_err().contains("more than 1"));
}

fn estimate(point: f64) -> Estimate {
    Estimate {
        point: Some(point),
        interval: Some((point * 0.9, point * 1.1)),
        level: Some(0.99),
        reason: None,
    }
}

fn measured() -> Statement {
    Statement::Keeps("it survives")
}

fn setting(name: &'static str, kind: Kind, default: &'static str, value: &str, over: &str) -> Setting {
    let effect = Effect {
        value: value.to_owned(),
        over: over.to_owned(),
        metric: "commits_per_s".to_owned(),
        ratio: Estimate { interval: Some((1.25, 1.35)), ..estimate(1.3) },
        figures: None,
        conditions: None,
        answer: Answer::Different,
    };
    let weighed = Weighed { effects: vec![effect], ..Weighed::new(Choose::Compared, measured()) };
    Setting::new(facts(name, kind, default), "postgresql", Ok(weighed))
}

fn facts(name: &'static str, kind: Kind, default: &'static str) -> Facts {
    Facts::new(name, kind, DefaultValue::Always(default), TakesEffect::Reload, "")
}

fn postgresql() -> Advice {
    let none = NoAdvice::because(Why::Undecided, Cause::NothingMeasured);
    let cost = Setting::new(facts("random_page_cost", Kind::Real, "4.0"), "postgresql", Err(none));
    Advice {
        database: DATABASES[0].name.to_owned(),
        id: DATABASES[0].id.to_owned(),
        fragment: "postgresql.conf".to_owned(),
        syntax: Syntax::PostgresqlConf,
        settings: vec![
            setting("wal_sync_method", Kind::Name, "fdatasync", "open_datasync", "fdatasync"),
            setting("wal_init_zero", Kind::Flag, "on", "on", "off"),
            setting("commit_delay", Kind::Microseconds, "0", "50", "0"),
            cost,
        ],
    }
}

fn reviewed(advice: &Advice, text: &str) -> super::Review {
    review(advice, &read(advice.syntax, text).unwrap(), &Release::Any).unwrap()
}

#[test]
fn what_to_change_what_to_leave_what_cannot_be_said() {
    let found = reviewed(
        &postgresql(),
        "fsync = off\nwal_sync_method = FDATASYNC\nrandom_page_cost=2\ncommit_delay = '0.05ms'",
    );
    assert!(found.changes.is_empty(), "predicted from the disk: {:?}", found.changes);
    let [change] = &found.candidates[..] else { panic!("{:?}", found.candidates) };
    assert_eq!(
        (
            change.setting.as_str(),
            change.place.as_ref().map(|place| place.line),
            change.because.value.as_str()
        ),
        ("wal_sync_method", Some(2), "open_datasync")
    );
    assert_eq!(change.because.effects[0].ratio.point, Some(1.3));
    let line = |kept: &Kept| kept.place.as_ref().map(|place| place.line);
    let kept: Vec<(&str, Option<usize>)> =
        found.kept.iter().map(|kept| (kept.setting.as_str(), line(kept))).collect();
    assert_eq!(kept, [("wal_init_zero", None), ("commit_delay", Some(4))]);
    assert_eq!(found.unadvised[0].value.as_deref(), Some("2"));
    let [hazard] = &found.hazards[..] else { panic!("{:?}", found.hazards) };
    assert_eq!((&hazard.setting[..], &hazard.value[..], hazard.place.line), ("fsync", "off", 1));
    // A value that was not compared is not judged.
    let other = reviewed(&postgresql(), "wal_sync_method = open_sync");
    let in_use = Some("open_sync".to_owned());
    assert_eq!(*other.unadvised[0].because.cause, Cause::InUseNotCompared { in_use });
    // The server uses the last entry.
    assert_eq!(line(&reviewed(&postgresql(), "wal_init_zero=off\nwal_init_zero=1").kept[0]), Some(2));
}

/// The review once ignored `sync_binlog = 1000`, and took `innodb_flush_method = 0`, which is `fsync`, for a method
/// that does not sync.
#[test]
fn every_value_that_gives_up_durability_is_named() {
    let of = |syntax, name: &str, text: &str| {
        let known = DATABASES.iter().find(|database| database.syntax == syntax).unwrap();
        let (database, id) = (known.name.to_owned(), known.id.to_owned());
        let advice = Advice { database, id, fragment: name.to_owned(), syntax, settings: Vec::new() };
        reviewed(&advice, text).hazards
    };
    let mysql = |option: &str| of(Syntax::MysqlOptions, "my.cnf", &format!("[mysqld]\n{option}"));
    for option in [
        "sync_binlog=0",
        "sync_binlog=1000",
        "innodb_flush_log_at_trx_commit=2",
        "innodb_flush_log_at_trx_commit=0",
        "innodb_doublewrite=0",
        "skip-innodb-doublewrite",
        "innodb_flush_method=nosync",
    ] {
        assert_eq!(mysql(option).len(), 1, "{option}");
    }
    for option in [
        "sync_binlog=1",
        "innodb_flush_log_at_trx_commit=1",
        "innodb_doublewrite=DETECT_AND_RECOVER",
        "innodb_flush_method=0",
    ] {
        assert!(mysql(option).is_empty(), "{option}: {:?}", mysql(option));
    }
    let sqlite = |pragma: &str| of(Syntax::SqlitePragmas, "a.sql", &format!("PRAGMA {pragma};"));
    for (pragma, hazards) in [("synchronous = no", 1), ("synchronous = yes", 1), ("synchronous = 2", 0)] {
        assert_eq!(sqlite(pragma).len(), hazards, "{pragma}");
    }
}

#[test]
fn what_is_as_good_is_left() {
    let mut advice = postgresql();
    if let Ok(found) = &mut advice.settings[1].weighed {
        found.effects[0].answer = Answer::Equivalent;
        found.effects[0].ratio.interval = Some((0.98, 1.02));
    }
    for text in ["wal_init_zero = on", "wal_init_zero = off", ""] {
        let found = reviewed(&advice, text);
        let kept = found.kept.iter().find(|kept| kept.setting == "wal_init_zero").unwrap();
        assert!(kept.because.regret.as_ref().unwrap().is_proven_small, "{kept:?}");
    }
}

#[test]
fn names_without_a_rule_are_told_and_slips_are_named() {
    let found = reviewed(
        &postgresql(),
        "wal_sync_methd = fdatasync\nshared_buffers = '4 GB'\nfsync = on\nshared_buffers = 1GB\nwal_level = logical",
    );
    let told: Vec<(&str, Option<&str>)> =
        found.unknown.iter().map(|setting| (setting.setting.as_str(), setting.meant.as_deref())).collect();
    assert_eq!(
        told,
        [("wal_sync_methd", Some("wal_sync_method")), ("shared_buffers", None), ("wal_level", None)]
    );
}

#[test]
fn what_depends_on_the_data_is_not_compared() {
    let mut advice = postgresql();
    let choose = Choose::Said { words: "1.05 × the pages".to_owned(), estimate: None };
    let weighed = Weighed::new(choose, measured());
    let facts = facts("temp_buffers", Kind::Relative, "8MB");
    advice.settings.push(Setting::new(facts, "postgresql", Ok(weighed)));
    let found = reviewed(&advice, "temp_buffers = '64 MB'");
    let unadvised = found.unadvised.iter().find(|unadvised| unadvised.setting == "temp_buffers").unwrap();
    assert_eq!(unadvised.value.as_deref(), Some("64 MB"));
    assert!(matches!(*unadvised.because.cause, Cause::DependsOnData { .. }), "{unadvised:?}");
}

/// A file that does not set it was compared with the default, and not with what the machine has.
#[test]
fn what_the_machine_has_is_in_use_where_the_file_says_nothing() {
    let weighed = |value: &str, over: &str| {
        let measured = setting("read_ahead_kb", Kind::Integer, "128", value, over).weighed.unwrap();
        Weighed { in_use: Some("512".to_owned()), ..measured }
    };
    let facts = facts("read_ahead_kb", Kind::Integer, "128");
    let mut advice = postgresql();
    advice.settings = vec![Setting::new(facts, "postgresql", Ok(weighed("1024", "512")))];
    let changes = reviewed(&advice, "fsync = on").candidates;
    assert_eq!((&changes[0].from, &changes[0].because.value[..]), (&Now::Set("512".to_owned()), "1024"));
}

#[test]
fn a_value_is_the_same_in_every_unit_and_spelling() {
    let same = |kind, one: &str, other: &str| crate::value::is_same(kind, one, other).unwrap();
    for text in ["50", "50us", "0.05ms", "0.05 ms", "0.00005s"] {
        assert!(same(Kind::Microseconds, text, "50"), "{text}");
    }
    assert!(same(Kind::Microseconds, "1min", "60s") && same(Kind::Microseconds, "1h", "60min"));
    assert!(!same(Kind::Microseconds, "50ms", "50"));
    for text in ["16", "0x10", "16.0", "15.6"] {
        assert!(same(Kind::Integer, text, "16"), "{text}");
    }
    assert!(
        same(Kind::Flag, "TRUE", "on") && same(Kind::Flag, "of", "off") && !same(Kind::Flag, "yes", "off")
    );
    for (kind, text) in
        [(Kind::Flag, "o"), (Kind::Integer, "1kB"), (Kind::Microseconds, "1 ks"), (Kind::Real, "nan")]
    {
        assert!(crate::value::is_same(kind, text, "1").is_err(), "{text}");
    }
}

#[test]
fn values_that_are_none_are_refused_with_their_line() {
    for (text, words) in [
        ("\nwal_init_zero = maybe", "2: wal_init_zero is on or off, not \"maybe\""),
        ("commit_delay = 3parsec", "1: commit_delay is a time"),
    ] {
        let error =
            review(&postgresql(), &read(Syntax::PostgresqlConf, text).unwrap(), &Release::Any).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn who_promises_more_keeps_it_and_who_promises_less_is_told_the_price() {
    let weighed = Weighed {
        stronger: &["EXTRA"],
        alternatives: vec![Alternative {
            value: "NORMAL".to_owned(),
            statement: measured(),
            loses: Some(Loss::Note("the last transactions")),
        }],
        ..Weighed::new(Choose::Guaranteed("FULL"), measured())
    };
    let full = Setting::new(facts("synchronous", Kind::Name, "FULL"), "sqlite", Ok(weighed));
    let advice = Advice { syntax: Syntax::SqlitePragmas, settings: vec![full], ..postgresql() };
    assert_eq!(reviewed(&advice, "PRAGMA synchronous = EXTRA;").kept.len(), 1);
    assert_eq!(reviewed(&advice, "PRAGMA synchronous = 1;").trades[0].safe, "FULL");
    assert_eq!(reviewed(&advice, "").kept.len(), 1);
}

proptest! {
    #[test]
    fn quoted_values_come_back(name in "[a-z_][a-z0-9_]{0,20}", value in "[^\\\\\n\r\u{85}\u{2028}]{0,40}", spaces in "[ \t]{0,3}") {
        prop_assume!(!["include", "include_if_exists", "include_dir"].contains(&name.as_str()));
        let text = format!("{spaces}{name}{spaces}={spaces}'{}'{spaces}# end", value.replace('\'', "''"));
        let found = entries(Syntax::PostgresqlConf, &text);
        prop_assert_eq!(found, [(name, value, 1)]);
    }

    #[test]
    fn plain_values_come_back(name in "[a-zA-Z_][a-zA-Z0-9_]{0,20}", value in "[a-zA-Z0-9_./:-]{1,20}", sign in "( = |=| )") {
        let lower = name.to_ascii_lowercase();
        prop_assume!(!["include", "include_if_exists", "include_dir"].contains(&lower.as_str()));
        prop_assert_eq!(entries(Syntax::PostgresqlConf, &format!("{name}{sign}{value}")), [(lower, value, 1)]);
    }

    /// For any content of a file the reader ends, and an error names a line of the file.
    #[test]
    fn nothing_panics(text in "(?s).{0,200}", syntax in prop::sample::select(vec![
        Syntax::PostgresqlConf, Syntax::MysqlOptions, Syntax::RocksdbOptions, Syntax::SqlitePragmas,
    ])) {
        if let Err(error) = read(syntax, &text) {
            let line = error.place.line;
            prop_assert!(line >= 1 && line <= text.lines().count().max(1));
        }
    }

    #[test]
    fn settings_among_noise_panic_nowhere(text in "[a-z_='\" \\\\#;\\[\\]()!*/\n-]{0,120}", syntax in prop::sample::select(vec![
        Syntax::PostgresqlConf, Syntax::MysqlOptions, Syntax::RocksdbOptions, Syntax::SqlitePragmas,
    ])) {
        let _ = read(syntax, &text);
        let _ = read(syntax, &format!("[mysqld]\n[DBOptions]\nPRAGMA {text}"));
    }
}
