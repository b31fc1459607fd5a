//! The results of the phases on a pool, Syncline's or PostgreSQL's.

use model::mechanism::Measured;
use model::turns::Slice;
use model::{BufferMemory, DurabilityClass};
use std::collections::BTreeMap;
use workload::pool::Run;

/// The results of a subject's phases.
pub(super) struct PhaseResults {
    pub(super) runs: Vec<Run>,
    pub(super) change_s: Measured<f64>,
    pub(super) wal_bytes: Measured<f64>,
    pub(super) full_page_images: Measured<f64>,
    pub(super) map_pages: Measured<f64>,
    pub(super) instrument_overhead_ns: Measured<f64>,
    pub(super) durability: DurabilityClass,
    pub(super) notes: Vec<String>,
    /// The turns of each pass, by its name, if it took any.
    pub(super) slices: BTreeMap<String, Vec<Slice>>,
    /// The frames of Syncline's pool; `None` for a server's.
    pub(super) buffers: Option<Measured<BufferMemory>>,
    /// The table's share when the first pass began.
    pub(super) cached_share: Measured<f64>,
    /// The same, if the table is the trial's one file.
    pub(super) cached_shares: Option<Vec<Measured<f64>>>,
}
