//! What a turn counts: rates inside the window, latencies of what was submitted there, nothing of the time away.

use crate::device::{Closed, Delivery, Device, MS, Open, ms};
use driver::{Clock, DriveError, Driven, Driver, Slice, SliceLength, VirtualClock, Workload};
use model::{BlockOp, Nanos};

const SLICE: SliceLength = SliceLength { slice: ms(10), settle: ms(2) };

/// Far more than any slice: what passes between two turns.
const AWAY: Nanos = ms(1000);

/// Takes this number of turns, with time away between them.
fn turns<W: Workload<Op = BlockOp>>(
    workload: W,
    number: usize,
    length: SliceLength,
    service: impl Fn(u64) -> Nanos,
) -> (Vec<Slice>, Driven<W>) {
    let clock = VirtualClock::default();
    let mut driver = Driver::new(workload, Device::new(clock.clone(), service), clock.clone());
    let mut slices = Vec::new();
    for _ in 0..number {
        slices.push(driver.take_turn(length).unwrap());
        clock.advance_to(clock.now() + AWAY);
    }
    (slices, driver.finish())
}

/// Number and longest of the latencies, in milliseconds.
fn latencies<W>(driven: &Driven<W>) -> (u64, f64) {
    let histogram = driven.recorder.histogram("read_latency").unwrap();
    (histogram.len(), histogram.max() as f64 / MS.0 as f64)
}

#[test]
fn settle_and_drain_are_left_out() {
    // Reads of 3 ms, four at a time, end at 3, 6, 9 and, in the drain, at 12 ms; the window is from 2 to 10 ms.
    let (slices, driven) = turns(Closed::new(4, u64::MAX), 2, SLICE, |_| ms(3));
    for slice in &slices {
        assert_eq!((slice.window, slice.drain), (ms(8), ms(2)));
        assert_eq!((slice.operations, slice.quarters), (16, [4, 0, 4, 4]));
        assert_eq!(slice.latency_mean(), ms(3));
        assert!(!slice.is_over);
    }
    assert_eq!((driven.operations, driven.performed), (24, 32));
    assert_eq!((driven.elapsed(), driven.counted(), driven.worked), (ms(16), ms(24), ms(20)));
    assert!((driven.in_flight_mean - 4.0).abs() < 1e-9, "{}", driven.in_flight_mean);
    assert_eq!(
        (driven.recorder.completed("read_latency"), driven.recorder.performed("read_latency")),
        (24, 32)
    );
    // Each turn has those that began at 3, 6 and 9 ms; the last of them end in the drain.
    let (count, max) = latencies(&driven);
    assert_eq!(count, 24);
    assert!((max - 3.0).abs() < 0.01, "{max}");
}

/// A count of whole operations has one more or one less, wherever the edges fall.
#[test]
fn with_one_in_flight_an_operation_that_is_cut_counts_by_its_share() {
    // Reads of 3 ms end at 3, 6, 9 and, in the drain, at 12 ms; the window is from 2 to 10 ms.
    let (_, driven) = turns(Closed::new(1, u64::MAX), 1, SLICE, |_| ms(3));
    assert_eq!(driven.operations, 3);
    assert!((driven.in_windows - 8.0 / 3.0).abs() < 1e-9, "{}", driven.in_windows);
    // One that lasts for the whole window, and begins before it and ends behind it.
    let (_, driven) = turns(Closed::new(1, u64::MAX), 1, SLICE, |_| ms(16));
    assert_eq!(driven.operations, 0);
    assert!((driven.in_windows - 0.5).abs() < 1e-9, "{}", driven.in_windows);
    // With several in flight, those at the end of a turn complete alone.
    let (_, driven) = turns(Closed::new(4, u64::MAX), 1, SLICE, |_| ms(3));
    assert!((driven.in_windows - driven.operations as f64).abs() < 1e-9, "{}", driven.in_windows);
}

#[test]
fn a_stall_across_the_end_of_the_window_cannot_hide() {
    let stalls = |number| if number == 7 { ms(500) } else { MS };
    let (slices, driven) = turns(Closed::new(1, u64::MAX), 3, SLICE, stalls);
    assert_eq!(slices[0].drain, ms(497));
    assert_eq!([slices[1].drain, slices[2].drain], [Nanos::ZERO; 2]);
    let (_, max) = latencies(&driven);
    assert!((max - 500.0).abs() < 1.0, "{max}");
    // It is not part of a rate: neither its operation nor its time.
    assert_eq!((driven.operations, driven.elapsed()), (6 + 8 + 8, ms(24)));
}

#[test]
fn what_begins_in_the_settle_has_no_latency_of_the_trial() {
    let slow_at_first = |number| if number % 10 == 0 { MS } else { Nanos(MS.0 / 2) };
    let length = SliceLength { slice: ms(2), settle: MS };
    // Each turn: one of 1 ms in the settle, two of 0.5 ms in the window, of which the last ends with it.
    let (_, driven) = turns(Closed::new(1, u64::MAX), 1, length, slow_at_first);
    let (count, max) = latencies(&driven);
    assert_eq!((count, driven.operations), (2, 2), "what ended at the window's beginning is in it");
    assert!((max - 0.5).abs() < 0.001, "{max}");
}

/// A batch that is performed inline ends in one reap: once all of it was counted or nothing.
#[test]
fn each_operation_is_counted_where_its_own_stamp_is() {
    // 16 reads in flight, of 1, 2, … 16 ms: those that end from 2 ms to before 10 ms count.
    for delivery in [Delivery::OneByOne, Delivery::AllAtOnce] {
        let clock = VirtualClock::default();
        let device = Device::new(clock.clone(), |number| ms(number + 1)).delivering(delivery);
        let mut driver = Driver::new(Closed::new(16, 16), device, clock);
        let slice = driver.take_turn(SLICE).unwrap();
        assert_eq!((slice.quarters, slice.operations), ([2; 4], 16), "{delivery:?}");
        assert_eq!(driver.finish().operations, 8);
    }
}

#[test]
fn an_open_loop_goes_on_where_its_time_stood() {
    let length = SliceLength { slice: ms(10), settle: Nanos::ZERO };
    let (slices, driven) = turns(Open::new(Nanos(1_500_000), ms(45)), 6, length, |_| MS);
    let due: Vec<_> = (0..30).map(|number| Nanos(number * 1_500_000)).collect();
    // What is due as the slice ends begins with the next one.
    assert_eq!(driven.workload.started, due);
    let (count, max) = latencies(&driven);
    assert!((max - 1.0).abs() < 0.001, "the time away is not waited: {max}");
    assert_eq!(count, 30);
    assert_eq!(
        slices.iter().map(|slice| slice.is_over).collect::<Vec<_>>(),
        [false, false, false, false, true, true]
    );
}

#[test]
fn what_an_open_loop_could_not_start_in_its_slice_waits_on() {
    let length = SliceLength { slice: ms(10), settle: Nanos::ZERO };
    // The second takes 14 ms: of the reads due every 4 ms those at 8 and 12 ms have to wait for the next slice.
    let service = |number| if number == 1 { ms(14) } else { MS };
    let (slices, driven) = turns(Open::new(ms(4), ms(16)), 2, length, service);
    assert_eq!(slices[0].drain, ms(8));
    assert_eq!(driven.workload.started, [0, 4, 10, 12].map(ms));
    let (count, max) = latencies(&driven);
    assert_eq!(count, 4, "due in an earlier window");
    assert!((max - 14.0).abs() < 0.1, "{max}");
}

#[test]
fn a_workload_that_ends_is_measured_until_then() {
    let (slices, driven) = turns(Closed::new(1, 14), 4, SLICE, |_| MS);
    assert_eq!(slices.iter().map(|slice| slice.is_over).collect::<Vec<_>>(), [false, true, true, true]);
    assert_eq!(
        slices.iter().map(|slice| slice.window).collect::<Vec<_>>(),
        [ms(8), ms(2), Nanos::ZERO, Nanos::ZERO]
    );
    assert_eq!((driven.operations, driven.performed, driven.elapsed()), (8 + 3, 14, ms(10)));
}

/// A trial that takes no turns with others is held at the start, and nowhere else.
#[test]
fn a_whole_turn_lasts_until_the_workload_ends_and_counts_it_part_by_part() {
    let (slices, driven) = turns(Closed::new(1, 100), 1, SliceLength::WHOLE, |_| MS);
    let [slice] = &slices[..] else { panic!("{slices:?}") };
    assert_eq!((slice.window, slice.drain, slice.operations), (ms(100), Nanos::ZERO, 100));
    assert!(slice.is_over);
    let progress = slice.progress.unwrap();
    assert_eq!((progress.part(), progress.parts(slice.window)), (ms(2), &[2; 50][..]));
    assert_eq!(progress.quarters(slice.window), [25; 4]);
    assert_eq!((driven.operations, driven.elapsed(), driven.worked), (100, ms(100), ms(100)));
    assert_eq!(latencies(&driven).0, 100);
}

#[test]
fn the_series_is_in_measured_time() {
    let length = SliceLength { slice: ms(10), settle: ms(5) };
    let (_, driven) = turns(Closed::new(2, u64::MAX), 60, length, |_| MS);
    let sidecar = driven.recorder.sidecar().unwrap();
    assert!((sidecar.interval_s - 0.1).abs() < 1e-9);
    // 300 ms are measured, in 60 windows of 5 ms over more than a minute.
    assert_eq!(sidecar.series["read_latency"], [200, 200, 200]);
}

#[test]
fn a_failed_operation_ends_the_turn() {
    let clock = VirtualClock::default();
    let backend = Device::new(clock.clone(), |_| MS);
    let mut driver = Driver::new(Closed::new(1, u64::MAX), Failing { inner: backend, after: 12 }, clock);
    driver.take_turn(SLICE).unwrap();
    let error = driver.take_turn(SLICE).unwrap_err();
    assert!(matches!(error, DriveError::Operation { .. }), "{error}");
}

/// Fails every operation after this number of them.
struct Failing<B> {
    inner: B,
    after: usize,
}

impl<B: driver::Backend> driver::Backend for Failing<B> {
    type Op = B::Op;

    fn submit(&mut self, operations: &[B::Op]) -> std::io::Result<usize> {
        self.inner.submit(operations)
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<model::Completion>,
    ) -> std::io::Result<()> {
        self.inner.reap(at_least, deadline, out)?;
        for completion in out {
            if self.after == 0 {
                completion.result = -5;
            }
            self.after = self.after.saturating_sub(1);
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        self.inner.system_calls()
    }
}
