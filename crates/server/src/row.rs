//! What a client inserts: a row whose text follows from its numbers.

/// Length of a row's text, in bytes.
pub const TEXT_BYTES: usize = 100;
/// Length of the text of a row that is loaded for requests, in bytes.
pub const FILLER_BYTES: usize = 1000;

/// A row. Each writer counts its own rows from 0.
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

    /// Its text: [`TEXT_BYTES`] letters that no other row has.
    pub fn text(self) -> String {
        letters(self.key(), TEXT_BYTES)
    }

    /// Whether a text is this row's.
    pub fn is_text(self, text: &[u8]) -> bool {
        self.text().as_bytes() == text
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
            assert!(row.text().len() == TEXT_BYTES && row.is_text(row.text().as_bytes()));
        }
        let next = Row { writer: 0, sequence: 1 };
        assert!(!next.is_text(Row { writer: 0, sequence: 0 }.text().as_bytes()));
    }
}
