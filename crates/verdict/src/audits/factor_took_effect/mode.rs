//! Whether modes that bypass the page cache, or drop its pages at once, left little of the data file in it.
//!
//! `RWF_DONTCACHE` guarantees less for writes than for reads: ext4 drops pages that were read or appended and keeps
//! overwritten pages (4096 of 4096 after an fdatasync, Linux 6.18); XFS drops both. If pages of such writes remain, it
//! is the kernel's choice, not a failure of the setup.

use super::super::{Context, Judgement, Trial};
use super::realised::name;
use crate::described::data_file;
use crate::phrase::percent;
use crate::verdict::{Cell, Status};
use model::description::{Direction, Stream};
use model::{Cache, IoMode};

/// The maximum growth of the cached pages, as a share of the data file, beside the operations in flight.
const LEFT_AT_MOST: f64 = 0.05;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let left: Vec<Left> = context
        .cells
        .iter()
        .filter_map(|cell| Left::in_trials(cell, context.trials.get(cell.configuration)?))
        .collect();
    if left.is_empty() {
        return None;
    }
    let off: Vec<&Left> = left.iter().filter(|left| left.is_off()).collect();
    let evidence = off.iter().map(|left| left.sentence());
    let (kept, failed): (Vec<&Left>, Vec<&Left>) = off.iter().partition(|left| left.is_kept_by_kernel);
    let judgement = if !failed.is_empty() {
        let summary = format!(
            "Operations that bypass the page cache, or drop its pages, left pages there in {} of {} configurations: \
             the mode did not take effect.",
            failed.len(),
            left.len()
        );
        let advice = "Check that nothing else reads the file, and that the file system does direct I/O (some fall back \
                      to the page cache without saying so).";
        Judgement::new(Status::Fail, summary, advice).at(failed.iter().map(|left| left.configuration))
    } else if !kept.is_empty() {
        let summary = format!(
            "Writes with dontcache left their pages cached in {} of {} configurations: this file system drops pages \
             that dontcache reads or appends and keeps pages that it overwrites (as ext4 does, and XFS does not).",
            kept.len(),
            left.len()
        );
        let advice = "Take these figures as buffered writes whose writeback starts at once, or use XFS, which drops \
                      overwritten pages too.";
        Judgement::new(Status::Warn, summary, advice).at(kept.iter().map(|left| left.configuration))
    } else {
        return Some(Judgement::pass(
            "Direct and dontcache operations left almost nothing in the page cache.",
        ));
    };
    Some(judgement.with(evidence))
}

/// What a configuration left in the page cache, averaged over trials.
struct Left {
    configuration: usize,
    label: String,
    mode: IoMode,
    /// Whether it writes with dontcache, whose pages a file system may keep.
    is_kept_by_kernel: bool,
    grown: f64,
    in_flight: f64,
}

impl Left {
    /// For the trials of one configuration; `None` if the cache is used, or was filled on purpose.
    fn in_trials(cell: &Cell, trials: &[Trial<'_>]) -> Option<Self> {
        let description = trials.first()?.description;
        let bypasses = |stream: &Stream| matches!(stream.mode, IoMode::Direct | IoMode::DontCache);
        let first = description.data_streams().next().filter(|_| description.data_streams().all(bypasses))?;
        if description.cache == Cache::Warm {
            return None;
        }
        let grown = |trial: &Trial<'_>| {
            let data = data_file(trial.record)?;
            let before = data.cached_share_before.value()?.max(0.0);
            Some(data.cached_share_after.value()? - before).filter(|grown| grown.is_finite())
        };
        let grown: Vec<f64> = trials.iter().filter_map(grown).collect();
        let size = description.data_bytes.filter(|bytes| *bytes > 0)? as f64;
        let block_bytes = description.data_streams().filter_map(|stream| stream.block_bytes).max();
        let mut writes = description.data_streams().filter(|stream| stream.direction == Direction::Write);
        Some(Self {
            configuration: cell.configuration,
            label: name(&cell.label).to_owned(),
            mode: first.mode,
            is_kept_by_kernel: writes.any(|stream| stream.mode == IoMode::DontCache),
            grown: stats::sample::mean(&grown)?,
            in_flight: description.in_flight_max as f64 * block_bytes.unwrap_or(0) as f64 / size,
        })
    }

    fn is_off(&self) -> bool {
        self.grown > LEFT_AT_MOST + self.in_flight
    }

    fn sentence(&self) -> String {
        format!("{}: {} left {} more of the data file cached.", self.label, self.mode, percent(self.grown))
    }
}
