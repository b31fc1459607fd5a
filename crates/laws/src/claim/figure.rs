//! A number with its uncertainty.

/// A number, and how far what was measured may lie from it. The unit is that of the field or the name that it has in a
/// [`Claim`](super::Claim).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// As it is stated.
    pub value: f64,
    /// In the same unit: the step of the last printed digit that means something; 0 if it is stated in full.
    pub uncertainty: f64,
}

impl Figure {
    pub const fn exact(value: f64) -> Self {
        Self { value, uncertainty: 0.0 }
    }

    /// The same in another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, uncertainty: self.uncertainty * factor }
    }

    /// The uncertainty as a share of the value, at most 1.
    pub fn relative(self) -> f64 {
        let share = self.uncertainty / self.value;
        if share.is_finite() { share.min(1.0) } else { 0.0 }
    }

    /// The largest value that was perhaps measured.
    pub fn most(self) -> f64 {
        self.value + self.uncertainty
    }

    /// The smallest value that was perhaps measured.
    pub fn least(self) -> f64 {
        self.value - self.uncertainty
    }
}
