//! What cannot be measured on the server that the user names: a trial changes nothing there but its own session.

use model::Cache;
use model::IoMode;
use workload::pool::{Parameters, Subject, Table};

/// Why its table cannot be cold.
pub(super) const NOT_COLD: &str = "cache = cold is not possible with --dsn: where that server keeps its files is not known, so they cannot be put \
                        out of the kernel's cache; measure with --fix cache=warm";
const NOT_PARTLY: &str = "cached_percentage below 100 is not possible with --dsn: where that server keeps its files is not known, so none \
                          of their pages can be put out of the kernel's cache";

/// What a configuration needs of a server that a session cannot change: no setting of the user's server is changed.
pub fn beyond_a_session(parameters: &Parameters) -> Option<&'static str> {
    if parameters.subject == Subject::Ours {
        None
    } else if parameters.table != Table::Temporary {
        Some(
            "shared_buffers of a server cannot be changed by a session: with --dsn only table = temporary is measured",
        )
    } else if parameters.mode == IoMode::Direct {
        Some(
            "debug_io_direct of a server cannot be changed by a session: with --dsn only mode = buffered is measured",
        )
    } else if parameters.cache == Cache::Cold {
        Some(NOT_COLD)
    } else if parameters.cache == Cache::Warm && parameters.cached_percentage < 100 {
        Some(NOT_PARTLY)
    } else {
        None
    }
}
