//! How writes are synced, by the words of a label: `fsync`, `fsync=off`, `no fsync`, `fsync at end`, `appendfsync
//! everysec`.

use super::words::Words;
use laws::Sync;

/// A word that names no way, but whose absence is one.
const ANY: &str = "sync";
/// Redis's option, which stands before its value; `always` is `fdatasync` on Linux.
const REDIS: &str = "appendfsync";

/// Values of an option that is off.
const OFF: &[&str] = &["off", "0", "no", "false", "never", "none", "disabled"];
/// Whole cells of a column about syncing.
const CELLS: &[(&[&str], Sync)] = &[
    (
        &[
            "on",
            "yes",
            "true",
            "1",
            "✓",
            "✅",
            "always",
            "sync",
            "synchronous",
            "enabled",
            "each write",
            "every write",
            "per write",
            "each commit",
            "every commit",
            "per commit",
            "every op",
        ],
        Sync::Fsync,
    ),
    (&["off", "no", "false", "0", "✗", "❌", "disabled", "none", "no sync", "nosync"], Sync::Never),
    (
        &[
            "async",
            "asynchronous",
            "everysec",
            "every second",
            "periodic",
            "interval",
            "batch",
            "batched",
            "at end",
            "end",
            "delayed",
            "relaxed",
        ],
        Sync::Later,
    ),
];
/// Words behind a sync that is off. `no` may belong to what follows it: `fsync, no O_DIRECT`.
const OFF_BEHIND: &[&str] = &["off", "disabled", "never"];
const OFF_BEFORE: &[&str] = &["no", "not", "without"];
const LATER_BEFORE: &[&str] = &["one", "single", "final"];
const LATER_BEHIND: &[&[&str]] =
    &[&["at", "end"], &["at", "the", "end"], &["every", "second"], &["every", "n"], &["everysec"]];

/// The way to sync: the strictest of those that are named.
pub(super) fn sync(words: &[&str]) -> Option<Sync> {
    let words: Vec<&str> = words.iter().flat_map(|word| word.split('/')).collect();
    let told: Vec<Sync> = (0..words.len()).filter_map(|place| sync_at(&words, place)).collect();
    let strictest = Sync::WAYS.iter().map(|(_, way)| *way).find(|way| told.contains(way));
    strictest.or_else(|| told.first().copied())
}

/// What the word at this place says, with those around it.
fn sync_at(words: &[&str], place: usize) -> Option<Sync> {
    let (before, behind) = (words[..place].last(), &words[place + 1..]);
    let (name, value) = match words[place].split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (words[place], None),
    };
    if name == REDIS {
        return match value.or(behind.first().copied())? {
            "no" => Some(Sync::Never),
            "everysec" => Some(Sync::Later),
            "always" => Some(Sync::Fdatasync),
            _ => None,
        };
    }
    if name.strip_prefix("no").is_some_and(|rest| is_sync(rest.trim_start_matches('_'))) {
        return Some(Sync::Never);
    }
    if name == "end_fsync" && value.is_none_or(|value| !OFF.contains(&value)) {
        return Some(Sync::Later);
    }
    if !is_sync(name) {
        return None;
    }
    let is_before = |list: &[&str]| before.is_some_and(|word| list.contains(word));
    let is_off = value.is_some_and(|value| OFF.contains(&value))
        || behind.first().is_some_and(|word| OFF_BEHIND.contains(word));
    if is_off || is_before(OFF_BEFORE) {
        return Some(Sync::Never);
    }
    // fio's `fsync=32`, and `fsync every 32 writes`.
    let is_number = |word: &str| word.parse::<u64>().is_ok_and(|number| number > 1);
    let is_later = value.is_some_and(is_number)
        || matches!(behind, ["every", number, ..] if is_number(number))
        || LATER_BEHIND.iter().any(|phrase| behind.starts_with(phrase));
    if name != ANY && (is_later || is_before(LATER_BEFORE)) {
        return Some(Sync::Later);
    }
    Sync::WAYS.iter().find(|(known, _)| *known == name).map(|(_, way)| *way)
}

/// What a cell of a column about syncing means, by the words that people use: `on`, `every write`, `async`, `no fsync`.
pub(crate) fn of_cell(cell: &str) -> Option<Sync> {
    let words = Words::of(cell);
    let named = Sync::NAMES.iter().find(|(name, _)| *name == words.plain()).map(|(_, sync)| *sync);
    let listed = CELLS.iter().find(|(cells, _)| cells.contains(&words.plain())).map(|(_, sync)| *sync);
    named.or(listed).or_else(|| sync(&words.list()))
}

fn is_sync(name: &str) -> bool {
    name == ANY || Sync::WAYS.iter().any(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::of_label;

    /// `fsync: off` and `appendfsync no` were read as an fsync after each write.
    #[test]
    fn syncs_of_published_labels() {
        for (label, expected) in [
            ("pwrite (no sync)", Some(Sync::Never)),
            ("pwrite (O_SYNC)", Some(Sync::OSync)),
            ("pwrite (fsync at end)", Some(Sync::Later)),
            ("write + fdatasync", Some(Sync::Fdatasync)),
            ("fsync (F_FULLFSYNC)", Some(Sync::FullFsync)),
            ("O_DIRECT/O_DSYNC, no fsync", Some(Sync::ODsync)),
            ("fsync, no O_DIRECT", Some(Sync::Fsync)),
            ("fsync=1", Some(Sync::Fsync)),
            ("fsync, 8 threads", Some(Sync::Fsync)),
            ("RocksDB, async", None),
            ("sync=1", None),
            ("16 fsync/s", Some(Sync::Fsync)),
        ] {
            assert_eq!(of_label(label).sync, expected, "{label}");
        }
        for off in [
            "fsync=off",
            "fsync = off",
            "fsync: off",
            "fsync off",
            "fsync=0",
            "fsync=false",
            "fsync=no",
            "fsync=never",
            "fsync disabled",
            "fdatasync=0",
            "nofsync",
            "no-fsync",
            "no_fsync",
            "no fsync",
            "without fsync",
            "nosync",
            "sync=off",
            "sync=0",
            "sync=false",
            "without O_SYNC",
            "appendfsync no",
            "appendfsync=no",
        ] {
            assert_eq!(of_label(off).sync, Some(Sync::Never), "{off}");
        }
        for later in [
            "appendfsync everysec",
            "fsync=32",
            "fsync every 100 writes",
            "fsync every second",
            "fsync at the end",
            "one fsync",
            "end_fsync=1",
        ] {
            assert_eq!(of_label(later).sync, Some(Sync::Later), "{later}");
        }
        assert_eq!(of_label("redis, appendfsync always").sync, Some(Sync::Fdatasync));
        for unclear in ["redis (appendfsync)", "end_fsync=0", "asynchronous"] {
            assert_eq!(of_label(unclear).sync, None, "{unclear}");
        }
    }
}
