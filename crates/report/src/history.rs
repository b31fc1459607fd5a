//! A history as a document, with its drawings.

use crate::html::history_plot;
use page::Document;
use verdict::history::{History, HistoryRuling};

/// The history and its limits as a document whose series are drawn.
pub fn history(history: &History, rulings: &[HistoryRuling]) -> Document {
    history.document(rulings, &history_plot::plots())
}
