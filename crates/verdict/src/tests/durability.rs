//! Arms of three durability classes: each is compared with the file of its class, and the files tell what a class costs.

use super::study;
use crate::synthetic::{Synthetic, name};
use crate::verdict::{Answer, Finding, StudyVerdict};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::{Outcome, TrialRecord};

fn declares(arm: &'static str, class: DurabilityClass) -> impl Fn(&mut TrialRecord) {
    move |record| {
        if record.values.is("arm", arm) {
            record.measurement.as_mut().unwrap().durability = class;
        }
    }
}

fn subjects(study: &StudyVerdict) -> Vec<&str> {
    study.findings.iter().map(|finding| finding.subject.as_str()).collect()
}

fn finding<'a>(study: &'a StudyVerdict, subject: &str) -> &'a Finding {
    let found = study.findings.iter().find(|finding| finding.subject == subject);
    found.unwrap_or_else(|| panic!("no {subject}: {:?}", subjects(study)))
}

#[test]
fn the_answer_is_what_each_promise_costs() {
    let study = study(&Synthetic::append());
    let words = [
        "Surviving a killed process costs 7.9",
        "in entries/s (99 % simultaneous interval 7.",
        "10 rounds, 1 cell): from user_buffer (class none) to pwrite (class process), 7\u{2009}9",
        "Surviving power loss (as declared) costs a further 1\u{2009}0",
        "from pwrite (class process) to fdatasync (class power)",
    ];
    let mut rest = study.answer.as_str();
    for words in words {
        let at = rest.find(words).unwrap_or_else(|| panic!("no {words:?} in {rest:?} of {:?}", study.answer));
        rest = &rest[at + words.len()..];
    }
    let (low, high) = study.findings[0].ratio.clone().unwrap().interval.unwrap();
    assert!(low < 0.125 && 0.125 < high, "{:?}", study.findings[0]);
}

#[test]
fn each_arm_is_compared_with_the_reference_of_its_class() {
    let study = study(&Synthetic::append());
    let expected = [
        "pwrite against user_buffer",
        "fdatasync against pwrite",
        "fjall_manual against user_buffer",
        "sqlite_normal against pwrite",
        "lmdb_sync against fdatasync",
    ];
    assert_eq!(subjects(&study), expected);
    let lmdb = finding(&study, "lmdb_sync against fdatasync");
    assert_eq!((lmdb.answer, lmdb.ask.as_str()), (Answer::Different, "compare arm"));
    assert!(lmdb.p_adjusted.is_some_and(|p| p < 0.001));
    assert!(!lmdb.statement.contains("classes differ"), "{}", lmdb.statement);
    let cell = |arm: &str| study.cells.iter().find(|cell| cell.levels == [arm]).unwrap();
    let ratio = |arm: &str| cell(arm).against_reference["entries_per_s"].clone();
    let (low, high) = ratio("lmdb_sync").ratio.unwrap().interval.unwrap();
    assert!(low < 0.5 && 0.5 < high && ratio("lmdb_sync").reference == "fdatasync");
    assert!(ratio("pwrite").ratio.is_none() && ratio("pwrite").reference == "pwrite");
}

/// Names decide nothing: an arm called `lmdb_sync` whose trials declare less is compared with what declares less.
#[test]
fn the_class_is_what_the_records_declare() {
    let study = study(&Synthetic::append().edit(declares("lmdb_sync", DurabilityClass::Process)));
    let lmdb = finding(&study, "lmdb_sync against pwrite");
    assert!(lmdb.statement.starts_with("lmdb_sync: entries/s is 0.000"), "{}", lmdb.statement);
    let groups = study.by_durability();
    let of = |class: &str| groups.iter().find(|group| group.class == class).unwrap();
    assert_eq!((of("process").cells.len(), of("power").cells.len()), (3, 1));
}

#[test]
fn a_reference_of_another_class_than_meant_leaves_its_class_without() {
    let edited = Synthetic::append().edit(declares("fdatasync", DurabilityClass::Process));
    let study = study(&edited);
    let lmdb = finding(&study, "lmdb_sync");
    assert_eq!(lmdb.answer, Answer::NotAssessable);
    let why = "lmdb_sync is of class power, which has no reference in this run (fdatasync is of class process, as pwrite is).";
    assert!(lmdb.statement.ends_with(why), "{}", lmdb.statement);
    // It is an arm of its class like any other.
    assert_eq!(finding(&study, "fdatasync against pwrite").ask, "compare arm");
    assert!(study.answer.starts_with("Surviving a killed process costs"), "{}", study.answer);
    assert!(!study.answer.contains("power loss"), "{}", study.answer);
}

#[test]
fn what_a_profile_leaves_out_and_what_cannot_run_is_said() {
    let levels = ["pwrite", "sqlite_normal", "lmdb_sync"].map(name).to_vec();
    let without = study(&Synthetic::append().vary("arm", levels).edit(|record| {
        if record.values.is("arm", "sqlite_normal") {
            record.outcome = Outcome::Unsupported("the engine is not built in".to_owned());
            record.measurement = None;
        }
    }));
    let ladder = finding(&without, "durability ladder");
    let why = "cannot be told: user_buffer is left out of this run; fdatasync is left out of this run.";
    assert!(ladder.statement.ends_with(why), "{}", ladder.statement);
    assert!(without.answer.contains(why), "{}", without.answer);
    let sqlite = finding(&without, "sqlite_normal");
    assert!(sqlite.statement.contains("no trial of sqlite_normal has ended well"), "{}", sqlite.statement);
    assert!(sqlite.statement.contains("the engine is not built in"), "{}", sqlite.statement);
    let lmdb = finding(&without, "lmdb_sync");
    assert!(lmdb.statement.contains("class power, which has no reference in this run"), "{}", lmdb.statement);
}

#[test]
fn a_promise_is_refuted_by_a_kill_or_by_a_missing_flush_and_else_declared() {
    let standing = |study: &Synthetic, class: &str| {
        let promises = self::study(study).promises;
        promises.into_iter().find(|promise| promise.class == class).unwrap().standing
    };
    let sound = Synthetic::append();
    assert_eq!(
        standing(&sound, "process"),
        "no acknowledged entry lost in 20 kills, so that at most 13.9 % of kills could lose one (95 %)"
    );
    assert!(
        standing(&sound, "none")
            .starts_with("dies with the process: entries lost in 30 of 30 kills, up to 300")
    );
    assert!(standing(&sound, "power").starts_with("declared, which no kill can prove: as many flushes as"));
    let set = |arm: &'static str, metric: &'static str, value: f64| {
        Synthetic::append().edit(move |record| {
            if record.values.is("arm", arm) {
                let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
                metrics.insert(metric.to_owned(), Measured::Value(value));
            }
        })
    };
    let lost = standing(&set("sqlite_normal", "lost_after_kill", 2.0), "process");
    assert_eq!(lost, "REFUTED: acknowledged entries lost in 10 of 20 kills, up to 2.00");
    let unflushed = standing(&set("lmdb_sync", "device_flushes_per_entry", 0.0), "power");
    assert!(
        unflushed.starts_with(
            "REFUTED: fewer flushes than acknowledgements need, and no forced writes, in 10 of 20 trials"
        ),
        "{unflushed}"
    );
}
