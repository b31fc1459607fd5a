//! Audits with little evidence, or with an effect that is the kernel's choice and not the setup's.

use super::device::{cached, canary, device, edit, metric, only};
use super::{audit, check};
use crate::analyse;
use crate::basis::Scope;
use crate::finding::Counter;
use crate::verdict::Status;
use model::Value;
use model::mechanism::{CpuContention, Measured, QuotaCounters};
use model::trial::TrialRecord;
use model::units::GIB;
use synthetic::{Synthetic, name};

/// ext4 keeps pages that dontcache overwrites; the audit took that for a failure of the setup.
#[test]
fn pages_that_dontcache_writes_leave_are_the_kernels_choice() {
    let left = |rw: &str| cached(only("dontcache").fix("rw", name(rw)), 0.0, 0.6);
    check(
        &left("randwrite"),
        "factor-took-effect",
        Status::Warn,
        "Writes with dontcache left their pages cached in 1 of 1 configurations: this file system drops \
         pages that dontcache reads or appends and keeps pages that it overwrites (as ext4 does, and XFS \
         does not).",
    );
    check(
        &left("randrw"),
        "factor-took-effect",
        Status::Warn,
        "mode=dontcache: dontcache left 60.0 % more of the data file cached.",
    );
    check(
        &left("randread"),
        "factor-took-effect",
        Status::Fail,
        "Operations that bypass the page cache, or drop its pages, left pages there in 1 of 1 \
         configurations: the mode did not take effect.",
    );
    let direct = cached(only("direct").fix("rw", name("randwrite")), 0.0, 0.6);
    check(
        &direct,
        "factor-took-effect",
        Status::Fail,
        "Operations that bypass the page cache, or drop its pages, left pages there in 1 of 1 \
         configurations: the mode did not take effect.",
    );
}

/// The audit read an interval of 0.6 to 1.4 as "zeros are not faster".
#[test]
fn a_canary_that_scatters_tells_nothing() {
    let scattered = |data: &str| {
        canary(device().fix("rw", name("randwrite")).fix("data", name(data)), 1.0, 8).edit(|record| {
            if let Some(Measured::Value(found)) = &mut record.canary {
                for (index, pair) in found.pairs.iter_mut().enumerate() {
                    pair.zero_write_s *= if index % 2 == 0 { 0.5 } else { 2.0 };
                }
            }
        })
    };
    check(
        &scattered("random"),
        "compressible-data",
        Status::NotApplicable,
        "Nothing here wrote zeros or compressible data.",
    );
    check(
        &scattered("random"),
        "compressible-data",
        Status::NotApplicable,
        "Writing zeros (filesystem = host) took 1.01× the time of random data (95 % interval 0.541–1.87, 8 \
         pairs).",
    );
    check(
        &scattered("zero"),
        "compressible-data",
        Status::Warn,
        "2 configurations wrote zeros or compressible data, and the canary cannot show whether the device \
         takes advantage of that: Writing zeros (filesystem = host) took 1.01× the time of random data (95 \
         % interval 0.541–1.87, 8 pairs).",
    );
}

#[test]
fn a_file_must_be_twice_the_memory_to_be_larger_than_the_cache() {
    let sized = |gib: u64, hits: f64| {
        let study = only("buffered").fix("size", Value::Bytes(gib * GIB)).fix("cache", name("as_is"));
        metric(study, "page_cache_hit_share", hits)
    };
    check(
        &sized(8, 0.4),
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 8GiB file with 4.00 GiB of memory: larger than the cache.",
    );
    check(
        &sized(5, 0.4),
        "working-set",
        Status::Warn,
        "mode=buffered: buffered reads of a 5GiB file with 4.00 GiB of memory: most of it may fit, and not \
         proven cold.",
    );
    check(
        &sized(5, 0.05),
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 5GiB file with 4.00 GiB of memory: most of it may fit, but only \
         5.00 % of the bytes were hits.",
    );
    let warm = sized(5, 0.8).fix("cache", name("warm"));
    check(
        &warm,
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 5GiB file with 4.00 GiB of memory: the page cache is measured, \
         as configured.",
    );
    let cold = metric(sized(5, 0.0).fix("cache", name("cold")), "page_cache_hit_share", 0.3);
    check(
        &cold,
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 5GiB file with 4.00 GiB of memory: most of it may fit, but was \
         proven cold and read so briefly that 30.0 % of the bytes were hits.",
    );
    let writes = only("buffered").fix("rw", name("randwrite")).fix("size", Value::Bytes(GIB));
    check(
        &writes,
        "working-set",
        Status::NotApplicable,
        "mode=buffered: buffered writes of a 1GiB file without a sync may end in memory: not judged here; \
         the audit cache-or-disk reports how much reached the device.",
    );
}

#[test]
fn a_ramp_fills_the_cache_of_a_cold_file() {
    let began = |share: Option<f64>| {
        let study = only("buffered").fix("ramp_time", Value::Duration(model::Nanos::from_millis(500)));
        edit(study, move |_, measurement| {
            measurement.files[0].cached_share_after_ramp = share.map(Measured::Value);
        })
    };
    check(
        &began(Some(0.04)),
        "cold-cache",
        Status::Pass,
        "The page cache was as configured before the ramp; at most 4.00 % of the data file was cached when \
         the measurement began.",
    );
    let said = "mode=buffered: 20 of 20 trials; furthest off: configured cold, cold before the ramp; 30.0 % \
                cached when the measurement began.";
    check(&began(Some(0.3)), "cold-cache", Status::Warn, said);
    check(
        &began(None),
        "cold-cache",
        Status::Pass,
        "The page cache was as configured before the ramp; what the ramp cached is not recorded.",
    );
    check(
        &cached(began(Some(0.3)), 0.2, 0.3),
        "cold-cache",
        Status::Fail,
        "mode=buffered: 20 of 20 trials; furthest off: configured cold, 20.0 % of the data file was cached \
         before.",
    );
}

/// Adds other programs' bytes to those of the worker, in the trials that `which` selects.
fn beside(study: Synthetic, bytes: u64, which: fn(&TrialRecord) -> bool) -> Synthetic {
    beside_where(study, bytes, which)
}

fn beside_where(study: Synthetic, bytes: u64, which: impl Fn(&TrialRecord) -> bool + 'static) -> Synthetic {
    edit(study, move |record, measurement| {
        if which(record)
            && let Measured::Value(device) = &mut measurement.phases[0].mechanism.device
        {
            device.read_bytes += bytes;
            device.written_bytes += bytes / 2;
        }
    })
}

#[test]
fn foreign_io() {
    let direct = |record: &TrialRecord| record.values.is("mode", "direct");
    check(
        &device(),
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, in every trial.",
    );
    let disturbed = beside(device(), 20 << 20, direct);
    check(
        &disturbed,
        "foreign-io",
        Status::Warn,
        "Other programs used the device in 10 of 30 trials and moved 300 MiB there: its counters are not \
         the worker's alone, and what they explain is withheld from the findings concerned.",
    );
    check(
        &disturbed,
        "foreign-io",
        Status::Warn,
        "Most in mode=direct round 0: other programs read 20.0 MiB beside the worker's 31.2 MiB and wrote \
         10.0 MiB beside the worker's 15.6 MiB.",
    );
    let once = beside(device(), 400 << 20, |record| record.key.round == 3 && record.key.configuration == 1);
    check(
        &once,
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, except in 1 of 30 trials, in which others \
         moved 600 MiB.",
    );
    check(
        &beside(device(), 7 << 20, direct),
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, in every trial.",
    );
    let unknown = edit(device(), |_, measurement| {
        measurement.phases[0].mechanism.process_io = Measured::unsupported("not read");
    });
    check(
        &unknown,
        "foreign-io",
        Status::NotAssessable,
        "No trial has both the device's counters and the bytes that the kernel charged to the worker.",
    );
}

/// `dd` wrote 479 MiB beside the worker's 2.67 MiB in 18 of 18 trials; the result was a warning and exit code 0.
#[test]
fn a_writer_that_has_the_device_to_itself_fails() {
    let direct = |record: &TrialRecord| record.values.is("mode", "direct");
    let shared = audit(&beside(device(), 400 << 20, direct), "foreign-io");
    assert_eq!(shared.status, Status::Fail, "{shared:?}");
    assert_eq!(shared.about, [Scope::Configurations(vec![1])], "{shared:?}");
    // Every third round is scatter that the intervals cover; more is a property of the whole measurement.
    let rounds = |rounds: fn(u32) -> bool| {
        let which = move |record: &TrialRecord| rounds(record.key.round) && record.key.configuration == 1;
        audit(&beside_where(device(), 400 << 20, which), "foreign-io").status
    };
    assert_eq!(rounds(|round| round < 3), Status::Warn);
    assert_eq!(rounds(|round| round < 4), Status::Fail);
}

/// The counterpart: as many bytes, but most of them are the worker's own.
#[test]
fn a_worker_that_moves_more_than_the_others_is_no_guest() {
    let busy = edit(beside(device(), 400 << 20, |_| true), |_, measurement| {
        let mechanism = &mut measurement.phases[0].mechanism;
        if let (Measured::Value(device), Measured::Value(io)) =
            (&mut mechanism.device, &mut mechanism.process_io)
        {
            device.read_bytes += 900 << 20;
            io.read_bytes += 900 << 20;
        }
    });
    assert_eq!(audit(&busy, "foreign-io").status, Status::Warn);
}

/// A growing log costs its journal, which is written for the worker but not charged to it; another writer adds more.
#[test]
fn a_journal_is_the_workers_own_and_a_writer_beside_it_is_not() {
    let appending = |beside_bytes: u64| {
        let study = edit(only("direct").fix("rw", name("write")), move |_, measurement| {
            measurement.files[0].layout = "append".to_owned();
            let phase = &mut measurement.phases[0];
            phase.operations = 2000;
            if let Measured::Value(device) = &mut phase.mechanism.device {
                // 24 KiB of journal for each operation.
                device.written_bytes += phase.operations * (24 << 10) + beside_bytes;
            }
        });
        audit(&study, "foreign-io").status
    };
    assert_eq!(appending(0), Status::Pass);
    assert_eq!(appending(479 << 20), Status::Fail);
}

/// Journals, copies on write and older dirty pages are the worker's own, although they are not charged to it at that
/// time.
#[test]
fn writes_are_judged_where_device_and_process_count_the_same() {
    let more = |study: Synthetic| {
        edit(study, |_, measurement| {
            if let Measured::Value(device) = &mut measurement.phases[0].mechanism.device {
                device.written_bytes += 28 << 20;
            }
        })
    };
    let writes = |mode: &str| only(mode).fix("rw", name("randwrite"));
    check(
        &more(writes("direct")),
        "foreign-io",
        Status::Warn,
        "Most in mode=direct round 0: other programs wrote 28.0 MiB beside the worker's 15.6 MiB.",
    );
    check(
        &more(writes("buffered")),
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, in every trial.",
    );
    let synced = || more(writes("buffered").fix("end_fsync", Value::Flag(true)));
    check(
        &synced(),
        "foreign-io",
        Status::Warn,
        "Most in mode=buffered round 0: other programs wrote 28.0 MiB beside the worker's 15.6 MiB.",
    );
    let ramped = synced().fix("ramp_time", Value::Duration(model::Nanos::from_millis(500)));
    check(
        &ramped,
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, in every trial.",
    );
    // Each commit of a ramp is on the device before the next one.
    let steady = Synthetic::commit().fix("steady_time_max", Value::Duration(model::Nanos::from_millis(500)));
    check(
        &more(steady),
        "foreign-io",
        Status::Warn,
        "Most in mode=buffered group_size=1 round 0: other programs wrote 28.0 MiB beside the worker's 15.6 \
         MiB.",
    );
    let grown = edit(more(writes("direct")), |_, measurement| {
        measurement.files[0].layout = "append".to_owned();
    });
    check(
        &grown,
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, in every trial.",
    );
    let copied = edit(more(writes("direct")), |_, measurement| {
        measurement.placement.filesystem = "btrfs".to_owned();
    });
    check(
        &copied,
        "foreign-io",
        Status::Pass,
        "What the device read and wrote was the worker's own, in every trial.",
    );
}

#[test]
fn counters_that_hold_foreign_io_explain_nothing() {
    let mechanism =
        |study: &Synthetic| analyse(&study.run(), &|_| None).studies.remove(0).findings.remove(0).mechanism;
    let names = |counters: &[Counter]| -> Vec<String> {
        let of = |counter: &Counter| match counter {
            Counter::Compared { metric, .. } | Counter::ByLevel { metric, .. } => metric.clone(),
            Counter::Disturbed { level, moved } => format!("beside {level}, other programs {moved}"),
        };
        counters.iter().map(of).collect()
    };
    let own = names(&mechanism(&device()));
    assert!(own.contains(&"device_queue_depth_mean".to_owned()), "{own:?}");
    let disturbed = mechanism(&beside(device(), 400 << 20, |record| record.values.is("mode", "direct")));
    let told = names(&disturbed);
    assert!(told[0].starts_with("beside direct, other programs read 3.91 GiB"), "{told:?}");
    assert!(told[1..].iter().all(|name| !name.starts_with("device_")), "{told:?}");
    assert!(told.contains(&"system_calls_per_operation".to_owned()), "{told:?}");
}

/// The time that other programs and quotas took from each trial of one thread on two CPUs.
fn contended(delay_s: f64, others_user_s: Option<f64>, throttled_s: f64) -> Synthetic {
    edit(device().fix("numjobs", Value::Count(1)), move |_, measurement| {
        let mechanism = &mut measurement.phases[0].mechanism;
        mechanism.run_queue_delay_s = Measured::Value(delay_s);
        mechanism.cpu_contention.others_user_s = match others_user_s {
            Some(seconds) => Measured::Value(seconds),
            None => Measured::unsupported("not counted"),
        };
        mechanism.cpu_contention.quota =
            Measured::Value(QuotaCounters { periods: 20, throttled_periods: 10, throttled_s });
    })
}

/// Two busy programs on two CPUs: 20 to 40 % of the time waiting, a p99 of 14 times the p99 without them, and still
/// "fit for etcd".
#[test]
fn hogs_that_take_a_tenth_of_the_time_fail() {
    let status = |study: &Synthetic| audit(study, "steal-and-pressure").status;
    assert_eq!(status(&contended(0.5, Some(3.2), 0.0)), Status::Fail);
    // The counterpart: an equally long wait, for kernel threads that serve the worker itself.
    assert_eq!(status(&contended(0.5, Some(0.02), 0.0)), Status::Warn);
    // Another user's program on one of many CPUs.
    assert_eq!(status(&contended(0.5, Some(0.3), 0.0)), Status::Warn);
    // Programs that hardly delayed it.
    assert_eq!(status(&contended(0.15, Some(3.2), 0.0)), Status::Warn);
    assert_eq!(status(&contended(0.02, Some(3.2), 0.0)), Status::Pass);
    // Records of versions that did not count other programs keep their judgement.
    assert_eq!(status(&contended(0.5, None, 0.0)), Status::Warn);
    assert_eq!(status(&contended(1.2, None, 0.0)), Status::Fail);
}

/// The audit blamed other programs although there were none.
#[test]
fn a_cpu_quota_is_called_a_quota() {
    let throttled = audit(&contended(0.9, Some(0.0), 0.8), "steal-and-pressure");
    assert_eq!(throttled.status, Status::Fail, "{throttled:?}");
    insta::assert_snapshot!(throttled.summary, @"A CPU quota of the worker's control group kept it from the CPUs in 30 of 30 trials (45.0 % of the time on average in the configurations concerned).");
    let hogged = audit(&contended(0.9, Some(3.2), 0.001), "steal-and-pressure");
    insta::assert_snapshot!(hogged.summary, @"The worker waited for a CPU in 30 of 30 trials (45.0 % of the time on average in the configurations concerned): other programs had it, or the kernel threads that serve the worker's own operations.");
}

/// Two jobs on two CPUs wait for each other and for their own kernel threads in every trial.
#[test]
fn a_worker_that_fills_the_cpus_waits_for_itself() {
    let waiting = |jobs: u64, used_s: f64| {
        let study = device().fix("numjobs", Value::Count(jobs));
        edit(study, move |_, measurement| {
            let mechanism = &mut measurement.phases[0].mechanism;
            mechanism.cpu_contention = CpuContention::default();
            mechanism.run_queue_delay_s = Measured::Value(0.6 * 2.0 * jobs as f64);
            mechanism.process.user_s = used_s;
            mechanism.process.system_s = 0.0;
        })
    };
    let own = waiting(2, 1.6);
    check(
        &own,
        "steal-and-pressure",
        Status::Warn,
        "mode=buffered: 20 of 20 trials; furthest off: 0.250 % of CPU time stolen, 60.0 % of the time ready \
         but not running, 20.0 % of the time at least because of others, 1.00 % of the time some task \
         waited for a CPU.",
    );
    let summary = audit(&own, "steal-and-pressure").summary;
    insta::assert_snapshot!(summary, @"The worker waited for a CPU in 30 of 30 trials (60.0 % of the time on average in the configurations concerned): other programs had it, or the kernel threads that serve the worker's own operations.");
    // Hardly any CPU time of its own: others had the CPUs.
    check(
        &waiting(2, 0.2),
        "steal-and-pressure",
        Status::Fail,
        "mode=buffered: 20 of 20 trials; furthest off: 0.250 % of CPU time stolen, 60.0 % of the time ready \
         but not running, 55.0 % of the time at least because of others, 1.00 % of the time some task \
         waited for a CPU.",
    );
    check(
        &waiting(1, 0.8),
        "steal-and-pressure",
        Status::Fail,
        "The worker waited for a CPU in 30 of 30 trials (60.0 % of the time on average in the \
         configurations concerned): other programs had it, or the kernel threads that serve the worker's \
         own operations.",
    );
}
