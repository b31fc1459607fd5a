//! A team of workloads on one key-value engine that its threads share; the kernel's counters are read before and after.

use crate::cache;
use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::Store;
use crate::team::{Ran, Team};
use driver::{DriveError, Driver, MonotonicClock, Workload};
use engine::{AnyEngine, Blocking, EngineKind, OperationFailed, Options};
use model::KvOp;
use model::mechanism::Measured;
use std::error::Error;

/// What all members share.
pub(crate) struct EngineTeam<'a> {
    /// The device whose counters are read.
    pub(crate) site: &'a Site,
    /// Where the engine's files are.
    pub(crate) store: &'a Store,
    /// The engine that performs the operations.
    pub(crate) engine: &'a AnyEngine,
    /// The bytes that puts take their values from.
    pub(crate) payload: &'a [u8],
    /// The first member's CPU; the others take the following ones.
    pub(crate) first_cpu: Option<usize>,
    /// The parameter to lower when the disk is full.
    pub(crate) size_parameter: &'static str,
    /// The phase that takes turns, and the line by which the lab orders them; `None` if the team runs alone.
    pub(crate) turns: Option<(&'a TurnChannel, &'a str)>,
}

impl EngineTeam<'_> {
    /// Drives the workloads to their end, each in its own thread.
    pub(crate) fn run<W>(&self, workloads: Vec<W>) -> Result<Ran<W>, Refusal>
    where
        W: Workload<Op = KvOp> + Send,
    {
        let clock = MonotonicClock::start();
        let in_flight_max = workloads.iter().map(W::in_flight_max).max().unwrap_or(1);
        let pages = || cache::pages_of_store(self.store.directory());
        let team = Team {
            site: self.site,
            device: self.site.device(),
            first_cpu: self.first_cpu,
            clock,
            pages,
            server: None,
            turns: self.turns,
        };
        let backend = |_| Ok((Blocking::new(self.engine, self.payload, clock, in_flight_max)?, Vec::new()));
        team.run(workloads, backend).map_err(|error| self.explain(&error))
    }

    /// The engine's own error, with the remedy.
    fn explain(&self, error: &DriveError) -> Refusal {
        let (DriveError::Operation { source, .. } | DriveError::Backend(source)) = error;
        match source.get_ref().and_then(|inner| inner.downcast_ref::<OperationFailed>()) {
            Some(failed) => self.store.refuse(&failed.source, failed.to_string(), self.size_parameter),
            None => Refusal::Failed(error.to_string()),
        }
    }
}

/// The overhead in nanoseconds per operation of workload, driver and histograms, on an engine that does nothing. The
/// workload must end by itself.
pub(crate) fn overhead<W>(workload: W, payload: &[u8]) -> Measured<f64>
where
    W: Workload<Op = KvOp>,
{
    let clock = MonotonicClock::start();
    let in_flight_max = workload.in_flight_max();
    let driven = || -> Result<f64, Box<dyn Error>> {
        // The engine that does nothing needs no directory.
        let engine = EngineKind::Noop.open(&Options::new(""))?;
        let backend = Blocking::new(&engine, payload, clock, in_flight_max)?;
        let driven = Driver::new(workload, backend, clock).run()?;
        Ok(driven.ns_per_operation())
    };
    driven().into()
}
