//! A team of drivers: each thread with its own workload, backend and seed, one start, recorders merged at the end.

use crate::meeting::Meeting;
use crate::{Backend, Clock, DriveError, Driven, Driver, Slice, SliceLength, Turns, Workload};
use model::Operation;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs one driver per member and merges what they recorded; the workloads come back in member order.
///
/// `begin` makes a member's backend, and whatever is to be kept until the end, on the member's own thread (a ring
/// belongs to the thread that made it); `end` runs there too, after the member's last operation. A team of one runs on
/// the calling thread. With `turns` all members work during a turn and none between two. If a member panics, the others
/// end at once, and so does the caller, with that panic.
pub fn run_team<W, B, C, K, T>(
    workloads: Vec<W>,
    clock: &C,
    begin: impl Fn(usize, &W) -> io::Result<(B, K)> + Sync,
    end: impl Fn(K) -> T + Sync,
    turns: Option<&dyn Turns>,
) -> Result<(Driven<Vec<W>>, Vec<T>), DriveError>
where
    W: Workload<Op: Operation> + Send,
    B: Backend<Op = W::Op>,
    C: Clock + Clone + Send + Sync,
    T: Send,
{
    let round = Round::new(workloads.len());
    let stamps_max = turns.map_or(0, Turns::stamps_max) / workloads.len().max(1);
    let member = |index: usize, workload: W| {
        let _takes_part = round.meeting.join();
        let made = begin(index, &workload);
        let ready = made.map(|(backend, kept)| {
            let mut driver = Driver::new(workload, backend, clock.clone());
            if stamps_max > 0 {
                driver.keep_stamps(stamps_max);
            }
            (driver, kept)
        });
        // Every member comes to the start, also one that cannot start: the others must not wait for ever.
        round.meeting.wait()?;
        let Some(turns) = turns else {
            let (driver, kept) = ready?;
            return Ok((driver.run()?, end(kept)));
        };
        let (driver, kept) = match ready {
            Ok((driver, kept)) => (Ok(driver), Some(kept)),
            Err(error) => (Err(error.into()), None),
        };
        let driven = round.take_turns((index == 0).then_some(turns), driver)?.finish();
        let kept = kept.ok_or_else(|| io::Error::other("a member that cannot start takes no turns"))?;
        Ok((driven, end(kept)))
    };
    let results: Vec<_> = if workloads.len() == 1 {
        workloads.into_iter().map(|workload| member(0, workload)).collect()
    } else {
        thread::scope(|scope| {
            let member = &member;
            let handles: Vec<_> = workloads
                .into_iter()
                .enumerate()
                .map(|(index, workload)| scope.spawn(move || member(index, workload)))
                .collect();
            handles
                .into_iter()
                .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    merge(results)
}

/// What the members of a team share while they take turns.
struct Round {
    meeting: Meeting,
    /// The turn that the first member was given.
    order: Mutex<Option<SliceLength>>,
    taken: Mutex<Option<Slice>>,
    /// Set by a member that failed: there are no further turns.
    has_failed: AtomicBool,
}

impl Round {
    fn new(members: usize) -> Self {
        Self {
            meeting: Meeting::new(members),
            order: Mutex::new(None),
            taken: Mutex::new(None),
            has_failed: AtomicBool::new(false),
        }
    }

    /// One member's turns, all of them. A member that fails comes along until the first one has seen it.
    fn take_turns<W, B, C>(
        &self,
        turns: Option<&dyn Turns>,
        mut driver: Result<Driver<W, B, C>, DriveError>,
    ) -> Result<Driver<W, B, C>, DriveError>
    where
        W: Workload<Op: Operation>,
        B: Backend<Op = W::Op>,
        C: Clock,
    {
        loop {
            self.has_failed.fetch_or(driver.is_err(), Ordering::Relaxed);
            self.meeting.wait()?;
            if let Some(turns) = turns {
                let order = if self.has_failed.load(Ordering::Relaxed) { Ok(None) } else { turns.next() };
                driver = keep_error(driver, order.as_ref().err().map(copy));
                *lock(&self.order) = order.unwrap_or_default();
            }
            self.meeting.wait()?;
            let Some(length) = *lock(&self.order) else { return driver };
            let slice = driver.as_mut().map(|driver| driver.take_turn(length));
            match slice {
                Ok(Ok(slice)) => {
                    let mut taken = lock(&self.taken);
                    *taken = Some(taken.map_or(slice, |taken| taken.with(slice)));
                }
                Ok(Err(error)) => driver = Err(error),
                Err(_) => {}
            }
            self.has_failed.fetch_or(driver.is_err(), Ordering::Relaxed);
            self.meeting.wait()?;
            let taken = turns.and_then(|turns| Some((turns, lock(&self.taken).take()?)));
            if let Some((turns, slice)) = taken
                && !self.has_failed.load(Ordering::Relaxed)
            {
                driver = keep_error(driver, turns.taken(slice).err());
            }
        }
    }
}

fn keep_error<D>(driver: Result<D, DriveError>, error: Option<io::Error>) -> Result<D, DriveError> {
    match error {
        Some(error) => driver.and(Err(error.into())),
        None => driver,
    }
}

fn copy(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn merge<W, T>(
    results: Vec<Result<(Driven<W>, T), DriveError>>,
) -> Result<(Driven<Vec<W>>, Vec<T>), DriveError> {
    let mut members = results.into_iter();
    let none = || DriveError::Backend(io::Error::new(io::ErrorKind::InvalidInput, "a team needs a member"));
    let (first, ended) = members.next().ok_or_else(none)??;
    let mut team = Driven {
        in_flight_mean: first.in_flight_mean * first.elapsed().seconds(),
        workload: vec![first.workload],
        recorder: first.recorder,
        began: first.began,
        ended: first.ended,
        windows: first.windows,
        turns: first.turns,
        worked: first.worked,
        operations: first.operations,
        in_windows: first.in_windows,
        performed: first.performed,
        system_calls: first.system_calls,
        longest_gap: first.longest_gap,
    };
    let mut all_ended = vec![ended];
    for member in members {
        let (driven, ended) = member?;
        team.in_flight_mean += driven.in_flight_mean * driven.elapsed().seconds();
        team.workload.push(driven.workload);
        team.recorder.merge(&driven.recorder);
        // Rates are over the whole window: a member that started late must not make the team look faster.
        team.began = team.began.min(driven.began);
        team.ended = team.ended.max(driven.ended);
        team.windows = team.windows.max(driven.windows);
        team.turns = team.turns.max(driven.turns);
        team.worked = team.worked.max(driven.worked);
        team.operations += driven.operations;
        team.in_windows += driven.in_windows;
        team.performed += driven.performed;
        team.system_calls += driven.system_calls;
        team.longest_gap = team.longest_gap.max(driven.longest_gap);
        all_ended.push(ended);
    }
    // When a turn of several ends, each of them completes its operation faster than before.
    if team.workload.len() > 1 {
        team.in_windows = team.operations as f64;
    }
    team.in_flight_mean /= team.elapsed().seconds().max(f64::MIN_POSITIVE);
    Ok((team, all_ended))
}
