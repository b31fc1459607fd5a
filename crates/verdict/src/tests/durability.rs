//! Arms of three durability classes: each is compared with the file of its class, and the files show the cost of a
//! class.

use super::study;
use crate::finding::{self, Finding, NoReference, Reason, Remark, Rung, Subject};
use crate::promise::Flushes;
use crate::verdict::{Answer, Group, StudyVerdict};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::{TrialOutcome, TrialRecord};
use synthetic::{Synthetic, name};

fn declares(arm: &'static str, class: DurabilityClass) -> impl Fn(&mut TrialRecord) {
    move |record| {
        if record.values.is("arm", arm) {
            record.measurement.as_mut().unwrap().durability = class;
        }
    }
}

/// `pwrite against user_buffer`; a level without a reference by its name alone.
fn subject(finding: &Finding) -> String {
    match &finding.subject {
        Subject::Level(level) => level.to_string(),
        Subject::Ladder => "durability ladder".to_owned(),
        subject => {
            let levels = subject.levels().unwrap();
            format!("{} against {}", levels.level, levels.baseline)
        }
    }
}

fn subjects(study: &StudyVerdict) -> Vec<String> {
    study.findings.iter().map(subject).collect()
}

fn answer(study: &StudyVerdict) -> Vec<String> {
    study.answer.iter().map(|place| subject(&study.findings[*place])).collect()
}

fn why(finding: &Finding) -> &[NoReference] {
    match &finding.outcome {
        finding::Outcome::NotAssessable(Reason::NoReference(why)) => why,
        _ => panic!("{finding:?}"),
    }
}

fn finding<'a>(study: &'a StudyVerdict, wanted: &str) -> &'a Finding {
    let found = study.findings.iter().find(|finding| subject(finding) == wanted);
    found.unwrap_or_else(|| panic!("no {wanted}: {:?}", subjects(study)))
}

#[test]
fn the_answer_is_what_each_promise_costs() {
    let study = study(&Synthetic::append());
    assert_eq!(answer(&study)[..2], ["pwrite against user_buffer", "fdatasync against pwrite"]);
    let rungs: Vec<&Rung> = study
        .findings
        .iter()
        .filter_map(|finding| match &finding.subject {
            Subject::Rung(rung) => Some(rung),
            _ => None,
        })
        .collect();
    let steps: Vec<_> = rungs.iter().map(|rung| (rung.weaker, rung.stronger, rung.is_further)).collect();
    let (none, process, power) = (DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power);
    assert_eq!(steps, [(none, process, false), (process, power, true)]);
    let figures = study.findings[0].figures.unwrap();
    assert!((figures.baseline / figures.level - 8.0).abs() < 0.4, "{figures:?}");
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
    assert_eq!((lmdb.answer(), lmdb.ask.name().as_str()), (Answer::Different, "compare arm"));
    assert!(lmdb.proof.p_adjusted.is_some_and(|p| p < 0.001));
    assert!(!lmdb.remarks.iter().any(|remark| matches!(remark, Remark::Durability { .. })), "{lmdb:?}");
    let cell = |arm: &str| study.cells.iter().find(|cell| cell.levels == [arm]).unwrap();
    let ratio = |arm: &str| cell(arm).against_reference["entries_per_s"].clone();
    let (low, high) = ratio("lmdb_sync").ratio.unwrap().interval.unwrap();
    assert!(low < 0.5 && 0.5 < high && ratio("lmdb_sync").reference == "fdatasync");
    assert!(ratio("pwrite").ratio.is_none() && ratio("pwrite").reference == "pwrite");
}

/// The best of a class, not of the study: against an arm that promises less every durable arm looks slow.
#[test]
fn every_arm_is_compared_with_the_best_of_its_class() {
    let study = study(&Synthetic::append());
    let cell = |arm: &str| study.cells.iter().find(|cell| cell.levels == [arm]).unwrap();
    let against = |arm: &str| cell(arm).against_best["entries_per_s"].clone();
    let best = against("fdatasync");
    assert!(best.ratio.is_none() && best.configuration == cell("fdatasync").configuration);
    let lmdb = against("lmdb_sync");
    let (low, high) = lmdb.ratio.unwrap().interval.unwrap();
    assert!(lmdb.configuration == best.configuration && low < 0.5 && 0.5 < high);
    assert!(against("user_buffer").ratio.is_none(), "{:?}", against("user_buffer"));
}

/// Names do not matter: an arm called `lmdb_sync` whose trials declare a weaker class is compared within that class.
#[test]
fn the_class_is_what_the_records_declare() {
    let study = study(&Synthetic::append().edit(declares("lmdb_sync", DurabilityClass::Process)));
    let lmdb = finding(&study, "lmdb_sync against pwrite");
    assert!(lmdb.ratio.as_ref().unwrap().point.unwrap() < 0.001, "{lmdb:?}");
    let groups = study.by_durability();
    let of = |class| {
        let is = |group: &&Group<'_>| group.class.as_ref().is_some_and(|declared| declared.is(class));
        groups.iter().find(is).unwrap().cells.len()
    };
    assert_eq!((of(DurabilityClass::Process), of(DurabilityClass::Power)), (3, 1));
}

#[test]
fn a_reference_of_another_class_than_meant_leaves_its_class_without() {
    let edited = Synthetic::append().edit(declares("fdatasync", DurabilityClass::Process));
    let study = study(&edited);
    let lmdb = finding(&study, "lmdb_sync");
    assert_eq!(lmdb.answer(), Answer::NotAssessable);
    let (class, power) = (DurabilityClass::Process, DurabilityClass::Power);
    let missing = vec![NoReference::SameClass { level: name("fdatasync"), class, other: name("pwrite") }];
    assert_eq!(why(lmdb), [NoReference::ClassWithout { level: name("lmdb_sync"), class: power, missing }]);
    // It is an arm of its class like any other.
    assert!(!finding(&study, "fdatasync against pwrite").subject.is_ladder());
    assert_eq!(answer(&study)[0], "pwrite against user_buffer");
}

#[test]
fn what_a_profile_leaves_out_and_what_cannot_run_is_said() {
    let levels = ["pwrite", "sqlite_normal", "lmdb_sync"].map(name).to_vec();
    let without = study(&Synthetic::append().vary("arm", levels).edit(|record| {
        if record.values.is("arm", "sqlite_normal") {
            record.outcome = TrialOutcome::Unsupported("the engine is not built in".to_owned());
            record.measurement = None;
        }
    }));
    let ladder = finding(&without, "durability ladder");
    let left_out = ["user_buffer", "fdatasync"].map(|name| NoReference::LeftOut(name.to_owned()));
    assert_eq!(why(ladder), left_out);
    assert_eq!(answer(&without)[0], "durability ladder");
    let sqlite = finding(&without, "sqlite_normal");
    let because = Some("not possible here: the engine is not built in".to_owned());
    assert_eq!(why(sqlite), [NoReference::NotMeasured { level: name("sqlite_normal"), why: because }]);
    let lmdb = finding(&without, "lmdb_sync");
    assert!(matches!(why(lmdb), [NoReference::ClassWithout { .. }]), "{lmdb:?}");
}

#[test]
fn a_promise_is_refuted_by_a_kill_or_by_a_missing_flush_and_else_declared() {
    let promise = |study: &Synthetic, class| {
        let promises = self::study(study).promises;
        promises.into_iter().find(|promise| promise.class == class).unwrap()
    };
    let (none, process, power) = (DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power);
    let sound = Synthetic::append();
    let kept = promise(&sound, process).kills.unwrap();
    assert_eq!((kept.kills, kept.without_result, kept.losing, kept.entries_max), (20, 0, 0, 0.0));
    assert!((kept.share_losing_at_most - 0.139).abs() < 0.0005, "{kept:?}");
    let dying = promise(&sound, none).kills.unwrap();
    assert_eq!((dying.kills, dying.losing, dying.entries_max), (30, 30, 300.0));
    let declared = Flushes { trials: 20, known: 20, too_few: 0 };
    assert_eq!(promise(&sound, power).flushes, Some(declared));
    assert_eq!(promise(&sound, process).flushes, None);
    let set = |arm: &'static str, metric: &'static str, value: f64| {
        Synthetic::append().edit(move |record| {
            if record.values.is("arm", arm) {
                let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
                metrics.insert(metric.to_owned(), Measured::Value(value));
            }
        })
    };
    let lost = promise(&set("sqlite_normal", "lost_after_kill", 2.0), process).kills.unwrap();
    assert_eq!((lost.kills, lost.losing, lost.entries_max), (20, 10, 2.0));
    let unflushed = promise(&set("lmdb_sync", "device_flushes_per_entry", 0.0), power).flushes;
    assert_eq!(unflushed, Some(Flushes { too_few: 10, ..declared }));
}
