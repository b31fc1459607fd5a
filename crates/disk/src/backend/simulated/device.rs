//! Queueing, faults and the passage of virtual time.

use super::cache::{Cache, Survivors, Write};
use super::random::Random;
use super::{DeviceModel, Effect, Trigger};
use model::{BlockKind, BlockOp, Completion, Nanos, Operation, Stamps};
use std::collections::BTreeMap;
use std::fmt;
use std::io;

/// An operation as the device saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    pub operation: BlockOp,
    /// When it was submitted.
    pub submitted: Nanos,
    /// How it ended; `None` while in flight, or when the power failed first.
    pub completion: Option<Completion>,
}

/// What will have happened when an operation ends.
#[derive(Clone, Copy, Debug)]
struct Planned {
    result: i32,
    ignores_sync: bool,
    /// For a sync: the last write, in completion order, that it makes durable.
    covers: u64,
}

/// What others on the device do to it: how many times as long an operation takes that begins at this time.
pub(super) struct Slowdown(Box<dyn Fn(Nanos) -> f64>);

impl fmt::Debug for Slowdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slowdown")
    }
}

#[derive(Debug)]
pub(super) struct Device {
    model: DeviceModel,
    random: Random,
    slowdown: Option<Slowdown>,
    /// By channel: when it is free.
    free_at: Vec<Nanos>,
    log: Vec<Logged>,
    /// By end, then by number, so that ties are resolved the same way every time.
    planned: BTreeMap<(Nanos, u64), Planned>,
    stuck: Vec<u64>,
    cache: Cache,
    /// Set once the power has failed.
    survivors: Option<Survivors>,
}

impl Device {
    pub(super) fn new(model: DeviceModel) -> Self {
        Self {
            random: Random::new(model.seed),
            slowdown: None,
            free_at: vec![Nanos::ZERO; model.channels],
            log: Vec::new(),
            planned: BTreeMap::new(),
            stuck: Vec::new(),
            cache: Cache::new(model.block_bytes),
            survivors: None,
            model,
        }
    }

    pub(super) fn slow_down(&mut self, slowdown: Box<dyn Fn(Nanos) -> f64>) {
        self.slowdown = Some(Slowdown(slowdown));
    }

    pub(super) fn log(&self) -> &[Logged] {
        &self.log
    }

    pub(super) fn in_flight(&self) -> usize {
        self.planned.len() + self.stuck.len()
    }

    pub(super) fn power_cut_at(&self) -> Option<Nanos> {
        self.model.power_cut_at
    }

    /// Takes an operation at this time.
    pub(super) fn submit(&mut self, operation: &BlockOp, now: Nanos) -> io::Result<()> {
        self.check_power(now)?;
        let number = self.log.len() as u64;
        self.log.push(Logged { operation: *operation, submitted: now, completion: None });
        let service = self.service(operation.kind);
        let (result, ignores_sync) = match self.fault(operation.kind, number) {
            None => (operation.expected_result(), false),
            Some(Effect::Errno(errno)) => (-errno.abs(), false),
            Some(Effect::Short(bytes)) => (operation.expected_result().min(bytes as i32), false),
            Some(Effect::IgnoresSync) => (operation.expected_result(), true),
            Some(Effect::Stuck) => {
                self.stuck.push(number);
                return Ok(());
            }
        };
        let first_free = self.free_at.iter_mut().min().expect("a device has at least one channel");
        let begins = now.max(*first_free);
        let slowed = |by: &Slowdown| Nanos((service.0 as f64 * by.0(begins)).round() as u64);
        let ends = begins + self.slowdown.as_ref().map_or(service, slowed);
        *first_free = ends;
        let covers = self.cache.completed();
        self.planned.insert((ends, number), Planned { result, ignores_sync, covers });
        Ok(())
    }

    /// When the next operation ends.
    pub(super) fn next_end(&self) -> Option<Nanos> {
        self.planned.first_key_value().map(|((ends, _), _)| *ends)
    }

    /// Ends the operation that [`next_end`](Self::next_end) spoke of.
    ///
    /// # Panics
    /// When there is none.
    pub(super) fn complete_next(&mut self) -> Completion {
        let ((ended, number), planned) = self.planned.pop_first().expect("next_end said there is one");
        let Logged { operation, submitted, .. } = self.log[number as usize];
        let write = |moved: i32| Write {
            number,
            file: operation.file,
            bytes: operation.offset..operation.offset + moved as u64,
        };
        let is_volatile = self.model.volatile_cache;
        if planned.result >= 0 {
            match operation.kind {
                // What a hole leaves of earlier writes is not simulated.
                BlockKind::Read | BlockKind::RangeSync(_) | BlockKind::PunchHole => {}
                BlockKind::Write | BlockKind::WriteAtomic => {
                    self.cache.wrote(write(planned.result), !is_volatile);
                }
                BlockKind::WriteDsync | BlockKind::WriteSync => {
                    self.cache.wrote(write(planned.result), !is_volatile || !planned.ignores_sync);
                }
                BlockKind::DataSync | BlockKind::FullSync if planned.ignores_sync => {}
                BlockKind::DataSync | BlockKind::FullSync => {
                    self.cache.synced(operation.file, planned.covers);
                }
            }
        }
        let stamps = Some(Stamps { began: submitted, ended });
        let completion = Completion { id: operation.id, result: planned.result, stamps };
        self.log[number as usize].completion = Some(completion);
        completion
    }

    /// An error once the power has failed; it fails here if its time has come.
    pub(super) fn check_power(&mut self, now: Nanos) -> io::Result<()> {
        if self.model.power_cut_at.is_some_and(|at| at <= now) {
            self.power_cut();
        }
        match self.survivors {
            None => Ok(()),
            Some(_) => Err(io::Error::new(io::ErrorKind::NotConnected, "the simulated power failed")),
        }
    }

    /// What is left on the medium; the first call decides.
    pub(super) fn power_cut(&mut self) -> Survivors {
        if let Some(survivors) = &self.survivors {
            return survivors.clone();
        }
        let mut numbers: Vec<_> = self.planned.keys().map(|(_, number)| *number).collect();
        numbers.append(&mut self.stuck);
        numbers.sort_unstable();
        self.planned.clear();
        let in_flight = numbers.into_iter().filter_map(|number| {
            let BlockOp { kind, file, offset, length, .. } = self.log[number as usize].operation;
            let is_write = kind.moves_data() && kind != BlockKind::Read;
            is_write.then(|| Write { number, file, bytes: offset..offset + u64::from(length) })
        });
        let cache = std::mem::replace(&mut self.cache, Cache::new(self.model.block_bytes));
        let survivors = cache.lose(in_flight.collect(), self.model.unsynced_survival, &mut self.random);
        self.survivors.insert(survivors).clone()
    }

    pub(super) fn why_nothing_comes(&self) -> String {
        match self.stuck.first() {
            Some(number) => {
                let operation = self.log[*number as usize].operation;
                format!("{operation:?} is stuck and nothing else is in flight")
            }
            None => "the workload waits for a completion, but nothing is in flight".to_owned(),
        }
    }

    fn service(&mut self, kind: BlockKind) -> Nanos {
        match kind {
            BlockKind::Read => self.random.service(self.model.read),
            BlockKind::Write | BlockKind::WriteAtomic | BlockKind::PunchHole => {
                self.random.service(self.model.write)
            }
            BlockKind::WriteDsync | BlockKind::WriteSync => {
                self.random.service(self.model.write) + self.random.service(self.model.sync)
            }
            BlockKind::DataSync | BlockKind::FullSync | BlockKind::RangeSync(_) => {
                self.random.service(self.model.sync)
            }
        }
    }

    /// Every fault that could hit draws, so that adding one does not change which operations another hits.
    fn fault(&mut self, kind: BlockKind, number: u64) -> Option<Effect> {
        let mut hit = None;
        for fault in self.model.faults.iter().filter(|fault| fault.kind.is_none_or(|only| only == kind)) {
            let happens = match fault.trigger {
                Trigger::Operation(nth) => nth == number,
                Trigger::Probability(probability) => self.random.happens(probability),
            };
            if happens && hit.is_none() {
                hit = Some(fault.effect);
            }
        }
        hit
    }
}
