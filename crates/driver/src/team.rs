//! A team of drivers: each thread with its own workload, backend and seed, one start, recorders merged at the end.

use crate::{Backend, Clock, DriveError, Driven, Driver, Workload};
use model::Operation;
use std::io;
use std::sync::Barrier;
use std::thread;

/// Runs one driver per member and merges what they recorded; the workloads come back in member order.
///
/// `begin` makes a member's backend, and whatever is to be kept until the end, on the member's own thread (a ring
/// belongs to the thread that made it); `end` runs there too, after the member's last operation. A team of one runs on
/// the calling thread.
pub fn run_team<W, B, C, K, T>(
    workloads: Vec<W>,
    clock: &C,
    begin: impl Fn(usize, &W) -> io::Result<(B, K)> + Sync,
    end: impl Fn(K) -> T + Sync,
) -> Result<(Driven<Vec<W>>, Vec<T>), DriveError>
where
    W: Workload<Op: Operation> + Send,
    B: Backend<Op = W::Op>,
    C: Clock + Clone + Send + Sync,
    T: Send,
{
    let barrier = Barrier::new(workloads.len());
    let member = |index: usize, workload: W| {
        let made = begin(index, &workload);
        let ready = made.map(|(backend, kept)| (Driver::new(workload, backend, clock.clone()), kept));
        // Every member passes the barrier, also one that cannot start: the others must not wait for ever.
        barrier.wait();
        let (driver, kept) = ready?;
        Ok((driver.run()?, end(kept)))
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
        operations: first.operations,
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
        team.operations += driven.operations;
        team.system_calls += driven.system_calls;
        team.longest_gap = team.longest_gap.max(driven.longest_gap);
        all_ended.push(ended);
    }
    team.in_flight_mean /= team.elapsed().seconds().max(f64::MIN_POSITIVE);
    Ok((team, all_ended))
}
