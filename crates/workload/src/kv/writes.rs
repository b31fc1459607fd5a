//! How an engine takes writes before they are in its tree: its log, and its write buffers. What an engine does by
//! itself is from its own documentation, and a setting that changes it counts.

use super::parameters::Parameters;
use model::description::LogWrites;

/// How the engine writes its log; `None` for an engine without one, and if the level of durability is left to the
/// engine.
pub(super) fn log(p: &Parameters) -> Option<LogWrites> {
    let by_mode = |mode: &str| match mode {
        "mmap" => Some(LogWrites::Mapped),
        "direct" => Some(LogWrites::Direct),
        "buffered" | "dontcache" => Some(LogWrites::Written),
        _ => None,
    };
    let grows = p.settings.get("log.layout") == Some("append");
    match (p.engine, p.durability()?) {
        // The table of options in docs/store.md.
        ("store", level) => match (p.settings.get("log.io"), level) {
            (Some(mode), _) => by_mode(mode),
            (None, "process") if !grows => Some(LogWrites::Mapped),
            (None, "power") => by_mode(p.io.name()),
            (None, _) => Some(LogWrites::Written),
        },
        ("rocksdb", "no_wal") => None,
        ("rocksdb", _) if p.settings.get("allow_mmap_writes") == Some("true") => Some(LogWrites::Mapped),
        ("rocksdb" | "fjall" | "sqlite", _) => Some(LogWrites::Written),
        (_, _) => None,
    }
}

/// Bytes of all write buffers together; `None` for an engine without any.
pub(super) fn memory_bytes(p: &Parameters) -> Option<u64> {
    let setting = |name: &str| p.settings.get(name).and_then(|value| value.parse::<u64>().ok());
    let buffers = match p.engine {
        "store" => setting("memtables_max").unwrap_or(4),
        // `max_write_buffer_number`.
        "rocksdb" => setting("max_write_buffer_number").unwrap_or(2),
        // It waits once four are to be flushed.
        "fjall" => 4,
        _ => return None,
    };
    Some(p.write_buffer_bytes_or_default().saturating_mul(buffers))
}
