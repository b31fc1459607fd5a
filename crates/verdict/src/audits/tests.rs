//! Every audit with an example that passes and one that does not.

mod append;
mod bearing;
mod burst_credits;
mod carry_over;
mod compared;
mod complete;
mod device;
mod evidence;
mod interruption;
mod io_limit;
mod kv;
mod laws_of_trials;
mod passes;
mod sync_too_fast;
mod trials;
mod turns;
mod unlike_engines;

use crate::basis::Scope;
use crate::verdict::{Audit, Status};
use crate::{ReadSidecar, analyse};
use model::Value;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::medium::{Below, Medium, WriteCache};
use model::study::AskKind;
use model::trial::{ExtentFacts, FileFacts, Measurement, TrialRecord};
use synthetic::{Synthetic, ask, name};

fn audit(study: &Synthetic, name: &str) -> Audit {
    let sidecar: &ReadSidecar<'_> = if name == "aliasing" { &synthetic::sidecar } else { &|_| None };
    let verdict = analyse(&study.run(), sidecar);
    let audits = &verdict.studies[0].audits;
    audits.iter().find(|audit| audit.name == name).cloned().unwrap_or_else(|| panic!("no audit {name}"))
}

/// Checks an audit's outcome, and that its summary, its advice or a piece of its evidence is this text.
#[track_caller]
fn check(study: &Synthetic, name: &str, status: Status, text: &str) {
    let audit = audit(study, name);
    let is_text = |line: &String| line == text;
    let mut lines = [&audit.summary, &audit.advice].into_iter().chain(&audit.evidence);
    assert_eq!(audit.status, status, "{audit:?}");
    assert!(lines.any(is_text), "{name} does not say {text:?}: {audit:?}");
    let silent = matches!(status, Status::Pass | Status::NotAssessable | Status::NotApplicable);
    assert_eq!(audit.advice.is_empty(), silent, "{name}");
}

fn measured(edit: impl Fn(&mut Measurement) + 'static) -> Synthetic {
    Synthetic::commit().edit(move |record| {
        if let Some(measurement) = &mut record.measurement {
            edit(measurement);
        }
    })
}

fn metric(name: &'static str, value: f64) -> Synthetic {
    measured(move |measurement| {
        measurement.phases[0].metrics.insert(name.to_owned(), Measured::Value(value));
    })
}

fn file(role: &'static str, edit: impl Fn(&mut FileFacts) + 'static) -> Synthetic {
    measured(move |measurement| {
        measurement.files.iter_mut().filter(|file| file.role == role).for_each(&edit);
    })
}

fn is_direct(record: &TrialRecord) -> bool {
    record.values.is("mode", "direct")
}

#[test]
fn an_undisturbed_run_passes_everything_that_can_be_assessed() {
    let verdict = analyse(&Synthetic::commit().run(), &synthetic::sidecar);
    for audit in &verdict.studies[0].audits {
        let expected = match audit.name.as_str() {
            "steady-state" => Status::NotAssessable,
            "carry-over" | "compressible-data" => Status::NotApplicable,
            _ => Status::Pass,
        };
        assert_eq!(audit.status, expected, "{audit:?}");
    }
}

#[test]
fn littles_law() {
    check(
        &Synthetic::commit(),
        "littles-law",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: latencies account for 1.20 operations in flight, \
         the driver counted 1.20, 5.00 are possible.",
    );
    // Page 000: 1.13 million reads/s × 63 µs = 71 reads in flight, with a depth of 32.
    check(
        &metric("read_latency_mean_us", 1000.0),
        "littles-law",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: latencies account for 4.93 operations \
         in flight, the driver counted 1.21, 5.00 are possible.",
    );
    check(
        &metric("in_flight_mean", f64::NAN),
        "littles-law",
        Status::NotAssessable,
        "No trial reports rates, mean latencies and operations in flight together, in turns that are long \
         enough for its operations.",
    );
    let one_trial = Synthetic::commit().edit(|record| {
        if record.key.round == 3 && record.key.configuration == 1 {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("in_flight_mean".to_owned(), Measured::Value(2.0));
        }
    });
    check(
        &one_trial,
        "littles-law",
        Status::Warn,
        "mode=buffered group_size=4: 1 of 10 trials; furthest off: latencies account for 1.21 operations in \
         flight, the driver counted 2.00, 5.00 are possible.",
    );
}

#[test]
fn littles_law_names_the_device_queue_and_does_not_judge_it() {
    let queue = |queue_s| {
        measured(move |measurement| {
            if let Measured::Value(device) = &mut measurement.phases[0].mechanism.device {
                device.queue_s = queue_s;
            }
        })
    };
    let fits = "The device's own queue, by the kernel's clock, fits the driver's count in 20 direct trials; \
                closest to exceeding it: 1.00 requests against 1.19 operations, mode=direct group_size=1 \
                round 8.";
    let exceeds = "The device's own queue held more than the driver in 20 of 20 direct trials (6.00 requests \
                   against 1.19 operations, mode=direct group_size=1 round 8): its journal, split requests or \
                   other processes add to it, or the driver counts too few.";
    check(&queue(2.0), "littles-law", Status::Pass, fits);
    check(&queue(12.0), "littles-law", Status::Pass, exceeds);
    // Readahead and writeback are the kernel's own.
    let about_queue = |study: &Synthetic| {
        let evidence = audit(study, "littles-law").evidence;
        evidence
            .into_iter()
            .filter(|sentence| sentence.starts_with("The device's own queue"))
            .collect::<Vec<_>>()
    };
    assert!(about_queue(&queue(12.0).vary("mode", vec![name("buffered")])).is_empty());
    let log_only = queue(12.0).fix("data_mode", name("buffered")).fix("read_depth", Value::Count(0));
    insta::assert_snapshot!(about_queue(&log_only).join("\n"), @"The device's own queue held more than the driver in 20 of 20 direct trials (6.00 requests against 0.800 operations, mode=direct group_size=4 round 9): its journal, split requests or other processes add to it, or the driver counts too few.");
}

#[test]
fn factor_took_effect() {
    let levels = vec![Value::Count(1), Value::Count(8)];
    let exact = || Synthetic::commit().vary("reads_per_commit", levels.clone());
    check(
        &exact(),
        "factor-took-effect",
        Status::Pass,
        "mode=buffered group_size=1 reads_per_commit=8: reads_per_commit 8, realised 8.00",
    );
    let unbound = |study: Synthetic| {
        study.edit(|record| {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("realised_reads_per_commit".to_owned(), Measured::Value(612.0));
        })
    };
    check(
        &unbound(exact()),
        "factor-took-effect",
        Status::Fail,
        "Measure longer, so that the first and last commits weigh less, or lower read_depth.",
    );
    let trigger = || Synthetic::commit().fix("pacing", name("trigger"));
    check(
        &unbound(trigger()),
        "factor-took-effect",
        Status::Warn,
        "pacing = trigger did not bind: reads continued during the sync, so realised reads per commit \
         missed reads_per_commit in 4 of 4 configurations and effects of reads_per_commit were not tested.",
    );
    let varied = trigger().vary("reads_per_commit", levels.clone());
    check(
        &unbound(varied),
        "factor-took-effect",
        Status::Fail,
        "pacing = trigger did not bind: reads continued during the sync, so realised reads per commit \
         missed reads_per_commit in 8 of 8 configurations and effects of reads_per_commit were not tested.",
    );
    let alone = Synthetic::commit().fix("read_depth", Value::Count(0));
    check(
        &alone,
        "factor-took-effect",
        Status::NotAssessable,
        "No parameter of this study has a recorded realised value.",
    );
}

#[test]
fn comparable_metric() {
    check(
        &Synthetic::commit(),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    let asks = |metric: &str| Synthetic::commit().asks(vec![ask(AskKind::Compare, "mode", &[metric])]);
    check(
        &asks("sync_latency_p50_us"),
        "comparable-metric",
        Status::Warn,
        "sync latency p50: not comparable across mode: under direct the data is written before the sync \
         begins, otherwise the sync writes it. Compare commit_latency instead.",
    );
    check(
        &asks("commit_latency_p50_us"),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
}

#[test]
fn cold_cache() {
    check(
        &Synthetic::commit(),
        "cold-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: configured cold, 0 % of the data file was cached \
         before.",
    );
    let cached = file("data", |file| file.cached_share_before = Measured::Value(0.4));
    check(
        &cached,
        "cold-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: configured cold, 40.0 % of the data \
         file was cached before.",
    );
    // The other audit checks where the reads came from.
    let filled = metric("device_read_bytes_per_read", 100.0);
    check(
        &filled,
        "cold-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: configured cold, 0 % of the data file was cached \
         before.",
    );
    check(
        &filled,
        "cache-or-disk",
        Status::Fail,
        "mode=buffered group_size=1: reads measured the page cache, 97.6 % of their bytes came from the \
         page cache.",
    );
    check(
        &Synthetic::commit(),
        "cache-or-disk",
        Status::Pass,
        "mode=buffered group_size=1: reads measured the disk, 0 % of their bytes came from the page cache.",
    );
    let warm = |share| {
        file("data", move |file| {
            file.cached_share_before = Measured::Value(1.0);
            file.cached_share_after = Measured::Value(share);
        })
        .fix("cache", name("warm"))
    };
    check(
        &warm(1.0),
        "cold-cache",
        Status::Pass,
        "Closest to the limit, mode=buffered group_size=4: configured warm, 100 % of the data file was \
         cached before and 100 % after.",
    );
    check(
        &warm(0.66),
        "cold-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: configured warm, 100 % of the data file \
         was cached before and 66.0 % after.",
    );
}

#[test]
fn layout() {
    check(
        &Synthetic::commit(),
        "layout",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: data is prefilled: 1GiB, 0B unwritten, 0B of \
         holes; wal is prefilled: 256MiB, 0B unwritten, 0B of holes.",
    );
    let unwritten = |bytes, layout: &'static str| {
        file("wal", move |file| {
            file.layout = layout.to_owned();
            file.extents = Measured::Value(ExtentFacts { count: 1, unwritten_bytes: bytes, hole_bytes: 0 });
        })
    };
    check(
        &unwritten(1 << 20, "prefilled"),
        "layout",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: wal is prefilled: 256MiB, 1MiB \
         unwritten, 0B of holes.",
    );
    check(
        &unwritten(256 << 20, "fallocated"),
        "layout",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: data is prefilled: 1GiB, 0B unwritten, 0B of \
         holes; wal is fallocated: 256MiB, 256MiB unwritten, 0B of holes.",
    );
    check(
        &unwritten(0, "fallocated"),
        "layout",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: wal is fallocated: 256MiB, 0B \
         unwritten, 0B of holes.",
    );
    check(
        &unwritten(0, "append"),
        "layout",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: wal is append: 256MiB, 0B unwritten, 0B \
         of holes.",
    );
}

#[test]
fn volatile_cache() {
    check(
        &Synthetic::commit(),
        "volatile-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: write back cache, 1.00 flushes per commit.",
    );
    check(
        &metric("device_flushes_per_commit", 0.0),
        "volatile-cache",
        Status::Fail,
        "A layer has a volatile write cache and saw fewer flushes than acknowledged syncs need in 50 of 50 \
         trials: not all acknowledged data had reached stable media.",
    );
    // A single committer shares no flush: a tenth of its commits was acknowledged without one.
    check(
        &metric("device_flushes_per_commit", 0.9),
        "volatile-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: write back cache, 0.900 flushes per \
         commit.",
    );
    check(
        &metric("device_flushes_per_commit", 0.97),
        "volatile-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: write back cache, 0.970 flushes per commit.",
    );
    let shared = metric("device_flushes_per_commit", 0.21).fix("committers", Value::Count(32));
    check(
        &shared,
        "volatile-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: write back cache, 0.210 flushes per commit.",
    );
    // A flush serves at most one sync of each committer.
    let skipped = metric("device_flushes_per_commit", 0.2).fix("committers", Value::Count(4));
    check(
        &skipped,
        "volatile-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: write back cache, 0.200 flushes per \
         commit.",
    );
    let through = |write_cache: Option<WriteCache>| {
        measured(move |measurement| {
            measurement.placement.write_cache = Measured::Value("write through".to_owned());
            measurement.placement.below =
                write_cache.clone().map(|write_cache| Below { medium: Medium::Device, write_cache });
            let metrics = &mut measurement.phases[0].metrics;
            metrics.insert("device_flushes_per_commit".to_owned(), Measured::Value(0.0));
        })
    };
    let why = || "made up".to_owned();
    check(
        &through(Some(WriteCache::Absent(why()))),
        "volatile-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: made up.",
    );
    check(
        &through(Some(WriteCache::Hidden(why()))),
        "volatile-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: made up.",
    );
    // Anybody may set the flag, so it proves nothing.
    for flag_alone in [None, Some(WriteCache::Unproven(why()))] {
        check(
            &through(flag_alone),
            "volatile-cache",
            Status::NotAssessable,
            "It is unknown whether syncs reached stable media: nothing was synced, the device's write cache \
             or its flush count is unknown, or only a flag that anybody may set says that it has no \
             volatile cache.",
        );
    }
    let forced = measured(|measurement| {
        measurement.placement.fua = Measured::Value(true);
        measurement.phases[0].metrics.insert("device_flushes_per_commit".to_owned(), Measured::Value(0.0));
    })
    .vary("mode", vec![name("direct")])
    .fix("sync", name("dsync"));
    check(
        &forced,
        "volatile-cache",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: direct dsync writes are forced to media by the \
         drive (FUA), 0 flushes per commit.",
    );
    let unsynced = || measured(|measurement| measurement.durability = DurabilityClass::Process);
    let unsynced = unsynced().fix("sync", name("none"));
    check(
        &unsynced,
        "volatile-cache",
        Status::NotApplicable,
        "Nothing is synced or declared to survive a power loss.",
    );
}

/// Three of six trials without a flush were only a warning, because they were not more than half.
#[test]
fn one_trial_without_a_flush_refutes_the_promise_of_its_configuration() {
    let without = |rounds: u32| {
        Synthetic::commit().rounds(6).edit(move |record| {
            if record.key.configuration == 2 && !record.key.duplicate && record.key.round < rounds {
                let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
                metrics.insert("device_flushes_per_commit".to_owned(), Measured::Value(0.0));
            }
        })
    };
    for rounds in [1, 3] {
        let found = audit(&without(rounds), "volatile-cache");
        assert_eq!(found.status, Status::Fail, "{rounds} of 6: {found:?}");
        assert_eq!(found.about, [Scope::Configurations(vec![2])], "{found:?}");
    }
}

/// The ends of a short trial cut off a flush, which refutes nothing: eleven flushes for twelve commits.
#[test]
fn a_flush_that_the_window_cut_off_is_no_refutation() {
    let of_trial = |commits: f64, flushes: f64| {
        measured(move |measurement| {
            let phase = &mut measurement.phases[0];
            phase.metrics.insert("commits_per_s".to_owned(), Measured::Value(commits / phase.duration_s));
            phase.metrics.insert("device_flushes_per_commit".to_owned(), Measured::Value(flushes / commits));
        })
    };
    check(
        &of_trial(12.0, 11.0),
        "volatile-cache",
        Status::Warn,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: write back cache, 0.917 flushes per \
         commit.",
    );
    check(
        &of_trial(12.0, 10.0),
        "volatile-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: write back cache, 0.833 flushes per \
         commit.",
    );
    check(
        &of_trial(1200.0, 1100.0),
        "volatile-cache",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: write back cache, 0.917 flushes per \
         commit.",
    );
}

#[test]
fn a_trial_that_was_not_what_it_says_is_no_replicate() {
    let once = |edit: fn(&mut FileFacts)| {
        Synthetic::commit().edit(move |record| {
            if record.key.configuration == 1 && record.key.round == 4 {
                record.measurement.as_mut().unwrap().files.iter_mut().for_each(edit);
            }
        })
    };
    let cached = once(|file| file.cached_share_before = Measured::Value(0.4));
    check(
        &cached,
        "cold-cache",
        Status::Fail,
        "mode=buffered group_size=4: 1 of 10 trials; furthest off: configured cold, 40.0 % of the data file \
         was cached before.",
    );
    let unwritten = once(|file| {
        file.extents = Measured::Value(ExtentFacts { count: 1, unwritten_bytes: 1 << 20, hole_bytes: 0 });
    });
    check(
        &unwritten,
        "layout",
        Status::Fail,
        "mode=buffered group_size=4: 1 of 10 trials; furthest off: data is prefilled: 1GiB, 1MiB unwritten, \
         0B of holes; wal is prefilled: 256MiB, 1MiB unwritten, 0B of holes.",
    );
}

#[test]
fn durability_class() {
    check(
        &Synthetic::commit(),
        "durability-class",
        Status::Pass,
        "Arms that are compared share a durability class (power).",
    );
    let across = Synthetic::commit().edit(|record| {
        if is_direct(record) {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    });
    check(
        &across,
        "durability-class",
        Status::Warn,
        "mode: writes acknowledged by buffered have class power, those by direct class process.",
    );
    let torn = Synthetic::commit().edit(|record| {
        if record.key.round == 1 {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::None;
        }
    });
    check(
        &torn,
        "durability-class",
        Status::Fail,
        "mode=buffered group_size=1: its trials declare none and power.",
    );
}

#[test]
fn same_knobs() {
    check(
        &Synthetic::commit(),
        "same-knobs",
        Status::Pass,
        "mode changes page reads and the log together; data_mode and wal_mode separate them (study \
         commit-modes).",
    );
    let strayed = Synthetic::commit().edit(|record| {
        if record.key.configuration == 2 {
            record.values.0.insert("read_depth".to_owned(), Value::Count(8));
        }
    });
    check(
        &strayed,
        "same-knobs",
        Status::Fail,
        "mode=direct group_size=1: read_depth was planned as 4 and was 8.",
    );
}
