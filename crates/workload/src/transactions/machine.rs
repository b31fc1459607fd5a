//! One client's transactions.

use super::parameters::Parameters;
use super::size::{ACCOUNTS_OF_SCALE, QUERIED_ACCOUNTS, TELLERS_OF_SCALE, pages_of_accounts};
use crate::arrivals::Arrivals;
use driver::{Next, Recorder, Workload};
use model::table_scan::Range;
use model::{Action, Completion, Nanos, Script, TableScan, Transaction};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Largest change of a balance in pgbench's scripts, in either direction.
const DELTA_MAX: i32 = 5000;

/// One client with one transaction at a time. In an open loop the latency of a late transaction counts from when it was
/// due.
#[derive(Clone, Debug)]
pub struct Client {
    script: Script,
    scale: u32,
    runtime: Nanos,
    random: Xoshiro256PlusPlus,
    /// `None` in a closed loop.
    arrivals: Option<Arrivals>,
    /// When the transaction in flight was due.
    intended: Nanos,
    started: u64,
    completed: u64,
}

impl Client {
    /// Client number `client`. The same seed gives the same transactions; each client of one seed draws from its own
    /// stream. Without a runtime, it goes on for as long as it is polled.
    pub fn new(parameters: &Parameters, runtime: Nanos, client: u32, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..client {
            random.long_jump();
        }
        let mut arrivals = random.clone();
        arrivals.jump();
        let rate = parameters.rate.map(|rate| rate as f64 / f64::from(parameters.clients));
        Self {
            script: parameters.script,
            scale: parameters.scale,
            runtime,
            random,
            arrivals: rate.map(|rate| Arrivals::new(rate, arrivals)),
            intended: Nanos::ZERO,
            started: 0,
            completed: 0,
        }
    }

    /// Transactions that were acknowledged.
    pub fn transactions(&self) -> u64 {
        self.completed
    }

    /// For an open loop, the number of transactions that were due before this time and had not started, because the
    /// server did not keep up with the rate. 0 for a closed loop.
    pub fn unserved(&self, runtime: Nanos) -> u64 {
        Arrivals::unserved(self.arrivals.as_ref(), runtime, u64::MAX)
    }

    /// A number from 1 to `most`, all equally likely.
    #[inline]
    fn number(&mut self, most: u32) -> u32 {
        // Lemire's multiply-shift: uniform to within 2⁻⁶⁴ × most, without a division.
        1 + ((u128::from(self.random.next_u64()) * u128::from(most)) >> 64) as u32
    }

    #[inline]
    fn next_transaction(&mut self) -> Transaction {
        let account = self.number(self.scale * ACCOUNTS_OF_SCALE);
        let branch = self.number(self.scale);
        let teller = self.number(self.scale * TELLERS_OF_SCALE);
        let delta = self.number(2 * DELTA_MAX as u32 + 1) as i32 - 1 - DELTA_MAX;
        let (from, to) = self.range(account);
        Transaction {
            id: 0,
            script: self.script,
            number: self.started,
            account,
            teller,
            branch,
            delta,
            from,
            to,
        }
    }

    /// What a scan reads.
    #[inline]
    fn range(&mut self, account: u32) -> (i32, i32) {
        match self.script.action() {
            Action::Scan(scan) => self.scanned(scan, account),
            Action::Queries => self.hashes(account, QUERIED_ACCOUNTS),
            Action::TpcbLike
            | Action::SimpleUpdate
            | Action::SelectOnly
            | Action::Insert
            | Action::Analyze => (0, 0),
        }
    }

    #[inline]
    fn scanned(&mut self, scan: TableScan, account: u32) -> (i32, i32) {
        let beginning = |from: u32, width: u32| (from as i32, (from + width) as i32);
        match scan.access.definition().range {
            Range::Pages => {
                let pages = scan.pages();
                beginning(self.number(pages_of_accounts(self.scale) - pages) - 1, pages)
            }
            Range::Keys => beginning(self.number(self.scale * ACCOUNTS_OF_SCALE - scan.rows), scan.rows),
            Range::Hashes => self.hashes(account, scan.rows),
        }
    }

    /// A range of hashes that about this number of accounts have: their hashes lie evenly over all 32-bit integers.
    #[inline]
    fn hashes(&self, account: u32, accounts: u32) -> (i32, i32) {
        const HASHES: u64 = 1 << 32;
        let all = u64::from(self.scale) * u64::from(ACCOUNTS_OF_SCALE);
        let width = HASHES * u64::from(accounts) / all;
        let from = u64::from(account - 1) * (HASHES - width) / all;
        let hash = |number: u64| (number as i64 + i64::from(i32::MIN)) as i32;
        (hash(from), hash(from + width))
    }
}

impl Workload for Client {
    type Op = Transaction;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<Transaction>) -> Next {
        if self.started > self.completed {
            return Next::Wait;
        }
        let end = if self.runtime > Nanos::ZERO { self.runtime } else { Nanos(u64::MAX) };
        if now >= end {
            return Next::Done;
        }
        self.intended = match &mut self.arrivals {
            None => now,
            Some(arrivals) if arrivals.next() <= now => arrivals.take(),
            Some(arrivals) => return Next::At(arrivals.next().min(end)),
        };
        out.push(self.next_transaction());
        self.started += 1;
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let began = if self.arrivals.is_some() { self.intended } else { completion.began() };
        recorder.latency(0, began, completion.ended());
        self.completed += 1;
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        &["transaction_latency"]
    }
}
