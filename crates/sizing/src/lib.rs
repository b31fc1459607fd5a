//! A load under caps of IOPS and bandwidth that a control group sets: where its knee is, and what provisioned volumes
//! would give it. Pure: configurations and verdicts in, studies, curves and a document out.
//!
//! - **The load is measured, not modelled.** A stage is a study whose arms are caps, and one arm without a cap. Ratios
//!   are paired by round with that arm ([`Stage`]).
//! - **A cap is a total of reads and writes**, as providers count, and is split between the two in the ratio in which
//!   the load reads and writes without a cap ([`Demand`]). A control group has no limit of both together.
//! - **A cap suffices only if that is proven**: throughput within 5 % of that without a cap, no p99 more than 25 %
//!   above it. The knee is the smallest cap from which on every measured one suffices ([`Curve::knee`]).
//! - **A volume's figure is measured at its cap, interpolated between two measured caps, or not given** ([`Basis`]).
//! - **`volumes.toml` holds what providers publish**, each figure with its source and the date on which it was read.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod curve;
mod demand;
mod document;
mod offer;
mod stage;
mod volume;

pub use curve::{Curve, Level, P99_TOLERANCE, Rung, Standing, THROUGHPUT_TOLERANCE};
pub use demand::{CapKind, Demand, UNCAPPED};
pub use offer::{Basis, Offer, offers};
pub use stage::{Load, Stage, coarse_stage, fine_stage, pilot_stage};
pub use volume::{Volume, VolumeError, Volumes};

use serde::Serialize;

/// The result: what the load wants, its curves, and what volumes would give it.
#[derive(Clone, Debug, Serialize)]
pub struct Sizing {
    /// The study that the load is of.
    pub load: String,
    /// Directory on the disk that was measured.
    pub place: String,
    /// What the load asks of its device without a cap.
    pub demand: Demand,
    /// The metrics that are judged: the throughput first, then every p99.
    pub metrics: Vec<String>,
    /// What was measured without a cap, by metric.
    pub uncapped: Vec<Option<f64>>,
    /// By IOPS and by bandwidth.
    pub curves: Vec<Curve>,
    /// Bytes of the volume that prices are of, in GiB.
    pub volume_gib: f64,
    pub offers: Vec<Offer>,
    /// What limits the result.
    pub remarks: Vec<String>,
}
