//! The one loop: poll, submit, reap, stamp, complete.

use crate::slice::{Slice, SliceLength, Window};
use crate::{Backend, Clock, Next, Progress, Recorder, Turns, Workload};
use model::{Completion, Nanos, Operation, Stamps};
use std::io;

/// Why a measurement ended early.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// An operation failed or fell short; nothing after it is counted.
    #[error("{operation}: {source}")]
    Operation {
        /// The operation, as the workload emitted it.
        operation: String,
        source: io::Error,
    },
    /// The backend itself failed.
    #[error("backend: {0}")]
    Backend(#[from] io::Error),
}

/// What a driver has to show.
#[derive(Debug)]
pub struct Driven<W> {
    /// The workload in its final state, with its own counts.
    pub workload: W,
    pub recorder: Recorder,
    /// The first poll, on the clock.
    pub began: Nanos,
    /// The last completion, on the clock.
    pub ended: Nanos,
    /// The sum of the windows, if it took turns.
    pub windows: Option<Nanos>,
    /// The sum of the turns, settling and draining included, if it took any.
    pub turns: Option<Nanos>,
    /// The workload's time at its end: that of its turns, drains left out.
    pub worked: Nanos,
    /// Operations completed; if it took turns, inside the windows.
    pub operations: u64,
    /// The same for rates. With one operation in flight, an operation that an edge of a window cuts counts by the part
    /// of its time inside, so no count scatters by where the edges fall. Other operations count in the window in which
    /// they complete: when a turn ends, those in flight complete faster than before.
    pub in_windows: f64,
    /// Operations completed, also outside the windows: what the kernel's counters are divided by.
    pub performed: u64,
    /// Operations in flight, averaged over the measured time.
    pub in_flight_mean: f64,
    /// System calls that the backend made.
    pub system_calls: u64,
    /// The longest that one round of the loop took beyond its planned wait; for a team, of any member.
    pub longest_gap: Nanos,
}

impl<W> Driven<W> {
    /// The time that its rates are over: from the first poll to the last completion, for a team from the first member's
    /// to the last member's; if it took turns, the sum of the windows.
    pub fn elapsed(&self) -> Nanos {
        self.windows.unwrap_or(self.ended.since(self.began))
    }

    /// The time that counters read at the edges of its turns are over.
    pub fn counted(&self) -> Nanos {
        self.turns.unwrap_or_else(|| self.elapsed())
    }

    /// Nanoseconds of elapsed time for each operation: on a backend that does nothing, what the instrument itself
    /// costs.
    pub fn ns_per_operation(&self) -> f64 {
        self.elapsed().0 as f64 / self.operations.max(1) as f64
    }
}

/// Connects a workload to a backend.
pub struct Driver<W, B, C>
where
    W: Workload,
{
    workload: W,
    backend: B,
    clock: C,
    recorder: Recorder,
    /// By operation id: the operation and when it was submitted.
    in_flight: Vec<Option<(W::Op, Nanos)>>,
    /// Emitted but not yet taken by the backend.
    pending: Vec<W::Op>,
    completions: Vec<Completion>,
    in_flight_count: usize,
    operations: u64,
    in_windows: f64,
    performed: u64,
    /// Operations in flight integrated over the measured time, in operation-nanoseconds.
    in_flight_integral: u128,
    longest_gap: Nanos,
    /// The clock at the workload's time zero: what passes between two turns moves it.
    origin: Nanos,
    /// The workload's time at the end of the last turn.
    worked: Nanos,
    /// When the first poll was and the last completion, on the clock; `None` before.
    span: Option<(Nanos, Nanos)>,
    windows: Option<Nanos>,
    turns: Option<Nanos>,
    window: Window,
    slice: Slice,
    slice_in_flight: u128,
}

impl<W, B, C> Driver<W, B, C>
where
    W: Workload<Op: Operation>,
    B: Backend<Op = W::Op>,
    C: Clock,
{
    /// A driver ready to run; everything that is ever allocated is allocated here.
    pub fn new(workload: W, backend: B, clock: C) -> Self {
        let in_flight_max = workload.in_flight_max();
        Self {
            recorder: Recorder::new(workload.families()),
            in_flight: vec![None; in_flight_max],
            pending: Vec::with_capacity(in_flight_max),
            completions: Vec::with_capacity(in_flight_max),
            workload,
            backend,
            clock,
            in_flight_count: 0,
            operations: 0,
            in_windows: 0.0,
            performed: 0,
            in_flight_integral: 0,
            longest_gap: Nanos::ZERO,
            origin: Nanos::ZERO,
            worked: Nanos::ZERO,
            span: None,
            windows: None,
            turns: None,
            window: Window::ALL,
            slice: Slice::default(),
            slice_in_flight: 0,
        }
    }

    /// Keeps the stamps of that many operations; the calling thread is the one that drives.
    pub fn keep_stamps(&mut self, kept_max: usize) {
        self.recorder.keep_stamps(kept_max);
    }

    /// Runs the workload to its end. Times are counted from this call.
    pub fn run(mut self) -> Result<Driven<W>, DriveError> {
        self.worked = self.drive(Nanos(u64::MAX))?;
        Ok(self.finish())
    }

    /// Takes every turn that there is.
    pub fn run_in_turns(mut self, turns: &dyn Turns) -> Result<Driven<W>, DriveError> {
        while let Some(length) = turns.next()? {
            let slice = self.take_turn(length)?;
            turns.taken(slice)?;
        }
        Ok(self.finish())
    }

    /// Takes one turn: the workload goes on where it stood, and when the slice is over, what is in flight completes.
    /// The workload's time is that of its turns, without drains and without the time between turns.
    pub fn take_turn(&mut self, length: SliceLength) -> Result<Slice, DriveError> {
        let until = self.worked + length.slice;
        self.window = Window { from: (self.worked + length.settle).min(until), to: until };
        self.recorder.open(self.window);
        let progress = (length == SliceLength::WHOLE).then(Progress::new);
        (self.slice, self.slice_in_flight) = (Slice { progress, ..Slice::default() }, 0);
        let began = self.worked;
        let ended = self.drive(until)?;
        // A workload that has ended is not measured while it has nothing to do.
        self.worked = if self.slice.is_over { ended.min(until) } else { until };
        let window = self.window.overlap(began, self.worked);
        self.windows = Some(self.windows.unwrap_or_default() + window);
        self.turns = Some(self.turns.unwrap_or_default() + ended.since(began));
        let in_flight = Nanos(u64::try_from(self.slice_in_flight).unwrap_or(u64::MAX));
        Ok(Slice { window, drain: ended.since(until), in_flight, ..self.slice })
    }

    /// What it has to show, after its last turn.
    pub fn finish(self) -> Driven<W> {
        let (began, ended) = self.span.unwrap_or_default();
        let elapsed = self.windows.unwrap_or(ended.since(began));
        Driven {
            workload: self.workload,
            recorder: self.recorder,
            began,
            ended,
            windows: self.windows,
            turns: self.turns,
            worked: self.worked,
            operations: self.operations,
            in_windows: self.in_windows,
            performed: self.performed,
            system_calls: self.backend.system_calls(),
            longest_gap: self.longest_gap,
            in_flight_mean: self.in_flight_integral as f64 / (elapsed.0.max(1)) as f64,
        }
    }

    /// Drives the workload until it ends or its time is `until`, and then until nothing is in flight. Returns its time
    /// then.
    fn drive(&mut self, until: Nanos) -> Result<Nanos, DriveError> {
        let mut now = self.clock.now();
        self.origin = now.since(self.worked);
        self.recorder.set_zero(self.clock.began() + self.origin);
        self.span.get_or_insert((now, now));
        loop {
            let time = now.since(self.origin);
            let is_draining = time >= until;
            let next = if is_draining {
                self.workload.complete_started(time, &mut self.pending)
            } else {
                self.workload.poll(time, &mut self.pending)
            };
            self.submit(now)?;
            let (at_least, deadline) = match next {
                Next::Done if self.in_flight_count == 0 && self.pending.is_empty() => {
                    self.slice.is_over = !is_draining;
                    break;
                }
                Next::Done | Next::Wait => (1, None),
                Next::At(at) => (usize::from(self.in_flight_count > 0), Some(self.origin + at.min(until))),
            };
            self.backend.reap(at_least, deadline, &mut self.completions)?;
            let before = now;
            now = self.backend.reaped_at().unwrap_or_else(|| self.clock.now());
            // A planned wait is not a gap.
            let due = deadline.map_or(before, |deadline| deadline.max(before));
            self.longest_gap = self.longest_gap.max(now.since(due));
            let (from, to) = (before.since(self.origin), now.since(self.origin));
            self.in_flight_integral +=
                self.in_flight_count as u128 * u128::from(self.window.overlap(from, to).0);
            self.slice_in_flight += self.in_flight_count as u128 * u128::from(to.since(from).0);
            let completed = self.completions.len() as u64;
            self.complete(now)?;
            if let Some(progress) = &mut self.slice.progress {
                progress.add(to.since(self.window.from), completed);
            }
            self.recorder.tick(to);
        }
        if let Some((_, ended)) = &mut self.span {
            *ended = now;
        }
        Ok(now.since(self.origin))
    }

    #[inline]
    fn submit(&mut self, now: Nanos) -> Result<(), DriveError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        for operation in &self.pending {
            // An operation that has to wait for the backend waits on the clock too.
            let (waiting, _) = self.in_flight[operation.id() as usize].get_or_insert((*operation, now));
            debug_assert!(waiting == operation, "the id of {waiting} is used by {operation} too");
        }
        let taken = self.backend.submit(&self.pending)?;
        self.in_flight_count += taken;
        if taken == self.pending.len() {
            self.pending.clear();
        } else {
            self.pending.drain(..taken);
        }
        Ok(())
    }

    #[inline]
    fn complete(&mut self, now: Nanos) -> Result<(), DriveError> {
        self.in_flight_count -= self.completions.len();
        let (completed, origin) = (self.completions.len() as u64, self.origin);
        self.performed += completed;
        self.slice.operations += completed;
        for completion in &self.completions {
            let place = &mut self.in_flight[completion.id as usize];
            let Some((operation, began)) = place else {
                return Err(io::Error::other(format!("operation {} completed twice", completion.id)).into());
            };
            if !operation.is_success(completion.result) {
                return Err(failure(operation, completion.result));
            }
            let stamps = completion.stamps.unwrap_or(Stamps { began: *began, ended: now });
            *place = None;
            // A workload knows one time base: that of its polls.
            let stamps = Stamps { began: stamps.began.since(origin), ended: stamps.ended.since(origin) };
            // Each by its own stamp: a batch that is performed inline may begin in the window and end behind it.
            let is_inside = self.window.contains(stamps.ended);
            self.in_windows += if self.in_flight.len() > 1 {
                f64::from(u8::from(is_inside))
            } else {
                self.window.share(stamps)
            };
            if is_inside {
                self.operations += 1;
                self.slice.quarters[self.window.quarter(stamps.ended)] += 1;
            }
            self.workload.complete(&Completion { stamps: Some(stamps), ..*completion }, &mut self.recorder);
        }
        self.completions.clear();
        Ok(())
    }
}

#[cold]
fn failure<O: Operation>(operation: &O, result: i32) -> DriveError {
    let source = if result < 0 {
        io::Error::from_raw_os_error(-result)
    } else {
        let expected = operation.expected_result();
        io::Error::new(io::ErrorKind::UnexpectedEof, format!("moved {result} of {expected} bytes"))
    };
    DriveError::Operation { operation: operation.to_string(), source }
}
