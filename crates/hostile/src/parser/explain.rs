//! The answer of a PostgreSQL server to `EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON)`.

use super::refusal::says_something;

pub(super) fn explain(bytes: &[u8]) {
    let Ok(answer) = serde_json::from_slice(bytes) else { return };
    match postgresql::explain::parse(&answer) {
        Ok(explained) => assert!(explained.execution_s >= 0.0, "{explained:?}"),
        Err(error) => says_something(error),
    }
}
