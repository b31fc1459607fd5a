//! What an advice rests on.

use page::quantity::named;
use serde::Serialize;

/// A part of a study that an advice rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ground {
    pub study: String,
    /// The compared levels, `sync = dsync against sync = fdatasync`, or the finding or cell if nothing is compared.
    pub finding: String,
    pub metric: String,
    pub trials: usize,
}

impl Ground {
    /// `study commit-modes (compare sync, dsync against fdatasync: commits/s, 20 trials)`.
    pub(crate) fn text(&self) -> String {
        let Self { study, finding, metric, trials } = self;
        format!("study {study} ({finding}: {}, {trials} trials)", named(metric).title)
    }
}
