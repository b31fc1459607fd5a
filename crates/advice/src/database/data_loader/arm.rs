//! An arm of the study: a block size, a hint, a number of readers, and how far they read ahead of an accelerator.

use crate::comparison::Comparison;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, on_host};
use crate::no_advice::NoAdvice;
use model::figure::count;
use model::scan::ReadSize;
use model::units::format_bytes;
use model::{Configuration, Nanos};
use workload::scan::{PARAMETERS as SCAN, PageCache, PassCache};

const WORKLOAD: &str = "scan";
const BANDWIDTH: &str = "bandwidth_bytes_per_s";
const UTILIZATION: &str = "accelerator_utilization";

/// An arm, with its figure.
#[derive(Clone, Copy)]
pub(super) struct Arm {
    pub(super) figure: f64,
    pub(super) block_size: ReadSize,
    pub(super) page_cache: PageCache,
    pub(super) readers: u32,
    /// Batches ahead of the accelerator; `None` without one.
    pub(super) prefetch: Option<u32>,
}

/// What the readers of an arm read for, and by what they are judged.
struct Purpose {
    held: Vec<Level>,
    metric: &'static str,
    has_accelerator: bool,
}

/// The arms that were measured, and which parts of an arm a user can choose.
pub(super) struct Measured {
    pub(super) arms: Vec<Arm>,
    purpose: Purpose,
    /// Whether there is a page cache to give a hint to.
    has_hints: bool,
    /// Whether several numbers of readers were measured.
    has_readers: bool,
}

impl Purpose {
    /// Files that are read whole and as fast as readers can: an accelerator would hold them back.
    fn speed() -> Self {
        let held = vec![
            SCAN.cache.at(PassCache::ColdEachPass),
            SCAN.piece_size.at(ReadSize::WholeFile),
            SCAN.step_time.at(Nanos::ZERO),
            on_host(),
        ];
        Self { held, metric: BANDWIDTH, has_accelerator: false }
    }

    /// Files or pieces of them for the accelerator of the run that asks for most; `None` if it has none.
    fn accelerator(evidence: &Evidence<'_>) -> Option<Self> {
        let accelerator = |values: &Configuration| {
            let step = SCAN.step_time.of(values).filter(|step| *step > Nanos::ZERO)?;
            Some((step, SCAN.batch_size.of(values)?))
        };
        let configurations = evidence.of_workload(WORKLOAD).flat_map(|(_, plan)| &plan.configurations);
        // Bytes in a second.
        let asked = |(step, batch): &(Nanos, u64)| *batch as f64 / step.seconds();
        let accelerators = configurations.filter_map(accelerator);
        let (step, batch) = accelerators.max_by(|a, b| asked(a).total_cmp(&asked(b)))?;
        let held = vec![
            SCAN.cache.at(PassCache::ColdEachPass),
            SCAN.step_time.at(step),
            SCAN.batch_size.at(batch),
            on_host(),
        ];
        Some(Self { held, metric: UTILIZATION, has_accelerator: true })
    }
}

impl Arm {
    pub(super) fn levels(&self) -> Vec<Level> {
        let levels = [
            SCAN.block_size.at(self.block_size),
            SCAN.page_cache.at(self.page_cache),
            SCAN.concurrency.at(self.readers),
        ];
        levels.into_iter().chain(self.prefetch.map(|batches| SCAN.prefetch.at(batches))).collect()
    }

    /// This arm with one part of another one: for each part.
    pub(super) fn each_with_part_of(&self, other: &Self) -> [Self; 4] {
        [
            Self { block_size: other.block_size, ..*self },
            Self { page_cache: other.page_cache, ..*self },
            Self { readers: other.readers, ..*self },
            Self { prefetch: other.prefetch, ..*self },
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
}

impl Measured {
    /// Each combination that was measured with readers that are as fast as they can be.
    pub(super) fn as_fast_as_possible(evidence: &Evidence<'_>) -> Result<Self, NoAdvice> {
        Self::find(evidence, Purpose::speed())
    }

    /// Each combination that was measured for an accelerator; `None` if there was none.
    pub(super) fn for_accelerator(evidence: &Evidence<'_>) -> Option<Result<Self, NoAdvice>> {
        Some(Self::find(evidence, Purpose::accelerator(evidence)?))
    }

    /// Each combination once, the best first. In a study with further factors an arm has several cells, and a
    /// comparison averages over them.
    fn find(evidence: &Evidence<'_>, purpose: Purpose) -> Result<Self, NoAdvice> {
        let found = evidence.cells(WORKLOAD, &purpose.held)?;
        let mut arms: Vec<Arm> = Vec::new();
        let mut has_hints = false;
        for cell in &found.cells {
            let figure = evidence.figure(&found, cell, purpose.metric);
            let figure = figure.ok().and_then(|figure| figure.mean.point).unwrap_or(0.0);
            let values = &found.plan.configurations[cell.configuration];
            let levels = SCAN.block_size.of(values).zip(SCAN.page_cache.of(values));
            let Some((block_size, page_cache)) = levels else { continue };
            let readers = SCAN.concurrency.of(values).unwrap_or(1);
            let prefetch = SCAN.prefetch.of(values).filter(|_| purpose.has_accelerator);
            let description = found.plan.description(cell.configuration);
            has_hints |= description.is_none_or(|description| !description.in_object_store);
            let arm = Arm { figure, block_size, page_cache, readers, prefetch };
            match arms.iter_mut().find(|known| known.levels() == arm.levels()) {
                Some(known) => known.figure = known.figure.max(arm.figure),
                None => arms.push(arm),
            }
        }
        arms.sort_by(|a, b| b.figure.total_cmp(&a.figure));
        let has_readers = arms.iter().any(|arm| arm.readers != arms[0].readers);
        Ok(Self { arms, purpose, has_hints, has_readers })
    }

    /// An arm compared with another one.
    pub(super) fn over(
        &self,
        evidence: &Evidence<'_>,
        arm: &Arm,
        other: &Arm,
    ) -> Result<Comparison, NoAdvice> {
        self.levels_over(evidence, &arm.levels(), &other.levels())
    }

    /// Levels compared with other levels of the same parameters.
    pub(super) fn levels_over(
        &self,
        evidence: &Evidence<'_>,
        levels: &[Level],
        others: &[Level],
    ) -> Result<Comparison, NoAdvice> {
        let held = &self.purpose.held;
        let arms = Arms { workload: WORKLOAD, held, base: others, other: levels, across_classes: false };
        evidence.contrast(arms, self.purpose.metric)
    }

    /// What the values hold for.
    pub(super) fn notes(&self) -> Vec<&'static str> {
        let of_accelerator = self.purpose.has_accelerator.then_some(
            "This holds for an accelerator that takes batches of this size at this rate: for a faster one, more readers \
             or batches may be needed.",
        );
        let of_hints = self.has_hints.then_some(
            "This holds for data that is read from the disk in every pass, because it does not fit into memory, and \
             for this device's latency and read_ahead_kb: a hint acts through the readahead.",
        );
        of_accelerator.into_iter().chain(of_hints).collect()
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
            arm.prefetch.map(|batches| format!("prefetch {batches}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
