//! An arm of the study: a block size, a hint and a number of readers.

use crate::comparison::Comparison;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, on_host};
use crate::no_advice::NoAdvice;
use model::Nanos;
use model::figure::count;
use model::scan::ReadSize;
use model::units::format_bytes;
use workload::scan::{PARAMETERS as SCAN, PageCache, PassCache};

const BANDWIDTH: &str = "bandwidth_bytes_per_s";

/// Files that are read whole and as fast as readers can: an accelerator would hold them back.
fn held() -> [Level; 4] {
    [
        SCAN.cache.at(PassCache::ColdEachPass),
        SCAN.piece_size.at(ReadSize::WholeFile),
        SCAN.step_time.at(Nanos::ZERO),
        on_host(),
    ]
}

/// An arm, with its figure.
#[derive(Clone, Copy)]
pub(super) struct Arm {
    pub(super) bandwidth: f64,
    pub(super) block_size: ReadSize,
    pub(super) page_cache: PageCache,
    pub(super) readers: u32,
}

/// The arms that were measured, and which parts of an arm a user can choose.
pub(super) struct Measured {
    pub(super) arms: Vec<Arm>,
    /// Whether there is a page cache to give a hint to.
    has_hints: bool,
    /// Whether several numbers of readers were measured.
    has_readers: bool,
}

impl Arm {
    pub(super) fn levels(&self) -> [Level; 3] {
        [
            SCAN.block_size.at(self.block_size),
            SCAN.page_cache.at(self.page_cache),
            SCAN.concurrency.at(self.readers),
        ]
    }

    /// This arm with one part of another one: for each part.
    pub(super) fn each_with_part_of(&self, other: &Self) -> [Self; 3] {
        [
            Self { block_size: other.block_size, ..*self },
            Self { page_cache: other.page_cache, ..*self },
            Self { readers: other.readers, ..*self },
        ]
    }

    pub(super) fn is_measured(&self, arms: &[Self]) -> bool {
        arms.iter().any(|known| known.levels() == self.levels())
    }

    /// Its block size, in words.
    pub(super) fn size(&self) -> String {
        self.block_size.block_bytes().map_or_else(|| "whole files".to_owned(), format_bytes)
    }

    /// Its readers, in words.
    pub(super) fn readers(&self) -> String {
        count(usize::try_from(self.readers).unwrap_or(usize::MAX), "reader")
    }

    /// Compared with another arm.
    pub(super) fn over(&self, other: &Self, evidence: &Evidence<'_>) -> Result<Comparison, NoAdvice> {
        let (ours, theirs) = (self.levels(), other.levels());
        let arms =
            Arms { workload: "scan", held: &held(), base: &theirs, other: &ours, across_classes: false };
        evidence.contrast(arms, BANDWIDTH)
    }
}

impl Measured {
    /// Each combination that was measured, once, the fastest first. In a study with further factors an arm has several
    /// cells, and a comparison averages over them.
    pub(super) fn find(evidence: &Evidence<'_>) -> Result<Self, NoAdvice> {
        let found = evidence.cells("scan", &held())?;
        let mut arms: Vec<Arm> = Vec::new();
        let mut has_hints = false;
        for cell in &found.cells {
            let figure = evidence.figure(&found, cell, BANDWIDTH);
            let bandwidth = figure.ok().and_then(|figure| figure.mean.point).unwrap_or(0.0);
            let values = &found.plan.configurations[cell.configuration];
            let levels = SCAN.block_size.of(values).zip(SCAN.page_cache.of(values));
            let Some((block_size, page_cache)) = levels else { continue };
            let readers = SCAN.concurrency.of(values).unwrap_or(1);
            let description = found.plan.description(cell.configuration);
            has_hints |= description.is_none_or(|description| !description.in_object_store);
            let arm = Arm { bandwidth, block_size, page_cache, readers };
            match arms.iter_mut().find(|known| known.levels() == arm.levels()) {
                Some(known) => known.bandwidth = known.bandwidth.max(arm.bandwidth),
                None => arms.push(arm),
            }
        }
        arms.sort_by(|a, b| b.bandwidth.total_cmp(&a.bandwidth));
        let has_readers = arms.iter().any(|arm| arm.readers != arms[0].readers);
        Ok(Self { arms, has_hints, has_readers })
    }

    /// What the values hold for.
    pub(super) fn note(&self) -> Option<&'static str> {
        self.has_hints.then_some(
            "This holds for data that is read from the disk in every pass, because it does not fit into memory, and \
             for this device's latency and read_ahead_kb: a hint acts through the readahead.",
        )
    }

    /// The parts of an arm's value: `1MiB, sequential, 4 readers`.
    pub(super) fn words(&self, arm: &Arm) -> String {
        self.parts(arm, &arm.page_cache.to_string())
    }

    /// What an arm does: `1MiB, hint sequential, 4 readers`.
    pub(super) fn name(&self, arm: &Arm) -> String {
        self.parts(arm, &format!("hint {}", arm.page_cache))
    }

    fn parts(&self, arm: &Arm, hint: &str) -> String {
        let parts = [
            Some(arm.size()),
            self.has_hints.then(|| hint.to_owned()),
            self.has_readers.then(|| arm.readers()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
