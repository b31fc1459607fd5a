//! A run on storage that many ranks share: rank 0 chooses the trials and keeps the records of all, the others follow.
//!
//! All ranks have the same plan. Rank 0 tells which trials are due; every rank prepares its own, and all take their
//! turns in step. Then records and histograms come to rank 0, and are on its disk before the next trials start. A trial
//! that fails on one rank fails on all. If a rank is lost, the trials of all fail, and the run ends.

use crate::clocks::Clocks;
use crate::conduct::{Conducted, Laboratory, Observer};
use crate::ensemble::take_turns_in_step;
use crate::in_step::{Stopped, Waits};
use crate::next::{Due, ensemble};
use crate::order::seed_of_rank;
use crate::premises::Premises;
use crate::run_directory::{RunDirectory, RunError};
use crate::shared_trial::{Recorded, shared_trial};
use crate::time_account::Lap;
use crate::timeout::{PREPARE_DEADLINE, Timeout};
use crate::under_way::{Interrupted, Means, TrialUnderWay};
use model::Description;
use model::run::Run;
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use model::turns::Arm;
use peers::message::{read, written};
use peers::{Lost, Peers, ROOT, Transport, Wait};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The ranks, and how long they wait for each other.
pub struct SharedRun<'a, T> {
    /// All ranks of the launch.
    pub peers: &'a RefCell<Peers<T>>,
    /// How long they wait for one that does not come.
    pub wait: Wait,
}

/// Why a shared run ends early.
#[derive(Debug, thiserror::Error)]
pub enum SharedRunError {
    /// A rank is gone.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A record could not be written.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// What rank 0 tells all ranks.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Measure these together, in this session.
    Trials { due: Vec<Due>, session: u32 },
    /// Nothing is due any more, or Syncline was interrupted.
    End,
}

/// What came of trials on this rank.
struct Taken {
    records: Vec<TrialRecord>,
    /// Known to rank 0.
    clocks: Clocks,
}

/// What came of trials on all ranks.
struct Measured {
    clocks: Clocks,
    records: Vec<Vec<TrialRecord>>,
}

impl<T: Transport> SharedRun<'_, T> {
    /// Rank 0: runs every trial that is due, on all ranks. The directories are those of the ranks, in their order; the
    /// first one decides what is due.
    ///
    /// # Errors
    /// [`SharedRunError`] if a rank is gone or a record cannot be written.
    pub fn conduct(
        &self,
        lab: &mut Laboratory<'_>,
        directories: &mut [RunDirectory],
    ) -> Result<Conducted, SharedRunError> {
        let Some(session) = directories.first().map(RunDirectory::next_session) else {
            return Ok(Conducted::Complete);
        };
        let mut lap = Lap::start();
        loop {
            let run = directories[0].run();
            let left = lab.ends.map(|ends| ends.saturating_duration_since(Instant::now()));
            let is_interrupted = lab.interrupted.load(Ordering::Relaxed);
            let due = (lab.next)(&run.plan, &run.records, left).filter(|_| !is_interrupted);
            let Some(due) = due else {
                self.tell(&Order::End)?;
                return Ok(if is_interrupted { Conducted::Interrupted } else { Conducted::Complete });
            };
            let together = ensemble(&run.plan, &due);
            lab.observer.trials_start(run, &together);
            lab.time.deciding_s += lap.seconds();
            let mut means =
                Means { premises: &mut *lab.premises, timeout: lab.timeout, interrupted: lab.interrupted };
            let measured = match self.lead(run, &together, session, &mut means) {
                Ok(Some(measured)) => measured,
                Ok(None) => return Ok(Conducted::Interrupted),
                Err(lost) => {
                    let why = on_hosts(&lost, directories);
                    let run = directories[0].run();
                    let failed = failed(run, &together, session, &why);
                    record(&mut directories[0], failed, &mut *lab.observer)?;
                    return Err(lost.into());
                }
            };
            lab.time.add_trials(&measured.records[0], lap.seconds());
            measured.record(&together, directories, &mut *lab.observer)?;
            lab.time.recording_s += lap.seconds();
        }
    }

    /// Rank 0: measures these trials on all ranks; `None` if one was interrupted.
    fn lead(
        &self,
        run: &Run,
        together: &[Due],
        session: u32,
        means: &mut Means<'_>,
    ) -> Result<Option<Measured>, Lost> {
        self.tell(&Order::Trials { due: together.to_vec(), session })?;
        let Some(taken) = self.take(run, together, session, means)? else { return Ok(None) };
        let records = self.gather(&taken.records)?;
        Ok(Some(Measured { clocks: taken.clocks, records }))
    }

    /// Any other rank: measures what rank 0 says, until nothing is due.
    ///
    /// # Errors
    /// [`Lost`] if a rank is gone.
    pub fn follow(
        &self,
        run: &Run,
        premises: &mut dyn Premises,
        timeout: Timeout,
        interrupted: &AtomicBool,
    ) -> Result<Conducted, Lost> {
        let mut means = Means { premises, timeout, interrupted };
        loop {
            let order = self.peers.borrow_mut().broadcast(Vec::new(), self.wait)?;
            let Order::Trials { due, session } = read(&order, ROOT)? else { return Ok(Conducted::Complete) };
            let is_known = |due: &Due| {
                let study = run.plan.studies.get(due.study);
                study.is_some_and(|study| due.key.configuration < study.configurations.len())
            };
            if due.is_empty() || !due.iter().all(is_known) {
                return Err(Lost::Foreign { from: ROOT });
            }
            let Some(taken) = self.take(run, &due, session, &mut means)? else {
                return Ok(Conducted::Interrupted);
            };
            self.gather(&taken.records)?;
        }
    }

    /// Measures the trials of this rank in step with the others; `None` if a rank was interrupted.
    fn take(
        &self,
        run: &Run,
        together: &[Due],
        session: u32,
        means: &mut Means<'_>,
    ) -> Result<Option<Taken>, Lost> {
        let Some(first) = together.first() else { return Ok(None) };
        let study = &run.plan.studies[first.study];
        let rank = u64::from(self.peers.borrow().rank());
        let measures = |due: &&Due| {
            let ranks = study.description(due.key.configuration).and_then(|description| description.ranks);
            ranks.is_none_or(|ranks| rank < ranks)
        };
        let arms: Vec<Arm> = together.iter().map(|due| due.key.arm()).collect();
        let start = |due| {
            let mut trial = TrialUnderWay::new(run, due, together, session, None);
            // One that is alone on its rank waits for turns too.
            trial.record.ensemble.clone_from(&arms);
            trial.record.seed = seed_of_rank(trial.record.seed, rank);
            trial
        };
        let mut trials: Vec<TrialUnderWay> = together.iter().filter(measures).map(start).collect();
        let block = (study, run.plan.seed, first.key.round, first.key.block);
        let described = together.iter().filter_map(|due| study.description(due.key.configuration));
        let waits = self.waits(&described.collect::<Vec<_>>(), means.timeout);
        let taken = take_turns_in_step(&mut trials, &arms, block, means, (self.peers, waits));
        for trial in &mut trials {
            let why = trial.resources.take().and_then(|resources| means.premises.release(&resources));
            trial.explain(why);
        }
        match taken {
            Ok(clocks) => {
                Ok(Some(Taken { records: trials.into_iter().map(|trial| trial.record).collect(), clocks }))
            }
            Err(Stopped::Here(Interrupted) | Stopped::Elsewhere) => Ok(None),
            Err(Stopped::Lost(lost)) => Err(lost),
        }
    }

    fn tell(&self, order: &Order) -> Result<(), Lost> {
        self.peers.borrow_mut().broadcast(written(order), self.wait).map(drop)
    }

    /// A rank whose worker hangs gives that worker up, before the others give the rank up.
    fn waits(&self, trials: &[&Description], timeout: Timeout) -> Waits {
        let trial = trials.iter().map(|trial| timeout.trial_deadline(trial)).max().unwrap_or_default();
        let trials = u32::try_from(trials.len()).unwrap_or(u32::MAX);
        let most = (PREPARE_DEADLINE + trial).saturating_mul(trials);
        let slack = self.wait.slack;
        Waits {
            phase: Wait { most, slack: slack + trial },
            turn: Wait { most, slack: slack + timeout.turn },
            other: self.wait,
        }
    }

    /// The records of all ranks, by rank, on rank 0; none on the others.
    fn gather(&self, records: &[TrialRecord]) -> Result<Vec<Vec<TrialRecord>>, Lost> {
        let gathered = self.peers.borrow_mut().gather(written(records), self.wait)?.unwrap_or_default();
        (0..).zip(gathered).map(|(rank, records)| read(&records, rank)).collect()
    }
}

impl Measured {
    /// Writes the records of all ranks, and what they did together.
    fn record(
        mut self,
        together: &[Due],
        directories: &mut [RunDirectory],
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        for due in together {
            fail_together(&due.key, &mut self.records);
            self.record_shared(&due.key, &directories[0])?;
        }
        // Rank 0 last: what it has recorded is not due any more, and the others must have it by then.
        for (directory, records) in directories.iter_mut().zip(self.records).rev() {
            record(directory, records, observer)?;
        }
        Ok(())
    }

    /// What all ranks did in a trial while all measured, unless it failed or they never did.
    fn record_shared(&self, key: &TrialKey, directory: &RunDirectory) -> Result<(), RunError> {
        let of_rank = |(rank, records)| {
            let records: &Vec<TrialRecord> = records;
            Some((rank, records.iter().find(|record| record.key == *key)?))
        };
        let records: BTreeMap<u32, &TrialRecord> = (0..).zip(&self.records).filter_map(of_rank).collect();
        if records.values().any(|record| record.outcome != TrialOutcome::Ok) {
            return Ok(());
        }
        // A trial that measured in turns has a sidecar.
        let ranks: Option<BTreeMap<u32, Recorded<'_>>> = records
            .iter()
            .map(|(rank, record)| Some((*rank, Recorded::of(record.measurement.as_ref()?)?)))
            .collect();
        let shared = shared_trial(key.clone(), &ranks.unwrap_or_default(), &self.clocks);
        if shared.slices == 0 { Ok(()) } else { directory.append_shared(&shared) }
    }
}

/// Makes a trial that failed on one rank fail on all: the others measured without that rank.
fn fail_together(key: &TrialKey, records: &mut [Vec<TrialRecord>]) {
    let outcome = |records: &Vec<TrialRecord>| {
        records.iter().find(|record| record.key == *key).map(|record| record.outcome.clone())
    };
    let elsewhere = (0..).zip(&*records).find_map(|(rank, records)| elsewhere(rank, outcome(records)?));
    let Some(elsewhere) = elsewhere else { return };
    for record in records.iter_mut().flatten() {
        if record.key == *key && record.outcome == TrialOutcome::Ok {
            record.outcome = elsewhere.clone();
            record.measurement = None;
        }
    }
}

/// The outcome on the other ranks of a trial that ended like this on one; `None` if it measured.
fn elsewhere(rank: u32, outcome: TrialOutcome) -> Option<TrialOutcome> {
    match outcome {
        TrialOutcome::Ok => None,
        TrialOutcome::Failed(why) => Some(TrialOutcome::Failed(format!("on rank {rank}: {why}"))),
        TrialOutcome::Unsupported(why) => Some(TrialOutcome::Unsupported(format!("on rank {rank}: {why}"))),
        TrialOutcome::Killed(after_s) => Some(TrialOutcome::Failed(format!(
            "on rank {rank}: killed at its deadline, after {after_s:.1} s"
        ))),
    }
}

/// An error as rank 0 writes it: a rank that is lost is looked for on its host.
pub fn with_hosts(error: &SharedRunError, directories: &[RunDirectory]) -> String {
    match error {
        SharedRunError::Lost(lost) => on_hosts(lost, directories),
        SharedRunError::Run(error) => error.to_string(),
    }
}

fn on_hosts(lost: &Lost, directories: &[RunDirectory]) -> String {
    let host = |rank: &u32| {
        let directory = directories.get(*rank as usize)?;
        Some(format!("rank {rank} on {}", directory.run().host.name))
    };
    let hosts: Vec<String> = lost.named().iter().filter_map(host).collect();
    if hosts.is_empty() { lost.to_string() } else { format!("{lost} ({})", hosts.join(", ")) }
}

/// The records of trials that ended because a rank was lost.
fn failed(run: &Run, together: &[Due], session: u32, why: &str) -> Vec<TrialRecord> {
    let record = |due: &Due| TrialRecord {
        outcome: TrialOutcome::Failed(why.to_owned()),
        ..TrialUnderWay::new(run, due, together, session, None).record
    };
    together.iter().map(record).collect()
}

fn record(
    directory: &mut RunDirectory,
    records: Vec<TrialRecord>,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    for mut record in records {
        if let Some(measurement) = &mut record.measurement
            && measurement.operation_log.take().is_some()
        {
            measurement.notes.push("the operations of a rank are not logged in a shared run".to_owned());
        }
        let sidecar = record.measurement.as_mut().and_then(|measurement| measurement.sidecar.take());
        directory.append(record, sidecar.as_ref())?;
    }
    observer.trial_recorded(directory.run());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Description;
    use peers::simulated::{Network, SimulatedRank, launch};
    use std::time::Duration;

    /// Rank 0 gave a rank up at the moment at which that rank killed its worker, and the launch ended instead of the
    /// trial.
    #[test]
    fn a_worker_that_hangs_is_given_up_before_its_rank() {
        let (timeout, description) = (Timeout::default(), Description::default());
        let launched = launch(1, &Network::default(), |rank: SimulatedRank| {
            let peers = RefCell::new(Peers::new(rank));
            let wait = Wait { most: Duration::from_hours(1), slack: Duration::from_mins(1) };
            SharedRun { peers: &peers, wait }.waits(&[&description; 3], timeout)
        });
        let [waits] = &launched[..] else { panic!("one rank") };
        assert!(waits.turn.slack > timeout.turn_deadline(0.0));
        assert!(waits.phase.slack > timeout.trial_deadline(&description));
        assert!(waits.phase.most > PREPARE_DEADLINE * 3, "each trial may take that long");
    }
}
