//! A stretch of an operation's time, and what it was spent on.

pub use model::traced::Stage;

/// A stretch of time of an operation. Times are `CLOCK_MONOTONIC` in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub stage: Stage,
    /// Whether it was spent for the file system's journal or other metadata: their requests, and the journal's thread.
    pub journal: bool,
    pub from_ns: u64,
    pub to_ns: u64,
}

impl Segment {
    /// What it was spent on, as records have it.
    pub const fn spent_on(&self) -> model::traced::Segment {
        model::traced::Segment { stage: self.stage, journal: self.journal }
    }

    /// Its length, nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }
}

/// Segments that follow each other without a gap, from one time to another.
#[derive(Debug)]
pub(super) struct Laid {
    until_ns: u64,
    segments: Vec<Segment>,
}

impl Laid {
    pub(super) fn from(from_ns: u64) -> Self {
        Self { until_ns: from_ns, segments: Vec::new() }
    }

    /// Extends to a time; a time before what is laid already adds nothing.
    pub(super) fn until(&mut self, to_ns: u64, stage: Stage, journal: bool) {
        if to_ns <= self.until_ns {
            return;
        }
        match self.segments.last_mut() {
            Some(last) if (last.stage, last.journal) == (stage, journal) => last.to_ns = to_ns,
            Some(_) | None => {
                self.segments.push(Segment { stage, journal, from_ns: self.until_ns, to_ns });
            }
        }
        self.until_ns = to_ns;
    }

    pub(super) fn end_ns(&self) -> u64 {
        self.until_ns
    }

    pub(super) fn into_segments(self) -> Vec<Segment> {
        self.segments
    }
}
