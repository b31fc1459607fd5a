//! Gaps in time, each with a counterpart that is not a gap.

use super::audit;
use crate::basis::Scope;
use crate::verdict::{Audit, Status};
use model::mechanism::{Continuity, Measured, Window};
use model::trial::{Pause, PauseCause, Phase, TrialRecord};
use model::{Nanos, Value};
use synthetic::Synthetic;

const CONFIGURATION: usize = 2;
const ROUND: u32 = 3;

/// The start of the synthetic trial's window on the machine's clock; it lasts two seconds.
const BEGAN_S: f64 = 1000.0;

/// One trial of one configuration has this gap; all others are undisturbed.
fn one_trial(edit: impl Fn(&mut TrialRecord) + 'static) -> Audit {
    let runtime = Value::Duration(Nanos::from_millis(12_000));
    let study = Synthetic::commit().fix("runtime", runtime).edit(move |record| {
        if record.key.configuration == CONFIGURATION && record.key.round == ROUND && !record.key.duplicate {
            edit(record);
        }
    });
    audit(&study, "interruption")
}

fn phase(record: &mut TrialRecord) -> &mut Phase {
    &mut record.measurement.as_mut().expect("measured").phases[0]
}

fn pause(cause: PauseCause, began_s: f64, seconds: f64) -> Pause {
    Pause { cause, window: Window { began_s: BEGAN_S + began_s, ended_s: BEGAN_S + began_s + seconds } }
}

/// A phase of this duration, with a gap and a device that was busy for these times.
fn lasting(record: &mut TrialRecord, duration_s: f64, gap_s: f64, busy_s: f64) {
    let phase = phase(record);
    phase.duration_s = duration_s;
    phase.mechanism.continuity.window =
        Measured::Value(Window { began_s: BEGAN_S, ended_s: BEGAN_S + duration_s });
    phase.mechanism.continuity.longest_gap_s = Measured::Value(gap_s);
    if let Measured::Value(device) = &mut phase.mechanism.device {
        device.busy_s = busy_s;
    }
}

#[track_caller]
fn assert_fails_there_alone(why: &str, audit: &Audit) {
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    assert_eq!(audit.about, [Scope::Configurations(vec![CONFIGURATION])], "{audit:?}");
    assert_eq!(audit.evidence, [format!("mode=direct group_size=1, round 3: {why}")]);
}

/// SIGSTOP of the worker for 2 s gave a commit latency of 2,000,683 µs, and no audit warned.
#[test]
fn a_worker_stopped_for_two_seconds_of_a_trial_fails() {
    let why = "a signal stopped the worker for 2.00 s (50.0 % of its window).";
    assert_fails_there_alone(
        why,
        &one_trial(|record| {
            lasting(record, 4.0, 2.0, 1.9);
            record.pauses = Some(vec![pause(PauseCause::Stopped, 1.0, 2.0)]);
        }),
    );
}

/// SIGSTOP for 60 s in a trial of 200 ms: 1.13 commits/s among 332 to 2,341, a noise floor of 65×, exit code 0.
#[test]
fn a_worker_stopped_for_a_minute_in_a_trial_of_200_ms_fails() {
    let why = "a signal stopped the worker for 60.00 s (99.7 % of its window); the window took 60.20 s \
               instead of 12.00 s.";
    assert_fails_there_alone(
        why,
        &one_trial(|record| {
            lasting(record, 60.2, 60.0, 0.19);
            record.pauses = Some(vec![pause(PauseCause::Stopped, 0.1, 60.0)]);
        }),
    );
}

#[test]
fn a_stop_outside_the_measured_window_is_no_hole() {
    let audit = one_trial(|record| record.pauses = Some(vec![pause(PauseCause::Stopped, -3.0, 2.5)]));
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
}

#[test]
fn a_stop_that_only_the_longest_latencies_tell_is_a_warning() {
    let audit = one_trial(|record| record.pauses = Some(vec![pause(PauseCause::Stopped, 1.0, 0.05)]));
    assert_eq!(audit.status, Status::Warn, "{audit:?}");
}

/// `fsfreeze` for 10 s also passed: no process is stopped, and the device is idle.
#[test]
fn ten_seconds_of_a_frozen_file_system_fail() {
    let why = "no operation completed for 7.68 s (64.0 % of its window) while the device was idle and the \
               worker computed nothing: possible causes are a frozen file system, a frozen control group \
               or a debugger.";
    assert_fails_there_alone(why, &one_trial(|record| lasting(record, 12.0, 10.0, 1.9)));
}

/// The counterpart: a device that stalls for the same time is busy meanwhile, and the stall is a result.
#[test]
fn a_device_that_stalls_is_measured() {
    let audit = one_trial(|record| lasting(record, 12.0, 10.0, 11.9));
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
}

/// A compaction that an operation waits for uses CPU time, in whatever thread it runs.
#[test]
fn a_worker_that_computes_is_at_work() {
    let audit = one_trial(|record| {
        lasting(record, 12.0, 10.0, 1.9);
        phase(record).mechanism.process.user_s = 9.0;
    });
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
}

/// Waiting for a CPU is judged by the audit steal-and-pressure.
#[test]
fn a_starved_worker_is_no_stopped_one() {
    let audit = one_trial(|record| {
        lasting(record, 12.0, 10.0, 1.9);
        if let Measured::Value(pressure) = &mut phase(record).mechanism.pressure {
            pressure.cpu_some_s = 9.0;
        }
    });
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
}

/// If a device's counters never change, busy and idle look the same.
#[test]
fn a_device_that_counts_nothing_proves_no_hole() {
    let audit = one_trial(|record| {
        lasting(record, 12.0, 10.0, 0.0);
        if let Measured::Value(device) = &mut phase(record).mechanism.device {
            (device.reads, device.writes) = (0, 0);
        }
    });
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
}

#[test]
fn a_suspended_machine_fails() {
    let why = "the machine was suspended for 60.00 s.";
    assert_fails_there_alone(
        why,
        &one_trial(|record| {
            phase(record).mechanism.continuity.suspended_s = Measured::Value(60.0);
        }),
    );
}

/// If a hypervisor pauses the machine, the lab and its worker both stop, on every clock.
#[test]
fn a_machine_that_was_paused_fails_and_a_lab_that_was_kept_waiting_does_not() {
    let absent = |gap_s| {
        one_trial(move |record| {
            lasting(record, 7.0, gap_s, 6.9);
            record.pauses = Some(vec![pause(PauseCause::LabAbsent, 1.0, 5.0)]);
        })
    };
    let why = "neither Syncline nor its worker ran for 5.00 s (71.4 % of its window): both were stopped, \
               or the machine was paused.";
    assert_fails_there_alone(why, &absent(5.0));
    let worker_ran_on = absent(0.02);
    assert_eq!(worker_ran_on.status, Status::Pass, "{worker_ran_on:?}");
}

fn of_200_ms(edit: impl Fn(&mut TrialRecord) + 'static) -> Synthetic {
    Synthetic::commit().fix("runtime", Value::Duration(Nanos::from_millis(200))).edit(move |record| {
        lasting(record, 0.2, 0.01, 0.19);
        edit(record);
    })
}

/// For any cause, including records of versions that did not look for one.
#[test]
fn a_window_far_longer_than_asked_is_a_failure_by_itself() {
    let study = of_200_ms(|record| {
        phase(record).mechanism.continuity = Continuity::default();
        record.pauses = None;
        if record.key.configuration == CONFIGURATION && record.key.round == ROUND {
            phase(record).duration_s = 60.2;
        }
    });
    let why = "the window took 60.20 s instead of 0.20 s.";
    assert_fails_there_alone(why, &audit(&study, "interruption"));
    // The operations in flight at the end take their time.
    let slow = of_200_ms(|record| lasting(record, 1.1, 0.9, 1.05));
    assert_eq!(audit(&slow, "interruption").status, Status::Pass);
}

/// Buffered writes end with a sync that writes all of them.
#[test]
fn a_sync_at_the_end_may_outlast_the_runtime() {
    let study = Synthetic::device()
        .fix("rw", synthetic::name("write"))
        .fix("end_fsync", Value::Flag(true))
        .fix("runtime", Value::Duration(Nanos::from_millis(200)))
        .edit(|record| lasting(record, 9.0, 8.8, 8.9));
    assert_eq!(audit(&study, "interruption").status, Status::Pass);
}

#[test]
fn records_of_versions_that_did_not_look_are_not_assessable() {
    let study = Synthetic::commit().edit(|record| {
        phase(record).mechanism.continuity = Continuity::default();
        record.pauses = None;
    });
    assert_eq!(audit(&study, "interruption").status, Status::NotAssessable);
}
