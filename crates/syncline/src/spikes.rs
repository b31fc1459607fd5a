//! What captures spikes while a traced trial is measured: the crate `observe` looks at every file of the disk
//! meanwhile, those of the trial and those of everybody else.
//!
//! **A thread of its own takes the events**, so that files and processes are looked up while they are there. Memory is
//! that of a [`Stream`] and an [`Observer`], which are bounded.

use crate::tracing::{self, KernelTracing};
use disk::kernel::block_device::BlockDevice;
use lab::traced::Tracing;
use model::FORMAT_VERSION;
use model::mechanism::Measured;
use model::spikes::{FileOperation, OtherWriter, Spike, SpikesOfRecording};
use model::traced::{SegmentTime, Stamps, TracedPhase};
use observe::{Class, Machine, Observation, Observer, Part, System, Target, Writer};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use trace::now_ns;
use trace::stream::{Recorded, Stream, StreamLimits};

/// How long the end of a recording may wait.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Which operations are captured.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// From this length on.
    pub(crate) threshold: Duration,
    target: Target,
}

impl Wanted {
    /// Operations on the disk below a directory; on the files below it if the disk is not known.
    ///
    /// # Errors
    /// Why none can be captured here, and what would permit it.
    pub(crate) fn on(
        disk: &Measured<BlockDevice>,
        directory: &Path,
        threshold: Duration,
    ) -> Result<Self, String> {
        let machine = Machine::default();
        machine.require_own_processes().map_err(|why| why.to_string())?;
        let of_disk = disk.value().and_then(|disk| machine.device(&disk.name).ok());
        let target = of_disk.map_or_else(|| machine.directory(directory), Ok);
        let wanted = Self { threshold, target: target.map_err(|why| why.to_string())? };
        if let Some(why) = tracing::unsupported() {
            return Err(why);
        }
        // What a probe records beside it, for a moment.
        Recording::start(&wanted).map(|recording| drop(recording.end()))?;
        Ok(wanted)
    }
}

/// The kernel's tracepoints of the trial, and the spikes of the disk.
#[derive(Debug)]
pub(crate) struct SpikeTracing {
    wanted: Wanted,
    kernel: KernelTracing,
    recording: Option<Recording>,
    recorded: Vec<SpikesOfRecording>,
}

impl SpikeTracing {
    pub(crate) fn new(wanted: Wanted) -> Self {
        Self { wanted, kernel: KernelTracing::default(), recording: None, recorded: Vec::new() }
    }

    /// The spikes of every recording that has ended, in their order.
    pub(crate) fn into_recorded(self) -> Vec<SpikesOfRecording> {
        self.recorded
    }
}

impl Tracing for SpikeTracing {
    fn start(&mut self, measured_cpu: Option<usize>) -> Result<(), String> {
        let recording = Recording::start(&self.wanted)?;
        self.kernel.start(measured_cpu)?;
        self.recording = Some(recording);
        Ok(())
    }

    fn stop(&mut self, phase: &str) {
        self.kernel.stop(phase);
        self.recorded.extend(self.recording.take().map(Recording::end));
    }

    fn lay_out(&mut self, stamps: &[Stamps]) -> Vec<TracedPhase> {
        self.kernel.lay_out(stamps)
    }
}

/// A recording that is on. Dropping it ends it.
#[derive(Debug)]
struct Recording {
    ends: Ends,
    thread: JoinHandle<SpikesOfRecording>,
}

/// Raises the flag when it is dropped.
#[derive(Debug)]
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Recording {
    fn start(wanted: &Wanted) -> Result<Self, String> {
        // The cause of a spike needs the events of every operation.
        let limits = StreamLimits { recorded: Recorded::Always, ..StreamLimits::default() };
        let stream = Stream::start(limits).map_err(|why| why.to_string())?;
        let ends = Ends(Arc::new(AtomicBool::new(false)));
        let (asked, wanted) = (Arc::clone(&ends.0), wanted.clone());
        let thread = thread::Builder::new().name("spikes".to_owned());
        let thread = thread.spawn(move || observe(stream, wanted, &asked)).map_err(|why| why.to_string())?;
        Ok(Self { ends, thread })
    }

    fn end(self) -> SpikesOfRecording {
        let Self { ends, thread } = self;
        drop(ends);
        thread.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked))
    }
}

/// Observes until it is to end.
fn observe(stream: Stream, wanted: Wanted, ends: &AtomicBool) -> SpikesOfRecording {
    let machine = Machine::default();
    let started_at = lab::host::now();
    let threads = stream.kernel_threads().clone();
    let Wanted { threshold, target } = wanted;
    let threshold_ns = u64::try_from(threshold.as_nanos()).unwrap_or(u64::MAX);
    let mut observer = Observer::new(target, &machine, threads, now_ns(), Some(threshold_ns));
    while !ends.load(Ordering::Acquire) {
        if let Some(batch) = stream.next(LOOK_EVERY) {
            observer.take(&batch);
        }
    }
    stream.stop().iter().for_each(|batch| observer.take(batch));
    let Observation { duration_s, spikes, not_seen, .. } = observer.finish(Vec::new());
    let (seen, slowest) = spikes.map_or((0, Vec::new()), |spikes| (spikes.seen, spikes.slowest));
    SpikesOfRecording {
        format_version: FORMAT_VERSION,
        started_at,
        recorded_s: duration_s,
        threshold_us: threshold.as_secs_f64() * 1e6,
        lost_records: not_seen.lost_records,
        seen,
        slowest: slowest.into_iter().map(|spike| recorded(spike, &machine)).collect(),
    }
}

/// A spike as it is recorded. The processes of the trial are children of this one.
fn recorded(spike: observe::Spike, machine: &Machine) -> Spike {
    let time = |part: &Part| SegmentTime {
        segment: part.segment,
        duration_ns: (part.mean_us * 1000.0).round() as u64,
    };
    let other =
        |writer: Writer| OtherWriter { program: writer.name, requests: writer.requests, bytes: writer.bytes };
    Spike {
        at_s: spike.at_s,
        operation: match spike.class {
            Class::Read => FileOperation::Read,
            Class::Write => FileOperation::Write,
            Class::Sync => FileOperation::Sync,
        },
        program: spike.name,
        of_trial: machine.parent(spike.process) == Some(std::process::id()),
        path: spike.path,
        bytes: spike.bytes,
        latency_us: spike.latency_us,
        segments: spike.parts.iter().map(time).collect(),
        others: spike.others.into_iter().map(other).collect(),
    }
}
