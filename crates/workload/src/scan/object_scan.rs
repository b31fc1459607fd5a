//! One reader of objects: each whole, or in several ranges at a time.

use super::accelerator::Taken;
use super::queue::Piece;
use super::{BLOCK_LATENCY, FAMILIES, FILE_LATENCY, FileQueue, Parameters, Reader, Tally};
use driver::{Next, Recorder, Workload};
use model::{Completion, Nanos, ScanKind, ScanOp};
use std::sync::Arc;

/// The current object, or piece of one.
#[derive(Clone, Copy, Debug)]
struct Object {
    index: u32,
    /// Where what is read of it ends.
    end: u64,
    /// Bytes of one range.
    unit: u64,
    /// Where the next range begins.
    offset: u64,
    /// When its first range was requested.
    began: Nanos,
}

/// One reader in one pass.
#[derive(Clone, Debug)]
pub struct ObjectScan {
    parameters: Parameters,
    sizes: Arc<[u64]>,
    queue: Arc<FileQueue>,
    at: Option<Object>,
    free: Vec<u32>,
    in_flight_max: usize,
    /// Since when the next range has waited for the accelerator with nothing in flight.
    waiting_since: Option<Nanos>,
    taken: Taken,
    tally: Tally,
    /// By operation id: the number of requested bytes.
    asked: Vec<u32>,
}

impl ObjectScan {
    fn next_object(&mut self, now: Nanos) -> Option<Object> {
        loop {
            let Piece { file: index, begin, end } = self.queue.take()?;
            if begin == end {
                // An empty object needs no request.
                self.tally.files += 1;
                continue;
            }
            let unit = self.parameters.read_bytes(self.sizes[index as usize]);
            return Some(Object { index, end, unit, offset: begin, began: now });
        }
    }

    /// Asks for ranges. Returns when to go on, if more would be too far ahead of the accelerator. Waiting for it with
    /// nothing in flight is in no latency.
    fn ask(&mut self, mut object: Object, now: Nanos, out: &mut Vec<ScanOp>) -> Option<Nanos> {
        let mut later = None;
        while object.offset < object.end {
            let Some(id) = self.free.pop() else { break };
            let length = object.unit.min(object.end - object.offset) as u32;
            if let Err(at) = self.queue.start(&mut self.taken, now, u64::from(length)) {
                self.free.push(id);
                if self.free.len() == self.in_flight_max {
                    self.waiting_since.get_or_insert(now);
                }
                later = Some(at);
                break;
            }
            if let Some(since) = self.waiting_since.take() {
                object.began = object.began + now.since(since);
            }
            let offset = object.offset;
            self.asked[id as usize] = length;
            out.push(ScanOp { id, kind: ScanKind::Read, file: object.index, offset, length });
            object.offset += u64::from(length);
        }
        self.at = Some(object);
        later
    }
}

impl Reader for ObjectScan {
    fn new(parameters: &Parameters, sizes: &Arc<[u64]>, queue: &Arc<FileQueue>) -> Self {
        let in_flight_max = parameters.in_flight_max();
        Self {
            sizes: Arc::clone(sizes),
            queue: Arc::clone(queue),
            at: None,
            free: (0..in_flight_max).rev().collect(),
            in_flight_max: in_flight_max as usize,
            waiting_since: None,
            taken: Taken::default(),
            tally: Tally::default(),
            asked: vec![0; in_flight_max as usize],
            parameters: parameters.clone(),
        }
    }

    fn tally(&self) -> Tally {
        self.tally
    }
}

impl Workload for ObjectScan {
    type Op = ScanOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<ScanOp>) -> Next {
        if self.at.is_none() {
            self.at = self.next_object(now);
        }
        let Some(object) = self.at else { return Next::Done };
        self.ask(object, now, out).map_or(Next::Wait, Next::At)
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(BLOCK_LATENCY, completion.began(), completion.ended());
        self.free.push(completion.id);
        self.tally.blocks += 1;
        let bytes = u64::from(self.asked[completion.id as usize]);
        self.tally.bytes += bytes;
        self.queue.end(bytes, completion.ended());
        let Some(object) = self.at else { return };
        // A reader reads one object at a time: the next one starts when this one is complete.
        if object.offset >= object.end && self.free.len() == self.in_flight_max {
            self.tally.files += 1;
            recorder.latency(FILE_LATENCY, object.began, completion.ended());
            self.at = None;
        }
    }

    fn in_flight_max(&self) -> usize {
        self.in_flight_max
    }

    fn families(&self) -> &'static [&'static str] {
        FAMILIES
    }
}
