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
    check(
        &device(),
        "littles-law",
        Status::Pass,
        "Closest to the limit, mode=direct: latencies account for 31.0 operations in flight, the driver \
         counted 31.0, 32.0 are possible.",
    );
    // Page 001's 10 GiB row: 200 in flight, although 8 jobs × 16 allow only 128.
    let row = metric(device(), "completion_latency_mean_us", 50_000.0);
    check(
        &row,
        "littles-law",
        Status::Fail,
        "mode=buffered: 20 of 20 trials; furthest off: latencies account for 52.7 operations in flight, the \
         driver counted 31.0, 32.0 are possible.",
    );
    let open = device().fix("rate_iops", Value::Count(500));
    check(
        &open,
        "littles-law",
        Status::NotApplicable,
        "Left out: 30 trials in an open loop, where latency counts from the intended start and not from the \
         submission.",
    );
    check(
        &open,
        "littles-law",
        Status::NotApplicable,
        "The law does not apply: an open loop counts latency from the intended start, which includes a wait \
         outside the driver's queue, and a workload of several phases does not count operations in flight \
         for each.",
    );
    // Every tenth write is synced for 60 ms, so 6 syncs are in flight, and the law must count them.
    let synced = || metric(only("direct"), "in_flight_mean", 31.04 + 1000.0 / 10.0 * 0.06);
    let writes = |study: Synthetic| study.fix("rw", name("randwrite")).fix("fdatasync", Value::Count(10));
    let timed = metric(writes(synced()), "sync_latency_mean_us", 60_000.0).scatter(0.0);
    check(
        &timed,
        "littles-law",
        Status::Fail,
        "mode=direct: 20 of 20 trials; furthest off: latencies account for 37.0 operations in flight, the \
         driver counted 37.0, 32.0 are possible.",
    );
    let deep = metric(timed, "completion_latency_mean_us", 25_000.0);
    check(
        &metric(deep, "in_flight_mean", 31.0),
        "littles-law",
        Status::Pass,
        "Closest to the limit, mode=direct: latencies account for 31.0 operations in flight, the driver \
         counted 31.0, 32.0 are possible.",
    );
}

#[test]
fn device_queue_is_told_of_direct_trials() {
    let evidence = audit(&device(), "littles-law").evidence.join("\n");
    insta::assert_snapshot!(evidence, @r"
    Closest to the limit, mode=direct: latencies account for 31.0 operations in flight, the driver counted 31.0, 32.0 are possible.
    The device's own queue, by the kernel's clock, fits the driver's count in 10 direct trials; closest to exceeding it: 1.00 requests against 31.0 operations, mode=direct round 9.
    ");
}

#[test]
fn cold_cache_proves_the_start() {
    check(
        &device(),
        "cold-cache",
        Status::Pass,
        "Closest to the limit, mode=direct: configured cold, 0 % of the data file was cached before.",
    );
    check(
        &cached(device(), 0.4, 0.4),
        "cold-cache",
        Status::Fail,
        "mode=buffered: 20 of 20 trials; furthest off: configured cold, 40.0 % of the data file was cached \
         before.",
    );
    let one = edit(device(), |record, measurement| {
        if record.key.round == 2 {
            measurement.files[0].cached_share_before = Measured::Value(0.4);
        }
    });
    check(&one, "cold-cache", Status::Fail, "The page cache was not as configured in 3 of 30 trials.");
    let as_is = cached(device().fix("cache", name("as_is")), 0.3, 0.5);
    check(
        &as_is,
        "cold-cache",
        Status::NotApplicable,
        "mode=buffered: cache = as_is, 30.0 % to 30.0 % of the data file was cached before.",
    );
    let warm = device().fix("cache", name("warm"));
    check(
        &warm,
        "cold-cache",
        Status::Pass,
        "Closest to the limit, mode=buffered: configured warm, 100 % of the data file was cached before and \
         100 % after.",
    );
}

#[test]
fn a_warm_file_under_a_cap_is_as_warm_as_the_cap_allows() {
    let capped = || device().fix("cache", name("warm")).fix("memory_cap", Value::Percent(12.5));
    check(
        &capped(),
        "cold-cache",
        Status::Pass,
        "Closest to the limit, mode=buffered: configured warm as far as memory_cap leaves room (12.3 % of \
         it), 11.9 % of the data file was cached before and 11.9 % after.",
    );
    check(
        &cached(capped(), 0.01, 0.01),
        "cold-cache",
        Status::Warn,
        "mode=buffered: 20 of 20 trials; furthest off: configured warm as far as memory_cap leaves room \
         (12.3 % of it), 1.00 % of the data file was cached before and 1.00 % after.",
    );
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
    check(
        &device(),
        "cache-or-disk",
        Status::Pass,
        "mode=direct: reads measured the disk, 0 % of their bytes came from the page cache.",
    );
    let warm = device().fix("cache", name("warm"));
    check(
        &warm,
        "cache-or-disk",
        Status::Pass,
        "mode=buffered: reads measured the page cache, 95.0 % of their bytes came from the page cache.",
    );
    let cold = metric(only("buffered"), "page_cache_hit_share", 0.6);
    check(
        &cold,
        "cache-or-disk",
        Status::Fail,
        "mode=buffered: reads measured a mixture, 60.0 % of their bytes came from the page cache.",
    );
    let direct = metric(only("direct"), "page_cache_hit_share", 0.2);
    check(
        &direct,
        "cache-or-disk",
        Status::Fail,
        "More than 10 % of the bytes of direct reads did not come from the device: O_DIRECT was not direct.",
    );
    let filling = edit(only("buffered"), |record, measurement| {
        let hits = 0.15 + 0.03 * f64::from(record.key.round);
        measurement.phases[0].metrics.insert("page_cache_hit_share".to_owned(), Measured::Value(hits));
    });
    check(
        &filling,
        "cache-or-disk",
        Status::Warn,
        "A mixture of cache and disk was measured, and it changed: the figure depends on the runtime.",
    );
    let still = metric(only("buffered"), "page_cache_hit_share", 0.3);
    check(
        &still,
        "cache-or-disk",
        Status::Pass,
        "mode=buffered: reads measured a mixture, 30.0 % of their bytes came from the page cache.",
    );
    let ahead = metric(only("buffered"), "page_cache_hit_share", -0.5);
    let readahead = "mode=buffered: reads measured the disk, 50.0 % more bytes were fetched from the device than requested (readahead).";
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
    check(
        &unknown,
        "cache-or-disk",
        Status::NotAssessable,
        "No trial reports the bytes of the device beside those of the workload.",
    );
}

#[test]
fn buffered_writes_that_stay_in_memory_are_told() {
    let writes = || device().fix("rw", name("randwrite"));
    check(&writes(), "cache-or-disk", Status::Warn, "Set end_fsync = true.");
    check(
        &writes(),
        "cache-or-disk",
        Status::Warn,
        "mode=buffered: of the bytes written, 10.0 % had reached the device when the clock stopped.",
    );
    check(
        &writes().fix("end_fsync", Value::Flag(true)),
        "cache-or-disk",
        Status::Pass,
        "mode=buffered: of the bytes written, 100 % had reached the device when the clock stopped.",
    );
    check(
        &only("direct").fix("rw", name("write")),
        "cache-or-disk",
        Status::Pass,
        "mode=direct: of the bytes written, 100 % had reached the device when the clock stopped.",
    );
}

#[test]
fn working_set_fits_or_does_not() {
    check(
        &device(),
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 16GiB file with 4.00 GiB of memory: larger than the cache.",
    );
    let small = || device().fix("size", Value::Bytes(512 * MIB));
    check(
        &small(),
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 512MiB file with 4.00 GiB of memory: it fits, but was proven \
         cold and read so briefly that 2.00 % of the bytes were hits.",
    );
    check(
        &small(),
        "working-set",
        Status::Pass,
        "mode=direct: direct reads of a 512MiB file, which the drive's or hypervisor's cache may hold.",
    );
    let long = metric(small(), "page_cache_hit_share", 0.7);
    check(
        &long,
        "working-set",
        Status::Warn,
        "mode=buffered: buffered reads of a 512MiB file with 4.00 GiB of memory: it fits, and it was read \
         for so long that it filled the cache.",
    );
    let as_is = metric(small(), "page_cache_hit_share", 0.3).fix("cache", name("as_is"));
    check(
        &as_is,
        "working-set",
        Status::Warn,
        "mode=buffered: buffered reads of a 512MiB file with 4.00 GiB of memory: it fits, and not proven \
         cold.",
    );
    let warm = small().fix("cache", name("warm"));
    check(
        &warm,
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 512MiB file with 4.00 GiB of memory: the page cache is \
         measured, as configured.",
    );
    let capped = || only("buffered").fix("cache", name("warm")).fix("memory_cap", Value::Bytes(2 * GIB));
    check(
        &capped(),
        "working-set",
        Status::Pass,
        "mode=buffered: buffered reads of a 16GiB file with 2.00 GiB of memory: larger than the cache.",
    );
    check(
        &cached(capped(), 0.5, 0.5),
        "working-set",
        Status::Fail,
        "mode=buffered: memory_cap of 2.00 GiB, 8.00 GiB of the data file cached at the end (50.0 %), more \
         than the cap allows.",
    );
    let writes = device().fix("rw", name("randwrite"));
    check(&writes, "working-set", Status::NotApplicable, "Nothing is read.");
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
    check(
        &zeros_faster,
        "compressible-data",
        Status::Fail,
        "2 configurations wrote zeros or compressible data to a device that handles zeros 3.97× faster than \
         random data.",
    );
    check(&zeros_faster, "compressible-data", Status::Fail, "mode=direct: zeros written.");
    let random = canary(writes("random"), 0.25, 8);
    check(
        &random,
        "compressible-data",
        Status::Pass,
        "The written data was random; zeros would have been 3.97× faster here.",
    );
    check(
        &canary(writes("zero"), 1.0, 8),
        "compressible-data",
        Status::Pass,
        "The device does not handle zeros more than 10 % faster than random data.",
    );
    check(
        &writes("compressible"),
        "compressible-data",
        Status::Warn,
        "2 configurations wrote zeros or compressible data, and no canary measured whether the device takes \
         advantage of that.",
    );
    check(
        &device(),
        "compressible-data",
        Status::NotApplicable,
        "Nothing here wrote zeros or compressible data.",
    );
    check(
        &canary(writes("random"), 0.25, 3),
        "compressible-data",
        Status::NotApplicable,
        "Writing zeros (filesystem = host): 3 trials, an interval needs 6.",
    );
    let refused =
        device().edit(|record| record.canary = Some(Measured::unsupported("tmpfs has no O_DIRECT.")));
    check(&refused, "compressible-data", Status::NotApplicable, "tmpfs has no O_DIRECT.");
}

#[test]
fn a_depth_that_cannot_be_kept_full_is_told() {
    check(&device(), "factor-took-effect", Status::Pass, "mode=buffered: iodepth 16, in flight per job 15.5");
    let short = metric(device(), "in_flight_mean", 10.0);
    check(
        &short,
        "factor-took-effect",
        Status::Warn,
        "Less than 80 % of the depth was in flight in 2 of 2 configurations: the workload did not keep it \
         full.",
    );
    let one = device().fix("iodepth", Value::Count(1)).vary("mode", vec![name("buffered")]);
    check(
        &one,
        "factor-took-effect",
        Status::NotAssessable,
        "No parameter of this study has a recorded realised value.",
    );
}

#[test]
fn a_rate_is_kept_up_with_or_not() {
    let open =
        |rate: f64| only("buffered").fix("rate_iops", Value::Count(500)).rate(move |_, _| rate).scatter(0.0);
    check(
        &open(1000.0),
        "factor-took-effect",
        Status::Pass,
        "mode=buffered: 1\u{2009}000 arrivals/s over all jobs, 1\u{2009}000 IOPS completed",
    );
    check(
        &open(800.0),
        "factor-took-effect",
        Status::Fail,
        "Completed operations missed rate_iops by more than 5 %, beyond chance, in 1 of 1 configurations: \
         the device, the engine or the CPU could not keep up, so latency there grows as long as the trial \
         runs.",
    );
    // 1 arrival/s per job: 44 arrivals over all trials scatter by 15 %, so a difference of 30 % proves nothing.
    let few = only("buffered").fix("rate_iops", Value::Count(1)).rate(|_, _| 1.4).scatter(0.0);
    check(
        &few,
        "factor-took-effect",
        Status::Pass,
        "Completed operations kept up with rate_iops in every open loop.",
    );
}

#[test]
fn a_cap_holds_and_caps_differ() {
    let caps = || {
        let levels = vec![name("none"), Value::Percent(50.0), Value::Percent(12.5)];
        device().fix("cache", name("warm")).vary("memory_cap", levels)
    };
    check(
        &caps(),
        "factor-took-effect",
        Status::Pass,
        "mode=buffered memory_cap=50%: memory_cap of 8.00 GiB, 7.60 GiB of the data file cached at the end \
         (47.5 %)",
    );
    let unbound = cached(caps(), 0.8, 0.8);
    check(
        &unbound,
        "factor-took-effect",
        Status::Fail,
        "More of the data file was cached than memory_cap allows in 4 of 4 configurations: the cap did not \
         bind. It concerns 4 of 6 configurations (mode=buffered memory_cap=50%; mode=buffered \
         memory_cap=12.5%; mode=direct memory_cap=50%; 1 more); answers without them remain valid.",
    );
    let unreached = cached(caps(), 0.1, 0.1);
    check(
        &unreached,
        "factor-took-effect",
        Status::Fail,
        "Different levels of memory_cap cached the same, so its effects were not tested. It concerns 2 of 6 \
         configurations (mode=buffered memory_cap=50%; mode=buffered memory_cap=12.5%); answers without \
         them remain valid.",
    );
}

#[test]
fn direct_leaves_nothing_cached() {
    let left = edit(device(), |record, measurement| {
        if record.values.is("mode", "direct") {
            measurement.files[0].cached_share_after = Measured::Value(0.3);
        }
    });
    check(
        &left,
        "factor-took-effect",
        Status::Fail,
        "mode=direct: direct left 30.0 % more of the data file cached.",
    );
    let before = cached(device().fix("cache", name("as_is")), 0.3, 0.3);
    check(
        &before,
        "factor-took-effect",
        Status::Pass,
        "At least 80 % of the depth was in flight in every closed loop. Direct and dontcache operations \
         left almost nothing in the page cache.",
    );
}

#[test]
fn volatile_cache_counts_flushes_per_sync() {
    check(
        &device(),
        "volatile-cache",
        Status::NotApplicable,
        "Nothing is synced or declared to survive a power loss.",
    );
    let synced = |every| device().fix("rw", name("randwrite")).fix("fdatasync", Value::Count(every));
    // 2000 writes and 2000 flushes in each trial.
    check(
        &synced(1).scatter(0.0),
        "volatile-cache",
        Status::Pass,
        "Closest to the limit, mode=direct: write back cache, 1.00 flushes per sync.",
    );
    let none = edit(synced(1), |_, measurement| {
        if let Measured::Value(device) = &mut measurement.phases[0].mechanism.device {
            device.flushes = Measured::Value(0);
        }
    });
    check(
        &none,
        "volatile-cache",
        Status::Fail,
        "A layer has a volatile write cache and saw fewer flushes than acknowledged syncs need in 30 of 30 \
         trials: not all acknowledged data had reached stable media.",
    );
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
    insta::assert_snapshot!(flat.evidence[0], @"mode=buffered: the last third gave 1.00× the operations of the first (95 % interval 1.00–1.00, 10 trials).");
    let mut filling = [100; 21];
    filling[14..].fill(300);
    let rising = steady(filling, 10);
    assert_eq!(rising.status, Status::Warn);
    insta::assert_snapshot!(rising.evidence[0], @"mode=buffered: the last third gave 3.00× the operations of the first (95 % interval 3.00–3.00, 10 trials).");
    let few = steady(filling, 3);
    assert_eq!(few.status, Status::NotAssessable);
    insta::assert_snapshot!(few.evidence[0], @"mode=buffered: the last third gave 3.00× the operations of the first (3 trials, an interval needs 6).");
    // The audit must judge even if some tenths of a second have no operation.
    let mut halting = [100; 21];
    halting[3] = 0;
    insta::assert_snapshot!(steady(halting, 10).evidence[0], @"mode=buffered: the last third gave 1.20× the operations of the first (95 % interval 1.20–1.20, 10 trials).");
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
    check(
        &unknown,
        "buffer-pages",
        Status::NotAssessable,
        "The kind of the buffers' pages is unknown: smaps cannot be read.",
    );
    let old = device().without("buffer_pages").edit(|record| {
        record.measurement.as_mut().unwrap().buffers = None;
    });
    check(
        &old,
        "buffer-pages",
        Status::NotAssessable,
        "The records are from a version that neither chose nor recorded the pages of its buffers.",
    );
    let nothing = edit(device(), |_, measurement| measurement.buffers = None);
    check(
        &nothing,
        "buffer-pages",
        Status::NotAssessable,
        "The trials recorded nothing about their buffers.",
    );
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
