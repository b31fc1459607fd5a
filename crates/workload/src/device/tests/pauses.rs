//! Pauses between operations: `thinktime`.

use super::*;

/// When each operation started, nanoseconds; each takes a microsecond, and one completes at a time.
fn starts(changes: &[(&str, &str)]) -> Vec<u64> {
    let p = parameters(changes);
    let mut device = Device::new(p.clone(), 0, 1);
    let mut recorder = Recorder::new(device.families());
    let (mut now, mut in_flight, mut starts) = (0, Vec::new(), Vec::new());
    loop {
        let before = in_flight.len();
        let next = device.poll(Nanos(now), &mut in_flight);
        starts.extend(in_flight[before..].iter().map(|_: &BlockOp| now));
        match (in_flight.is_empty(), next) {
            (true, Next::At(at)) => now = at.0,
            (true, Next::Done) => return starts,
            (true, Next::Wait) => panic!("nothing in flight and not done: stuck"),
            (false, _) => {
                now += 1000;
                let done = in_flight.remove(0);
                let stamps = Some(Stamps { began: Nanos(now - 1000), ended: Nanos(now) });
                device.complete(
                    &Completion { id: done.id, result: done.expected_result(), stamps },
                    &mut recorder,
                );
            }
        }
    }
}

#[test]
fn a_job_pauses_after_each_operation() {
    let starts = starts(&[("thinktime", "50us"), ("number_ios", "4")]);
    assert_eq!(starts, [0, 51_000, 102_000, 153_000]);
}

/// As in fio, all in flight completes before the pause.
#[test]
fn a_pause_begins_when_nothing_is_in_flight() {
    let starts =
        starts(&[("thinktime", "50us"), ("thinktime_blocks", "3"), ("iodepth", "2"), ("number_ios", "7")]);
    // Two start at once, the third when the first is complete; the last of them ends at 3 us.
    assert_eq!(starts, [0, 0, 1000, 53_000, 53_000, 54_000, 106_000]);
}

#[test]
fn the_runtime_ends_a_pause() {
    let starts = starts(&[("thinktime", "1s"), ("number_ios", "0"), ("runtime", "3ms")]);
    assert_eq!(starts, [0]);
}

/// The sync belongs to the writes before it, so the pause comes after both.
#[test]
fn a_sync_comes_before_a_pause() {
    let p = [
        ("rw", "write"),
        ("fdatasync", "2"),
        ("thinktime", "10us"),
        ("thinktime_blocks", "2"),
        ("number_ios", "4"),
    ];
    assert_eq!(starts(&p), [0, 1000, 2000, 13_000, 14_000, 15_000]);
}

#[test]
fn an_open_loop_has_no_pauses() {
    let both = configuration(&[("thinktime", "1ms"), ("rate_iops", "100")]);
    insta::assert_snapshot!((SCHEMA.check)(&both).unwrap_err(), @"an open loop does not wait for its job: set rate_iops = none or thinktime = 0s");
}

/// The lab would end the trial at its deadline otherwise.
#[test]
fn pauses_of_a_job_that_a_count_ends_take_their_time() {
    let seconds = |changes: &[(&str, &str)]| {
        let duration = (SCHEMA.describe)(&configuration(changes)).unwrap().duration;
        (duration.paused_s as u64, (duration.timed_least_s() + duration.beside_least_s()) as u64)
    };
    let counted = [("thinktime", "1min"), ("thinktime_blocks", "5"), ("number_ios", "50")];
    assert_eq!(seconds(&counted), (600, 600));
    let timed = [("thinktime", "1min"), ("number_ios", "0"), ("runtime", "2s")];
    assert_eq!(seconds(&timed), (0, 2));
}

#[test]
fn rates_with_pauses_are_no_capacity() {
    let description = (SCHEMA.describe)(&configuration(&[("thinktime", "1ms"), ("iodepth", "4")])).unwrap();
    assert!(description.pauses && description.depth.is_none());
    let without = (SCHEMA.describe)(&configuration(&[("iodepth", "4")])).unwrap();
    assert!(!without.pauses && without.depth.is_some());
}
