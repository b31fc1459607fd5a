//! The statements of one sentence, by the words that people use for them.

use super::fact::{Drops, Fact};
use laws::System;
use model::units::parse_bytes;

/// More repetitions than anybody makes by hand: such iterations are operations.
const RUNS_MAX: u64 = 100;
const RUNS: &[&str] = &["iterations", "runs", "repetitions", "repeats", "trials"];
/// Names before a colon; a bare `QD=1023` may be the drive's.
const DEPTHS: &[&str] = &["qd:", "iodepth:", "queue_depth:", "read_qd:", "io_depth:"];
const REPEATED: &[&str] =
    &["run", "ran", "runs", "repeated", "executed", "measured", "averaged", "performed"];
/// Words beside which threads are those of a processor.
const PROCESSOR: &[&str] =
    &["core", "cores", "cpu", "cpus", "vcpu", "vcpus", "processor", "intel", "amd", "xeon", "epyc", "ryzen"];
const MACS: &[&str] =
    &["macos", "mac os", "macbook", "mac mini", "mac studio", "apple silicon", "apple m", "apple-darwin"];
const LINUXES: &[&str] = &["linux", "ubuntu", "debian", "fedora", "centos"];
const DRIVES: &[&str] = &["ssd", "nvme", "hdd", "disk", "drive"];
const NUMBERS: &[&str] = &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// What one sentence states.
pub(super) fn facts(heading: &str, text: &str) -> Vec<Fact> {
    let plain = text.to_lowercase();
    let words: Vec<&str> = plain
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '[' | ']' | '`'))
        .filter(|word| !word.is_empty())
        .collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.trim_matches([':', '.'])));
    let mut facts = Vec::new();
    facts.extend(runs(&words).or_else(|| stated_n(&plain)).map(Fact::Runs));
    facts.extend(counted(&words, &["passes"]).map(Fact::Passes));
    facts.extend(drops(&plain).map(Fact::CacheDrops));
    let systems = [(MACS, System::MacOs), (LINUXES, System::Linux)];
    let told = systems.iter().filter(|(names, _)| names.iter().any(|name| plain.contains(name)));
    facts.extend(told.map(|(_, system)| Fact::System(*system)).filter(|_| is_of_machine(&plain)));
    if !has(PROCESSOR) {
        facts.extend(counted(&words, &["threads"]).map(Fact::Threads));
        facts.extend(counted(&words, &["clients"]).map(Fact::Clients));
    }
    facts.extend(counted(&words, DEPTHS).or_else(|| depth(&plain)).map(Fact::Depth));
    facts.extend(memory(&words).map(Fact::Memory));
    facts.extend(behind(&words, &[&["entry", "size"], &["record", "size"]]).map(Fact::EntryBytes));
    facts.extend(file(&words).map(Fact::FileBytes));
    let heading = heading.to_lowercase();
    let is_of_drive = heading.split(|c: char| !c.is_alphanumeric()).any(|word| DRIVES.contains(&word));
    facts.extend((is_of_drive && plain.contains("latency") && has_time(&words)).then_some(Fact::OfDevice));
    facts
}

/// `Platform: …`, `on a MacBook …`: the page's own machine, and not a system that it mentions.
fn is_of_machine(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "platform",
        "hardware",
        "system",
        "machine",
        "environment",
        "host",
        "storage",
        "cpu",
        "os",
        "laptop",
        "server",
    ];
    let name = text.split_once(':').map_or("", |(name, _)| name);
    let is_named =
        name.split_whitespace().count() <= 3 && name.split_whitespace().any(|word| NAMES.contains(&word));
    is_named || ["on a mac", "on an apple", "on my mac", "on a linux"].iter().any(|on| text.contains(on))
}

/// `8`, `8x` or `eight`.
fn number(word: &str) -> Option<u64> {
    let word = word.trim_matches(['~', ':', '.', '×', 'x']);
    let named = NUMBERS.iter().position(|name| *name == word).map(|place| place as u64 + 1);
    word.parse().ok().or(named).filter(|number| *number > 0)
}

/// `queue depth 32`, `queue depth of 32`, `queue depth: 32`, `32 reads in flight`.
fn depth(text: &str) -> Option<u64> {
    let behind = || {
        let (_, rest) = text.split_once("queue depth")?;
        let rest = rest.trim_start_matches([':', '=', ' ']);
        number(rest.strip_prefix("of ").unwrap_or(rest).split(|c: char| !c.is_ascii_alphanumeric()).next()?)
    };
    let before = || {
        let (rest, _) = text.split_once(" in flight")?;
        rest.rsplit(' ').nth(1).and_then(number)
    };
    behind().or_else(before)
}

/// The number before or, behind a colon, after one of these words.
fn counted(words: &[&str], names: &[&str]) -> Option<u64> {
    let is_name = |word: &str| names.contains(&word) || names.contains(&word.trim_end_matches(['.', ':']));
    words.windows(2).find_map(|pair| match pair {
        [count, name] if is_name(name) && number(count).is_some() => number(count),
        [name, count] if is_name(name) && name.ends_with(':') => number(count),
        _ => None,
    })
}

/// The 3 of `n=3`, `(n = 3)`.
pub(crate) fn stated_n(text: &str) -> Option<u64> {
    let plain: String = text.to_lowercase().replace(" = ", "=");
    plain.match_indices("n=").find_map(|(place, _)| {
        let is_word = !plain[..place].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let rest = &plain[place + 2..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        // `n=10,000` counts operations.
        let is_whole = !rest[end..].starts_with([',', '.', 'k', 'm']) || rest[end..].starts_with(", ");
        let count: u64 = rest[..end].parse().ok()?;
        (is_word && is_whole && (1..=RUNS_MAX).contains(&count)).then_some(count)
    })
}

/// `30 iterations`, `runs: 5`, `each test was repeated three times`.
fn runs(words: &[&str]) -> Option<u64> {
    let times = || counted(words, &["times"]).filter(|_| words.iter().any(|word| REPEATED.contains(word)));
    counted(words, RUNS).or_else(times).filter(|runs| *runs <= RUNS_MAX)
}

/// `page cache properly dropped between tests`.
fn drops(text: &str) -> Option<Drops> {
    let is_dropped =
        ["dropp", "drop_caches", "cleared", "flushed", "evicted"].iter().any(|word| text.contains(word));
    if !is_dropped || !text.contains("cache") {
        return None;
    }
    if ["not dropped", "never dropped", "without dropping", "not cleared"]
        .iter()
        .any(|word| text.contains(word))
    {
        return Some(Drops::Never);
    }
    let each = |what: &str| {
        ["between ", "before each ", "before every ", "after each ", "after every "]
            .iter()
            .any(|begin| text.split(begin).skip(1).any(|rest| rest.starts_with(what)))
    };
    if each("pass") {
        return Some(Drops::EachPass);
    }
    ["test", "run", "benchmark", "configuration"].iter().any(|what| each(what)).then_some(Drops::EachTest)
}

/// A size in one word or in two, and how many words it takes.
fn size(words: &[&str]) -> Option<(u64, usize)> {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let first = words.first().filter(|word| is_number(word))?;
    let two = || {
        let unit = words.get(1)?.trim_matches(['.', ':']);
        parse_bytes(&format!("{first} {}", if unit == "bytes" { "b" } else { unit }))
    };
    let has_unit = first.ends_with(|c: char| c.is_ascii_alphabetic());
    match parse_bytes(first.trim_end_matches(['.', ':'])).filter(|_| has_unit) {
        Some(bytes) => Some((bytes, 1)),
        None => two().map(|bytes| (bytes, 2)),
    }
}

/// The size behind these words: `entry size: 116 bytes`.
fn behind(words: &[&str], names: &[&[&str]]) -> Option<u64> {
    names.iter().find_map(|name| {
        let is_name = |window: &[&str]| {
            window.iter().zip(*name).all(|(word, name)| word.trim_end_matches(':') == *name)
        };
        let place = words.windows(name.len()).position(is_name)?;
        size(&words[place + name.len()..]).map(|(bytes, _)| bytes)
    })
}

/// `64 GB RAM`, `64GB of memory`, `RAM: 64 GB`.
fn memory(words: &[&str]) -> Option<u64> {
    let is_memory = |word: &str| matches!(word.trim_matches([':', '.']), "ram" | "dram" | "memory");
    let before = (0..words.len()).find_map(|place| {
        let (bytes, length) = size(&words[place..])?;
        let rest = words.get(place + length..)?;
        let rest = rest.strip_prefix(&["of"]).unwrap_or(rest);
        // `16 GB memory limit` is a cap.
        let is_cap = rest.get(1).is_some_and(|word| matches!(*word, "limit" | "cap" | "budget"));
        rest.first().filter(|word| is_memory(word) && !is_cap).map(|_| bytes)
    });
    before.or_else(|| {
        let first = words.first().filter(|word| is_memory(word) && word.ends_with(':'))?;
        size(&words[1..]).map(|(bytes, _)| bytes).filter(|_| !first.is_empty())
    })
}

/// `= 512 MiB total`, `dataset size: 10 GiB`.
fn file(words: &[&str]) -> Option<u64> {
    let total = (0..words.len()).find_map(|place| {
        let (bytes, length) = size(&words[place..])?;
        words.get(place + length).filter(|word| word.trim_matches('.') == "total").map(|_| bytes)
    });
    total.or_else(|| {
        behind(words, &[&["file", "size"], &["dataset", "size"], &["data", "size"], &["database", "size"]])
    })
}

/// `1.2-1.5 µs`.
fn has_time(words: &[&str]) -> bool {
    const UNITS: &[&str] = &["ns", "us", "µs", "μs", "ms"];
    let is_unit = |word: &str| UNITS.contains(&word.trim_end_matches(['.', ':']));
    let begins = |word: &str| word.trim_start_matches('~').starts_with(|c: char| c.is_ascii_digit());
    words.windows(2).any(|pair| begins(pair[0]) && is_unit(pair[1]))
        || words.iter().any(|word| begins(word) && UNITS.iter().any(|unit| word.ends_with(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(text: &str) -> Vec<Fact> {
        facts("", text)
    }

    #[test]
    fn sentences_of_pages() {
        for (text, expected) in [
            ("Iterations: 30 per block size (improved from 10)", vec![Fact::Runs(30)]),
            ("each test was repeated three times", vec![Fact::Runs(3)]),
            ("1000000 iterations", vec![]),
            ("5 warmup iterations, then one minute", vec![]),
            ("2 outliers (iterations 1, 24)", vec![]),
            ("3 passes over the data", vec![Fact::Passes(3)]),
            (
                "System: Linux with page cache dropped between tests",
                vec![Fact::CacheDrops(Drops::EachTest), Fact::System(System::Linux)],
            ),
            ("the cache is cleared before each pass", vec![Fact::CacheDrops(Drops::EachPass)]),
            ("measured on a MacBook Pro M4", vec![Fact::System(System::MacOs)]),
            ("Platform: Apple Silicon", vec![Fact::System(System::MacOs)]),
            ("elsewhere it was measured on macOS", vec![]),
            ("16 threads, 8 cores", vec![]),
            ("with 16 threads", vec![Fact::Threads(16)]),
            ("read_qd: 32", vec![Fact::Depth(32)]),
            ("a queue depth of 32", vec![Fact::Depth(32)]),
            ("we keep 32 reads in flight", vec![Fact::Depth(32)]),
            ("xfs, scheduler=none, QD=1023", vec![]),
            ("64 GB RAM and 2 TB NVMe", vec![Fact::Memory(64 << 30)]),
            ("a 16 GB memory limit", vec![]),
            ("Entry Size: 116 bytes", vec![Fact::EntryBytes(116)]),
            ("64 files × 8 MiB = 512 MiB total", vec![Fact::FileBytes(512 << 20)]),
        ] {
            assert_eq!(stated(text), expected, "{text}");
        }
        assert_eq!(
            facts("NVMe SSD characteristics", "Very low latency: 1.2-1.5 µs per page"),
            [Fact::OfDevice]
        );
        assert_eq!(facts("NVMe SSD characteristics", "Read latency is low"), []);
    }
}
