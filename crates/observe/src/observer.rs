//! From events to operations and their sums.

mod result;
mod syncs;

use crate::class::Class;
use crate::descriptors::{Descriptors, Is, UNNAMED};
use crate::device::Disks;
use crate::explained::{Explained, Finished};
use crate::files::{FileId, Files, OTHERS};
use crate::layout::Role;
use crate::observation::NotSeen;
use crate::order::Order;
use crate::progress::{ClassProgress, Progress};
use crate::scope::Scope;
use crate::spikes::Spikes;
use crate::synced::Synced;
use crate::system::{DiskCounters, System};
use crate::tally::Tally;
use crate::target::Target;
use crate::timeline::Timeline;
use crate::windows::{Counted, Seen, Windows};
use std::collections::{BTreeMap, HashMap, HashSet};
use trace::stream::{Batch, FileCall, FileEvent, FileEventKind, FileRequest, StreamEvent};
use trace::{Device, KernelThreads};

/// How often operations that have ended are laid out.
const LAY_EVERY_NS: u64 = 1_000_000_000;
/// Calls and requests that have begun and not ended.
const IN_FLIGHT_MAX: usize = 1 << 16;
/// Processes that are counted.
const PROCESSES_MAX: usize = 1 << 16;

/// An operation that has begun.
#[derive(Clone, Copy, Debug)]
struct Begun {
    call: FileCall,
    process: u32,
    /// `None` of a request of a ring, until its file is known.
    descriptor: Option<u32>,
    file: FileId,
    offset: Option<u64>,
    durable: bool,
    /// As events have it; `None` of a request of a ring, which no thread waits in.
    thread: Option<u32>,
    from_ns: u64,
    /// Whether it is counted among those in flight.
    is_counted: bool,
    seen: Seen,
}

impl Begun {
    const fn call(event: &FileEvent, request: FileRequest, file: FileId) -> Self {
        let FileRequest { call, descriptor, offset, durable } = request;
        Self {
            call,
            process: event.process,
            descriptor: Some(descriptor),
            file,
            offset,
            durable,
            thread: Some(event.thread),
            from_ns: event.time_ns,
            is_counted: true,
            seen: Seen::InWindows,
        }
    }
}

/// What was written between syncs, summed.
#[derive(Debug, Default)]
struct Between {
    syncs: u64,
    bytes: u64,
    writes: u64,
}

impl Between {
    fn mean(&self, sum: u64) -> Option<f64> {
        (self.syncs > 0).then(|| sum as f64 / self.syncs as f64)
    }
}

/// Makes an observation of events.
pub struct Observer<'a> {
    system: &'a dyn System,
    scope: Scope,
    descriptors: Descriptors,
    files: Files,
    disks: Disks,
    explained: Explained,
    spikes: Option<Spikes>,
    tallies: BTreeMap<Class, Tally>,
    timeline: Timeline,
    /// By whether the file is a log.
    streams: BTreeMap<(Class, bool), (Tally, u64)>,
    calls: HashMap<u32, Begun>,
    ring_requests: HashMap<u64, Begun>,
    processes: HashSet<u32>,
    synced: Synced,
    windows: Windows,
    /// What the disks had done at the beginning.
    counters: BTreeMap<Device, DiskCounters>,
    /// When each descriptor was closed last in the batch: before that it was another file than it is now.
    closes: HashMap<(u32, u32), u64>,
    between: Between,
    between_logs: Between,
    durable_writes: Counted,
    not_seen: NotSeen,
    begun_ns: u64,
    until_ns: u64,
    laid_ns: u64,
}

impl<'a> Observer<'a> {
    /// An observer of what happens from a time on (`CLOCK_MONOTONIC`, nanoseconds). Operations that last as long as
    /// `spike_ns` are kept with their causes.
    pub fn new(
        target: Target,
        system: &'a dyn System,
        kernel_threads: KernelThreads,
        begun_ns: u64,
        spike_ns: Option<u64>,
    ) -> Self {
        Self {
            system,
            scope: Scope::new(target),
            descriptors: Descriptors::default(),
            files: Files::default(),
            disks: Disks::default(),
            explained: Explained::new(kernel_threads, spike_ns),
            spikes: spike_ns.map(Spikes::new),
            tallies: Class::ALL.into_iter().map(|class| (class, Tally::default())).collect(),
            timeline: Timeline::new(begun_ns),
            streams: BTreeMap::new(),
            calls: HashMap::new(),
            ring_requests: HashMap::new(),
            processes: HashSet::new(),
            synced: Synced::default(),
            windows: Windows::new(begun_ns),
            counters: system.disk_counters(),
            closes: HashMap::new(),
            between: Between::default(),
            between_logs: Between::default(),
            durable_writes: Counted::default(),
            not_seen: NotSeen::default(),
            begun_ns,
            until_ns: begun_ns,
            laid_ns: begun_ns,
        }
    }

    /// Takes the next events.
    pub fn take(&mut self, batch: &Batch) {
        if let Some(until_ns) = batch.left_out_until_ns {
            self.explained.leave_out(until_ns);
        }
        self.closes = closes(&batch.events);
        for event in &batch.events {
            match event {
                StreamEvent::Window { time_ns, opens: true } => self.open(*time_ns),
                StreamEvent::Window { time_ns, opens: false } => self.close(*time_ns),
                _ if event.time_ns() < self.begun_ns => {}
                StreamEvent::Traced(event) if self.windows.is_open() => {
                    self.disks.take(event);
                    self.explained.take(*event, self.system);
                }
                // While a window opens or closes, some of its events are missing.
                StreamEvent::Traced(_) => {}
                StreamEvent::File(event) => self.take_file(event),
            }
        }
        self.not_seen.lost_records += batch.lost;
        self.until_ns = self.until_ns.max(batch.until_ns);
        if self.until_ns.saturating_sub(self.laid_ns) >= LAY_EVERY_NS {
            self.lay();
        }
    }

    /// A window begins: what files and descriptors were is not known any more.
    fn open(&mut self, time_ns: u64) {
        self.close(time_ns);
        self.windows.open(time_ns);
        self.descriptors = Descriptors::default();
        self.files.begin_anew();
        self.synced.begin_anew();
        self.explained.resume(time_ns);
    }

    /// A window ends: when what is in flight is done will not be seen.
    fn close(&mut self, time_ns: u64) {
        let time_ns = time_ns.max(self.begun_ns);
        let Some(since_ns) = self.windows.open_since_ns() else { return };
        self.windows.close(time_ns);
        self.timeline.see(since_ns, time_ns);
        let ended: Vec<Begun> =
            self.calls.extract_if(|_, begun| begun.seen == Seen::InWindows).map(|of| of.1).collect();
        let requests: Vec<Begun> = self.ring_requests.drain().map(|of| of.1).collect();
        for begun in ended.into_iter().chain(requests) {
            self.abandon(begun, time_ns);
        }
        self.disks.close(time_ns);
        self.until_ns = self.until_ns.max(time_ns);
        self.explained.pause(time_ns);
        self.lay();
    }

    /// How far it is. It sums the latencies up: once a second is often enough.
    pub fn progress(&self) -> Progress {
        let times = self.windows.times(self.until_ns);
        let of_class = |class: Class| {
            let tally = &self.tallies[&class];
            ClassProgress {
                class,
                seen_s: times.of(self.seen(class)) as f64 / 1e9,
                operations: tally.operations.sum(),
                bytes: tally.bytes.sum(),
                in_flight: tally.in_flight(),
                latency: tally.latencies.figures(),
                spikes: self.spikes.as_ref().map(|spikes| spikes.seen_of(class)),
            }
        };
        Progress {
            duration_s: times.whole_ns as f64 / 1e9,
            recorded_share: times.share(),
            classes: Class::ALL.map(of_class),
            processes: self.processes.len(),
            lost_records: self.not_seen.lost_records,
        }
    }

    /// When the operations of a class are seen. Syncs are always, unless a file system does not report them.
    fn seen(&self, class: Class) -> Seen {
        let is_reported = class == Class::Sync && !self.tallies[&class].operations.has_windows();
        if is_reported { Seen::Always } else { Seen::InWindows }
    }

    fn take_file(&mut self, event: &FileEvent) {
        let FileEvent { time_ns, process, thread, kind } = *event;
        match kind {
            FileEventKind::SyncBegins { device, inode } => self.sync_begins(event, device, inode),
            FileEventKind::SyncEnds { result } => self.sync_ends(event, result),
            FileEventKind::Forks { child } => self.scope.forks(process, child),
            FileEventKind::ThreadEnds { is_main } => {
                if let Some(begun) = self.calls.remove(&thread) {
                    self.abandon(begun, time_ns);
                }
                if is_main {
                    self.descriptors.forget_process(process);
                    self.scope.ends(process);
                }
            }
            // While a window opens or closes, some of its events are missing.
            _ if !self.windows.is_open() => {}
            FileEventKind::Begins(request) => self.begin(event, request),
            FileEventKind::Ends { call, result } => self.end(event, call, result),
            FileEventKind::RingTakes { request, call, durable } => {
                if self.scope.has_process(process, self.system) {
                    let is_counted = self.scope.has_unnamed_files();
                    let begun = Begun {
                        call,
                        process,
                        descriptor: None,
                        file: UNNAMED,
                        offset: None,
                        durable,
                        thread: None,
                        from_ns: time_ns,
                        is_counted,
                        seen: Seen::InWindows,
                    };
                    self.ring_requests_begin(request, begun);
                }
            }
            FileEventKind::RingFile { request, descriptor } => self.ring_file(request, descriptor, time_ns),
            FileEventKind::RingCompletes { request, result } => {
                if let Some(begun) = self.ring_requests.remove(&request) {
                    self.complete(begun, result, time_ns);
                }
            }
            FileEventKind::Submits { requests } => {
                if self.scope.has_unnamed_files() && self.scope.has_process(process, self.system) {
                    self.not_seen.submitted_requests += requests;
                }
            }
        }
    }

    fn begin(&mut self, event: &FileEvent, request: FileRequest) {
        let FileEvent { time_ns, process, thread, kind: _ } = *event;
        let FileRequest { call, descriptor, offset, durable } = request;
        if process == 0 && !self.scope.has_unnamed_files() && Class::of(call).is_some() {
            self.not_seen.outside_calls += 1;
        }
        if !self.scope.has_process(process, self.system) {
            return;
        }
        let Some(class) = Class::of(call) else {
            if call == FileCall::Close {
                self.descriptors.forget((process, descriptor));
            } else if call == FileCall::Seek {
                let begun = Begun::call(event, request, UNNAMED);
                self.call_begins(thread, Begun { is_counted: false, ..begun });
            }
            return;
        };
        let of = (process, descriptor);
        let file = match self.find(of, time_ns) {
            Is::File(file) => file,
            Is::Other => return,
            // Sockets and pipes have no places and no syncs.
            Is::Gone if self.scope.has_unnamed_files() && (offset.is_some() || class == Class::Sync) => {
                UNNAMED
            }
            Is::Gone => {
                self.not_seen.unnamed_calls += 1;
                return;
            }
        };
        let durable = durable || self.descriptors.is_durable(of);
        let begun = Begun { durable, ..Begun::call(event, request, file) };
        self.rise(begun, time_ns);
        self.call_begins(thread, begun);
    }

    fn call_begins(&mut self, thread: u32, begun: Begun) {
        if self.calls.len() >= IN_FLIGHT_MAX {
            self.calls.clear();
        }
        // Its end was lost.
        if let Some(before) = self.calls.insert(thread, begun) {
            self.abandon(before, begun.from_ns);
        }
    }

    /// What a descriptor was at a time, if it still is.
    fn find(&mut self, of: (u32, u32), time_ns: u64) -> Is {
        let is_closed = self.closes.get(&of).is_some_and(|closed_ns| *closed_ns >= time_ns);
        match self.descriptors.known(of) {
            Some(known) => known,
            None if is_closed => Is::Gone,
            None => self.descriptors.look_up(of, &self.scope, &mut self.files, self.system),
        }
    }

    fn end(&mut self, event: &FileEvent, call: FileCall, result: i64) {
        let FileEvent { time_ns, process, thread, kind: _ } = *event;
        if call == FileCall::Open {
            if let Ok(descriptor) = u32::try_from(result) {
                self.descriptors.forget((process, descriptor));
            }
            return;
        }
        let Some(begun) = self.calls.remove(&thread) else { return };
        if begun.call != call {
            self.abandon(begun, time_ns);
        } else if call == FileCall::Seek {
            if let (Some(descriptor), Ok(position)) = (begun.descriptor, u64::try_from(result)) {
                self.descriptors.seek((begun.process, descriptor), position);
            }
        } else {
            self.complete(begun, result, time_ns);
        }
    }

    fn ring_requests_begin(&mut self, request: u64, begun: Begun) {
        if begun.is_counted {
            self.rise(begun, begun.from_ns);
        }
        if self.ring_requests.len() >= IN_FLIGHT_MAX {
            self.ring_requests.clear();
        }
        if let Some(before) = self.ring_requests.insert(request, begun) {
            self.abandon(before, begun.from_ns);
        }
    }

    fn ring_file(&mut self, request: u64, descriptor: u32, time_ns: u64) {
        let Some(mut begun) = self.ring_requests.remove(&request) else { return };
        let of = (begun.process, descriptor);
        match self.find(of, time_ns) {
            Is::File(file) => {
                begun.file = file;
                begun.descriptor = Some(descriptor);
                begun.durable |= self.descriptors.is_durable(of);
                if !begun.is_counted {
                    begun.is_counted = true;
                    self.rise(begun, begun.from_ns.max(time_ns));
                }
                self.ring_requests.insert(request, begun);
            }
            Is::Other => self.abandon(begun, time_ns),
            Is::Gone if begun.is_counted => {
                self.ring_requests.insert(request, begun);
            }
            Is::Gone => {}
        }
    }

    /// It is one more in flight.
    fn rise(&mut self, begun: Begun, time_ns: u64) {
        if let Some(class) = Class::of(begun.call) {
            self.tally(class).gauge(begun.seen).rise(time_ns);
        }
    }

    /// It is not an operation of the target, or its end was not seen.
    fn abandon(&mut self, begun: Begun, time_ns: u64) {
        if begun.is_counted
            && let Some(class) = Class::of(begun.call)
        {
            self.tally(class).gauge(begun.seen).fall(time_ns);
        }
    }

    fn complete(&mut self, begun: Begun, result: i64, time_ns: u64) {
        let Some(class) = Class::of(begun.call) else { return };
        self.abandon(begun, time_ns);
        // The file system reports that a ring syncs a file of it, too.
        let is_reported =
            begun.thread.is_none() && class == Class::Sync && self.files.is_reported(begun.file);
        if !begun.is_counted || is_reported {
            return;
        }
        let Ok(bytes) = u64::try_from(result) else {
            self.tally(class).failed += 1;
            return;
        };
        if bytes == 0 && class != Class::Sync {
            // The end of the file.
            return;
        }
        let bytes = if class == Class::Sync { 0 } else { bytes };
        let of = begun.descriptor.map(|descriptor| (begun.process, descriptor));
        // A request of a ring does not say where in the file it is.
        let order = match (of, begun.thread) {
            (Some(of), Some(_)) if class != Class::Sync => {
                let from = self.descriptors.begin(of, class, begun.offset, bytes);
                self.files.order(begun.file, class, from, bytes)
            }
            _ => Order::First,
        };
        let latency_ns = time_ns.saturating_sub(begun.from_ns);
        let seen = begun.seen;
        self.tally(class).add(seen, bytes, order, latency_ns);
        self.timeline.add(class, seen, time_ns, bytes);
        if self.windows.is_open() {
            self.windows.count(class);
        }
        let is_log = self.files.role(begun.file) == Role::Log;
        let (stream, direct) = self.streams.entry((class, is_log)).or_default();
        stream.add(seen, bytes, order, latency_ns);
        *direct += u64::from(self.files.is_direct(begun.file));
        if self.processes.len() < PROCESSES_MAX {
            self.processes.insert(begun.process);
        }
        if begun.file == OTHERS {
            self.not_seen.operations_on_other_files += 1;
        }
        self.files.add(begun.file, class, seen, bytes);
        // Outside windows nothing shows what was written before it.
        if class == Class::Sync && self.windows.is_open() {
            self.sync(begun.file);
        }
        if class == Class::Write && begun.durable {
            self.durable_writes.add(seen, 1);
        }
        self.explained.finish(Finished {
            class,
            process: begun.process,
            thread: begun.thread,
            file: begun.file,
            bytes,
            from_ns: begun.from_ns,
            to_ns: time_ns,
        });
    }

    fn sync(&mut self, file: FileId) {
        let Some(since) = self.files.sync(file) else { return };
        let add = |to: &mut Between| {
            to.syncs += 1;
            to.bytes += since.bytes;
            to.writes += since.writes;
        };
        add(&mut self.between);
        if self.files.role(file) == Role::Log {
            add(&mut self.between_logs);
        }
    }

    fn tally(&mut self, class: Class) -> &mut Tally {
        self.tallies.entry(class).or_default()
    }

    fn lay(&mut self) {
        let oldest_ns = self.calls.values().map(|begun| begun.from_ns).min().unwrap_or(u64::MAX);
        let (spikes, files) = (&mut self.spikes, &self.files);
        self.explained.lay(oldest_ns.min(self.until_ns), |finished, way, trace| {
            if let Some(spikes) = spikes {
                spikes.take((finished, way), files.path(finished.file), self.begun_ns, trace, self.system);
            }
        });
        self.laid_ns = self.until_ns;
    }

    /// The target as a reader has it.
    pub fn target(&self) -> String {
        match self.scope.target() {
            Target::Process(process) => match self.system.name(*process) {
                Some(name) => format!("process {process} ({name})"),
                None => format!("process {process}"),
            },
            Target::Unit(unit) => format!("unit {unit}"),
            Target::Directory(path) => format!("files below {}", path.display()),
            Target::Device(disk) => format!("files on {}", disk.name),
        }
    }
}

/// When each descriptor was closed last.
fn closes(events: &[StreamEvent]) -> HashMap<(u32, u32), u64> {
    let closed =
        |event: &StreamEvent| match event {
            StreamEvent::File(FileEvent {
                time_ns, process, kind: FileEventKind::Begins(request), ..
            }) if request.call == FileCall::Close => Some(((*process, request.descriptor), *time_ns)),
            StreamEvent::File(_) | StreamEvent::Traced(_) | StreamEvent::Window { .. } => None,
        };
    events.iter().filter_map(closed).collect()
}

#[cfg(test)]
mod tests;
