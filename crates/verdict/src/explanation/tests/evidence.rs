//! Audits of runs with traced trials.

use super::{explain, phase, traced};
use crate::analyse;
use crate::verdict::{Audit, Status, Verdict};
use model::mechanism::Measured;
use synthetic::Synthetic;

/// Trials of these configurations wait for a CPU that other programs have.
fn starved(configurations: &'static [usize]) -> Synthetic {
    Synthetic::commit().edit(|record| {
        let is_starved = configurations.contains(&record.key.configuration);
        if let Some(measurement) = record.measurement.as_mut().filter(|_| is_starved) {
            let mechanism = &mut measurement.phases[0].mechanism;
            mechanism.run_queue_delay_s = Measured::Value(1.5);
            mechanism.cpu_contention.others_user_s = Measured::Value(3.0);
        }
    })
}

/// An audit without traced trials, and with some of two configurations in which `cc1plus` was beside the commits.
fn audits(study: &Synthetic, name: &str) -> [Audit; 2] {
    let run = study.run();
    let mut verdict = analyse(&run, &|_| None);
    let audit = |verdict: &Verdict| {
        verdict.studies[0].audits.iter().find(|audit| audit.name == name).cloned().unwrap()
    };
    let without = audit(&verdict);
    let trials = [0, 2].map(|configuration| traced(configuration, 0, phase(3_000_000)));
    explain(&run, &mut verdict, &trials.into());
    [without, audit(&verdict)]
}

#[test]
fn traced_trials_are_evidence_and_change_no_outcome() {
    for name in ["steal-and-pressure", "foreign-io"] {
        let [without, with] = audits(&Synthetic::commit(), name);
        assert_eq!((without.status, with.status), (Status::Pass, Status::Pass));
        // A sentence for each configuration, and what traces do not show.
        let added = with.evidence.strip_prefix(&without.evidence[..]).unwrap();
        assert_eq!(added.len(), 3, "{added:?}");
        assert!(added[..2].iter().all(|sentence| sentence.contains("cc1plus")), "{added:?}");
        assert_eq!(with.summary, without.summary);
    }
}

#[test]
fn a_failure_names_the_program_that_is_most_to_be_blamed() {
    let [without, with] = audits(&starved(&[0, 1, 2, 3]), "steal-and-pressure");
    assert_eq!((without.status, with.status), (Status::Fail, Status::Fail));
    assert!(!without.summary.contains("cc1plus"));
    assert!(with.summary.strip_prefix(&without.summary).unwrap().contains("cc1plus"), "{with:?}");
    assert_eq!((&with.about, &with.advice), (&without.about, &without.advice));
    // What was beside the traced configurations is not to be blamed for another one.
    let [without, with] = audits(&starved(&[1]), "steal-and-pressure");
    assert_eq!((with.status, with.summary), (Status::Fail, without.summary));
}

#[test]
fn evidence_of_traced_trials_in_words() {
    let told = ["steal-and-pressure", "foreign-io"].map(|name| {
        let [_, with] = audits(&starved(&[0, 1, 2, 3]), name);
        [&with.evidence[with.evidence.len() - 3..], &[with.summary]].concat().join("\n")
    });
    insta::assert_snapshot!(told.join("\n\n"), @r"
    Traced trials of mode=buffered group_size=1: 25.0 % of the time of commits was waiting to run, and 0 % is unknown; cc1plus had the CPU for 60.0 % of the time in which operations waited to run.
    Traced trials of mode=direct group_size=1: 25.0 % of the time of commits was waiting to run, and 0 % is unknown; cc1plus had the CPU for 60.0 % of the time in which operations waited to run.
    A trace does not show the time that a hypervisor took: it is part of the segment that it interrupted.
    The worker waited for a CPU in 50 of 50 trials (75.0 % of the time on average in the configurations concerned): other programs had it, or the kernel threads that serve the worker's own operations. In traced trials, which ran later, cc1plus had the CPU for 60.0 % of the time in which operations waited to run.

    Traced trials of mode=buffered group_size=1: the device got 0.500 requests of other threads during the mean commit; cc1plus sent 10.0 % of the requests of other threads.
    Traced trials of mode=direct group_size=1: the device got 0.500 requests of other threads during the mean commit; cc1plus sent 10.0 % of the requests of other threads.
    A trace shows the requests of one kernel: those of other machines, or of other guests of the host, are part of the time in the device.
    What the device read and wrote was the worker's own, in every trial.
    ");
}
