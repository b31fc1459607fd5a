//! What an acknowledged write survives, by the words that people write into a column of it.

use super::sync;
use super::words::Words;
use laws::Circumstances;
use model::PromiseTable;
use model::durability::DurabilityClass;

/// Whole cells.
const CELLS: &[(DurabilityClass, &[&str])] = &[
    (
        DurabilityClass::Power,
        &[
            "power",
            "power loss",
            "power failure",
            "power cut",
            "power outage",
            "power-loss",
            "durable",
            "full",
            "safe",
            "crash-safe",
            "strict",
            "strong",
            "sync",
            "synchronous",
            "immediate",
            "always",
            "on",
            "yes",
            "true",
            "fsync",
            "os crash",
            "system crash",
            "kernel crash",
            "machine crash",
            "d_sync",
            "full durability",
        ],
    ),
    // A write that is acknowledged before it is synced survives no more than this.
    (
        DurabilityClass::Process,
        &[
            "process",
            "process crash",
            "app crash",
            "application crash",
            "kill -9",
            "sigkill",
            "page cache",
            "os cache",
            "os buffer",
            "os buffers",
            "async",
            "asynchronous",
            "eventual",
            "everysec",
            "every second",
            "periodic",
            "buffered",
            "group",
            "relaxed",
        ],
    ),
    (
        DurabilityClass::None,
        &[
            "none",
            "no",
            "off",
            "false",
            "unsafe",
            "memory",
            "in-memory",
            "in memory",
            "ram",
            "volatile",
            "lost",
            "weak",
        ],
    ),
];
/// Settings of embedded engines, as cells and labels quote them. Those of servers are in the tables of promises.
const SETTINGS: &[(&str, DurabilityClass)] = &[
    ("synchronous=off", DurabilityClass::Process),
    ("synchronous=full", DurabilityClass::Power),
    ("synchronous=extra", DurabilityClass::Power),
    ("disable_wal=1", DurabilityClass::None),
    ("disable_wal=true", DurabilityClass::None),
    ("disablewal=true", DurabilityClass::None),
    ("manual_wal_flush=true", DurabilityClass::None),
    ("no wal", DurabilityClass::None),
    ("without wal", DurabilityClass::None),
    ("wal disabled", DurabilityClass::None),
    ("wal off", DurabilityClass::None),
];

/// What a cell says.
pub(crate) fn of_cell(cell: &str) -> Option<DurabilityClass> {
    let plain = Words::of(cell).plain().replace(": ", "=");
    let listed = CELLS.iter().find(|(_, cells)| cells.contains(&plain.as_str())).map(|(class, _)| *class);
    let survives = || {
        let rest = plain.strip_prefix("survives ").or_else(|| plain.strip_prefix("safe against "))?;
        let rest = rest.trim_start_matches("a ");
        CELLS.iter().find(|(_, cells)| cells.contains(&rest)).map(|(class, _)| *class)
    };
    let of_sync = || Circumstances { sync: sync::of_cell(cell), ..Circumstances::default() }.survives();
    listed.or_else(survives).or_else(|| of_settings(&plain)).or_else(of_sync)
}

/// Settings of InnoDB are quoted with and without it.
const INNODB: &str = "innodb_";

/// What a label says: the weakest of the settings that it names.
pub(super) fn of_settings(plain: &str) -> Option<DurabilityClass> {
    let is_named = |name: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
        let begins = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric());
        plain
            .match_indices(name)
            .any(|(place, _)| begins(&plain[..place]) && ends(&plain[place + name.len()..]))
    };
    let of_servers = PromiseTable::all().flat_map(PromiseTable::deciding).map(|(name, value, class)| {
        let name = name.strip_prefix(INNODB).unwrap_or(name);
        (format!("{name}={}", value.to_lowercase()), class)
    });
    let of_engines = SETTINGS.iter().map(|(quoted, class)| ((*quoted).to_owned(), *class));
    of_servers.chain(of_engines).filter(|(quoted, _)| is_named(quoted)).map(|(_, class)| class).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_published_tables() {
        for (cell, class) in [
            ("power loss", DurabilityClass::Power),
            ("survives power loss", DurabilityClass::Power),
            ("fsync=on", DurabilityClass::Power),
            ("fsync = off", DurabilityClass::Process),
            ("synchronous_commit=off", DurabilityClass::None),
            ("innodb_flush_log_at_trx_commit=2", DurabilityClass::Process),
            ("flush_log_at_trx_commit=0", DurabilityClass::None),
            ("full_page_writes=off", DurabilityClass::Process),
            ("unsafe-no-fsync=true", DurabilityClass::None),
            ("Safe", DurabilityClass::Power),
            ("async", DurabilityClass::Process),
            ("unsafe", DurabilityClass::None),
        ] {
            assert_eq!(of_cell(cell), Some(class), "{cell}");
        }
        for cell in ["blue", "commit_delay=1000", "innodb_flush_log_at_trx_commit=20"] {
            assert_eq!(of_cell(cell), None, "{cell}");
        }
    }
}
