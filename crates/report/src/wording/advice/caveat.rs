//! What limits an advice: a sentence each.

use crate::wording::remark;
use advice::Caveat;

/// What limits an advice.
pub(crate) fn caveat(caveat: &Caveat) -> String {
    match caveat {
        Caveat::Note(sentence) => (*sentence).to_owned(),
        Caveat::OtherReadSize { measured, page } => {
            format!("Measured with reads of {measured}; a PostgreSQL page has {page}.")
        }
        Caveat::DeepestIsBest => {
            "The deepest measured queue was the fastest: a deeper one may be faster still.".to_owned()
        }
        Caveat::OfStudy { study, parameters, remark } => {
            format!("Study {study}: {}", remark::of_comparison(remark, &parameters.join(", ")))
        }
        Caveat::Warning { study, audit, summary } => {
            format!("A warning of audit {audit} of study {study}: {summary}")
        }
    }
}
