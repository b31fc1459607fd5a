//! The results for settings files.

use super::{Kept, review};
use crate::database::DATABASES;
use crate::{
    Advice, Alternative, Cause, Choose, DefaultValue, Effect, Facts, Loss, NoAdvice, Now, Setting, Statement,
    TakesEffect, ValueKind, Weighed, Why,
};
use settings::{Release, Syntax, read};
use verdict::{Answer, Estimate};

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

fn setting(name: &'static str, kind: ValueKind, default: &'static str, value: &str, over: &str) -> Setting {
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

fn facts(name: &'static str, kind: ValueKind, default: &'static str) -> Facts {
    Facts::new(name, kind, DefaultValue::Always(default), TakesEffect::Reload, "")
}

fn postgresql() -> Advice {
    let none = NoAdvice::because(Why::Undecided, Cause::NothingMeasured);
    let cost = Setting::new(facts("random_page_cost", ValueKind::Real, "4.0"), "postgresql", Err(none));
    Advice {
        database: DATABASES[0].name.to_owned(),
        id: DATABASES[0].id.to_owned(),
        fragment: "postgresql.conf".to_owned(),
        syntax: Syntax::PostgresqlConf,
        settings: vec![
            setting("wal_sync_method", ValueKind::Name, "fdatasync", "open_datasync", "fdatasync"),
            setting("wal_init_zero", ValueKind::Flag, "on", "on", "off"),
            setting("commit_delay", ValueKind::Microseconds, "0", "50", "0"),
            cost,
        ],
        computed: Vec::new(),
        trace: None,
        run: crate::RunName::default(),
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
    let in_use = "open_sync".to_owned();
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
        let advice = Advice {
            database,
            id,
            fragment: name.to_owned(),
            syntax,
            settings: Vec::new(),
            computed: Vec::new(),
            trace: None,
            run: crate::RunName::default(),
        };
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
    let facts = facts("temp_buffers", ValueKind::Relative, "8MB");
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
        let measured = setting("read_ahead_kb", ValueKind::Integer, "128", value, over).weighed.unwrap();
        Weighed { in_use: Some("512".to_owned()), ..measured }
    };
    let facts = facts("read_ahead_kb", ValueKind::Integer, "128");
    let mut advice = postgresql();
    advice.settings = vec![Setting::new(facts, "postgresql", Ok(weighed("1024", "512")))];
    let changes = reviewed(&advice, "fsync = on").candidates;
    assert_eq!((&changes[0].from, &changes[0].because.value[..]), (&Now::Set("512".to_owned()), "1024"));
}

#[test]
fn a_value_is_the_same_in_every_unit_and_spelling() {
    let same = |kind, one: &str, other: &str| crate::value::is_same(kind, one, other).unwrap();
    for text in ["50", "50us", "0.05ms", "0.05 ms", "0.00005s"] {
        assert!(same(ValueKind::Microseconds, text, "50"), "{text}");
    }
    assert!(same(ValueKind::Microseconds, "1min", "60s") && same(ValueKind::Microseconds, "1h", "60min"));
    assert!(!same(ValueKind::Microseconds, "50ms", "50"));
    for text in ["16", "0x10", "16.0", "15.6"] {
        assert!(same(ValueKind::Integer, text, "16"), "{text}");
    }
    assert!(
        same(ValueKind::Flag, "TRUE", "on")
            && same(ValueKind::Flag, "of", "off")
            && !same(ValueKind::Flag, "yes", "off")
    );
    for (kind, text) in [
        (ValueKind::Flag, "o"),
        (ValueKind::Integer, "1kB"),
        (ValueKind::Microseconds, "1 ks"),
        (ValueKind::Real, "nan"),
    ] {
        assert!(crate::value::is_same(kind, text, "1").is_err(), "{text}");
    }
}

#[test]
fn values_that_are_none_are_refused_with_their_line() {
    for (text, said) in [
        ("\nwal_init_zero = maybe", "2: wal_init_zero is on or off, not \"maybe\""),
        ("commit_delay = 3parsec", "1: commit_delay is a time such as 50, 50us or 1ms, not \"3parsec\""),
    ] {
        let error =
            review(&postgresql(), &read(Syntax::PostgresqlConf, text).unwrap(), &Release::Any).unwrap_err();
        assert_eq!(error.to_string(), said);
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
    let full = Setting::new(facts("synchronous", ValueKind::Name, "FULL"), "sqlite", Ok(weighed));
    let advice = Advice { syntax: Syntax::SqlitePragmas, settings: vec![full], ..postgresql() };
    assert_eq!(reviewed(&advice, "PRAGMA synchronous = EXTRA;").kept.len(), 1);
    assert_eq!(reviewed(&advice, "PRAGMA synchronous = 1;").trades[0].safe, "FULL");
    assert_eq!(reviewed(&advice, "").kept.len(), 1);
}
