//! A run, reduced to what is compared.

use crate::{Digest, Fleet, Unused};
use model::mechanism::Measured;
use model::rank::Rank;
use model::run::Run;
use model::trial::TrialOutcome;
use synthetic::{Synthetic, sidecar};

fn digest(run: &Run) -> Digest {
    Digest::of("runs/one".to_owned(), run, &sidecar).unwrap()
}

#[test]
fn a_digest_has_one_figure_a_round() {
    let mut run = Synthetic::commit().rounds(7).run();
    run.plan.rank = Some(Rank::new(3, Some(8)));
    let digest = digest(&run);
    assert_eq!((digest.disk.host.as_str(), digest.disk.directory.as_str()), ("made-up", "/srv/data"));
    assert_eq!(digest.rank, run.plan.rank);
    assert_eq!(digest.answers.len(), 4, "one metric of four configurations");
    for (question, logs) in &digest.answers {
        assert_eq!((question.study.as_str(), question.metric.as_str()), ("commit", "commits_per_s"));
        assert_eq!(logs.len(), 7, "the A/A arm does not count: {question:?}");
        assert!(logs.iter().all(|log| (log.exp() - 1000.0).abs() < 200.0), "{logs:?}");
    }
}

/// A loop device's model is the path of its image, which no two ranks share.
#[test]
fn ranks_on_loop_devices_are_one_stratum() {
    let on = |device: &'static str| {
        let placed = Synthetic::commit().edit(move |record| {
            let placement = &mut record.measurement.as_mut().unwrap().placement;
            placement.device = Measured::Value(device.to_owned());
            placement.model = Measured::Value(format!("loop device over /tmp/{device}.img"));
            placement.firmware = Some(Measured::Value("1.0 ".to_owned()));
        });
        digest(&placed.run()).stratum
    };
    assert_eq!(on("loop0"), on("loop1"));
    assert_ne!(on("loop0"), on("loopback"));
    assert_eq!(on("loop0").firmware.as_deref(), Some("1.0"));
}

/// A quantile that slow trials lack is not a figure of the disk.
#[test]
fn a_metric_that_some_trials_lack_is_not_answered() {
    let run = Synthetic::commit().edit(|record| {
        if record.key.round == 3 && record.key.configuration == 1 {
            record.measurement.as_mut().unwrap().phases[0].metrics.remove("commits_per_s");
        }
    });
    let digest = digest(&run.run());
    let unanswered = digest.answers.iter().filter(|(_, logs)| logs.is_empty());
    assert_eq!((digest.answers.len(), unanswered.count()), (4, 1), "a question that was asked stays one");
}

#[test]
fn what_measured_nothing_has_no_digest() {
    let mut run = Synthetic::commit().run();
    run.plan.rank = Some(Rank::new(0, Some(2)));
    for record in &mut run.records {
        (record.outcome, record.measurement) = (TrialOutcome::Failed("EIO".to_owned()), None);
    }
    let unread = Digest::of("runs/one".to_owned(), &run, &|_| None).unwrap_err();
    let Unused::MeasuredNothing { disk, failed, .. } = &unread.why else { panic!("{unread:?}") };
    assert_eq!((disk.host.as_str(), failed.count), ("made-up", run.records.len()));
    assert_eq!(failed.first, Some(TrialOutcome::Failed("EIO".to_owned())));
    let mut fleet = Fleet::default();
    fleet.add_unread(*unread);
    let statement = fleet.state(&mut |_, _| Vec::new());
    assert_eq!((statement.runs, statement.tests, statement.unread.len()), (0, 0, 1));
    assert!(statement.is_incomplete());
    assert_eq!(statement.missing_ranks[0].first, [1], "rank 0 ran, if in vain");
}

/// Ranks of a shared run are slow together, so none of them is a disk to compare.
#[test]
fn a_shared_run_is_not_used_and_no_rank_of_it_is_missing() {
    let mut run = Synthetic::commit().run();
    run.plan.rank = Some(Rank { is_shared: true, ..Rank::new(0, Some(2)) });
    let unread = Digest::of("runs/one".to_owned(), &run, &|_| None).unwrap_err();
    assert_eq!(unread.why, Unused::Shared);
    let mut fleet = Fleet::default();
    fleet.add_unread(*unread);
    let statement = fleet.state(&mut |_, _| Vec::new());
    assert_eq!((statement.runs, statement.unread.len(), statement.missing_ranks.len()), (0, 1, 0));
    assert!(!statement.is_incomplete());
}

#[test]
fn failed_trials_are_counted() {
    let run = Synthetic::commit().edit(|record| {
        if record.key.round == 3 && record.key.configuration == 1 {
            (record.outcome, record.measurement) = (TrialOutcome::Failed("EIO".to_owned()), None);
        }
    });
    assert_eq!(digest(&run.run()).failed.count, 1);
}

/// The verdict's rule: of several records of a trial, the one that measured counts, once.
#[test]
fn a_trial_counts_once() {
    let run = Synthetic::commit().rounds(7).run();
    let mut repeated = run.clone();
    repeated.records.extend(run.records.iter().cloned().map(|mut record| {
        record.session += 1;
        (record.outcome, record.measurement) = (TrialOutcome::Failed("EIO".to_owned()), None);
        record
    }));
    assert_eq!(digest(&repeated).answers, digest(&run).answers);
    assert_eq!(digest(&repeated).failed.count, 0);
}
