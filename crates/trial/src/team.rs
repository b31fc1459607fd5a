//! A team of workloads, one thread and one backend each; the kernel's counters are read before and after.

use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::stretches::Stretches;
use crate::turns::{DrivenServer, PhaseTurns, TurnsOfPhase};
use disk::counters::{Collected, Snapshot, run_queue};
use disk::kernel::block_device::BlockDevice;
use disk::kernel::scheduling::pin_team_member;
use driver::{Backend, DriveError, Driven, MonotonicClock, Turns, Workload, run_team};
use model::mechanism::{Measured, Mechanism, PageCache};
use model::sidecar::Sidecar;
use model::trial::Phase;
use model::{BufferMemory, Nanos, Operation};
use std::collections::BTreeMap;
use std::io;

/// How long a workload runs on a backend that does nothing, to measure the overhead of the instrument.
pub(crate) const OVERHEAD_RUNTIME: Nanos = Nanos::from_millis(10);

/// What a team did, and what the kernel counted meanwhile.
pub(crate) struct Ran<W> {
    pub(crate) team: Driven<Vec<W>>,
    /// Counters over the whole window.
    pub(crate) mechanism: Mechanism,
    /// What the backends had to do differently, each once.
    pub(crate) notes: Vec<String>,
    /// The memory of the members' buffers, if they are Syncline's.
    pub(crate) buffers: Option<Measured<BufferMemory>>,
    /// The turns that it took, if it did; its counters are those of the turns.
    pub(crate) turns: Option<TurnsOfPhase>,
}

impl<W> Ran<W> {
    /// The record of what it did as a phase of this name.
    pub(crate) fn phase(
        &self,
        name: &str,
        operations: u64,
        metrics: BTreeMap<String, Measured<f64>>,
    ) -> Phase {
        let duration_s = self.team.elapsed().seconds();
        let phase = Phase::new(name.to_owned(), duration_s, operations, metrics, self.mechanism.clone());
        Phase { turns: self.turns.as_ref().map(|(turns, _)| turns.clone()), ..phase }
    }

    /// The histograms, the series and the turns of this phase.
    pub(crate) fn sidecar(&self, name: &str) -> Result<Sidecar, Refusal> {
        let mut sidecar = self.team.recorder.sidecar().map_err(Refusal::failed)?;
        sidecar.slices.extend(self.turns.as_ref().map(|(_, slices)| (name.to_owned(), slices.clone())));
        Ok(sidecar)
    }
}

/// What every team has, whatever its backend.
pub(crate) struct Team<'a, P> {
    /// Where the files are.
    pub(crate) site: &'a Site,
    /// The device whose counters are read.
    pub(crate) device: &'a Measured<BlockDevice>,
    /// The first member's CPU; the others take the following ones.
    pub(crate) first_cpu: Option<usize>,
    /// Shared by all members.
    pub(crate) clock: MonotonicClock,
    /// The pages of the trial's files, counted when the window has ended.
    pub(crate) pages: P,
    /// The server that the members drive, if it is one with processes of its own.
    pub(crate) server: Option<&'a dyn DrivenServer>,
    /// The phase that takes turns, and the line by which the lab orders them; `None` if the team runs alone.
    pub(crate) turns: Option<(&'a TurnChannel, &'a str)>,
}

/// What a member of the team keeps from its start to its end.
struct Kept {
    run_queue_delay_s: Measured<f64>,
    notes: Vec<String>,
}

impl<P: Fn() -> Measured<PageCache> + Sync> Team<'_, P> {
    /// Drives one workload per member to its end. `backend` creates a member's backend, with its notes, on the member's
    /// own thread.
    pub(crate) fn run<W, B>(
        &self,
        workloads: Vec<W>,
        backend: impl Fn(usize) -> io::Result<(B, Vec<String>)> + Sync,
    ) -> Result<Ran<W>, DriveError>
    where
        W: Workload<Op: Operation> + Send,
        B: Backend<Op = W::Op>,
    {
        let first_cpu = self.first_cpu.filter(|_| workloads.len() > 1);
        let begin = |member: usize, _: &W| {
            if let Some(first) = first_cpu {
                pin_team_member(first, member).map_err(io::Error::other)?;
            }
            let (backend, notes) = backend(member)?;
            Ok((backend, Kept { run_queue_delay_s: run_queue::delay_of_this_thread_s(), notes }))
        };
        let end =
            |kept: Kept| (waited(&kept.run_queue_delay_s, &run_queue::delay_of_this_thread_s()), kept.notes);
        let turns = self.turns.map(|(line, phase)| {
            PhaseTurns::new(line, phase, self.site, &self.pages).on(self.device).of(self.server)
        });
        let alone = self.server.filter(|_| turns.is_none()).and_then(Stretches::of);
        let by_turns = turns.as_ref().map(|turns| -> &dyn Turns { turns });
        let by_turns = by_turns.or(alone.as_ref().map(|stretches| -> &dyn Turns { stretches }));
        // In turns, counters are read at the edges of each.
        let snapshot = || turns.is_none().then(|| Snapshot::take(self.device));
        let before = snapshot();
        let (team, ended) = run_team(workloads, &self.clock, begin, end, by_turns)?;
        let after = snapshot();
        let (delays, notes): (Vec<_>, Vec<_>) = ended.into_iter().unzip();
        let collected = Collected {
            run_queue_delay_s: delays.iter().sum(),
            page_cache: (self.pages)(),
            longest_gap_s: Measured::Value(team.longest_gap.seconds()),
        };
        let mut notes: Vec<String> = notes.into_iter().flatten().collect();
        notes.sort();
        notes.dedup();
        let taken = turns.map(|turns| turns.taken(&team));
        let counted = taken.as_ref().and_then(|taken| taken.mechanism.clone());
        let mechanism = match counted {
            Some(counted) => collected.with(counted, self.device),
            None => {
                // A phase in turns that was given none counts nothing.
                let now = || Snapshot::take(self.device);
                before.unwrap_or_else(now).delta(&after.unwrap_or_else(now), collected, self.device)
            }
        };
        let turns = taken.map(|taken| (taken.turns, taken.slices));
        Ok(Ran { team, mechanism, notes, buffers: None, turns })
    }
}

/// Growth of a delay, in seconds.
pub(super) fn waited(before: &Measured<f64>, after: &Measured<f64>) -> Measured<f64> {
    before.zip(after, |before, after| after - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_whose_delay_is_unknown_makes_that_of_all_unknown() {
        let unknown = || Measured::unsupported("no schedstat");
        let sum = |delays: [Measured<f64>; 2]| delays.iter().sum::<Measured<f64>>();
        assert_eq!(sum([Measured::Value(1.0), Measured::Value(0.5)]), Measured::Value(1.5));
        assert_eq!(sum([Measured::Value(1.0), unknown()]), unknown());
        assert_eq!(waited(&Measured::Value(1.0), &Measured::Value(1.5)), Measured::Value(0.5));
        assert_eq!(waited(&unknown(), &Measured::Value(1.5)), unknown());
        assert_eq!(waited(&Measured::Value(1.0), &unknown()), unknown());
    }
}
