//! Settings in a row's label: `4K random read, QD32, O_DIRECT`, `pwrite (fsync at end)`, `RND4K Q32T1`.
//!
//! Only words that mean one thing are taken. What a column says counts more.

mod sync;

use crate::table::{Direction, Setting, Sync};
use model::IoMode;
use model::durability::DurabilityClass;
use model::units::parse_bytes;

/// Phrases by which an acknowledged write is lost with the process.
const NOT_DURABLE: &[&str] =
    &["no wal", "without wal", "wal disabled", "disable_wal=1", "disable_wal=true", "manual_wal_flush=true"];
/// CrystalDiskMark's names: `SEQ1M`, `RND4K`.
const PREFIXES: &[(&str, &str)] = &[("seq", ""), ("rnd", "rand")];
/// The largest size that is one of an operation's and not a file's.
const BLOCK_MAX: u64 = 64 << 20;

/// What these words say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hint {
    direction: Option<Direction>,
    pattern: Option<String>,
    mode: Option<IoMode>,
    block_bytes: Option<u64>,
    iodepth: Option<u64>,
    numjobs: Option<u64>,
    sync: Option<Sync>,
    durability: Option<DurabilityClass>,
}

impl Hint {
    /// Reads a label.
    pub(crate) fn of_label(label: &str) -> Self {
        let plain = label.to_ascii_lowercase().replace(" = ", "=");
        let words: Vec<&str> = plain
            .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '=' | '/')))
            .filter(|word| !word.is_empty())
            .collect();
        let is_lost = NOT_DURABLE.iter().any(|phrase| plain.contains(phrase));
        let direction = direction(&words);
        let pattern = direction.and_then(|direction| pattern(&words, direction));
        Self {
            direction,
            block_bytes: block(&words, pattern.is_some()),
            pattern,
            mode: mode(&words),
            iodepth: words.iter().enumerate().find_map(|(place, word)| depth(word, words.get(place + 1))),
            numjobs: words.iter().find_map(|word| jobs(word)),
            sync: sync::sync(&words),
            durability: is_lost.then_some(DurabilityClass::None),
        }
    }

    /// Fills in what the columns left open; the names of what it filled in.
    pub(crate) fn fill(self, setting: &mut Setting) -> Vec<&'static str> {
        let mut filled = Vec::new();
        let mut put = |name: &'static str, is_open: bool, is_told: bool| {
            if is_open && is_told {
                filled.push(name);
            }
            is_open && is_told
        };
        if put("rw", setting.pattern.is_none(), self.pattern.is_some()) {
            setting.pattern = self.pattern;
        }
        if setting.direction.is_none() {
            setting.direction = self.direction;
        }
        if put("mode", setting.mode.is_none(), self.mode.is_some()) {
            setting.mode = self.mode;
        }
        if put("block_bytes", setting.block_bytes.is_none(), self.block_bytes.is_some()) {
            setting.block_bytes = self.block_bytes;
        }
        if put("iodepth", setting.iodepth.is_none(), self.iodepth.is_some()) {
            setting.iodepth = self.iodepth;
        }
        if put("numjobs", setting.numjobs.is_none(), self.numjobs.is_some()) {
            setting.numjobs = self.numjobs;
        }
        if put("sync", setting.sync.is_none() && setting.synced.is_none(), self.sync.is_some()) {
            setting.sync = self.sync;
        }
        if put("durability", setting.durability.is_none(), self.durability.is_some()) {
            setting.durability = self.durability;
        }
        filled
    }
}

fn direction(words: &[&str]) -> Option<Direction> {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let reads = has(&["read", "reads", "randread", "seqread"]);
    let writes = has(&["write", "writes", "randwrite", "seqwrite", "pwrite"]);
    if has(&["randrw", "rw", "mixed", "read/write"]) || reads && writes {
        return Some(Direction::Mixed);
    }
    match (reads, writes) {
        (true, _) => Some(Direction::Read),
        (_, true) => Some(Direction::Write),
        (false, false) => None,
    }
}

/// fio's name of the pattern, if random or sequential is stated.
fn pattern(words: &[&str], direction: Direction) -> Option<String> {
    let begins =
        |prefixes: &[&str]| words.iter().any(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)));
    let (random, sequential) = (begins(&["rand", "rnd"]), begins(&["seq"]));
    if random == sequential {
        return None;
    }
    let name = match direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Mixed => "rw",
    };
    Some(format!("{}{name}", if random { "rand" } else { "" }))
}

fn mode(words: &[&str]) -> Option<IoMode> {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    match (has(&["direct", "o_direct", "odirect", "direct=1"]), has(&["buffered", "direct=0"])) {
        (true, false) => Some(IoMode::Direct),
        (false, true) => Some(IoMode::Buffered),
        (true, true) | (false, false) => None,
    }
}

/// A size beside a pattern, or one that is named.
fn block(words: &[&str], has_pattern: bool) -> Option<u64> {
    let size = |word: &str| {
        let is_size = word.ends_with(['k', 'm', 'b']) && word.starts_with(|c: char| c.is_ascii_digit());
        is_size.then(|| parse_bytes(word)).flatten().filter(|bytes| (512..=BLOCK_MAX).contains(bytes))
    };
    let named = words.iter().find_map(|word| word.strip_prefix("bs=").and_then(parse_bytes));
    let prefixed = || {
        words.iter().find_map(|word| PREFIXES.iter().find_map(|(prefix, _)| size(word.strip_prefix(prefix)?)))
    };
    let beside = || {
        let mut sizes = words.iter().filter_map(|word| size(word));
        sizes.next().filter(|_| sizes.next().is_none())
    };
    named.or_else(prefixed).or_else(|| has_pattern.then(beside).flatten())
}

/// `qd32`, `qd=32`, `qd 32`, `iodepth=32`, `q32t1`.
fn depth(word: &str, next: Option<&&str>) -> Option<u64> {
    if let Some((depth, _)) = crystal(word) {
        return Some(depth);
    }
    let rest = word.strip_prefix("iodepth").or_else(|| word.strip_prefix("qd"))?;
    let digits = if rest.is_empty() { next? } else { rest.trim_start_matches('=') };
    digits.parse().ok().filter(|depth| *depth > 0)
}

/// `numjobs=4`, `q32t1`.
fn jobs(word: &str) -> Option<u64> {
    let named = word.strip_prefix("numjobs=").and_then(|jobs| jobs.parse().ok());
    named.or_else(|| crystal(word).map(|(_, threads)| threads))
}

/// CrystalDiskMark's `Q32T1`: depth and threads.
fn crystal(word: &str) -> Option<(u64, u64)> {
    let (depth, threads) = word.strip_prefix('q')?.split_once('t')?;
    Some((
        depth.parse().ok().filter(|depth| *depth > 0)?,
        threads.parse().ok().filter(|threads| *threads > 0)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_published_pages() {
        let hint = Hint::of_label("4K random read, QD32, O_DIRECT");
        assert_eq!(hint.pattern.as_deref(), Some("randread"));
        assert_eq!((hint.block_bytes, hint.iodepth, hint.mode), (Some(4096), Some(32), Some(IoMode::Direct)));
        let crystal = Hint::of_label("RND4K Q32T16 write");
        assert_eq!((crystal.iodepth, crystal.numjobs), (Some(32), Some(16)));
        assert_eq!((crystal.block_bytes, crystal.pattern.as_deref()), (Some(4096), Some("randwrite")));
        let lost = Hint::of_label("RocksDB (WAL enabled, manual_wal_flush=true)");
        assert_eq!(lost.durability, Some(DurabilityClass::None));
        assert_eq!(Hint::of_label("100M keys"), Hint::default());
        assert_eq!(Hint::of_label("direct and buffered").mode, None);
        assert_eq!(Hint::of_label("qd"), Hint::default());
    }

    #[test]
    fn a_column_counts_more_than_a_label() {
        let mut setting = Setting { iodepth: Some(1), ..Setting::default() };
        let filled = Hint::of_label("4k randread qd=32").fill(&mut setting);
        assert_eq!((filled, setting.iodepth), (vec!["rw", "block_bytes"], Some(1)));
    }
}
