//! What records the kernel's tracepoints while a traced trial is measured: the crate `trace`, as the lab asks for it.

use lab::traced::Tracing;
use model::traced::{Stamps, TracedPhase};
use trace::{Limits, Trace, Tracer, summary};

/// The kernel's tracepoints.
#[derive(Debug, Default)]
pub(crate) struct KernelTracing {
    recording: Option<Tracer>,
    /// Recordings that have ended, with the name of their phase.
    recorded: Vec<(String, Trace)>,
}

impl Tracing for KernelTracing {
    fn start(&mut self, measured_cpu: Option<usize>) -> Result<(), String> {
        let tracer = Tracer::start(Limits { measured_cpu, ..Limits::default() });
        self.recording = Some(tracer.map_err(|why| why.to_string())?);
        Ok(())
    }

    fn stop(&mut self, phase: &str) {
        self.recorded.extend(self.recording.take().map(|tracer| (phase.to_owned(), tracer.stop())));
    }

    fn lay_out(&mut self, stamps: &[Stamps]) -> Vec<TracedPhase> {
        let recorded = std::mem::take(&mut self.recorded);
        recorded.iter().map(|(phase, trace)| summary::phase(phase, trace, stamps)).collect()
    }
}

/// Why nothing can be traced here, and what would permit it.
pub(crate) fn unsupported() -> Option<String> {
    // The smallest rings: nothing is kept.
    let limits = Limits { ring_pages: 1, events_max: 0, ..Limits::default() };
    Tracer::start(limits).err().map(|why| why.to_string())
}
