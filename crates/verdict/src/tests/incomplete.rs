//! Runs that were interrupted, resumed, recorded twice or never started.

use super::{direct_times, first};
use crate::analyse;
use crate::finding::Remark;
use crate::run_remark::RunRemark;
use crate::verdict::Answer;
use model::mechanism::Measured;
use model::rank::Rank;
use model::trial::{TrialKey, TrialOutcome};
use synthetic::Synthetic;

#[test]
fn the_order_of_records_does_not_matter() {
    let mut run = Synthetic::commit().rate(direct_times(1.5)).run();
    // A trial that was killed, then ran again in a second session.
    let mut killed = run.records[7].clone();
    killed.outcome = TrialOutcome::Killed(30.0);
    killed.measurement = None;
    run.records[7].session = 1;
    run.records.push(killed);
    let forward = serde_json::to_string(&analyse(&run, &synthetic::sidecar)).unwrap();
    run.records.reverse();
    run.records.swap(3, 30);
    assert_eq!(serde_json::to_string(&analyse(&run, &synthetic::sidecar)).unwrap(), forward);
    let verdict = analyse(&run, &|_| None);
    assert_eq!(verdict.studies[0].trials.ok, 50);
    let repeated = RunRemark::Repeated { study: "commit".to_owned(), records: 1 };
    assert!(verdict.remarks.contains(&repeated), "{:?}", verdict.remarks);
}

#[test]
fn missing_trials_cost_their_round_and_are_counted() {
    let mut run = Synthetic::commit().rate(direct_times(1.5)).run();
    run.records.retain(|record| record.key.round != 9 || record.key.configuration != 1);
    run.records[0].key.configuration = 99;
    let verdict = analyse(&run, &|_| None);
    let study = &verdict.studies[0];
    assert_eq!((study.trials.planned, study.trials.ok, study.trials.missing), (50, 48, 2));
    let finding = &study.findings[0];
    assert_eq!((finding.proof.rounds, finding.proof.cells), (8, 2));
    let left_out = Remark::RoundsLeftOut { rounds: 1, of_rounds: 9 };
    assert!(finding.remarks.contains(&left_out), "{finding:?}");
    let study = || study.name.clone();
    let missing = RunRemark::Missing { study: study(), trials: 2, of_trials: 50, is_resumable: true };
    let unplanned = RunRemark::Unplanned { study: study(), records: 1 };
    assert!(verdict.remarks.contains(&missing) && verdict.remarks.contains(&unplanned));
}

/// Its ranks would have to meet again.
#[test]
fn what_a_shared_run_misses_stays_missing() {
    let mut run = Synthetic::commit().rate(direct_times(1.5)).run();
    run.records.pop();
    run.plan.rank = Some(Rank { is_shared: true, ..Rank::new(0, Some(4)) });
    let missing = RunRemark::Missing {
        study: run.plan.studies[0].name.clone(),
        trials: 1,
        of_trials: 50,
        is_resumable: false,
    };
    assert!(analyse(&run, &|_| None).remarks.contains(&missing));
}

#[test]
fn a_configuration_that_never_runs_does_not_take_the_others_with_it() {
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).edit(|record| {
        if record.key.configuration == 3 && record.key.round > 2 {
            record.outcome = TrialOutcome::Unsupported("no".to_owned());
            record.measurement = None;
        }
    }));
    assert_eq!(finding.answer(), Answer::Different);
    assert_eq!((finding.proof.rounds, finding.proof.cells), (10, 1));
    let left_out = Remark::CellLeftOut { cell: "group_size=4".to_owned(), rounds: 3, of_rounds: 10 };
    assert!(finding.remarks.contains(&left_out), "{finding:?}");
}

#[test]
fn an_empty_run_has_no_answer() {
    let mut run = Synthetic::commit().run();
    run.records.clear();
    let verdict = analyse(&run, &|_| None);
    assert!(verdict.studies[0].findings.iter().all(|finding| !finding.answer().is_decided()));
}

#[test]
fn time_adds_up() {
    let verdict = analyse(&Synthetic::commit().run(), &|_| None);
    let time = &verdict.time;
    let total = time.measuring_s
        + time.settling_s
        + time.aftermath_s
        + time.preparing_s
        + time.quiescing_s
        + time.cache_s
        + time.other_s;
    assert!((total - 50.0 * 2.6).abs() < 1e-6, "{time:?}");
    assert!((time.other_s - 50.0 * 0.15).abs() < 1e-6 && (time.aftermath_s - 50.0 * 0.05).abs() < 1e-6);
}

#[test]
fn a_damaged_sidecar_is_named_and_the_others_count() {
    let damaged = |key: &TrialKey| {
        let mut sidecar = synthetic::sidecar(key)?;
        if key.round == 2 {
            let text = sidecar.histograms["commit_latency"].clone();
            sidecar.histograms.insert("commit_latency".to_owned(), text[..text.len() / 8 * 4].to_owned());
            sidecar.histograms.insert("sync_latency".to_owned(), "no base64 at all".to_owned());
        }
        Some(sidecar)
    };
    let verdict = analyse(&Synthetic::commit().run(), &damaged);
    assert_eq!(verdict.studies[0].curves.len(), 12);
    let aliasing = verdict.studies[0].audits.iter().find(|audit| audit.name == "aliasing").unwrap();
    assert!(aliasing.evidence[0].starts_with("commit-r002-c000.json: commit_latency: "), "{aliasing:?}");
}

/// A trial has a p99 if it was fast enough to complete a thousand operations.
#[test]
fn a_quantile_that_only_some_trials_have_is_no_figure() {
    const METRIC: &str = "commit_latency_p99_us";
    let of = |has: fn(u32) -> bool| {
        let edited = Synthetic::commit().edit(move |record| {
            let round = record.key.round;
            let phases = record.measurement.iter_mut().flat_map(|measurement| &mut measurement.phases);
            for phase in phases {
                let value = if has(round) { Measured::Value(9.0) } else { Measured::unsupported("too few") };
                phase.metrics.insert(METRIC.to_owned(), value);
            }
        });
        analyse(&edited.run(), &|_| None).studies[0].cells[0].figures[METRIC].clone()
    };
    assert_eq!(of(|_| true).mean.point, Some(9.0));
    let figure = of(|round| round > 3);
    assert_eq!((figure.mean.point, figure.median.point), (None, None));
    insta::assert_snapshot!(figure.unsupported.unwrap(), @"only 6 of 10 trials have enough operations for it, and those are the fast ones");
    assert!(figure.values.iter().any(|(_, value)| value.is_some()), "the trials' own values are kept");
}
