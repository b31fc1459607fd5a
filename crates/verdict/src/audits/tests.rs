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

/// Checks an audit's outcome, and that its text contains these words.
fn check(study: &Synthetic, name: &str, status: Status, words: &str) {
    let audit = audit(study, name);
    let text = format!("{}\n{}\n{}", audit.summary, audit.evidence.join("\n"), audit.advice);
    assert_eq!(audit.status, status, "{name}: {text}");
    assert!(text.contains(words), "{name} does not say {words:?}: {text}");
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
    check(&Synthetic::commit(), "littles-law", Status::Pass, "Closest to the limit");
    // Page 000: 1.13 million reads/s × 63 µs = 71 reads in flight, with a depth of 32.
    check(&metric("read_latency_mean_us", 1000.0), "littles-law", Status::Fail, "are possible");
    check(&metric("in_flight_mean", f64::NAN), "littles-law", Status::NotAssessable, "No trial");
    let one_trial = Synthetic::commit().edit(|record| {
        if record.key.round == 3 && record.key.configuration == 1 {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("in_flight_mean".to_owned(), Measured::Value(2.0));
        }
    });
    check(&one_trial, "littles-law", Status::Warn, "group_size=4: 1 of 10 trials");
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
    let fits = "fits the driver's count in 20 direct trials";
    let exceeds = "more than the driver in 20 of 20 direct trials (6.00 requests";
    check(&queue(2.0), "littles-law", Status::Pass, fits);
    check(&queue(12.0), "littles-law", Status::Pass, exceeds);
    // Readahead and writeback are the kernel's own.
    let buffered = audit(&queue(12.0).vary("mode", vec![name("buffered")]), "littles-law");
    assert!(!buffered.evidence.concat().contains("queue"), "{buffered:?}");
    let log_only = queue(12.0).fix("data_mode", name("buffered")).fix("read_depth", Value::Count(0));
    assert!(audit(&log_only, "littles-law").evidence.concat().contains(exceeds));
}

#[test]
fn factor_took_effect() {
    let levels = vec![Value::Count(1), Value::Count(8)];
    let exact = || Synthetic::commit().vary("reads_per_commit", levels.clone());
    check(
        &exact(),
        "factor-took-effect",
        Status::Pass,
        "reads_per_commit=8: reads_per_commit 8, realised 8.00",
    );
    let unbound = |study: Synthetic| {
        study.edit(|record| {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("realised_reads_per_commit".to_owned(), Measured::Value(612.0));
        })
    };
    check(&unbound(exact()), "factor-took-effect", Status::Fail, "Measure longer");
    let trigger = || Synthetic::commit().fix("pacing", name("trigger"));
    check(&unbound(trigger()), "factor-took-effect", Status::Warn, "pacing = trigger did not bind");
    let varied = trigger().vary("reads_per_commit", levels.clone());
    check(&unbound(varied), "factor-took-effect", Status::Fail, "were not tested");
    let alone = Synthetic::commit().fix("read_depth", Value::Count(0));
    check(&alone, "factor-took-effect", Status::NotAssessable, "No parameter");
}

#[test]
fn comparable_metric() {
    check(&Synthetic::commit(), "comparable-metric", Status::Pass, "same work");
    let asks = |metric: &str| Synthetic::commit().asks(vec![ask(AskKind::Compare, "mode", &[metric])]);
    check(&asks("sync_latency_p50_us"), "comparable-metric", Status::Warn, "the sync writes it");
    check(&asks("commit_latency_p50_us"), "comparable-metric", Status::Pass, "same work");
}

#[test]
fn cold_cache() {
    check(&Synthetic::commit(), "cold-cache", Status::Pass, "0 % of the data file was cached before");
    let cached = file("data", |file| file.cached_share_before = Measured::Value(0.4));
    check(&cached, "cold-cache", Status::Fail, "40.0 % of the data file was cached before");
    // The other audit checks where the reads came from.
    let filled = metric("device_read_bytes_per_read", 100.0);
    check(&filled, "cold-cache", Status::Pass, "0 %");
    check(&filled, "cache-or-disk", Status::Fail, "97.6 % of their bytes came from the page cache");
    check(&Synthetic::commit(), "cache-or-disk", Status::Pass, "reads measured the disk");
    let warm = |share| {
        file("data", move |file| {
            file.cached_share_before = Measured::Value(1.0);
            file.cached_share_after = Measured::Value(share);
        })
        .fix("cache", name("warm"))
    };
    check(&warm(1.0), "cold-cache", Status::Pass, "configured warm");
    check(&warm(0.66), "cold-cache", Status::Fail, "66.0 % after");
}

#[test]
fn layout() {
    check(&Synthetic::commit(), "layout", Status::Pass, "wal is prefilled: 256MiB, 0B unwritten");
    let unwritten = |bytes, layout: &'static str| {
        file("wal", move |file| {
            file.layout = layout.to_owned();
            file.extents = Measured::Value(ExtentFacts { count: 1, unwritten_bytes: bytes, hole_bytes: 0 });
        })
    };
    check(&unwritten(1 << 20, "prefilled"), "layout", Status::Fail, "1MiB unwritten");
    check(&unwritten(256 << 20, "fallocated"), "layout", Status::Pass, "wal is fallocated");
    check(&unwritten(0, "fallocated"), "layout", Status::Fail, "wal is fallocated");
    check(&unwritten(0, "append"), "layout", Status::Fail, "wal is append: 256MiB");
}

#[test]
fn volatile_cache() {
    check(&Synthetic::commit(), "volatile-cache", Status::Pass, "write back cache, 1.00 flushes");
    check(
        &metric("device_flushes_per_commit", 0.0),
        "volatile-cache",
        Status::Fail,
        "fewer flushes than acknowledged syncs need",
    );
    // A single committer shares no flush: a tenth of its commits was acknowledged without one.
    check(&metric("device_flushes_per_commit", 0.9), "volatile-cache", Status::Fail, "0.900 flushes");
    check(&metric("device_flushes_per_commit", 0.97), "volatile-cache", Status::Pass, "0.970 flushes");
    let shared = metric("device_flushes_per_commit", 0.21).fix("committers", Value::Count(32));
    check(&shared, "volatile-cache", Status::Pass, "0.210 flushes");
    // A flush serves at most one sync of each committer.
    let skipped = metric("device_flushes_per_commit", 0.2).fix("committers", Value::Count(4));
    check(&skipped, "volatile-cache", Status::Fail, "0.200 flushes");
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
    check(&through(Some(WriteCache::Absent(why()))), "volatile-cache", Status::Pass, "made up");
    check(&through(Some(WriteCache::Hidden(why()))), "volatile-cache", Status::Fail, "made up");
    // Anybody may set the flag, so it proves nothing.
    for flag_alone in [None, Some(WriteCache::Unproven(why()))] {
        check(&through(flag_alone), "volatile-cache", Status::NotAssessable, "only a flag");
    }
    let forced = measured(|measurement| {
        measurement.placement.fua = Measured::Value(true);
        measurement.phases[0].metrics.insert("device_flushes_per_commit".to_owned(), Measured::Value(0.0));
    })
    .vary("mode", vec![name("direct")])
    .fix("sync", name("dsync"));
    check(&forced, "volatile-cache", Status::Pass, "FUA");
    let unsynced = || measured(|measurement| measurement.durability = DurabilityClass::Process);
    let unsynced = unsynced().fix("sync", name("none"));
    check(&unsynced, "volatile-cache", Status::NotApplicable, "Nothing is synced");
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
    check(&of_trial(12.0, 11.0), "volatile-cache", Status::Warn, "0.917 flushes");
    check(&of_trial(12.0, 10.0), "volatile-cache", Status::Fail, "0.833 flushes");
    check(&of_trial(1200.0, 1100.0), "volatile-cache", Status::Fail, "0.917 flushes");
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
    check(&cached, "cold-cache", Status::Fail, "1 of 10 trials");
    let unwritten = once(|file| {
        file.extents = Measured::Value(ExtentFacts { count: 1, unwritten_bytes: 1 << 20, hole_bytes: 0 });
    });
    check(&unwritten, "layout", Status::Fail, "1 of 10 trials");
}

#[test]
fn durability_class() {
    check(&Synthetic::commit(), "durability-class", Status::Pass, "(power)");
    let across = Synthetic::commit().edit(|record| {
        if is_direct(record) {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    });
    check(&across, "durability-class", Status::Warn, "those by direct class process");
    let torn = Synthetic::commit().edit(|record| {
        if record.key.round == 1 {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::None;
        }
    });
    check(&torn, "durability-class", Status::Fail, "none and power");
}

#[test]
fn same_knobs() {
    check(&Synthetic::commit(), "same-knobs", Status::Pass, "page reads and the log together");
    let strayed = Synthetic::commit().edit(|record| {
        if record.key.configuration == 2 {
            record.values.0.insert("read_depth".to_owned(), Value::Count(8));
        }
    });
    check(&strayed, "same-knobs", Status::Fail, "read_depth was planned as 4 and was 8");
}
