//! What a sentence about a finding begins with.

use crate::finding::{Finding, capital};
use model::every_trial::RANKS;

/// A sentence about it, after the levels of the ask: `With cached_percentage = 0, …`; mostly the sentence alone. Its
/// first word is a name, or one of [`first_word`].
pub(super) fn opened(finding: &Finding, sentence: &str) -> String {
    match opening(finding) {
        Some(opening) => format!("{opening}, {sentence}"),
        None => sentence.to_owned(),
    }
}

/// The word or title that a sentence about it begins with, if that is not a name: capital if nothing stands before it.
pub(super) fn first_word(finding: &Finding, word: &str) -> String {
    if opening(finding).is_none() { capital(word) } else { word.to_owned() }
}

/// What stands before a sentence. Rank 0 gets less beside more ranks, while all of them together may get more.
fn opening(finding: &Finding) -> Option<String> {
    let at = finding.ask.held();
    let is_of_ranks = finding.ask.factor == RANKS;
    match (is_of_ranks, at.is_empty()) {
        (true, true) => Some("For rank 0 alone".to_owned()),
        (true, false) => Some(format!("For rank 0 alone, with {at}")),
        (false, true) => None,
        (false, false) => Some(format!("With {at}")),
    }
}
