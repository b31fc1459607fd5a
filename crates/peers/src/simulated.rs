//! Ranks as threads of one process, in virtual time.
//!
//! Time stands still while any rank works, and jumps to the next event when all of them wait. So a straggler of an hour
//! is simulated in an instant, and a busy machine changes nothing that a test sees. A message takes the time that the
//! simulation gives it.

use crate::transport::{Channel, ROOT, Transport};
use model::Nanos;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A rank that spins looks at its clock this often.
const SPIN_MAX: Nanos = Nanos::from_millis(10);

/// What is simulated beside the ranks.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// How far the clock of each rank is ahead of that of the simulation; 0 for the ranks beyond.
    pub clocks_ahead: Vec<Nanos>,
    /// How long a message to rank 0 takes.
    pub to_root: Nanos,
    /// How long a message from rank 0 takes.
    pub from_root: Nanos,
}

/// Runs this on every rank, each in a thread of its own, and returns what they return, in the order of ranks. A rank
/// that returns has ended: it neither sends nor takes messages any more.
///
/// # Panics
/// If a rank does.
pub fn launch<R: Send>(size: u32, network: &Network, on_rank: impl Fn(SimulatedRank) -> R + Sync) -> Vec<R> {
    let ranks = size as usize;
    let world = World {
        now: Nanos::ZERO,
        waits: vec![Waits::Not; ranks],
        has_news: vec![false; ranks],
        messages: Vec::new(),
        released: 0,
        entered: 0,
    };
    let shared =
        Arc::new(Shared { world: Mutex::new(world), changed: Condvar::new(), network: network.clone() });
    let on_rank = &on_rank;
    thread::scope(|scope| {
        let start = |rank| {
            let transport = SimulatedRank { number: rank, size, shared: Arc::clone(&shared) };
            scope.spawn(move || on_rank(transport))
        };
        let started: Vec<_> = (0..size).map(start).collect();
        started
            .into_iter()
            .map(|rank| rank.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[derive(Debug)]
pub struct SimulatedRank {
    number: u32,
    size: u32,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    changed: Condvar,
    network: Network,
}

#[derive(Debug)]
struct World {
    now: Nanos,
    /// What each rank does.
    waits: Vec<Waits>,
    /// Whether something has arrived for a rank since it last waited.
    has_news: Vec<bool>,
    /// Sent and not taken.
    messages: Vec<Message>,
    /// Releases so far, and the ranks that wait for the next one.
    released: u64,
    entered: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// It works: time stands still.
    Not,
    /// Until this time, or until something arrives.
    ForNews(Nanos),
    /// Until this time.
    ForTime(Nanos),
    /// It has ended.
    Ended,
}

#[derive(Debug)]
struct Message {
    from: u32,
    to: u32,
    channel: Channel,
    arrives: Nanos,
    has_arrived: bool,
    bytes: Vec<u8>,
}

impl World {
    /// Whether this rank may go on.
    fn is_due(&self, rank: usize) -> bool {
        match self.waits[rank] {
            Waits::Not => true,
            Waits::ForNews(until) => self.has_news[rank] || until <= self.now,
            Waits::ForTime(until) => until <= self.now,
            Waits::Ended => false,
        }
    }

    /// Moves time to the next events while no rank may go on.
    fn advance(&mut self) {
        while !(0..self.waits.len()).any(|rank| self.is_due(rank)) {
            let wakes = self.waits.iter().filter_map(|waits| match waits {
                Waits::ForNews(until) | Waits::ForTime(until) => Some(*until),
                Waits::Not | Waits::Ended => None,
            });
            let arrivals = self.messages.iter().filter(|message| !message.has_arrived);
            let next = wakes.chain(arrivals.map(|message| message.arrives)).min();
            // All ranks have ended.
            let Some(next) = next.filter(|_| self.waits.iter().any(|waits| *waits != Waits::Ended)) else {
                return;
            };
            self.now = self.now.max(next);
            for message in self.messages.iter_mut().filter(|message| message.arrives <= self.now) {
                if !std::mem::replace(&mut message.has_arrived, true) {
                    self.has_news[message.to as usize] = true;
                }
            }
        }
    }
}

impl SimulatedRank {
    /// Works for so long: messages wait for it.
    pub fn work(&mut self, time: Nanos) {
        let until = self.world().now + time;
        self.block(Waits::ForTime(until));
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.shared.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn block(&self, waits: Waits) {
        let rank = self.number as usize;
        let mut world = self.world();
        world.waits[rank] = waits;
        world.advance();
        self.shared.changed.notify_all();
        while !world.is_due(rank) {
            world = self.shared.changed.wait(world).unwrap_or_else(PoisonError::into_inner);
        }
        world.waits[rank] = Waits::Not;
        world.has_news[rank] = false;
    }

    fn ahead(&self) -> Nanos {
        self.shared.network.clocks_ahead.get(self.number as usize).copied().unwrap_or_default()
    }
}

impl Transport for SimulatedRank {
    fn rank(&self) -> u32 {
        self.number
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn now(&self) -> Nanos {
        self.world().now + self.ahead()
    }

    fn send(&mut self, to: u32, channel: Channel, bytes: &[u8], _until: Nanos) {
        let network = &self.shared.network;
        let takes = if to == ROOT { network.to_root } else { network.from_root };
        let mut world = self.world();
        // A message that takes no time has arrived, or a rank that has looked already would wait beyond it.
        let has_arrived = takes == Nanos::ZERO;
        let arrives = world.now + takes;
        let bytes = bytes.to_vec();
        world.messages.push(Message { from: self.number, to, channel, arrives, has_arrived, bytes });
        if has_arrived {
            world.has_news[to as usize] = true;
            self.shared.changed.notify_all();
        }
    }

    fn take(&mut self, from: u32, channel: Channel) -> Option<Vec<u8>> {
        let mut world = self.world();
        let is_wanted = |message: &Message| {
            message.from == from && message.to == self.number && message.channel == channel
        };
        let index = world.messages.iter().position(|message| is_wanted(message) && message.has_arrived)?;
        Some(world.messages.remove(index).bytes)
    }

    fn wait(&mut self, until: Nanos) {
        self.block(Waits::ForNews(until.since(self.ahead())));
    }

    /// Nothing can have changed before the next event.
    fn spin(&mut self) {
        let until = self.world().now + SPIN_MAX;
        self.block(Waits::ForNews(until));
    }

    fn release(&mut self, until: Nanos) -> bool {
        let mut world = self.world();
        let before = world.released;
        world.entered += 1;
        if world.entered == self.size {
            world.entered = 0;
            world.released += 1;
            world.has_news.fill(true);
            self.shared.changed.notify_all();
        }
        drop(world);
        loop {
            let world = self.world();
            let (released, now) = (world.released, world.now + self.ahead());
            drop(world);
            if released > before {
                return true;
            }
            if now >= until {
                return false;
            }
            self.wait(until);
        }
    }
}

impl Drop for SimulatedRank {
    fn drop(&mut self) {
        let mut world = self.world();
        world.waits[self.number as usize] = Waits::Ended;
        world.advance();
        self.shared.changed.notify_all();
    }
}
