//! What a promise costs: commits of all promises of a server, in turns on the real disk.

use crate::error::SurviveError;
use crate::load::{Load, Work, connect};
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use server::{Home, Programs, Promise, Running, Server};
use stats::interval::mean_interval;
use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Clients that commit at the same time.
pub const CLIENTS: [u32; 2] = [1, 32];
const LEVEL: f64 = 0.95;
const START_LIMIT: Duration = Duration::from_mins(1);
/// The three digits that a p99 is read to.
const DIGITS: u8 = 3;

/// Commits by a number of clients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    pub clients: u32,
    /// Mean over rounds.
    pub commits_per_s: f64,
    /// Its t interval over rounds, 95 %; `None` for fewer than six rounds.
    pub commits_per_s_interval: Option<(f64, f64)>,
    /// For the commits of all rounds together, in µs.
    pub commit_latency_p99_us: f64,
    pub rounds: usize,
}

/// The prices of one promise: an entry for each number of clients; none if it was stopped before its first turn.
pub type PriceOf = Vec<Price>;

/// The rates of each round, and every latency.
struct Measured {
    rates: Vec<f64>,
    latency_ns: Histogram<u64>,
}

/// Measures every promise with each number of clients: in each round each of them takes one turn of `turn`, so that
/// what the disk does meanwhile meets all of them alike. All servers run throughout.
pub fn price(
    server: &dyn Server,
    programs: &Programs,
    promises: &[Promise],
    folder: &Path,
    rounds: usize,
    turn: Duration,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<PriceOf>, SurviveError> {
    let disk = File::open(folder).map_err(SurviveError::Flush)?;
    let mut homes = Vec::new();
    for place in 0..promises.len() {
        let home = Home::new(&folder.join(format!("price-{place}")))?;
        server.initialise(programs, &home)?;
        homes.push(home);
    }
    let mut running = Vec::new();
    for (home, promise) in homes.iter().zip(promises) {
        let server = Running::start(server, programs, home, &promise.settings, START_LIMIT)?;
        server.connect()?.prepare()?;
        running.push(server);
    }
    let fresh = || Measured { rates: Vec::new(), latency_ns: latencies() };
    let mut measured: Vec<[Measured; CLIENTS.len()]> =
        promises.iter().map(|_| CLIENTS.map(|_| fresh())).collect();
    let mut next_writer = 0;
    for round in (0..rounds).take_while(|_| go_on()) {
        let mut order: Vec<usize> = (0..promises.len()).collect();
        order.rotate_left(round % promises.len().max(1));
        if round % 2 == 1 {
            order.reverse();
        }
        for place in order {
            let (Some(home), Some(of)) = (homes.get(place), measured.get_mut(place)) else { continue };
            for (clients, of) in CLIENTS.into_iter().zip(of) {
                rustix::fs::syncfs(&disk).map_err(|errno| SurviveError::Flush(errno.into()))?;
                take_turn(server, home, next_writer, clients, turn, of)?;
                next_writer += clients;
            }
        }
    }
    drop(running);
    let of = |of: [Measured; CLIENTS.len()]| {
        let measured = CLIENTS.into_iter().zip(of).filter(|(_, of)| !of.rates.is_empty());
        measured.map(|(clients, of)| of.price(clients)).collect()
    };
    Ok(measured.into_iter().map(of).collect())
}

fn latencies() -> Histogram<u64> {
    let mut latencies = Histogram::new(DIGITS).expect("three digits are possible");
    latencies.auto(true);
    latencies
}

fn take_turn(
    server: &dyn Server,
    home: &Home,
    first_writer: u32,
    clients: u32,
    turn: Duration,
    of: &mut Measured,
) -> Result<(), SurviveError> {
    let load = Load::start(connect(server, home, clients)?, first_writer, Work::Inserts);
    let begun = Instant::now();
    thread::sleep(turn);
    let ended = Instant::now();
    let mut commits = 0;
    for written in load.stop() {
        if let Some((_, why)) = written.refused {
            return Err(SurviveError::Refused { server: server.title(), why: why.to_string() });
        }
        let mut before: Option<Instant> = None;
        let acknowledged = written.commits.into_iter().filter_map(|commit| commit.acknowledged);
        for at in acknowledged.take_while(|at| *at < ended) {
            commits += u64::from(at >= begun);
            if let Some(before) = before {
                // It grows, so that no latency is beyond it.
                let _ = of.latency_ns.record((at - before).as_nanos() as u64);
            }
            before = Some(at);
        }
    }
    of.rates.push(commits as f64 / (ended - begun).as_secs_f64());
    Ok(())
}

impl Measured {
    fn price(self, clients: u32) -> Price {
        let mean = self.rates.iter().sum::<f64>() / self.rates.len().max(1) as f64;
        let interval = mean_interval(&self.rates, LEVEL).ok();
        Price {
            clients,
            commits_per_s: mean,
            commits_per_s_interval: interval.map(|interval| (interval.low.max(0.0), interval.high)),
            commit_latency_p99_us: self.latency_ns.value_at_quantile(0.99) as f64 / 1e3,
            rounds: self.rates.len(),
        }
    }
}
