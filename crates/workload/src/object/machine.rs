//! One client's operations.

use super::levels::{ANY_INDEX, FAMILIES, FIRST_BYTE_INDEX, PAGE_INDEX, Step};
use super::log::{Entry, Journal, Replay, Script};
use super::moved::Moved;
use super::parameters::Parameters;
use super::size_classes::SizeClasses;
use super::sizes::ObjectSizes;
use super::written::{Named, Written};
use crate::arrivals::Arrivals;
use crate::mix::Mix;
use crate::popularity::{Chosen, Ranks, below};
use driver::{Next, Recorder, Workload};
use model::object::FAILED;
use model::{Completion, Nanos, ObjectKind, ObjectOp, ObjectTree};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::sync::Arc;

/// Ranges begin at multiples of this, as direct I/O needs it.
const RANGE_ALIGNMENT_BYTES: u64 = 4096;

/// A step of the mix that is under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    step: Step,
    /// Its submission; in an open loop, when it was due.
    began: Nanos,
    operation: ObjectOp,
    /// Bytes or names that have come.
    done: u64,
    /// Names that a list is to have, if it is one.
    names: u64,
    /// The submission of its first operation, and when that was complete.
    submitted: Nanos,
    first: Nanos,
}

/// One client, with several operations in flight. A get is two operations, until the first bytes and until the last
/// ones, and a list is one for each page; both count once. In an open loop the latency of a late operation counts from
/// when it was due.
#[derive(Clone, Debug)]
pub struct ObjectLoad {
    mix: Mix<Step>,
    /// The step that was drawn and could not start yet.
    drawn: Option<Step>,
    ranks: Ranks,
    sizes: ObjectSizes,
    tree: ObjectTree,
    written: Written,
    /// What is read instead of an object by popularity, from the end on.
    restored: Vec<Named>,
    range_bytes: u64,
    names_max: u32,
    /// What a delete is if there is nothing to delete.
    put: Step,
    operations_max: u64,
    runtime: Nanos,
    random: Xoshiro256PlusPlus,
    /// `None` in a closed loop.
    arrivals: Option<Arrivals>,
    /// The log that is repeated, in place of the mix and the arrivals.
    script: Option<Script>,
    journal: Journal,
    size_classes: SizeClasses,
    /// By operation id.
    under_way: Box<[Option<UnderWay>]>,
    free: Vec<u32>,
    /// Ids of steps that continue: their next operation is due.
    going_on: Vec<u32>,
    started: u64,
    moved: Moved,
    measured: Moved,
    failed: u64,
    unexpected: u64,
}

impl ObjectLoad {
    /// Client number `client`. The same seed gives the same operations; each client draws from its own stream.
    pub fn new(parameters: &Parameters, client: u32, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..client {
            random.long_jump();
        }
        let mut arrivals = random.clone();
        arrivals.jump();
        let operations_max = match parameters.operations_max {
            0 => u64::MAX,
            operations => parameters.stripe(client).count(operations),
        };
        let is_in_parts = parameters.has(|step| step == Step::MultipartPut);
        Self {
            mix: Mix::new(&parameters.mix, |name| {
                Step::from_name(name).filter(|step| parameters.performs(client, *step))
            }),
            drawn: None,
            ranks: Ranks::new(parameters.popularity, parameters.zipf_theta, parameters.objects),
            sizes: parameters.sizes(),
            tree: parameters.tree(),
            written: Written::new(parameters, client),
            restored: Vec::new(),
            range_bytes: parameters.range_size,
            names_max: parameters.list_page,
            put: if parameters.has(|step| step == Step::Put) || !is_in_parts {
                Step::Put
            } else {
                Step::MultipartPut
            },
            operations_max,
            runtime: parameters.runtime,
            random,
            arrivals: parameters.rate_ops.map(|rate| Arrivals::new(rate as f64, arrivals)),
            script: None,
            journal: Journal::with_room_for(parameters.stripe(client).count(parameters.log_operations)),
            size_classes: SizeClasses::new(parameters, &parameters.sizes()),
            under_way: vec![None; parameters.iodepth as usize].into(),
            free: (0..parameters.iodepth).rev().collect(),
            going_on: Vec::with_capacity(parameters.iodepth as usize),
            started: 0,
            moved: Moved::default(),
            measured: Moved::default(),
            failed: 0,
            unexpected: 0,
        }
    }

    /// A client that reads once what this one has put and not removed, the oldest first.
    #[must_use]
    pub fn restoring(&self, parameters: &Parameters) -> Self {
        let restored = self.written.there();
        Self {
            mix: Mix::only(Step::Get),
            operations_max: restored.len() as u64,
            runtime: Nanos::ZERO,
            arrivals: None,
            restored,
            ..Self::new(parameters, 0, 0)
        }
    }

    /// The same client with its part of a log in place of the mix.
    #[must_use]
    pub fn of_log(self, replay: &Arc<Replay>, parameters: &Parameters, client: u32) -> Self {
        let script = Script::new(replay, parameters, client);
        // The script ends behind the first operations of the log, not each client behind an equal share.
        Self { script: Some(script), operations_max: u64::MAX, size_classes: SizeClasses::of_log(), ..self }
    }

    /// What it did, as far as that is logged.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Its latencies by size.
    pub(super) fn size_classes(&self) -> &SizeClasses {
        &self.size_classes
    }

    /// What it moved.
    pub fn moved(&self) -> Moved {
        self.moved
    }

    /// The part of it that ended inside windows.
    pub fn measured(&self) -> Moved {
        self.measured
    }

    /// Operations that failed in the end.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Lists whose names are not as many as the dataset has there.
    pub fn unexpected(&self) -> u64 {
        self.unexpected
    }

    /// For an open loop, the number of operations that were due when the runtime ended and had not started.
    pub fn unserved(&self, runtime: Nanos) -> u64 {
        let left_max = self.operations_max - self.started;
        match &self.script {
            Some(script) => script.waiting_at(runtime).min(left_max),
            None => Arrivals::unserved(self.arrivals.as_ref(), runtime, left_max),
        }
    }

    fn is_over(&self, now: Nanos) -> bool {
        self.started >= self.operations_max
            || (self.runtime > Nanos::ZERO && now >= self.runtime)
            || self.script.as_ref().is_some_and(|script| script.due().is_none())
    }

    /// Whether operations are due at times of their own.
    fn is_open(&self) -> bool {
        self.script.is_some() || self.arrivals.is_some()
    }

    /// When the next operation is due in an open loop.
    #[inline]
    fn due(&self) -> Option<Nanos> {
        match &self.script {
            Some(script) => script.due(),
            None => self.arrivals.as_ref().map(Arrivals::next),
        }
    }

    fn take_due(&mut self) {
        if let Some(script) = &mut self.script {
            script.take();
        } else if let Some(arrivals) = &mut self.arrivals {
            arrivals.take();
        }
    }

    fn is_in_use(&self, object: u64) -> bool {
        self.under_way.iter().flatten().any(|other| other.operation.object == object)
    }

    /// An object that is there.
    #[inline]
    fn present(&mut self) -> Named {
        if let Some(named) = self.restored.pop() {
            return named;
        }
        match self.ranks.choose(self.written.count(), &mut self.random) {
            Chosen::Loaded(object) => Named { object, content: object },
            Chosen::Inserted(age) => self.written.newest(age).unwrap_or_else(|| self.of_dataset()),
        }
    }

    #[inline]
    fn of_dataset(&mut self) -> Named {
        match self.ranks.choose(0, &mut self.random) {
            Chosen::Loaded(object) | Chosen::Inserted(object) => Named { object, content: object },
        }
    }

    /// The operation that a step begins with; `None` if its object is in use.
    fn operation(&mut self, step: Step) -> Option<(Step, ObjectOp)> {
        let of = |kind, Named { object, content }, offset, length| {
            Some((step, ObjectOp { id: 0, kind, object, content, offset, length }))
        };
        match step {
            Step::Get | Step::Stat => {
                let named = self.present();
                let kind = if step == Step::Get { ObjectKind::Get } else { ObjectKind::Stat };
                of(kind, named, 0, self.sizes.of(named.content) as u32)
            }
            Step::GetRange => {
                let named = self.present();
                let bytes = self.sizes.of(named.content);
                let length = bytes.min(self.range_bytes);
                let places = (bytes - length) / RANGE_ALIGNMENT_BYTES + 1;
                let offset = below(places, &mut self.random) * RANGE_ALIGNMENT_BYTES;
                of(ObjectKind::Get, named, offset, length as u32)
            }
            Step::Put | Step::MultipartPut => {
                let named = self.written.next();
                if self.is_in_use(named.object) {
                    return None;
                }
                self.written.start();
                let kind = if step == Step::Put { ObjectKind::Put } else { ObjectKind::PutInParts };
                of(kind, named, 0, self.sizes.of(named.content) as u32)
            }
            Step::List => {
                let named = self.of_dataset();
                of(ObjectKind::List, named, 0, self.names_max)
            }
            Step::Delete => match self.written.oldest() {
                // The first deletes have nothing to take away.
                None => self.operation(self.put),
                Some(named) if self.is_in_use(named.object) => None,
                Some(named) => {
                    self.written.delete_oldest();
                    of(ObjectKind::Delete, named, 0, 0)
                }
            },
        }
    }

    /// The next step of the mix with the names that a list of it is to have, if it can start.
    fn draw(&mut self) -> Option<(Step, ObjectOp, u64)> {
        let drawn = self.drawn.take();
        let step = drawn.unwrap_or_else(|| self.mix.draw(&mut self.random));
        let next = self.operation(step);
        if next.is_none() {
            self.drawn = Some(step);
        }
        let (step, operation) = next?;
        let names = if step == Step::List { self.tree.in_folder_of(operation.object) } else { 0 };
        Some((step, operation, names))
    }

    /// Whether an operation of a log has to wait for another one on the same object: one of them changes it.
    fn is_in_conflict(&self, step: Step, object: u64) -> bool {
        let mut others = self.under_way.iter().flatten().filter(|other| other.operation.object == object);
        others.any(|other| step.changes() || other.step.changes())
    }

    /// Starts a step, if there is one that can start.
    fn start(&mut self, began: Nanos, out: &mut Vec<ObjectOp>) -> bool {
        let next = match &self.script {
            Some(script) => {
                script.next().filter(|(step, operation, _)| !self.is_in_conflict(*step, operation.object))
            }
            None => self.draw(),
        };
        let Some((step, operation, names)) = next else { return false };
        let Some(id) = self.free.pop() else { return false };
        let operation = ObjectOp { id, ..operation };
        let (submitted, first) = (Nanos::ZERO, Nanos::ZERO);
        self.under_way[id as usize] =
            Some(UnderWay { step, began, operation, done: 0, names, submitted, first });
        self.started += 1;
        out.push(operation);
        true
    }

    /// The rest of what a step is.
    fn go_on(&mut self, out: &mut Vec<ObjectOp>) {
        for id in self.going_on.drain(..) {
            let Some(UnderWay { operation, done, step, .. }) = self.under_way[id as usize] else { continue };
            out.push(match step {
                Step::List => ObjectOp { kind: ObjectKind::ListRest, ..operation },
                Step::Get | Step::GetRange | Step::Put | Step::MultipartPut | Step::Stat | Step::Delete => {
                    ObjectOp {
                        kind: ObjectKind::GetRest,
                        offset: operation.offset + done,
                        length: operation.length - done as u32,
                        ..operation
                    }
                }
            });
        }
    }

    fn count(&mut self, moved: Moved, is_measured: bool) {
        self.moved = self.moved.plus(moved);
        if is_measured {
            self.measured = self.measured.plus(moved);
        }
    }
}

impl Workload for ObjectLoad {
    type Op = ObjectOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<ObjectOp>) -> Next {
        self.go_on(out);
        while !self.free.is_empty() {
            if self.is_over(now) {
                return Next::Done;
            }
            // In an open loop what is due is taken only if it starts.
            match self.due() {
                None => {
                    if !self.start(now, out) {
                        return Next::Wait;
                    }
                }
                Some(due) if due <= now => {
                    if !self.start(due, out) {
                        return Next::Wait;
                    }
                    self.take_due();
                }
                Some(due) => {
                    let end = if self.runtime > Nanos::ZERO { self.runtime } else { Nanos(u64::MAX) };
                    return Next::At(due.min(end));
                }
            }
        }
        Next::Wait
    }

    fn complete_started(&mut self, _: Nanos, out: &mut Vec<ObjectOp>) -> Next {
        self.go_on(out);
        Next::Done
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let Some(mut at) = self.under_way[completion.id as usize] else { return };
        let ended = completion.ended();
        let is_measured = recorder.counts(ended);
        if !self.is_open() && at.done == 0 {
            // A backend may have made what it writes before it began.
            at.began = completion.began();
        }
        let has_failed = completion.result == FAILED;
        let moved = completion.result.max(0) as u64;
        let spent = ended.since(completion.began());
        let is_first = at.done == 0;
        if is_first {
            (at.submitted, at.first) = (completion.began(), ended);
        }
        at.done += moved;
        let mut is_going_on = false;
        if has_failed {
            self.failed += 1;
        } else {
            match at.step {
                Step::Get | Step::GetRange => {
                    if is_first {
                        recorder.latency(FIRST_BYTE_INDEX, at.began, ended);
                    }
                    is_going_on = at.done < u64::from(at.operation.length);
                    self.count(Moved { read_bytes: moved, reading: spent, ..Moved::default() }, is_measured);
                }
                Step::Put | Step::MultipartPut => {
                    self.count(
                        Moved { written_bytes: moved, writing: spent, ..Moved::default() },
                        is_measured,
                    );
                }
                Step::List => {
                    recorder.latency(PAGE_INDEX, completion.began(), ended);
                    // A page without a name is the last one.
                    is_going_on = moved > 0 && at.done < at.names;
                    self.count(Moved { names: moved, ..Moved::default() }, is_measured);
                    // The folders of a log's own objects had other names.
                    let is_unexpected = !is_going_on && at.done != at.names && self.script.is_none();
                    self.unexpected += u64::from(is_unexpected);
                }
                Step::Stat | Step::Delete => {}
            }
        }
        if is_going_on {
            self.under_way[completion.id as usize] = Some(at);
            self.going_on.push(completion.id);
            return;
        }
        if at.step.writes() {
            self.written.end(at.operation.content, has_failed);
        }
        self.journal.add(|| entry(&at, ended, has_failed));
        if !has_failed {
            recorder.latency(ANY_INDEX, at.began, ended);
            recorder.latency(at.step.index(), at.began, ended);
            if recorder.measures(at.began) {
                self.size_classes.add(at.step, u64::from(at.operation.length), ended.since(at.began));
            }
        }
        self.under_way[completion.id as usize] = None;
        self.free.push(completion.id);
    }

    fn in_flight_max(&self) -> usize {
        self.under_way.len()
    }

    fn families(&self) -> &'static [&'static str] {
        FAMILIES
    }
}

/// An operation as its log has it.
fn entry(at: &UnderWay, ended: Nanos, has_failed: bool) -> Entry {
    let is_list = at.step == Step::List;
    Entry {
        start: at.submitted,
        first_byte: if at.step.reads() { at.first } else { ended },
        end: ended,
        step: at.step,
        object: at.operation.object,
        offset: at.operation.offset,
        bytes: if is_list { 0 } else { at.operation.length },
        names: if is_list { at.done as u32 } else { 0 },
        has_failed,
    }
}
