//! How a cell of each role is read, and where its figure belongs in the row.

use super::{Field, Role};
use crate::cell::{self, Cell};
use crate::hint;
use crate::unit::Dimension;
use laws::{Arrivals, Claim, Direction, Sync, System};
use model::IoMode;
use model::durability::DurabilityClass;
use model::suggestion;

impl Role {
    /// Puts a cell that is not empty into its row; labels, knobs, figures and their partners are the reader's business.
    pub(crate) fn apply(&self, row: &mut Claim, cell: Cell<'_>) -> Result<(), String> {
        match self {
            Self::Field(field, scale) => field.apply(row, cell, *scale),
            Self::Latency(timed, figure, scale) => {
                row.put(*timed, *figure, cell.measure(Dimension::Time, *scale)?);
                Ok(())
            }
            Self::Label
            | Self::Knob
            | Self::Figure
            | Self::HalfWidthOf(_)
            | Self::DeviationOf(_)
            | Self::IntervalOf(_)
            | Self::MedianOf(_) => Ok(()),
        }
    }
}

impl Field {
    fn apply(self, row: &mut Claim, cell: Cell<'_>, scale: f64) -> Result<(), String> {
        let setting = &mut row.setting;
        match self {
            Self::Rw => {
                let pattern = cell.text.to_ascii_lowercase();
                setting.direction = Some(Direction::from_pattern(&pattern)?);
                setting.pattern = Some(pattern);
            }
            Self::Mode => setting.mode = Some(io_mode(cell.text)?),
            Self::LogMode => setting.log_mode = Some(io_mode(cell.text)?),
            Self::Direct => {
                setting.mode = Some(if cell.flag()? { IoMode::Direct } else { IoMode::Buffered });
            }
            Self::Engine => setting.engine = Some(cell.text.to_owned()),
            Self::Iops => {
                row.operations_per_s = Some(row.measured("iops", cell.measure(Dimension::Rate, scale)?));
            }
            Self::Bandwidth => {
                let figure = cell.measure(Dimension::Bandwidth, scale)?;
                row.bandwidth_bytes_per_s = Some(row.measured("bandwidth", figure));
            }
            Self::CommitsPerS => {
                row.commits_per_s = Some(row.measured("commits", cell.measure(Dimension::Rate, scale)?));
            }
            Self::ReadsPerCommit => setting.reads_per_commit = Some(cell.positive()?),
            Self::Rank => row.rank = Some(cell.rank()?),
            Self::N => row.n = Some(cell.count()?),
            Self::Operations => row.operations = Some(cell.count()?),
            Self::Runtime => row.runtime_s = Some(cell.measure(Dimension::Time, scale * 1e9)?.value / 1e9),
            Self::BlockBytes => {
                let is_plain = cell.positive().is_ok();
                let factor = if is_plain { scale as u64 } else { 1 };
                setting.block_bytes = Some(cell.bytes()?.saturating_mul(factor));
            }
            Self::Iodepth => setting.iodepth = Some(cell.count()?),
            Self::Numjobs => setting.numjobs = Some(cell.count()?),
            Self::InFlight => setting.in_flight = Some(cell.count()?),
            Self::Synced => setting.synced = Some(cell.flag()?),
            Self::Sync => {
                let known = hint::sync_of_cell(cell.text);
                setting.sync = Some(known.map_or_else(|| named("way to sync", cell.text, Sync::NAMES), Ok)?);
            }
            Self::Durability => {
                let known = hint::durability_of_cell(cell.text);
                setting.durability =
                    Some(known.map_or_else(|| named("durability", cell.text, DURABILITY), Ok)?);
            }
            Self::SynchronousCommit => {
                let is_off = cell.text.eq_ignore_ascii_case("off") || !cell.flag().unwrap_or(true);
                let class = if is_off { DurabilityClass::None } else { DurabilityClass::Power };
                setting.durability = Some(class);
            }
            Self::System => setting.system = Some(named("system", cell.text, System::NAMES)?),
            Self::OnDevice => setting.said_of_device = Some(cell.is_on_device()?),
            Self::FileBytes => setting.file_bytes = Some(cell.bytes()?),
            Self::MemoryCap => setting.memory_cap_bytes = Some(cell.bytes()?),
            Self::Memory => setting.memory_bytes = Some(cell.bytes()?),
            Self::Passes => setting.passes = Some(cell.count()?),
            Self::CacheDrops => setting.cache_drops = Some(cell.count()?),
            Self::RateLimit => {
                cell.positive()?;
                setting.arrivals = Some(Arrivals::Open);
            }
        }
        Ok(())
    }
}

const DURABILITY: &[(&str, DurabilityClass)] = &[
    ("none", DurabilityClass::None),
    ("process", DurabilityClass::Process),
    ("power", DurabilityClass::Power),
];

fn io_mode(cell: &str) -> Result<IoMode, String> {
    let known = || suggestion::unknown("I/O mode", cell, IoMode::NAMES.iter().copied());
    cell::io_mode(cell).ok_or_else(known)
}

/// One of a few names.
fn named<T: Copy>(what: &str, cell: &str, names: &[(&str, T)]) -> Result<T, String> {
    let plain = cell.to_ascii_lowercase();
    let found = names.iter().find(|(name, _)| *name == plain);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| suggestion::unknown(what, cell, names.iter().map(|(name, _)| *name)))
}
