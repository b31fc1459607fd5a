//! Settings in a row's label: `4K random read, QD32, O_DIRECT`, `pwrite (fsync at end)`, `RND4K Q32T1`.
//!
//! Only words that mean one thing are taken. What a column says counts more.

use super::words::Words;
use super::{durability, sync};
use laws::{Circumstances, Direction};
use model::IoMode;
use model::units::parse_bytes;

/// Words of a heading that compares.
const COMPARES: &[&str] = &["vs", "versus", "and", "or", "comparison", "compared", "with/without", "by"];
/// CrystalDiskMark's names: `SEQ1M`, `RND4K`.
const PREFIXES: &[(&str, &str)] = &[("seq", ""), ("rnd", "rand")];
/// The largest size that is one of an operation's and not a file's.
const BLOCK_MAX: u64 = 64 << 20;

/// What a label says.
pub(crate) fn of_label(label: &str) -> Circumstances {
    setting(&Words::of(label))
}

/// The settings in the heading above a table; one that compares names what its rows differ in.
pub(crate) fn of_heading(heading: &str) -> Circumstances {
    let words = Words::of(heading);
    let compares = words.list().iter().any(|word| COMPARES.contains(word));
    let setting = setting(&words);
    let setting = Circumstances { sync: setting.sync.filter(|_| !compares), ..setting };
    if setting.direction == Some(Direction::Mixed) {
        return Circumstances { direction: None, pattern: None, ..setting };
    }
    setting
}

/// What these words say.
fn setting(label: &Words) -> Circumstances {
    let words = label.list();
    let direction = direction(&words);
    let pattern = direction.and_then(|direction| pattern(&words, direction));
    Circumstances {
        direction,
        block_bytes: block(&words, pattern.is_some()),
        pattern,
        mode: mode(&words),
        iodepth: words.iter().enumerate().find_map(|(place, word)| depth(word, words.get(place + 1))),
        numjobs: words.iter().find_map(|word| jobs(word)),
        sync: sync::sync(&words),
        durability: durability::of_settings(label.plain()),
        ..Circumstances::default()
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
    // `64KB blocks`
    let of_blocks = || {
        let pair = words.windows(2).find(|pair| pair[1].starts_with("block") && size(pair[0]).is_some())?;
        size(pair[0])
    };
    named.or_else(prefixed).or_else(of_blocks).or_else(|| has_pattern.then(beside).flatten())
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
    use model::durability::DurabilityClass;

    #[test]
    fn labels_of_published_pages() {
        let hint = of_label("4K random read, QD32, O_DIRECT");
        assert_eq!(hint.pattern.as_deref(), Some("randread"));
        assert_eq!((hint.block_bytes, hint.iodepth, hint.mode), (Some(4096), Some(32), Some(IoMode::Direct)));
        let crystal = of_label("RND4K Q32T16 write");
        assert_eq!((crystal.iodepth, crystal.numjobs), (Some(32), Some(16)));
        assert_eq!((crystal.block_bytes, crystal.pattern.as_deref()), (Some(4096), Some("randwrite")));
        let lost = of_label("RocksDB (WAL enabled, manual_wal_flush=true)");
        assert_eq!(lost.durability, Some(DurabilityClass::None));
        assert_eq!(of_label("100M keys"), Circumstances::default());
        assert_eq!(of_label("direct and buffered").mode, None);
        assert_eq!(of_label("qd"), Circumstances::default());
    }

    #[test]
    fn a_column_counts_more_than_a_label() {
        let mut setting = Circumstances { iodepth: Some(1), ..Circumstances::default() };
        let filled = setting.fill(of_label("4k randread qd=32"));
        assert_eq!((filled, setting.iodepth), (vec!["rw", "block_bytes"], Some(1)));
    }
}
