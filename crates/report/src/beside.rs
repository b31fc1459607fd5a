//! What a report has beside what follows from its run alone.

use fleet::scaling::ScalingOf;
use proof::Proof;
use verdict::explanation::Explanation;

/// What lies beside a run; nothing by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The proof of what the advice changes.
    pub proof: Option<&'a Proof>,
    /// What all ranks of a shared run measured together.
    pub scaling: &'a [ScalingOf],
    /// What its traced trials show.
    pub explanations: &'a [Explanation],
}
