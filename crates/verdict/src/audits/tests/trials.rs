//! Audits of the trials as a sample: their number, their distribution, their disturbances.

use super::{audit, check, is_direct, measured, metric};
use crate::analyse;
use crate::verdict::Status;
use model::mechanism::{Measured, Pressure};
use model::trial::{SteadyRamp, TrialKey, TrialOutcome};
use synthetic::Synthetic;

#[test]
fn small_n() {
    check(&Synthetic::commit(), "small-n", Status::Pass, "Every configuration has 10 trials or more.");
    check(&Synthetic::commit().rounds(3), "small-n", Status::Warn, "Run again with 6 rounds or more.");
    let killed = Synthetic::commit().edit(|record| {
        if record.key.configuration == 3 && record.key.round > 3 {
            record.outcome = TrialOutcome::Killed(30.0);
            record.measurement = None;
        }
    });
    check(&killed, "small-n", Status::Warn, "mode=direct group_size=4: 4 trials.");
    check(
        &killed,
        "failed-trials",
        Status::Fail,
        "mode=direct group_size=4 (rounds 4, 5, 6, 7, 8, 9): killed at its deadline after 30 s",
    );
}

#[test]
fn failed_trials() {
    check(&Synthetic::commit(), "failed-trials", Status::Pass, "50 trials succeeded.");
    let unsupported = Synthetic::commit().edit(|record| {
        if is_direct(record) {
            record.outcome = TrialOutcome::Unsupported("tmpfs has no O_DIRECT".to_owned());
            record.measurement = None;
        }
    });
    check(
        &unsupported,
        "failed-trials",
        Status::Warn,
        "mode=direct group_size=1 (rounds 0, 1, 2, 3, 4, 5, 6, 7, 8, 9): not possible here: tmpfs has no \
         O_DIRECT",
    );
}

#[test]
fn a_run_in_which_no_trial_measured_fails() {
    let ending = |outcome: TrialOutcome| {
        Synthetic::commit().edit(move |record| {
            record.outcome = outcome.clone();
            record.measurement = None;
        })
    };
    let unsupported = ending(TrialOutcome::Unsupported("tmpfs has no O_DIRECT.".to_owned()));
    let summary = "None of 50 trials measured: not possible here: tmpfs has no O_DIRECT.";
    check(&unsupported, "failed-trials", Status::Fail, summary);
    check(
        &unsupported,
        "failed-trials",
        Status::Fail,
        "Exclude these configurations, or run where they are possible.",
    );
    let failed = ending(TrialOutcome::Failed("no space left".to_owned()));
    check(&failed, "failed-trials", Status::Fail, "None of 50 trials measured: failed: no space left.");
    check(
        &failed,
        "failed-trials",
        Status::Fail,
        "Read the reasons, remove the cause and resume the run: it runs failed and killed trials again.",
    );
    let mixed = ending(TrialOutcome::Unsupported("no".to_owned())).edit(|record| {
        if is_direct(record) {
            record.outcome = TrialOutcome::Killed(30.0);
        }
    });
    check(&mixed, "failed-trials", Status::Fail, "None of 50 trials measured: not possible here: no.");
    check(
        &mixed,
        "failed-trials",
        Status::Fail,
        "Read the reasons, remove the cause and resume the run: it runs failed and killed trials again.",
    );
}

#[test]
fn drift() {
    check(
        &Synthetic::commit(),
        "drift",
        Status::Pass,
        "No metric of the study drifted by more than 5 % over the run.",
    );
    let drifting = Synthetic::commit().rate(|_, round| 1000.0 * (1.0 - 0.03 * f64::from(round)));
    check(
        &drifting,
        "drift",
        Status::Warn,
        "mode=buffered group_size=1, commits/s: 0.711× from the first round to the last (0.688–0.734).",
    );
    check(
        &Synthetic::commit().rounds(3),
        "drift",
        Status::NotAssessable,
        "Too few trials of a configuration to see a drift over rounds.",
    );
}

#[test]
fn shape() {
    check(&Synthetic::commit(), "shape", Status::Pass, "The trials of no metric look skewed or bimodal.");
    let bimodal = Synthetic::commit().rate(|_, round| if round % 2 == 0 { 1000.0 } else { 3000.0 });
    check(
        &bimodal.rounds(20),
        "shape",
        Status::Warn,
        "mode=buffered group_size=1, commits/s: the trials fall into two groups (10 low, 10 high): where \
         one trial in ten is slow, a 95 % t interval of 20 trials covers the mean 87 % of the time; find \
         out what the groups are",
    );
}

#[test]
fn steal_and_pressure() {
    check(
        &Synthetic::commit(),
        "steal-and-pressure",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: 0.250 % of CPU time stolen, 0.500 % of the time \
         ready but not running, 1.00 % of the time some task waited for a CPU.",
    );
    let mechanism =
        |edit: fn(&mut model::mechanism::Mechanism)| measured(move |m| edit(&mut m.phases[0].mechanism));
    let stolen = mechanism(|mechanism| mechanism.steal_s = Measured::Value(0.4));
    check(
        &stolen,
        "steal-and-pressure",
        Status::Warn,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: 10.0 % of CPU time stolen, 0.500 % of \
         the time ready but not running, 1.00 % of the time some task waited for a CPU.",
    );
    let stolen = mechanism(|mechanism| mechanism.steal_s = Measured::Value(0.5));
    check(
        &stolen,
        "steal-and-pressure",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: 12.5 % of CPU time stolen, 0.500 % of \
         the time ready but not running, 1.00 % of the time some task waited for a CPU.",
    );
    let starved = mechanism(|mechanism| {
        mechanism.run_queue_delay_s = Measured::Value(1.5);
        mechanism.cpu_contention.others_user_s = Measured::Value(3.0);
    });
    check(
        &starved,
        "steal-and-pressure",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: 0.250 % of CPU time stolen, 75.0 % of \
         the time ready but not running, 75.0 % of the time at most because of others, 1.00 % of the time \
         some task waited for a CPU.",
    );
    let unknown = mechanism(|mechanism| {
        mechanism.steal_s = Measured::unsupported("no");
        mechanism.run_queue_delay_s = Measured::unsupported("no");
        mechanism.pressure = Measured::<Pressure>::unsupported("no");
    });
    check(
        &unknown,
        "steal-and-pressure",
        Status::NotAssessable,
        "Neither steal nor run-queue delay nor pressure could be read.",
    );
}

#[test]
fn overhead() {
    check(
        &Synthetic::commit(),
        "overhead",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=1: 80.0 ns per operation at 6\u{2009}326 operations/s \
         on 1 thread: 0.0506 % of a core.",
    );
    check(
        &metric("instrument_overhead_ns", 80_000.0),
        "overhead",
        Status::Warn,
        "The instrument took more than 5 % of a core in 50 of 50 trials.",
    );
}

#[test]
fn aliasing() {
    check(&Synthetic::commit(), "aliasing", Status::Pass, "No comb in 12 merged histograms.");
    let teeth = |key: &TrialKey| {
        let smooth = synthetic::sidecar(key)?;
        let mut sidecar = smooth.clone();
        let mut histogram = smooth.histogram("commit_latency").ok()??;
        histogram.reset();
        for operation in 0..400_u64 {
            // Page 000's latencies: multiples of two milliseconds.
            let jitter = operation % 7 * 1000;
            histogram.record(2_000_000 * (1 + operation % 4) + jitter).ok()?;
        }
        sidecar.insert("commit_latency", &histogram).ok()?;
        Some(sidecar)
    };
    let verdict = analyse(&Synthetic::commit().run(), &teeth);
    let audit = verdict.studies[0].audits.iter().find(|audit| audit.name == "aliasing").unwrap();
    assert_eq!(audit.status, Status::Warn);
    insta::assert_snapshot!(audit.evidence[0], @"mode=buffered group_size=1, commit_latency: 4 teeth 2 002 µs apart hold 100 % of the operations, where a smooth distribution has 10.0 %.");
    let none = analyse(&Synthetic::commit().run(), &|_| None);
    let audit = none.studies[0].audits.iter().find(|audit| audit.name == "aliasing").unwrap();
    assert_eq!(audit.status, Status::NotAssessable);
}

/// A workload that became steady before the measurement needs no minutes for it.
#[test]
fn a_trial_that_was_steady_before_it_was_measured_is_steady() {
    let after = |unsteady_round: Option<u32>| {
        let study = Synthetic::commit().edit(move |record| {
            let steady = Some(record.key.round) != unsteady_round;
            record.measurement.as_mut().unwrap().steady_ramp =
                Some(SteadyRamp { interval_s: 60.0, operations_per_s: vec![100.0; 5], steady });
        });
        audit(&study, "steady-state")
    };
    assert_eq!(after(None).status, Status::Pass);
    let gave_up = after(Some(4));
    assert_eq!((gave_up.status, gave_up.evidence.len()), (Status::Warn, 5), "{gave_up:?}");
}

#[test]
fn steady_state() {
    let minutes = |counts: Vec<u64>| {
        move |key: &TrialKey| {
            let mut sidecar = synthetic::sidecar(key)?;
            sidecar.interval_s = 30.0;
            sidecar.series.insert("commit_latency".to_owned(), counts.clone());
            Some(sidecar)
        }
    };
    let status = |counts: Vec<u64>| {
        let verdict = analyse(&Synthetic::commit().rounds(1).run(), &minutes(counts));
        verdict.studies[0].audits.iter().find(|audit| audit.name == "steady-state").unwrap().status
    };
    assert_eq!(status(vec![100; 12]), Status::Pass);
    assert_eq!(status((1..=12).map(|minute| minute * 100).collect()), Status::Warn);
    assert_eq!(status(vec![100; 8]), Status::NotAssessable);
}
