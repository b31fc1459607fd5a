//! What the levels of a load follow from, besides the load.

/// What the levels of every load of a proof follow from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// How long each trial measures, seconds.
    pub(crate) runtime_s: f64,
    /// Bytes of the largest buffer pool among the arms; 0 if every arm has the same, whatever its settings.
    pub(crate) pool_bytes: u64,
}

impl Conditions {
    /// Some, for what does not depend on them.
    pub(crate) const ANY: Self = Self { runtime_s: 1.0, pool_bytes: 0 };
}
