//! Levels, what follows from them, and combinations that are refused.

use super::*;
use crate::IoEngine;
use model::units::MIB;
use model::{Cache, DurabilityClass, IoMode};

#[test]
fn defaults_make_sense() {
    let defaults = SCHEMA.defaults();
    assert_eq!(defaults.0.len(), SCHEMA.all().count(), "a default does not parse");
    (SCHEMA.check)(&defaults).unwrap();
}

#[test]
fn every_level_is_read() {
    for name in Pattern::NAMES {
        assert_eq!(parameters(&[("rw", name)]).rw.name(), *name);
    }
    let p = parameters(&[
        ("rw", "randwrite"),
        ("data", "compressible"),
        ("buffer_compress_percentage", "70"),
        ("random_distribution", "zipf"),
        ("zipf_theta", "0.9"),
        ("rate_iops", "7"),
        ("cache", "as_is"),
        ("advice", "sequential"),
        ("mode", "mmap"),
    ]);
    assert_eq!((p.data, p.buffer_compress_percentage), (Data::Compressible, 70));
    assert_eq!((p.random_distribution, p.zipf_theta), (Distribution::Zipf, 0.9));
    assert_eq!((p.rate_iops, p.cache), (Some(7), Cache::AsIs));
    assert_eq!((p.advice, p.mode), (Advice::Sequential, IoMode::Mmap));
    assert_eq!(parameters(&[]).rate_iops, None);
    assert!(Advice::NAMES.iter().all(|name| Advice::from_name(name).is_some()));
    assert!(Cache::NAMES.iter().all(|name| Cache::from_name(name).is_some()));
}

#[test]
fn equal_sizes_are_the_same_file_as_a_commits() {
    let commit = crate::commit::SCHEMA.defaults();
    let device = SCHEMA.defaults();
    let files = |schema: model::Schema, values| (schema.describe)(values).unwrap().room.files;
    assert_eq!(files(SCHEMA, &device)[0], files(crate::commit::SCHEMA, &commit)[0]);
}

#[test]
fn only_a_sync_after_every_write_survives_power_loss() {
    for (changes, class) in [
        (vec![("fdatasync", "1")], DurabilityClass::Power),
        (vec![("fdatasync", "2")], DurabilityClass::Process),
        (vec![("end_fsync", "true")], DurabilityClass::Process),
        (vec![("mode", "direct")], DurabilityClass::Process),
        (vec![("mode", "mmap")], DurabilityClass::Process),
    ] {
        let mut all = vec![("rw", "write")];
        all.extend(changes);
        assert_eq!(parameters(&all).durability(), class, "{all:?}");
    }
}

#[test]
fn a_sync_has_an_id_of_its_own() {
    assert_eq!(parameters(&[("iodepth", "32")]).in_flight_max(), 32);
    assert_eq!(parameters(&[("iodepth", "32"), ("rw", "write"), ("fdatasync", "4")]).in_flight_max(), 33);
}

#[test]
fn a_ramp_is_the_workload_for_another_time() {
    assert_eq!(parameters(&[]).ramp(), None);
    let p = parameters(&[("rw", "write"), ("ramp_time", "3s"), ("end_fsync", "true"), ("fdatasync", "5")]);
    let ramp = p.ramp().unwrap();
    assert_eq!(
        (ramp.runtime, ramp.number_ios, ramp.end_fsync, ramp.fdatasync),
        (Nanos::from_millis(3000), 0, false, 5)
    );
    assert_eq!(ramp.ramp(), None);
}

#[test]
fn preconditioning_writes_every_block_so_many_times() {
    assert_eq!(parameters(&[]).precondition(), None);
    let passes = ("precondition_passes", "3");
    for (size, bs, blocks) in [("8MiB", MIB, 8), ("64KiB", 64 * KIB, 1), ("5000", 4096, 1), ("512", 512, 1)] {
        let measured = [("size", size), ("bs", "512B"), ("rw", "randrw"), ("numjobs", "4"), passes];
        let p = parameters(&measured).precondition().unwrap();
        assert_eq!((u64::from(p.bs), p.mode, p.numjobs, p.iodepth), (bs, IoMode::Direct, 1, 8));
        let seen = observe_in_order(&p);
        let expected: Vec<u64> = (0..3).flat_map(|_| 0..blocks).collect();
        assert_eq!(seen.blocks(), expected);
        assert_eq!(seen.device.writes(), 3 * blocks);
    }
    for blocking in [("mode", "mmap"), ("ioengine", "psync")] {
        let p = parameters(&[passes, blocking]).precondition().unwrap();
        assert_eq!((p.ioengine, p.iodepth), (IoEngine::Psync, 1));
    }
}

#[test]
fn a_mapping_needs_no_alignment() {
    for (mode, needs_direct) in [("mmap", false), ("direct", true)] {
        let described = (SCHEMA.describe)(&configuration(&[("mode", mode), ("bs", "512B")])).unwrap();
        assert_eq!((described.needs_direct(), described.uses_page_cache()), (needs_direct, !needs_direct));
        assert_eq!(described.streams[0].size_parameter.as_deref(), Some("bs"));
    }
}

#[test]
fn combinations_without_sense_say_the_way_out() {
    for (changes, way_out) in [
        (
            vec![("ioengine", "psync"), ("iodepth", "2")],
            "ioengine = psync has one operation in flight, but iodepth is 2: set iodepth = 1 and take more numjobs",
        ),
        (
            vec![("mode", "mmap"), ("iodepth", "2")],
            "mode = mmap has one operation in flight, but iodepth is 2: set iodepth = 1 and take more numjobs",
        ),
        (vec![("bs", "2MiB")], "size = 1MiB is smaller than bs = 2MiB: take a larger size"),
        (
            vec![("rw", "write"), ("bs", "512KiB"), ("numjobs", "3")],
            "rw = write gives each of 3 jobs a slice of its own, which has to hold bs = 512KiB: size = 1MiB is too small",
        ),
        (vec![("number_ios", "0")], "the trial does not end: set runtime or number_ios"),
        (
            vec![("rate_iops", "0")],
            "rate_iops = 0 issues no operation: set a rate, or none for a closed loop",
        ),
        (
            vec![("random_distribution", "zipf"), ("zipf_theta", "1")],
            "zipf_theta = 1 is not defined, as in fio: set 0.99 or 1.01",
        ),
        (
            vec![("random_distribution", "zipf"), ("rw", "rw")],
            "random_distribution = zipf has no effect on sequential access: rw is rw, set rw = randrw",
        ),
        (
            vec![("bs", "64MiB"), ("size", "1GiB"), ("iodepth", "32")],
            "iodepth × bs and the payload need 2GiB in flight or in buffers in each of 1 jobs, at most 1GiB in all: lower iodepth, bs or numjobs",
        ),
        (
            vec![("rw", "write"), ("bs", "64MiB"), ("size", "1GiB"), ("iodepth", "32")],
            "iodepth × bs and the payload need 2GiB in flight or in buffers in each of 1 jobs, at most 1GiB in all: lower iodepth, bs or numjobs",
        ),
        (
            vec![("bs", "1MiB"), ("iodepth", "64"), ("numjobs", "32")],
            "iodepth × bs and the payload need 64MiB in flight or in buffers in each of 32 jobs, at most 1GiB in all: lower iodepth, bs or numjobs",
        ),
    ] {
        let message = (SCHEMA.check)(&configuration(&changes)).unwrap_err();
        assert_eq!(message, way_out);
    }
}
