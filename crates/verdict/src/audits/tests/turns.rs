//! Trials that took turns: the kernel's counters cover more time and more operations than the windows do.

use super::audit;
use crate::verdict::{Audit, Status};
use model::mechanism::{Measured, Mechanism, Window};
use model::trial::{Pause, PauseCause};
use model::{Description, Nanos, Value};
use synthetic::{Synthetic, name};

/// The same study with and without turns: its counters, doubled where they cover twice as much, say the same.
fn both_ways(study: impl Fn() -> Synthetic, audit_name: &str) -> [Audit; 2] {
    [audit(&study(), audit_name), audit(&study().in_turns(0..10), audit_name)]
}

fn counted(edit: impl Fn(&mut Mechanism) + Copy + 'static) -> Synthetic {
    super::measured(move |measurement| edit(&mut measurement.phases[0].mechanism))
}

#[test]
fn the_queue_of_the_device_is_averaged_over_all_of_the_turns() {
    let queue = |mechanism: &mut Mechanism| {
        if let Measured::Value(device) = &mut mechanism.device {
            device.queue_s = 12.0;
        }
    };
    let [alone, in_turns] = both_ways(|| counted(queue), "littles-law");
    assert_eq!(alone.evidence, in_turns.evidence);
    insta::assert_snapshot!(in_turns.evidence.join("\n"), @r"
    Closest to the limit, mode=direct group_size=4: latencies account for 1.20 operations in flight, the driver counted 1.20, 5.00 are possible.
    The device's own queue held more than the driver in 20 of 20 direct trials (6.00 requests against 1.19 operations, mode=direct group_size=1 round 8): its journal, split requests or other processes add to it, or the driver counts too few.
    ");
}

/// Runs on a slow disk failed the audit: a stall that began in a window of few commits ended after it.
#[test]
fn long_operations_over_the_edges_of_windows_are_not_held_against_a_trial() {
    let status = |sd_of_mean: f64| {
        let study = Synthetic::commit().in_turns(0..10).edit(move |record| {
            let phase = &mut record.measurement.as_mut().unwrap().phases[0];
            let Some(Measured::Value(in_flight)) = phase.metrics.get_mut("in_flight_mean") else { return };
            *in_flight *= 1.15;
            for (name, figure) in phase.metrics.clone() {
                if let (Some(family), Measured::Value(mean)) = (name.strip_suffix("_latency_mean_us"), figure)
                {
                    let sd = Measured::Value(mean * sd_of_mean);
                    phase.metrics.insert(format!("{family}_latency_sd_us"), sd);
                }
            }
        });
        audit(&study, "littles-law").status
    };
    assert_eq!([1.0, 1000.0].map(status), [Status::Fail, Status::NotAssessable]);
}

#[test]
fn time_without_a_cpu_is_a_share_of_all_of_the_turns() {
    // 7 % of the time of two CPUs: a warning. 14 % would be a failure.
    let steal = |mechanism: &mut Mechanism| {
        mechanism.steal_s = Measured::Value(0.28);
        mechanism.cpu_contention.others_user_s = Measured::Value(0.0);
    };
    let [alone, in_turns] = both_ways(|| counted(steal), "steal-and-pressure");
    assert_eq!((alone.status, &alone.evidence), (Status::Warn, &in_turns.evidence));
    assert_eq!(in_turns.status, Status::Warn, "{in_turns:?}");
}

#[test]
fn what_others_moved_is_a_rate_over_all_of_the_turns() {
    // 12 MiB/s of others, more than the worker's own; from 16 MiB/s on it fails.
    let foreign = |mechanism: &mut Mechanism| {
        let Measured::Value(own) = &mut mechanism.process_io else { return };
        (own.read_bytes, own.written_bytes) = (4 << 20, 1 << 20);
        let Measured::Value(device) = &mut mechanism.device else { return };
        (device.read_bytes, device.written_bytes) = (28 << 20, 1 << 20);
    };
    let statuses = both_ways(|| counted(foreign), "foreign-io").map(|audit| audit.status);
    assert_eq!(statuses, [Status::Warn, Status::Warn]);
}

#[test]
fn a_volume_uses_its_credits_in_all_of_the_turns() {
    let evidence = |study: Synthetic| {
        let study = study.edit(|record| {
            let measurement = record.measurement.as_mut().expect("measured");
            measurement.placement.model = Measured::Value("Amazon Elastic Block Store".to_owned());
            measurement.placement.device_bytes = Measured::Value(100 << 30);
        });
        audit(&study, "burst-credits").summary
    };
    let (alone, in_turns) = (evidence(Synthetic::commit()), evidence(Synthetic::commit().in_turns(0..10)));
    // 5 trials a round, 10 rounds, 2 s each.
    insta::assert_snapshot!(alone, @"The files are on a volume that may have burst credits (Amazon EBS): they last for 30 min, and this study measured for 1.7 min.");
    insta::assert_snapshot!(in_turns, @"The files are on a volume that may have burst credits (Amazon EBS): they last for 30 min, and this study measured for 3.3 min.");
}

/// A worker that was stopped for 0.9 s while another had the turn lost nothing.
#[test]
fn a_stop_out_of_turn_is_no_gap() {
    let stopped = |gap_s: f64| {
        let runtime = Value::Duration(Nanos::from_millis(2000));
        let study = Synthetic::commit().fix("runtime", runtime).in_turns(0..10).edit(move |record| {
            let window = Window { began_s: 1000.5, ended_s: 1001.4 };
            record.pauses = Some(vec![Pause { cause: PauseCause::Stopped, window }]);
            let mechanism = &mut record.measurement.as_mut().expect("measured").phases[0].mechanism;
            mechanism.continuity.longest_gap_s = Measured::Value(gap_s);
        });
        audit(&study, "interruption").status
    };
    assert_eq!(stopped(0.005), Status::Pass);
    assert_eq!(stopped(0.9), Status::Fail);
}

/// Half of the reads came from the page cache. The bytes that the kernel read are those of all turns.
#[test]
fn hits_are_a_share_of_what_all_of_the_turns_asked_for() {
    let share = |study: &Synthetic| {
        let run = study.run();
        let plan = &run.plan.studies[0];
        let record = run.records.first().expect("a record");
        let description: &Description = plan.description(record.key.configuration).expect("described");
        crate::described::hit_share(record, description)
    };
    let study = || {
        Synthetic::device().vary("mode", vec![name("buffered")]).edit(|record| {
            let phase = &mut record.measurement.as_mut().expect("measured").phases[0];
            phase
                .metrics
                .insert("page_cache_hit_share".to_owned(), Measured::unsupported("more was read ahead"));
            let Some(Measured::Value(reads_per_s)) = phase.metrics.get("read_iops") else { return };
            let asked = reads_per_s * phase.duration_s * 4096.0;
            if let Measured::Value(own) = &mut phase.mechanism.process_io {
                own.read_bytes = (asked / 2.0) as u64;
            }
        })
    };
    let (alone, in_turns) =
        (share(&study()).expect("a share"), share(&study().in_turns(0..10)).expect("a share"));
    assert!((alone - 0.5).abs() < 1e-3 && (in_turns - alone).abs() < 1e-9, "{alone} {in_turns}");
}

/// Flushes of the device cover all turns; commits are counted in the windows.
#[test]
fn flushes_are_those_of_everything_that_the_turns_acknowledged() {
    let per_unit = |study: &Synthetic| {
        let run = study.run();
        let phase = run.records[0].measurement.as_ref().expect("measured").phases[0].clone();
        phase.flushes.and_then(|flushes| flushes.per_unit).expect("flushes")
    };
    let study = || Synthetic::device().vary("rw", vec![name("randwrite")]).fix("fdatasync", Value::Count(1));
    let (alone, in_turns) = (per_unit(&study()), per_unit(&study().in_turns(0..10)));
    assert!((in_turns / alone - 1.0).abs() < 1e-9, "{alone} {in_turns}");
}
