//! One client's requests.

use super::parameters::Parameters;
use driver::{Next, Recorder, Workload};
use model::{Completion, Nanos, Request, RequestAction, RequestKind};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Rows of a range.
const ROWS_OF_RANGE: u32 = 20;
/// A client of ranges makes an update once in this number of requests.
const REQUESTS_FOR_UPDATE: u64 = 10;
/// The first client of a server that keeps old revisions asks to drop them once in this number of requests.
const REQUESTS_FOR_COMPACTION: u64 = 500;

/// Requests of which one is a commit; `None` if none is.
pub(super) const fn requests_of_commit(request: RequestKind) -> Option<u64> {
    match request {
        RequestKind::Insert | RequestKind::Update => Some(1),
        RequestKind::Range => Some(REQUESTS_FOR_UPDATE),
        RequestKind::Read => None,
    }
}

/// One client with one request at a time.
#[derive(Clone, Debug)]
pub struct Client {
    request: RequestKind,
    rows: u64,
    compacts: bool,
    writer: u32,
    runtime: Nanos,
    random: Xoshiro256PlusPlus,
    /// What distinguishes this client's rows and numbers from those of the other clients of one server.
    first: u64,
    started: u64,
    completed: u64,
}

impl Client {
    /// Client number `client`. The same seed gives the same requests; each client of one seed draws from its own
    /// stream. Without a runtime, it goes on for as long as it is polled. Rows that it adds are numbered from `first`
    /// on, so that two of one number in a row add no row twice.
    pub fn new(parameters: &Parameters, runtime: Nanos, client: u32, seed: u64, first: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..client {
            random.long_jump();
        }
        Self {
            request: parameters.request,
            rows: u64::from(parameters.rows),
            compacts: parameters.server.keeps_revisions() && client == 0,
            writer: client,
            runtime,
            random,
            first,
            started: 0,
            completed: 0,
        }
    }

    /// Requests that were answered.
    pub fn requests(&self) -> u64 {
        self.completed
    }

    /// A loaded row, the last `but` excepted; all equally likely.
    #[inline]
    fn row(&mut self, but: u32) -> u64 {
        let most = self.rows.saturating_sub(u64::from(but)).max(1);
        // Lemire's multiply-shift: uniform to within 2⁻⁶⁴ × most, without a division.
        ((u128::from(self.random.next_u64()) * u128::from(most)) >> 64) as u64
    }

    /// A number that no other request gives a row.
    #[inline]
    fn number(&self) -> u64 {
        (u64::from(self.writer) + 1) << 48 | (self.first + self.started)
    }

    #[inline]
    fn next_action(&mut self) -> RequestAction {
        let is_one_in = |requests: u64| self.started % requests == requests - 1;
        match self.request {
            RequestKind::Insert => {
                RequestAction::Insert { client: self.writer, row: self.first + self.started }
            }
            RequestKind::Update => RequestAction::Update { row: self.row(0), number: self.number() },
            RequestKind::Read => RequestAction::Read { row: self.row(0) },
            RequestKind::Range if self.compacts && is_one_in(REQUESTS_FOR_COMPACTION) => {
                RequestAction::Compact
            }
            RequestKind::Range if is_one_in(REQUESTS_FOR_UPDATE) => {
                RequestAction::Update { row: self.row(0), number: self.number() }
            }
            RequestKind::Range => {
                let rows = u64::from(ROWS_OF_RANGE).min(self.rows) as u32;
                RequestAction::Range { row: self.row(rows - 1), rows }
            }
        }
    }
}

impl Workload for Client {
    type Op = Request;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<Request>) -> Next {
        if self.started > self.completed {
            return Next::Wait;
        }
        if self.runtime > Nanos::ZERO && now >= self.runtime {
            return Next::Done;
        }
        let action = self.next_action();
        out.push(Request { id: 0, action });
        self.started += 1;
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.began(), completion.ended());
        self.completed += 1;
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        &["request_latency"]
    }
}
