//! What a client writes: a row whose text follows from its numbers.

/// Length of a row's text, in bytes.
pub const TEXT_BYTES: usize = 100;
/// A text begins with its version in hexadecimal digits.
const VERSION_DIGITS: usize = 8;
/// Length of the text of a row that is loaded for requests, in bytes.
pub const FILLER_BYTES: usize = 1000;

/// A row. Each writer counts its own rows from 0, and nobody else writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row {
    pub writer: u32,
    pub sequence: u64,
}

impl Row {
    /// The row as one number: rows of a writer are neighbours.
    pub fn key(self) -> u64 {
        u64::from(self.writer) << 40 | self.sequence
    }

    /// The row of such a number.
    pub fn of_key(key: u64) -> Self {
        Self { writer: (key >> 40) as u32, sequence: key & ((1 << 40) - 1) }
    }

    /// The write that makes it.
    pub fn first(self) -> Write {
        Write { row: self, version: 0 }
    }

    /// The version whose text this is; `None` if it is the text of none.
    pub fn version_of(self, text: &[u8]) -> Option<u32> {
        let digits = std::str::from_utf8(text.get(..VERSION_DIGITS)?).ok()?;
        let version = u32::from_str_radix(digits, 16).ok()?;
        (Write { row: self, version }.text().as_bytes() == text).then_some(version)
    }
}

/// A row gets its next version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    pub row: Row,
    /// 0 for a row that is new.
    pub version: u32,
}

impl Write {
    /// Its text: [`TEXT_BYTES`] characters that no other write has.
    pub fn text(self) -> String {
        let mut text = format!("{:0VERSION_DIGITS$x}", self.version);
        let seed = self.row.key() ^ u64::from(self.version).rotate_left(32);
        text.push_str(&letters(seed, TEXT_BYTES - VERSION_DIGITS));
        text
    }
}

/// The text of a row that is loaded for requests: [`FILLER_BYTES`] letters.
pub(crate) fn filler(row: u64) -> String {
    letters(row, FILLER_BYTES)
}

fn letters(seed: u64, bytes: usize) -> String {
    let mut state = seed;
    let mut text = String::with_capacity(bytes + 8);
    while text.len() < bytes {
        // SplitMix64 (Steele et al. 2014): neighbours have nothing in common.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        text.extend(mixed.to_be_bytes().map(|byte| char::from(b'a' + byte % 26)));
    }
    text.truncate(bytes);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_and_its_number_are_one() {
        for row in [Row { writer: 0, sequence: 0 }, Row { writer: 31, sequence: (1 << 40) - 1 }] {
            assert_eq!(Row::of_key(row.key()), row);
        }
    }

    #[test]
    fn a_text_tells_its_version_and_no_other_row_has_it() {
        let row = Row { writer: 2, sequence: 7 };
        for version in [0, 1, u32::MAX] {
            let text = Write { row, version }.text();
            assert_eq!(text.len(), TEXT_BYTES);
            assert_eq!(row.version_of(text.as_bytes()), Some(version));
            assert_eq!(Row { writer: 2, sequence: 8 }.version_of(text.as_bytes()), None);
            // Half of one version and half of another: a torn page.
            let other = Write { row, version: version ^ 1 }.text();
            let torn = [&text.as_bytes()[..50], &other.as_bytes()[50..]].concat();
            assert_eq!(row.version_of(&torn), None);
        }
        assert_eq!(row.version_of(b""), None);
    }
}
