//! Made-up studies of the workloads whose figures a test gives itself: kv, pool, scan.

use super::study::{Synthetic, name};
use super::trial::{mechanism, placement};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::{Measurement, Phase, TrialRecord};
use model::{Value, plan::Factor};

impl Synthetic {
    /// RocksDB with one configuration, ten rounds, no figures.
    pub fn kv() -> Self {
        Self::bare("kv").fix("engine", name("rocksdb")).fix("threads", Value::Count(2))
    }

    /// A table of 128 pages read in order, ten rounds, no figures.
    pub fn pool() -> Self {
        Self::bare("pool")
            .fix("blocks", Value::Count(128))
            .fix("access", name("sequential"))
            .fix("table", name("temporary"))
            .fix("page_size", Value::Bytes(8192))
    }

    /// A dataset read cold in every pass and from the disk, ten rounds, no figures.
    pub fn scan() -> Self {
        let from_disk = |record: &mut TrialRecord| {
            let phases = record.measurement.iter_mut().flat_map(|measurement| &mut measurement.phases);
            for phase in phases {
                for share in ["pass_cached_share_before", "pass_hit_share"] {
                    phase.metrics.insert(share.to_owned(), Measured::Value(0.0));
                }
            }
        };
        Self::bare("scan")
            .fix("cache", name("cold_each_pass"))
            .fix("concurrency", Value::Count(1))
            .edit(from_disk)
    }

    fn bare(workload: &'static str) -> Self {
        let factors = vec![Factor { name: "arm".to_owned(), levels: vec![name("only")] }];
        Self { workload, factors, fixed: [].into(), asks: Vec::new(), ..Self::commit() }
            .fix("filesystem", name("host"))
    }
}

pub(super) fn measurement() -> Measurement {
    let phase = Phase::new("measure".to_owned(), 2.0, 1000, [].into(), mechanism());
    of_phase(phase, DurabilityClass::Process)
}

/// A trial of one phase, of whose files nothing is known.
pub(super) fn of_phase(phase: Phase, durability: DurabilityClass) -> Measurement {
    Measurement {
        phases: vec![phase],
        durability,
        files: Vec::new(),
        placement: placement(),
        quiesce_s: 0.2,
        cache_s: 0.1,
        aftermath_s: 0.0,
        buffers: None,
        steady_ramp: None,
        server: None,
        notes: Vec::new(),
        operation_log: None,
        sidecar: None,
    }
}
