//! Operations of several sizes: `bssplit`.

use super::metrics::measured;
use super::*;
use model::mechanism::Measured;

/// Bytes of each size that were read or written, by size.
fn counts(seen: &Observed) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    for operation in seen.operations.iter().filter(|operation| operation.kind.moves_data()) {
        *counts.entry(operation.length).or_default() += 1;
    }
    counts
}

#[test]
fn each_size_has_its_share() {
    for rw in ["randread", "write", "randrw"] {
        let split = [("rw", rw), ("bssplit", "4KiB/60:8KiB/30:64KiB/10"), ("number_ios", "20000")];
        let counts = counts(&observe_in_order(&parameters(&split)));
        for (bytes, expected) in [(4096, 0.6), (8192, 0.3), (65536, 0.1)] {
            let share = counts[&bytes] as f64 / 20_000.0;
            assert!((share - expected).abs() < 0.015, "{rw}: {share} of {expected} have {bytes} bytes");
        }
        assert_eq!(counts.len(), 3);
    }
}

/// fio's `bssplit=READS,WRITES`.
#[test]
fn reads_and_writes_of_a_mix_have_sizes_of_their_own() {
    let split = [
        ("rw", "randrw"),
        ("bssplit", "4KiB/40:16KiB/60"),
        ("bssplit_writes", "64KiB/100"),
        ("number_ios", "20000"),
        ("size", "16MiB"),
    ];
    let seen = observe_in_order(&parameters(&split));
    for operation in &seen.operations {
        let is_write = operation.kind == BlockKind::Write;
        assert_eq!(operation.length == 65536, is_write, "{operation:?}");
    }
    let counts = counts(&seen);
    let share = f64::from(counts[&4096] as u32) / (counts[&4096] + counts[&16384]) as f64;
    assert!((share - 0.4).abs() < 0.02, "{share} of the reads have 4 KiB");
    let figures = measured(&split[..3], Measured::unsupported("-"));
    let figure = |name: &str| figures[name].value().copied().unwrap_or(f64::NAN);
    assert!(figure("bandwidth_bytes_per_s") > 65536.0 * figure("write_iops"));
}

/// Offsets are multiples of `bs`, whatever the sizes.
#[test]
fn in_order_one_operation_follows_the_other() {
    let split = [("rw", "read"), ("bs", "1KiB"), ("bssplit", "512/50:4KiB/50"), ("size", "20KiB")];
    let seen = observe_in_order(&parameters(&split));
    let mut expected = 0;
    for operation in &seen.operations {
        let blocks = u64::from(operation.length).div_ceil(KIB);
        let start = if expected + blocks <= 20 { expected } else { 0 };
        assert_eq!(operation.offset, start * KIB);
        expected = start + blocks;
    }
    assert!(seen.operations.iter().skip(1).any(|operation| operation.offset == 0), "it wraps");
}

#[test]
fn at_random_every_place_that_fits_is_as_likely() {
    let split = [("bssplit", "8KiB/100"), ("bs", "4KiB"), ("size", "64KiB"), ("number_ios", "15000")];
    let mut counts = BTreeMap::new();
    for operation in &observe_in_order(&parameters(&split)).operations {
        *counts.entry(operation.offset / 4096).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 15, "the last block begins no operation of two");
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
}

/// A split takes no draw from the order of blocks, so that an arm with one meets the arms without it.
#[test]
fn a_split_of_one_size_is_that_size() {
    let alike = |changes: &[(&str, &str)]| observe_in_order(&parameters(changes)).operations;
    let split = alike(&[("rw", "randrw"), ("bs", "8KiB"), ("bssplit", "8KiB/100"), ("iodepth", "4")]);
    assert_eq!(split, alike(&[("rw", "randrw"), ("bs", "8KiB"), ("iodepth", "4")]));
}

#[test]
fn bytes_are_those_that_were_moved() {
    let split = [("rw", "randrw"), ("bssplit", "4KiB/50:32KiB/50")];
    let all = [&split[..], &[("number_ios", "100")]].concat();
    // The seed of `measured`.
    let seen = observe(&parameters(&all), 0, 3, |_| 0);
    let bytes: u64 = seen.operations.iter().map(|operation| u64::from(operation.length)).sum();
    let figures = measured(&split, Measured::unsupported("-"));
    let figure = |name: &str| figures[name].value().copied().unwrap_or(f64::NAN);
    let moved = figure("bandwidth_bytes_per_s") / figure("iops") * 100.0;
    assert!((moved - bytes as f64).abs() < 1e-3, "{moved} of {bytes}");
    assert!(bytes > 100 * 4096 && bytes < 100 * 32768);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let refusal = |changes: &[(&str, &str)]| (SCHEMA.check)(&configuration(changes)).unwrap_err();
    insta::assert_snapshot!(refusal(&[("bssplit", "4KiB/50:2MiB/50")]), @"size = 1MiB is smaller than 2MiB, the largest size of bssplit or bs: take a larger size");
    insta::assert_snapshot!(refusal(&[("bssplit", "100B/50:4KiB/50")]), @"bssplit takes sizes from 512B to 64MiB");
    let slices = [("rw", "write"), ("bssplit", "4KiB/50:512KiB/50"), ("numjobs", "4")];
    insta::assert_snapshot!(refusal(&slices), @"rw = write gives each of 4 jobs a slice of its own, which has to hold 512KiB, the largest size of bssplit or bs: size = 1MiB is too small");
}

proptest! {
    /// Every operation ends inside its file and its buffer, in any order of completions: `check` looks at each.
    #[test]
    fn any_sizes_fit(
        seed: u64,
        rw in prop::sample::select(&["read", "randread", "randwrite", "randrw"][..]),
        bs in prop::sample::select(&["512", "1KiB", "4KiB", "64KiB"][..]),
        bssplit in prop::sample::select(&["512/5:1536/5:4KiB/90", "4KiB/99:256KiB/1", "1KiB/50:1MiB/50"][..]),
        bssplit_writes in prop::sample::select(&["none", "512/100", "128KiB/50:1MiB/50"][..]),
        distribution in prop::sample::select(&["uniform", "zipf", "zoned"][..]),
        iodepth in 1_u32..9,
    ) {
        let distribution = if rw == "read" { "uniform" } else { distribution };
        let p = parameters(&[
            ("rw", rw),
            ("bs", bs),
            ("bssplit", bssplit),
            ("bssplit_writes", bssplit_writes),
            ("random_distribution", distribution),
            ("zones", "50/5:30/15:20/80"),
            ("iodepth", &iodepth.to_string()),
        ]);
        let seen = observe(&p, 0, seed, |in_flight| (seed % in_flight as u64) as usize);
        prop_assert_eq!(seen.device.reads() + seen.device.writes(), 50);
    }
}
