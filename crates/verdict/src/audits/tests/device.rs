//! Audits of device trials: each for a trial that passes, one that fails, and one that cannot be assessed.

use super::{audit, check};
use crate::analyse;
use crate::verdict::Status;
use model::canary::{CanaryPair, CompressionCanary};
use model::mechanism::{Measured, ProcessIo};
use model::trial::{Measurement, TrialKey, TrialRecord};
use model::units::{GIB, MIB};
use model::{BufferMemory, Value};
use synthetic::{Synthetic, name};

pub(super) fn device() -> Synthetic {
    Synthetic::device()
}

pub(super) fn only(mode: &str) -> Synthetic {
    device().vary("mode", vec![name(mode)])
}

pub(super) fn edit(study: Synthetic, edit: impl Fn(&TrialRecord, &mut Measurement) + 'static) -> Synthetic {
    study.edit(move |record| {
        if let Some(mut measurement) = record.measurement.take() {
            edit(record, &mut measurement);
            record.measurement = Some(measurement);
        }
    })
}

pub(super) fn metric(study: Synthetic, name: &'static str, value: f64) -> Synthetic {
    edit(study, move |_, measurement| {
        measurement.phases[0].metrics.insert(name.to_owned(), Measured::Value(value));
    })
}

pub(super) fn cached(study: Synthetic, before: f64, after: f64) -> Synthetic {
    edit(study, move |_, measurement| {
        measurement.files[0].cached_share_before = Measured::Value(before);
        measurement.files[0].cached_share_after = Measured::Value(after);
    })
}

#[test]
fn an_undisturbed_run_has_nothing_to_warn_of() {
    let verdict = analyse(&device().run(), &synthetic::sidecar);
    for audit in &verdict.studies[0].audits {
        assert!(
            matches!(audit.status, Status::Pass | Status::NotAssessable | Status::NotApplicable),
            "{audit:?}"
        );
    }
}

#[test]
fn littles_law_holds_syncs_and_leaves_open_loops_out() {
    check(&device(), "littles-law", Status::Pass, "31.0 operations in flight");
    // Page 001's 10 GiB row: 200 in flight, although 8 jobs × 16 allow only 128.
    let row = metric(device(), "completion_latency_mean_us", 50_000.0);
    check(&row, "littles-law", Status::Fail, "32.0 are possible");
    let open = device().fix("rate_iops", Value::Count(500));
    check(&open, "littles-law", Status::NotApplicable, "Left out: 30 trials in an open loop");
    check(&open, "littles-law", Status::NotApplicable, "The law does not apply: an open loop");
    // Every tenth write is synced for 60 ms, so 6 syncs are in flight, and the law must count them.
    let synced = || metric(only("direct"), "in_flight_mean", 31.04 + 1000.0 / 10.0 * 0.06);
    let writes = |study: Synthetic| study.fix("rw", name("randwrite")).fix("fdatasync", Value::Count(10));
    let timed = metric(writes(synced()), "sync_latency_mean_us", 60_000.0).scatter(0.0);
    check(&timed, "littles-law", Status::Fail, "37.0 operations in flight");
    let deep = metric(timed, "completion_latency_mean_us", 25_000.0);
    check(&metric(deep, "in_flight_mean", 31.0), "littles-law", Status::Pass, "31.0 operations in flight");
}

#[test]
fn device_queue_is_told_of_direct_trials() {
    let evidence = audit(&device(), "littles-law").evidence.concat();
    assert!(evidence.contains("fits the driver's count in 10 direct trials"), "{evidence}");
}

#[test]
fn cold_cache_proves_the_start() {
    check(&device(), "cold-cache", Status::Pass, "0 % of the data file was cached before");
    check(
        &cached(device(), 0.4, 0.4),
        "cold-cache",
        Status::Fail,
        "40.0 % of the data file was cached before",
    );
    let one = edit(device(), |record, measurement| {
        if record.key.round == 2 {
            measurement.files[0].cached_share_before = Measured::Value(0.4);
        }
    });
    check(&one, "cold-cache", Status::Fail, "3 of 30 trials");
    let as_is = cached(device().fix("cache", name("as_is")), 0.3, 0.5);
    check(&as_is, "cold-cache", Status::NotApplicable, "cache = as_is, 30.0 % to 30.0 %");
    let warm = device().fix("cache", name("warm"));
    check(&warm, "cold-cache", Status::Pass, "100 % of the data file was cached before");
}

#[test]
fn a_warm_file_under_a_cap_is_as_warm_as_the_cap_allows() {
    let capped = || device().fix("cache", name("warm")).fix("memory_cap", Value::Percent(12.5));
    check(&capped(), "cold-cache", Status::Pass, "as far as memory_cap leaves room (12.3 % of it)");
    check(&cached(capped(), 0.01, 0.01), "cold-cache", Status::Warn, "1.00 % of the data file was cached");
}

/// Under a cap of up to 32 MiB the whole file was allowed to be missing, so the check for a warm file could not fail.
#[test]
fn a_warm_file_under_a_small_cap_is_held_to_the_room_that_the_worker_leaves() {
    let capped = |resident: u64, cached_share: f64| {
        let study = only("buffered")
            .fix("cache", name("warm"))
            .fix("size", Value::Bytes(64 * MIB))
            .fix("memory_cap", Value::Bytes(32 * MIB));
        edit(cached(study, cached_share, cached_share), move |_, measurement| {
            measurement.phases[0].mechanism.process.resident_bytes_max = resident * MIB;
        })
    };
    let status = |resident, share| audit(&capped(resident, share), "cold-cache").status;
    // The worker needs 8 MiB; half of the remaining 24 must be cached.
    assert_eq!(status(8, 0.2), Status::Pass);
    assert_eq!(status(8, 0.1), Status::Warn);
    assert_eq!(status(8, 0.0), Status::Warn);
    // No room is left, so no cached share is required.
    let roomless = audit(&capped(40, 0.0), "cold-cache");
    assert_eq!(roomless.status, Status::NotAssessable, "{roomless:?}");
    assert_eq!(roomless.evidence.len(), 1, "{roomless:?}");
}

#[test]
fn cache_or_disk_says_what_was_read_from_where() {
    check(&device(), "cache-or-disk", Status::Pass, "mode=direct: reads measured the disk, 0 %");
    let warm = device().fix("cache", name("warm"));
    check(&warm, "cache-or-disk", Status::Pass, "mode=buffered: reads measured the page cache, 95.0 %");
    let cold = metric(only("buffered"), "page_cache_hit_share", 0.6);
    check(&cold, "cache-or-disk", Status::Fail, "reads measured a mixture, 60.0 %");
    let direct = metric(only("direct"), "page_cache_hit_share", 0.2);
    check(&direct, "cache-or-disk", Status::Fail, "O_DIRECT was not direct.");
    let filling = edit(only("buffered"), |record, measurement| {
        let hits = 0.15 + 0.03 * f64::from(record.key.round);
        measurement.phases[0].metrics.insert("page_cache_hit_share".to_owned(), Measured::Value(hits));
    });
    check(&filling, "cache-or-disk", Status::Warn, "it changed");
    let still = metric(only("buffered"), "page_cache_hit_share", 0.3);
    check(&still, "cache-or-disk", Status::Pass, "reads measured a mixture");
    let ahead = metric(only("buffered"), "page_cache_hit_share", -0.5);
    let readahead = "50.0 % more bytes were fetched from the device than requested (readahead)";
    check(&ahead, "cache-or-disk", Status::Pass, readahead);
    // The share is then unsupported; the counters show what was read ahead.
    let ahead = edit(only("buffered"), |record, measurement| {
        let phase = &mut measurement.phases[0];
        phase.metrics.insert("page_cache_hit_share".to_owned(), Measured::unsupported("read ahead"));
        let reads = phase.metrics["read_iops"].value().copied().unwrap() * phase.duration_s;
        let asked = reads * record.values.bytes("bs").unwrap() as f64;
        phase.mechanism.process_io =
            Measured::Value(ProcessIo { read_bytes: (1.5 * asked) as u64, ..ProcessIo::default() });
    });
    check(&ahead, "cache-or-disk", Status::Pass, readahead);
    let unknown = metric(only("buffered"), "page_cache_hit_share", f64::NAN);
    check(&unknown, "cache-or-disk", Status::NotAssessable, "No trial reports");
}

#[test]
fn buffered_writes_that_stay_in_memory_are_told() {
    let writes = || device().fix("rw", name("randwrite"));
    check(&writes(), "cache-or-disk", Status::Warn, "Set end_fsync = true");
    check(
        &writes(),
        "cache-or-disk",
        Status::Warn,
        "mode=buffered: of the bytes written, 10.0 % had reached",
    );
    check(&writes().fix("end_fsync", Value::Flag(true)), "cache-or-disk", Status::Pass, "100 % had reached");
    check(&only("direct").fix("rw", name("write")), "cache-or-disk", Status::Pass, "100 % had reached");
}

#[test]
fn working_set_fits_or_does_not() {
    check(&device(), "working-set", Status::Pass, "of a 16GiB file with 4.00 GiB of memory: larger than");
    let small = || device().fix("size", Value::Bytes(512 * MIB));
    check(&small(), "working-set", Status::Pass, "proven cold and read so briefly that 2.00 %");
    check(&small(), "working-set", Status::Pass, "which the drive's or hypervisor's cache may hold");
    let long = metric(small(), "page_cache_hit_share", 0.7);
    check(&long, "working-set", Status::Warn, "it was read for so long that it filled the cache");
    let as_is = metric(small(), "page_cache_hit_share", 0.3).fix("cache", name("as_is"));
    check(&as_is, "working-set", Status::Warn, "it fits, and not proven cold");
    let warm = small().fix("cache", name("warm"));
    check(&warm, "working-set", Status::Pass, "the page cache is measured, as configured");
    let capped = || only("buffered").fix("cache", name("warm")).fix("memory_cap", Value::Bytes(2 * GIB));
    check(&capped(), "working-set", Status::Pass, "with 2.00 GiB of memory: larger");
    check(
        &cached(capped(), 0.5, 0.5),
        "working-set",
        Status::Fail,
        "8.00 GiB of the data file cached at the end",
    );
    let writes = device().fix("rw", name("randwrite"));
    check(&writes, "working-set", Status::NotApplicable, "Nothing is read");
}

pub(super) fn canary(study: Synthetic, zeros: f64, pairs: usize) -> Synthetic {
    study.edit(move |record| {
        let first =
            record.key == TrialKey { round: 0, configuration: 0, duplicate: false, ..record.key.clone() };
        let pair = |index: usize| CanaryPair {
            random_write_s: 1.0 + 0.01 * index as f64,
            zero_write_s: zeros * (1.0 + 0.012 * index as f64),
            random_read_s: 0.5,
            zero_read_s: 0.5 + 0.001 * index as f64,
        };
        let pairs = (0..pairs).map(pair).collect();
        record.canary = first.then_some(Measured::Value(CompressionCanary { bytes: 64 * MIB, pairs }));
    })
}

#[test]
fn compressible_data() {
    let writes = |data: &str| device().fix("rw", name("randwrite")).fix("data", name(data));
    let zeros_faster = canary(writes("zero"), 0.25, 8);
    check(&zeros_faster, "compressible-data", Status::Fail, "handles zeros 3.97× faster");
    check(&zeros_faster, "compressible-data", Status::Fail, "mode=direct: zeros written.");
    let random = canary(writes("random"), 0.25, 8);
    check(&random, "compressible-data", Status::Pass, "zeros would have been 3.9");
    check(
        &canary(writes("zero"), 1.0, 8),
        "compressible-data",
        Status::Pass,
        "does not handle zeros more than 10 %",
    );
    check(&writes("compressible"), "compressible-data", Status::Warn, "no canary measured");
    check(&device(), "compressible-data", Status::NotApplicable, "Nothing here wrote");
    check(
        &canary(writes("random"), 0.25, 3),
        "compressible-data",
        Status::NotApplicable,
        "3 trials, an interval needs",
    );
    let refused =
        device().edit(|record| record.canary = Some(Measured::unsupported("tmpfs has no O_DIRECT.")));
    check(&refused, "compressible-data", Status::NotApplicable, "tmpfs has no O_DIRECT");
}

#[test]
fn a_depth_that_cannot_be_kept_full_is_told() {
    check(&device(), "factor-took-effect", Status::Pass, "iodepth 16, in flight per job 15.5");
    let short = metric(device(), "in_flight_mean", 10.0);
    check(&short, "factor-took-effect", Status::Warn, "did not keep it full");
    let one = device().fix("iodepth", Value::Count(1)).vary("mode", vec![name("buffered")]);
    check(&one, "factor-took-effect", Status::NotAssessable, "No parameter");
}

#[test]
fn a_rate_is_kept_up_with_or_not() {
    let open =
        |rate: f64| only("buffered").fix("rate_iops", Value::Count(500)).rate(move |_, _| rate).scatter(0.0);
    check(&open(1000.0), "factor-took-effect", Status::Pass, "1\u{2009}000 arrivals/s over all jobs");
    check(&open(800.0), "factor-took-effect", Status::Fail, "could not keep up");
    // 1 arrival/s per job: 44 arrivals over all trials scatter by 15 %, so a difference of 30 % proves nothing.
    let few = only("buffered").fix("rate_iops", Value::Count(1)).rate(|_, _| 1.4).scatter(0.0);
    check(&few, "factor-took-effect", Status::Pass, "kept up");
}

#[test]
fn a_cap_holds_and_caps_differ() {
    let caps = || {
        let levels = vec![name("none"), Value::Percent(50.0), Value::Percent(12.5)];
        device().fix("cache", name("warm")).vary("memory_cap", levels)
    };
    check(&caps(), "factor-took-effect", Status::Pass, "memory_cap of 8.00 GiB, 7.60 GiB of the data file");
    let unbound = cached(caps(), 0.8, 0.8);
    check(&unbound, "factor-took-effect", Status::Fail, "the cap did not bind");
    let unreached = cached(caps(), 0.1, 0.1);
    check(&unreached, "factor-took-effect", Status::Fail, "cached the same, so its effects were not tested");
}

#[test]
fn direct_leaves_nothing_cached() {
    let left = edit(device(), |record, measurement| {
        if record.values.is("mode", "direct") {
            measurement.files[0].cached_share_after = Measured::Value(0.3);
        }
    });
    check(&left, "factor-took-effect", Status::Fail, "mode=direct: direct left 30.0 % more");
    let before = cached(device().fix("cache", name("as_is")), 0.3, 0.3);
    check(&before, "factor-took-effect", Status::Pass, "almost nothing");
}

#[test]
fn volatile_cache_counts_flushes_per_sync() {
    check(&device(), "volatile-cache", Status::NotApplicable, "Nothing is synced");
    let synced = |every| device().fix("rw", name("randwrite")).fix("fdatasync", Value::Count(every));
    // 2000 writes and 2000 flushes in each trial.
    check(&synced(1).scatter(0.0), "volatile-cache", Status::Pass, "1.00 flushes per sync");
    let none = edit(synced(1), |_, measurement| {
        if let Measured::Value(device) = &mut measurement.phases[0].mechanism.device {
            device.flushes = Measured::Value(0);
        }
    });
    check(&none, "volatile-cache", Status::Fail, "fewer flushes than acknowledged syncs need");
}

#[test]
fn ends_of_short_trials_are_always_told() {
    let series = |counts: [u64; 21]| {
        move |key: &TrialKey| {
            let mut sidecar = synthetic::sidecar(key)?;
            sidecar.interval_s = 0.1;
            sidecar.series.insert("completion_latency".to_owned(), counts.to_vec());
            Some(sidecar)
        }
    };
    let steady = |counts: [u64; 21], rounds| {
        let verdict = analyse(&device().rounds(rounds).run(), &series(counts));
        verdict.studies[0].audits.iter().find(|audit| audit.name == "steady-state").unwrap().clone()
    };
    // The last interval is not whole.
    let mut even = [100; 21];
    even[20] = 1;
    let flat = steady(even, 10);
    assert_eq!(flat.status, Status::NotAssessable);
    assert!(flat.evidence[0].contains("mode=buffered: the last third gave 1.00× the operations"), "{flat:?}");
    let mut filling = [100; 21];
    filling[14..].fill(300);
    let rising = steady(filling, 10);
    assert_eq!(rising.status, Status::Warn);
    assert!(rising.evidence[0].contains("3.00×"), "{rising:?}");
    let few = steady(filling, 3);
    assert_eq!(few.status, Status::NotAssessable);
    assert!(few.evidence[0].contains("3.00×") && few.evidence[0].contains("needs 6"), "{few:?}");
    // The audit must judge even if some tenths of a second have no operation.
    let mut halting = [100; 21];
    halting[3] = 0;
    assert!(steady(halting, 10).evidence[0].contains("1.20×"));
}

/// Buffers were in huge pages without a warning, unlike a database's: direct reads were twice as fast.
#[test]
fn buffers_of_other_pages_than_asked_for_fail() {
    let of = |asked: &str, huge_share: f64| {
        edit(device().fix("buffer_pages", name(asked)), move |_, measurement| {
            let (resident_bytes, kernel_page_bytes) = (100 * MIB, 4096);
            let huge_bytes = (resident_bytes as f64 * huge_share) as u64;
            let memory = BufferMemory { resident_bytes, huge_bytes, kernel_page_bytes };
            measurement.buffers = Some(Measured::Value(memory));
        })
    };
    for (asked, huge_share, expected) in [
        ("small", 0.0, Status::Pass),
        ("small", 0.02, Status::Fail),
        ("huge", 1.0, Status::Pass),
        ("huge", 0.96, Status::Pass),
        ("huge", 0.94, Status::Fail),
        ("huge", 0.0, Status::Fail),
    ] {
        assert_eq!(audit(&of(asked, huge_share), "buffer-pages").status, expected, "{asked} {huge_share}");
    }
}

#[test]
fn what_pages_buffers_had_is_not_assessable_where_it_is_not_known() {
    let unknown = edit(device().fix("buffer_pages", name("small")), |_, measurement| {
        measurement.buffers = Some(Measured::unsupported("smaps cannot be read"));
    });
    check(&unknown, "buffer-pages", Status::NotAssessable, "smaps cannot be read");
    let old = device().without("buffer_pages").edit(|record| {
        record.measurement.as_mut().unwrap().buffers = None;
    });
    check(&old, "buffer-pages", Status::NotAssessable, "from a version that neither chose");
    let nothing = edit(device(), |_, measurement| measurement.buffers = None);
    check(&nothing, "buffer-pages", Status::NotAssessable, "recorded nothing");
}

/// An audit that never applies to engines limited every figure of an engine.
#[test]
fn buffers_of_an_engine_or_a_server_are_no_question_of_buffer_pages() {
    let postgres = Synthetic::pool().fix("subject", name("postgres")).fix("buffer_pages", name("small"));
    for study in [Synthetic::kv(), postgres] {
        let found = audit(&study, "buffer-pages");
        assert!(matches!(found.status, Status::NotApplicable | Status::NotAssessable), "{found:?}");
        assert!(found.summary.starts_with("No "), "{found:?}");
    }
}
