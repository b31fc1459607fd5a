//! What cannot be measured on the user's server: a trial changes only its own session there.

use model::Cache;
use model::IoMode;
use workload::pool::{Parameters, Subject, Table};

/// Why the table cannot be cold.
pub(super) const NOT_COLD: &str = "cache = cold is not possible on the user's server: Syncline does not know where it \
                        keeps its files, so it cannot evict them from the page cache; measure cache = warm";
const NOT_PARTLY: &str = "cached_percentage below 100 is not possible on the user's server: Syncline does not know \
                          where it keeps its files, so it cannot evict any of their pages from the page cache";

/// The reason if a configuration needs a change of the server's settings, which Syncline never changes.
pub fn beyond_a_session(parameters: &Parameters) -> Option<&'static str> {
    if parameters.subject == Subject::Ours {
        None
    } else if parameters.table != Table::Temporary {
        Some(
            "shared_buffers of the user's server cannot be changed by a session: there only table = temporary is \
             measured",
        )
    } else if parameters.mode == IoMode::Direct {
        Some(
            "debug_io_direct of the user's server cannot be changed by a session: there only mode = buffered is \
             measured",
        )
    } else if parameters.cache == Cache::Cold {
        Some(NOT_COLD)
    } else if parameters.cache == Cache::Warm && parameters.cached_percentage < 100 {
        Some(NOT_PARTLY)
    } else {
        None
    }
}
