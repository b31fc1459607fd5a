//! What is predicted from the disk, and what the database itself showed.

use super::{decision, every_rule_that_speaks, log, names, times};
use crate::{Advice, Command, Decision, Effect, MeasuredOn, Needs, RunName, Setting, advise, current};
use settings::Release;
use synthetic::Synthetic;
use verdict::{Answer, Estimate, analyse};

/// `effective_io_concurrency = 64: 1.25×` was a change; PostgreSQL showed 1.005. Raw reads and commits of Syncline's
/// own log predict.
#[test]
fn only_the_database_itself_shows_a_change() {
    let on_database = [
        "use_direct_reads",
        "use_direct_io_for_flush_and_compaction",
        "bytes_per_sync",
        "wal_bytes_per_sync",
        "compaction_readahead_size",
        "max_background_jobs",
        "manual_wal_flush",
        "journal_mode",
        "synchronous",
        "temp_buffers",
        "block_size, page_cache, concurrency",
        "block_size, page_cache, concurrency, prefetch",
    ];
    for (setting, fragment, study) in every_rule_that_speaks() {
        let decided = decision(&study, fragment, setting);
        let found = decided.recommended().unwrap();
        let measured_on =
            if on_database.contains(&setting) { MeasuredOn::Database } else { MeasuredOn::Disk };
        assert_eq!(found.measured_on, measured_on, "{setting}");
        match (&decided, measured_on) {
            (Decision::ChangeTo(_), MeasuredOn::Disk) | (Decision::Candidate(_), MeasuredOn::Database) => {
                panic!("{setting}: {decided:?}")
            }
            (_, _) => {}
        }
    }
}

fn log_of_postgresql() -> (Advice, Setting) {
    let study: Synthetic =
        log().vary("sync", names(&["fdatasync", "dsync"])).rate(times("sync", &[("dsync", 1.3)]));
    let run = study.run();
    let advice = advise(&run, &analyse(&run, &|_| None)).remove(0);
    let setting = advice.settings.iter().find(|known| known.name == "wal_sync_method").unwrap().clone();
    (advice, setting)
}

pub(super) fn effect(value: &str, over: &str, (low, high): (f64, f64), answer: Answer) -> Effect {
    Effect {
        value: value.to_owned(),
        over: over.to_owned(),
        metric: "transactions_per_s".to_owned(),
        ratio: Estimate {
            point: Some((low * high).sqrt()),
            interval: Some((low, high)),
            level: Some(0.99),
            reason: None,
        },
        figures: None,
        conditions: None,
        answer,
    }
}

#[test]
fn a_proof_makes_a_change_of_a_candidate_or_withdraws_it() {
    let (advice, setting) = log_of_postgresql();
    let Decision::Candidate(found) = &setting.decision else { panic!("{:?}", setting.decision) };
    let command = Command::ProveAdvice { database: "postgresql".to_owned() };
    assert_eq!(found.needs.as_ref().unwrap().command, command);
    let path = RunName::Path("runs/a".to_owned());
    let needs = |setting: &Setting| {
        let recommended = setting.decision.recommended().and_then(|found| found.needs.clone());
        recommended.or_else(|| setting.decision.open().and_then(|none| none.needs.clone()))
    };
    let named: Vec<Needs> = advice.naming(&path).settings.iter().filter_map(needs).collect();
    assert!(!named.is_empty() && named.iter().all(|needs| needs.run == path), "{named:?}");
    let after = |over: &str, bounds, answer| {
        setting.after_proof(&advice.id, &effect("open_datasync", over, bounds, answer)).decision
    };
    let Decision::ChangeTo(proven) = after("fdatasync", (1.1, 1.3), Answer::Different) else { panic!() };
    assert_eq!((proven.measured_on, proven.needs), (MeasuredOn::Database, None));
    assert_eq!(proven.effects[0].metric, "transactions_per_s");
    for (bounds, answer) in [((0.8, 0.95), Answer::Different), ((0.98, 1.03), Answer::Equivalent)] {
        let Decision::Keep(kept) = after("fdatasync", bounds, answer) else { panic!("{bounds:?}") };
        assert_eq!((&kept.value[..], kept.measured_on), ("fdatasync", MeasuredOn::Database));
        assert!(kept.regret.unwrap().is_proven_small);
    }
    assert!(matches!(after("fdatasync", (0.9, 1.3), Answer::Undecided), Decision::Candidate(_)));
    // A proof against another value than the one in use says nothing about it.
    assert!(matches!(after("fsync", (1.1, 1.3), Answer::Different), Decision::Candidate(_)));
    // A settings file that leaves it at its default is judged with the proof too; one that has another value is not.
    let proof = effect("open_datasync", "fdatasync", (1.1, 1.3), Answer::Different);
    let settings = advice.settings.iter().map(|setting| match setting.name.as_str() {
        "wal_sync_method" => setting.after_proof(&advice.id, &proof),
        _ => setting.clone(),
    });
    let advice = Advice { settings: settings.collect(), ..advice.clone() };
    let reviewed = |file: &str| {
        let entries = settings::read(advice.syntax, file).unwrap();
        let reviewed = current::against(&advice, &entries, &Release::Any).unwrap();
        let mut settings = reviewed.settings.into_iter();
        settings.find(|setting| setting.name == "wal_sync_method").unwrap().decision
    };
    assert!(matches!(reviewed(""), Decision::ChangeTo(_)));
    assert!(matches!(reviewed("wal_sync_method = fdatasync\n"), Decision::ChangeTo(_)));
    assert!(!matches!(reviewed("wal_sync_method = fsync\n"), Decision::ChangeTo(_)));
}
