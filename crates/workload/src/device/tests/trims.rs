//! Holes that are punched in the file, by themselves and before writes, and atomic writes.

use super::*;

#[test]
fn trims_go_through_the_file_as_reads_do() {
    let in_order = observe_in_order(&parameters(&[("rw", "trim"), ("size", "20KiB"), ("number_ios", "7")]));
    assert!(in_order.kinds().iter().all(|kind| *kind == BlockKind::PunchHole));
    let places: Vec<u64> = in_order.operations.iter().map(|operation| operation.offset / 4096).collect();
    assert_eq!(places, [0, 1, 2, 3, 4, 0, 1]);
    assert_eq!((in_order.device.trims(), in_order.device.writes(), in_order.device.reads()), (7, 0, 0));
    let once = [("rw", "randtrim"), ("random_distribution", "once"), ("number_ios", "256"), ("iodepth", "4")];
    let seen = observe(&parameters(&once), 0, 7, |in_flight| in_flight - 1);
    let places: BTreeSet<u64> = seen.operations.iter().map(|operation| operation.offset / 4096).collect();
    assert_eq!(places.len(), 256);
}

/// A block is written when its trim is complete, however many are in flight: in any other order the hole could be
/// punched in what was written.
#[test]
fn a_block_is_written_after_its_trim() {
    for rw in ["trimwrite", "randtrimwrite"] {
        let p = parameters(&[
            ("rw", rw),
            ("number_ios", "200"),
            ("iodepth", "8"),
            ("bssplit", "4KiB/50:8KiB/50"),
        ]);
        let mut turn = 0;
        let seen = observe(&p, 0, 7, |in_flight| {
            turn += 3;
            turn % in_flight
        });
        let mut trimmed = Vec::new();
        for operation in &seen.operations {
            let extent = (operation.id, operation.offset, operation.length);
            match operation.kind {
                BlockKind::PunchHole => trimmed.push(extent),
                BlockKind::Write => {
                    let place =
                        trimmed.iter().position(|trim| *trim == extent).expect("a trim before the write");
                    trimmed.remove(place);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(trimmed.len() <= 8 && seen.device.trims() + seen.device.writes() == 200);
        let count = |family| seen.recorder.histogram(family).unwrap().len();
        assert_eq!((count("trim_latency"), count("completion_latency")), (seen.device.trims(), 200));
    }
}

#[test]
fn what_trims_has_a_file_of_its_own_and_no_stream() {
    let described = (SCHEMA.describe)(&configuration(&[("rw", "randtrim")])).unwrap();
    assert!(described.streams.is_empty() && described.figures.multiples.is_empty());
    let files = |rw| parameters(&[("rw", rw)]).files();
    assert_ne!(files("randtrim")[0].name, files("randwrite")[0].name);
    let writes = (SCHEMA.describe)(&configuration(&[("rw", "trimwrite")])).unwrap();
    assert_eq!(writes.streams.len(), 1);
}

#[test]
fn what_contradicts_trims_and_atomic_writes_is_refused() {
    let refusal = |changes: &[(&str, &str)]| (SCHEMA.check)(&configuration(changes)).unwrap_err();
    insta::assert_snapshot!(refusal(&[("rw", "trim"), ("bs", "512B")]), @"rw = trim frees whole blocks of the file system: take a bs and sizes of bssplit that are multiples of 4KiB");
    insta::assert_snapshot!(refusal(&[("rw", "trimwrite"), ("verify", "true")]), @"verify compares what was written last, and rw = trimwrite makes holes of it: set verify = false or another rw");
    insta::assert_snapshot!(refusal(&[("rw", "trim"), ("ramp_time", "1s")]), @"rw = trim would trim the file before it is measured: set ramp_time = 0s and no steady ramp");
    insta::assert_snapshot!(refusal(&[("rw", "write"), ("atomic", "true")]), @"atomic writes bypass the page cache, but mode is buffered: set mode = direct");
    insta::assert_snapshot!(refusal(&[("rw", "write"), ("atomic", "true"), ("mode", "direct"), ("bs", "12KiB")]), @"the kernel takes atomic writes whose size is a power of two: set bs = 4KiB and bssplit = none");
    insta::assert_snapshot!(refusal(&[("rw", "randwrite"), ("random_distribution", "in_zones")]), @"size = 1MiB has fewer zones of 256MiB than numjobs = 1, and each job needs one: take a size of at least 256MiB");
    insta::assert_snapshot!(
        refusal(&[
            ("rw", "randwrite"), ("random_distribution", "in_zones"), ("zone_size", "64KiB"), ("numjobs", "2"),
            ("open_zones", "3"),
        ]),
        @"open_zones = 3 is not a multiple of numjobs = 2, which share them equally: set 4"
    );
}

#[test]
fn atomic_writes_are_operations_of_their_own() {
    let changes = [("rw", "randwrite"), ("atomic", "true"), ("mode", "direct")];
    let seen = observe_in_order(&parameters(&changes));
    assert!(seen.kinds().iter().all(|kind| *kind == BlockKind::WriteAtomic));
}
