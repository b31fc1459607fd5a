//! Losses without an error: records, figures, sidecars, kills.

use super::audit;
use crate::verdict::{Audit, StudyVerdict};
use crate::{Scope, Status, analyse};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::run::Run;
use model::trial::{TrialKey, TrialOutcome};
use synthetic::Synthetic;

const NAME: &str = "complete-records";

fn verdict(run: &Run) -> StudyVerdict {
    analyse(run, &synthetic::sidecar).studies.remove(0)
}

fn found(study: &StudyVerdict) -> &Audit {
    study.audits.iter().find(|audit| audit.name == NAME).unwrap()
}

fn with_tail() -> Synthetic {
    Synthetic::commit().edit(|record| {
        let phase = &mut record.measurement.as_mut().unwrap().phases[0];
        phase.metrics.insert("commit_latency_p99_us".to_owned(), Measured::Value(900.0));
    })
}

/// Deletes a metric from the records of the first rounds of one configuration.
fn deleted(metric: &'static str, configuration: usize, rounds: u32) -> Run {
    with_tail()
        .edit(move |record| {
            if record.key.configuration == configuration && record.key.round < rounds {
                record.measurement.as_mut().unwrap().phases[0].metrics.remove(metric);
            }
        })
        .run()
}

#[test]
fn a_whole_run_passes_and_one_without_a_record_is_not_assessed() {
    let mut run = with_tail().run();
    let whole = verdict(&run);
    assert_eq!((found(&whole).status, found(&whole).evidence.len()), (Status::Pass, 0));
    run.records.clear();
    assert_eq!(found(&verdict(&run)).status, Status::NotAssessable);
}

/// Five of 35 sidecars were missing without a warning.
#[test]
fn missing_sidecars_are_named() {
    let without =
        |key: &TrialKey| if key.round < 5 && key.configuration == 1 { None } else { synthetic::sidecar(key) };
    let study = analyse(&with_tail().run(), &without).studies.remove(0);
    assert_eq!(found(&study).status, Status::Warn, "the figures are in the records");
    assert_eq!(found(&study).evidence.len(), 5, "{:?}", found(&study));
    insta::assert_snapshot!(found(&study).evidence[0], @"No sidecar: sidecars/commit-r000-c001.json");
    assert_eq!(audit(&with_tail(), NAME).status, Status::Warn, "none at all");
}

/// A deleted metric was accepted.
#[test]
fn a_deleted_metric_is_named_and_is_no_figure() {
    let study = verdict(&deleted("commits_per_s", 1, 1));
    assert_eq!(found(&study).status, Status::Warn);
    insta::assert_snapshot!(found(&study).evidence[0], @"Not recorded in mode=buffered group_size=4, round 0: commits_per_s");
    let figure = &study.cells[1].figures["commits_per_s"];
    assert!(figure.mean.point.is_none() && figure.unsupported.is_some());
    assert!(study.cells[0].figures["commits_per_s"].mean.point.is_some());
    // The rest of a configuration that lost half of its trials is a selection.
    let study = verdict(&deleted("commits_per_s", 1, 5));
    assert_eq!(found(&study).status, Status::Fail);
    assert_eq!(found(&study).about, [Scope::Configurations(vec![1])]);
    // No ask uses this metric.
    let study = verdict(&deleted("reads_per_s", 1, 5));
    assert_eq!((found(&study).status, found(&study).evidence.len()), (Status::Warn, 5));
    // No trial has it, but the study asks about it.
    let study = verdict(&deleted("commits_per_s", 1, 10));
    assert_eq!(found(&study).status, Status::Fail);
}

/// If a p99 was deleted, the audit took the other trials for those with enough operations for it.
#[test]
fn a_deleted_p99_is_not_explained_by_too_few_operations() {
    let why = |run: &Run| verdict(run).cells[1].figures["commit_latency_p99_us"].unsupported.clone();
    let lost = why(&deleted("commit_latency_p99_us", 1, 4)).unwrap();
    insta::assert_snapshot!(lost, @"4 of 10 trials do not have it in their records");
    let few = with_tail().edit(|record| {
        if record.key.round < 4 {
            let phase = &mut record.measurement.as_mut().unwrap().phases[0];
            phase.metrics.insert("commit_latency_p99_us".to_owned(), Measured::unsupported("too few"));
        }
    });
    insta::assert_snapshot!(why(&few.run()).unwrap(), @"only 6 of 10 trials have enough operations for it, and those are the fast ones");
    assert_eq!(found(&verdict(&few.run())).status, Status::Pass, "a figure with a reason is not lost");
}

#[test]
fn trials_without_a_record_are_lost_and_those_not_run_yet_are_not() {
    let run = with_tail().run();
    let kept = |keep: fn(&TrialKey) -> bool| {
        let mut run = run.clone();
        run.records.retain(|record| keep(&record.key));
        verdict(&run)
    };
    // Stopped during round 7, whose trials have positions 0 to 4.
    let stopped = kept(|key| key.round < 7 || (key.round == 7 && key.configuration < 2 && !key.duplicate));
    assert_eq!(found(&stopped).status, Status::Pass, "{:?}", found(&stopped));
    // The same round without a trial that ran before others.
    let of_last = kept(|key| key.round < 7 || (key.round == 7 && key.configuration == 1));
    assert_eq!(found(&of_last).status, Status::Warn, "{:?}", found(&of_last));
    let one = kept(|key| (key.round, key.configuration) != (3, 2));
    assert_eq!((found(&one).status, found(&one).evidence.len()), (Status::Warn, 1));
    insta::assert_snapshot!(found(&one).evidence[0], @"No record: mode=direct group_size=1, round 3");
    let many = kept(|key| key.configuration != 2 || key.round > 5);
    assert_eq!(found(&many).status, Status::Fail);
    assert_eq!(found(&many).about, [Scope::Configurations(vec![2])]);
    let no_duplicate = kept(|key| key.round != 3 || !key.duplicate);
    assert_eq!((found(&no_duplicate).status, found(&no_duplicate).evidence.len()), (Status::Warn, 1));
}

/// A failed trial has a record, so nothing of it is lost.
#[test]
fn what_failed_is_not_lost() {
    let failed = with_tail().edit(|record| {
        if record.key.round == 3 {
            record.outcome = TrialOutcome::Failed("no space".to_owned());
            record.measurement = None;
        }
    });
    assert_eq!(found(&verdict(&failed.run())).status, Status::Pass);
}

/// A plan can have any number of rounds: the audit does not look at four billion of them one by one.
#[test]
fn a_hostile_plan_costs_no_time() {
    let mut run = with_tail().run();
    run.plan.studies[0].rounds = u32::MAX;
    run.records[3].key.round = u32::MAX - 1;
    let study = verdict(&run);
    assert_eq!(found(&study).status, Status::Fail);
    assert!(found(&study).evidence.len() < 50);
}

/// With one record deleted, "entries lost in 5 of 6 kills" became "4 of 5".
#[test]
fn a_kill_without_a_result_stays_in_the_count() {
    let kills = |run: &Run| {
        let promises = verdict(run).promises;
        let kills =
            promises.into_iter().find(|promise| promise.class == DurabilityClass::None).unwrap().kills;
        kills.map(|found| (found.losing, found.kills, found.without_result)).unwrap()
    };
    let mut run = Synthetic::append().rounds(6).run();
    run.records.retain(|record| record.values.is("arm", "fjall_manual"));
    // The first kill came when nothing was at risk.
    let metrics = &mut run.records[0].measurement.as_mut().unwrap().phases[0].metrics;
    metrics.insert("lost_after_kill".to_owned(), Measured::Value(0.0));
    assert_eq!(kills(&run), (5, 6, 0));
    let mut without_record = run.clone();
    without_record.records.remove(2);
    let mut without_metric = run.clone();
    let metrics = &mut without_metric.records[2].measurement.as_mut().unwrap().phases[0].metrics;
    metrics.remove("lost_after_kill");
    let mut failed = run.clone();
    failed.records[2].outcome = TrialOutcome::Failed("the store could not be opened".to_owned());
    failed.records[2].measurement = None;
    for run in [without_record, without_metric, failed] {
        assert_eq!(kills(&run), (4, 6, 1));
    }
}
