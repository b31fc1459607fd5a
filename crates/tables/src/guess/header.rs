//! What the words of a header say.

use crate::language::english;
use crate::unit::Unit;
use laws::Direction;
use std::borrow::Cow;

/// Words for a latency's figure, except percentiles.
const STATISTICS: &[(&str, &[&str])] = &[
    ("mean", &["avg", "mean", "average"]),
    ("sd", &["stdev", "stddev", "sd", "std"]),
    ("min", &["min", "minimum"]),
    ("max", &["max", "maximum"]),
    ("p50", &["median", "med"]),
];

/// A header, in words.
pub(super) struct Header<'a> {
    text: Cow<'a, str>,
    words: Vec<String>,
}

/// Some of a line's operations: `Read IOPS`, `Random write (4K)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) direction: Option<Direction>,
    pub(crate) is_random: Option<bool>,
}

impl Side {
    /// A column that is about all of them.
    pub(crate) const WHOLE: Self = Self { direction: None, is_random: None };

    /// What it adds to a label: `random reads`.
    pub(crate) fn name(self) -> String {
        let order = match self.is_random {
            Some(true) => "random",
            Some(false) => "sequential",
            None => "",
        };
        let direction = match self.direction {
            Some(Direction::Read) => "reads",
            Some(Direction::Write) => "writes",
            Some(Direction::Mixed) | None => "",
        };
        format!("{order} {direction}").trim().to_owned()
    }
}

impl<'a> Header<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = english(text);
        let plain = text.to_ascii_lowercase().replace("i/o", "io");
        let words = plain.split(|c: char| !c.is_alphanumeric());
        Self { text, words: words.filter(|word| !word.is_empty()).map(str::to_owned).collect() }
    }

    /// Whether it has one of these words.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    /// Whether it is this word alone.
    pub(super) fn is(&self, word: &str) -> bool {
        self.words == [word]
    }

    /// The operations that it is about.
    pub(super) fn side(&self) -> Side {
        let either = |first: bool, second: bool| (first != second).then_some(first);
        let begins = |prefixes: &[&str]| {
            self.words.iter().any(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)))
        };
        let is_read = either(
            self.has(&["read", "reads", "r", "randread"]),
            self.has(&["write", "writes", "written", "w", "randwrite"]),
        );
        Side {
            direction: is_read.map(|is_read| if is_read { Direction::Read } else { Direction::Write }),
            is_random: either(begins(&["rand", "rnd"]), begins(&["seq"])),
        }
    }

    /// `mean`, `p99_9`: what of a distribution it names.
    pub(super) fn statistic(&self) -> Option<String> {
        let header = self.text.to_ascii_lowercase();
        let tokens = header.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '%')));
        let percentile = tokens.map(|token| token.trim_matches('.')).find_map(percentile);
        percentile.or_else(|| {
            STATISTICS.iter().find(|(_, words)| self.has(words)).map(|(name, _)| (*name).to_owned())
        })
    }

    /// Its unit: in brackets, or behind the last space, comma or underline.
    pub(super) fn unit(&self) -> Option<Unit> {
        let inside = |open: char, close: char| {
            let (_, rest) = self.text.rsplit_once(open)?;
            Unit::parse(rest.split_once(close)?.0)
        };
        let last = || self.text.rsplit([' ', ',', '_']).next().and_then(Unit::parse);
        let per_second =
            || self.text.to_ascii_lowercase().find(" per ").and_then(|_| Unit::parse(&self.text));
        // `Inserts/s (n = 3)`
        let before = || {
            let text = self.text[..self.text.find(" (")?].trim();
            Unit::parse(text).or_else(|| text.rsplit([' ', ',', '_']).next().and_then(Unit::parse))
        };
        inside('(', ')')
            .or_else(|| inside('[', ']'))
            .or_else(per_second)
            .or_else(last)
            .or_else(before)
            .or_else(|| Unit::parse(&self.text))
    }
}

/// `p99_9` of `p99.9`, `99.9th`, `99.9%` or `p999`.
fn percentile(token: &str) -> Option<String> {
    // `TP99`, as Chinese pages have it.
    let of_p = token
        .strip_prefix("tp")
        .or_else(|| token.strip_prefix('p'))
        .filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    let of_th =
        token.strip_suffix("th").or_else(|| token.strip_suffix("%ile")).or_else(|| token.strip_suffix('%'));
    let digits = of_p.or(of_th)?;
    // `p999`: a decimal point that was left out.
    let digits = match digits.split_at_checked(2) {
        Some(("99", rest)) if !rest.is_empty() && rest.bytes().all(|byte| byte == b'9') => {
            format!("99.{rest}")
        }
        _ => digits.to_owned(),
    };
    let percent: f64 = digits.parse().ok()?;
    (percent > 0.0 && percent < 100.0).then(|| format!("p{}", digits.replace('.', "_")))
}
