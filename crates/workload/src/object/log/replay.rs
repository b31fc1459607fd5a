//! A log as a load: which objects are there when it begins, and what is done to which of them when.
//!
//! Objects are numbered. Those that the log reads, asks for or deletes before it puts them have to be there at its
//! beginning, and have the first numbers. The bytes of an object follow from its number, so a put writes the beginning
//! of the same bytes again, whatever its size, and every read can be verified.

use super::super::levels::Step;
use super::super::parameters::PARAMETERS;
use super::super::sizes::ObjectSizes;
use super::error::LogError;
use super::operation::{LoggedOperation, OperationLog};
use model::{Configuration, Nanos, Shares};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

/// Direct reads begin at multiples of this.
const OFFSET_ALIGNMENT_BYTES: u64 = 4096;
/// A target that is slower than what was recorded gets this much longer.
const GRACE: Nanos = Nanos::from_millis(10_000);

/// An operation of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// Since the beginning of the log, at the recorded speed.
    pub(super) at: Nanos,
    pub(super) step: Step,
    pub(super) object: u32,
    /// Where a read begins, bytes.
    pub(super) offset: u64,
    /// Bytes that are read or written, the size that is expected, or the names of a list.
    pub(super) length: u32,
    /// Whether the log puts or deletes the object: one client performs all operations on it, in their order.
    pub(super) is_of_one_client: bool,
}

/// A load that repeats a log.
#[derive(Clone, Debug)]
pub struct Replay {
    pub(super) due: Box<[Due]>,
    /// The sizes of the objects that are there at the beginning, by number.
    sizes: Arc<[u32]>,
    /// Objects that are not there at the beginning.
    put: u64,
    /// The largest object at any time.
    bytes_max: u64,
    /// The sum of all objects, each as large as it becomes.
    bytes: u64,
    recorded: Recorded,
    left_out: BTreeMap<String, u64>,
}

/// What the log has of successful operations, also of those that cannot be repeated in their order.
#[derive(Clone, Debug, Default)]
struct Recorded {
    length: Nanos,
    read_bytes: u64,
    written_bytes: u64,
    names: u64,
    steps: BTreeMap<Step, u64>,
}

/// An object on the way through the log.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Its number; `None` before it is met.
    number: Option<u32>,
    /// Its size; `None` while it is not there.
    bytes: Option<u64>,
    /// Its largest size so far.
    bytes_max: u64,
    /// Whether the log puts or deletes it.
    is_changed: bool,
}

impl Replay {
    /// Reads a log.
    ///
    /// # Errors
    /// Those of [`OperationLog::read`], and a log in which nothing can be repeated.
    pub fn read(source: impl BufRead) -> Result<Self, LogError> {
        Self::new(OperationLog::read(source)?)
    }

    /// What repeats this log.
    ///
    /// # Errors
    /// Nothing in it can be repeated.
    pub fn new(log: OperationLog) -> Result<Self, LogError> {
        let mut states = vec![State::default(); log.keys as usize];
        let mut sizes = beginning(&log, &mut states);
        if sizes.is_empty() {
            // Lists are beside an object of the dataset, which has at least one.
            sizes.push(1);
        }
        let present = sizes.len() as u64;
        let mut recorded = Recorded::default();
        let mut left_out = log.left_out;
        let mut put = 0;
        let mut due = Vec::with_capacity(log.operations.len());
        for operation in &log.operations {
            recorded.add(operation);
            let next = if operation.step == Step::List {
                Some((u64::from(operation.key) % present, operation.names, false))
            } else {
                let state = &mut states[operation.key as usize];
                if operation.step.writes() && state.number.is_none() {
                    state.number = Some((present + put) as u32);
                    put += 1;
                }
                let length = follow(state, operation);
                let number = state.number.map(u64::from);
                number.zip(length).map(|(number, length)| (number, length as u32, state.is_changed))
            };
            let Some((object, length, is_of_one_client)) = next else {
                let why = format!("{} of an object that is not there at that time", operation.step);
                *left_out.entry(why).or_default() += 1;
                continue;
            };
            due.push(Due {
                at: operation.start,
                step: operation.step,
                object: object as u32,
                offset: if operation.step.reads() { aligned(operation.offset) } else { 0 },
                length,
                is_of_one_client,
            });
        }
        if due.is_empty() {
            return Err(LogError::of_all("the log has no operation that can be repeated in its order"));
        }
        let bytes_max = states.iter().map(|state| state.bytes_max).max().unwrap_or(1);
        let bytes = states.iter().map(|state| state.bytes_max).sum();
        Ok(Self { due: due.into(), sizes: sizes.into(), put, bytes_max, bytes, recorded, left_out })
    }

    /// Operations that are repeated.
    pub fn operations(&self) -> usize {
        self.due.len()
    }

    /// What is not repeated and why, with how often.
    pub fn left_out(&self) -> &BTreeMap<String, u64> {
        &self.left_out
    }

    /// Objects that are there at the beginning.
    pub fn objects(&self) -> u64 {
        self.sizes.len() as u64
    }

    /// Bytes of the largest object at any time.
    pub fn bytes_max(&self) -> u64 {
        self.bytes_max.max(1)
    }

    /// The sizes of the objects that are there at the beginning.
    pub fn sizes(&self) -> ObjectSizes {
        ObjectSizes::Each(Arc::clone(&self.sizes))
    }

    /// Writes into a configuration what the log decides: objects, their mean size, the mix, the length.
    pub fn describe(&self, values: &mut Configuration) {
        let bytes_mean = self.bytes.div_ceil(self.objects() + self.put).max(1);
        let speed = PARAMETERS.replay_speed.of(values).unwrap_or(1.0);
        let runtime = Nanos::from_seconds((self.recorded.length.seconds() / speed).ceil()) + GRACE;
        let levels = [
            PARAMETERS.objects.at(self.objects()),
            PARAMETERS.object_size.at(bytes_mean),
            PARAMETERS.kept_objects.at(self.put.max(1)),
            PARAMETERS.mix.at(self.recorded.mix()),
            PARAMETERS.runtime.at(runtime),
        ];
        values.0.extend(levels.map(|(name, value)| (name.to_owned(), value)));
    }

    /// What the log shows of its operations, by the names of the metrics that a replay at this speed measures.
    pub fn figures(&self, speed: f64) -> BTreeMap<String, f64> {
        let Recorded { length, read_bytes, written_bytes, names, steps } = &self.recorded;
        if *length == Nanos::ZERO {
            return BTreeMap::new();
        }
        let per_s = |figure: u64| figure as f64 / length.seconds() * speed;
        let all = [
            ("object_operations_per_s", steps.values().sum()),
            ("object_read_bytes_per_s", *read_bytes),
            ("object_written_bytes_per_s", *written_bytes),
            ("object_names_per_s", *names),
        ];
        let of_steps = steps.iter().map(|(step, count)| (step.rate(), *count));
        let seen = all.into_iter().chain(of_steps).filter(|(_, figure)| *figure > 0);
        seen.map(|(metric, figure)| (metric.to_owned(), per_s(figure))).collect()
    }
}

/// The sizes of the objects that have to be there at the beginning, which get their numbers: each is as large as what
/// is read of it before it is put or deleted.
fn beginning(log: &OperationLog, states: &mut [State]) -> Vec<u32> {
    let mut sizes: Vec<u32> = Vec::new();
    for operation in log.operations.iter().filter(|operation| operation.step != Step::List) {
        let state = &mut states[operation.key as usize];
        if !state.is_changed {
            let read = match operation.step {
                Step::Get | Step::GetRange => Some(aligned(operation.offset) + operation.bytes),
                Step::Stat => Some(operation.bytes),
                Step::Delete => Some(0),
                Step::Put | Step::MultipartPut | Step::List => None,
            };
            if let Some(read) = read {
                let number = *state.number.get_or_insert_with(|| {
                    sizes.push(1);
                    (sizes.len() - 1) as u32
                });
                let size = &mut sizes[number as usize];
                *size = (*size).max(read as u32);
            }
        }
        state.is_changed |= operation.step.writes() || operation.step == Step::Delete;
    }
    for state in states {
        state.bytes = state.number.map(|number| u64::from(sizes[number as usize]));
        state.bytes_max = state.bytes.unwrap_or(0);
    }
    sizes
}

/// Bytes that an operation moves or expects, and the object as it is after it; `None` if the object is not there.
fn follow(state: &mut State, operation: &LoggedOperation) -> Option<u64> {
    match operation.step {
        Step::Put | Step::MultipartPut => {
            let bytes = operation.bytes.max(1);
            state.bytes = Some(bytes);
            state.bytes_max = state.bytes_max.max(bytes);
            Some(bytes)
        }
        Step::Get | Step::GetRange => {
            let left = state.bytes?.checked_sub(aligned(operation.offset)).filter(|left| *left > 0)?;
            Some(operation.bytes.clamp(1, left))
        }
        Step::Delete => state.bytes.take().map(|_| 0),
        Step::Stat => state.bytes,
        Step::List => None,
    }
}

const fn aligned(offset: u64) -> u64 {
    offset - offset % OFFSET_ALIGNMENT_BYTES
}

impl Recorded {
    fn add(&mut self, operation: &LoggedOperation) {
        self.length = self.length.max(operation.end);
        *self.steps.entry(operation.step).or_default() += 1;
        match operation.step {
            Step::Get | Step::GetRange => self.read_bytes += operation.bytes,
            Step::Put | Step::MultipartPut => self.written_bytes += operation.bytes,
            Step::List => self.names += u64::from(operation.names),
            Step::Stat | Step::Delete => {}
        }
    }

    /// The shares in whole percent: at least 1 of each that comes, and the rest of the most frequent one.
    fn mix(&self) -> Shares {
        let sum: u64 = self.steps.values().sum();
        let percent = |count: u64| (count * 100 / sum.max(1)).max(1);
        let mut shares: Vec<(&str, u64)> =
            self.steps.iter().map(|(step, count)| (step.name(), percent(*count))).collect();
        let all: u64 = shares.iter().map(|(_, percent)| percent).sum();
        if let Some((_, most)) = shares.iter_mut().max_by_key(|(_, percent)| *percent) {
            *most = *most + 100 - all;
        }
        let text: Vec<String> = shares.iter().map(|(name, percent)| format!("{name}/{percent}")).collect();
        Shares::parse(&text.join(":"), Step::NAMES).expect("whole percentages of steps that sum to 100")
    }
}
