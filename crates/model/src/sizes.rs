//! Sizes of operations and how often each comes, as one level of a parameter: `none`, or fio's `4KiB/60:64KiB/40`.

use crate::units;
use std::fmt;

/// As many as fio takes.
const SIZES_MAX: usize = 64;
/// The level without sizes.
const NONE: &str = "none";

/// One size and its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeShare {
    /// Bytes of one operation.
    pub bytes: u64,
    /// Percent of all operations, 1–100.
    pub percent: u8,
}

/// Sizes with their shares, which sum to 100 percent; empty if there are none. The text form lists them by size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes(Vec<SizeShare>);

impl Sizes {
    /// Sizes with these shares in percent. A size that comes twice has the sum of its shares; one without a share is
    /// left out.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn new(shares: impl IntoIterator<Item = (u64, u8)>) -> Result<Self, String> {
        let mut sizes: Vec<SizeShare> = Vec::new();
        let mut sum = 0_u32;
        for (bytes, percent) in shares.into_iter().filter(|(_, percent)| *percent > 0) {
            sum += u32::from(percent);
            if sum > 100 {
                break;
            }
            match sizes.iter_mut().find(|size| size.bytes == bytes) {
                Some(known) => known.percent += percent,
                None => sizes.push(SizeShare { bytes, percent }),
            }
        }
        if sum != 100 {
            let more = if sum > 100 { "more" } else { "less" };
            return Err(format!("the shares sum to {more} than 100 percent"));
        }
        if sizes.len() > SIZES_MAX {
            return Err(format!("there are more than {SIZES_MAX} sizes"));
        }
        sizes.sort_unstable_by_key(|size| size.bytes);
        Ok(Self(sizes))
    }

    /// Reads `none` or `SIZE/PERCENT:SIZE/PERCENT`, where percentages may be [left out](Self::completed).
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        Self::completed(&text.split(':').map(part).collect::<Result<Vec<_>, String>>()?)
    }

    /// Sizes with a percentage each, or none: what remains of 100 percent is divided among those without, as in fio;
    /// the first ones have what does not divide evenly.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn completed(parts: &[(u64, Option<u8>)]) -> Result<Self, String> {
        let given: u32 = parts.iter().filter_map(|(_, percent)| *percent).map(u32::from).sum();
        let open = parts.iter().filter(|(_, percent)| percent.is_none()).count() as u32;
        let left = 100_u32.saturating_sub(given);
        if open > left {
            return Err("nothing is left of 100 percent for the sizes without a share".to_owned());
        }
        let mut place = 0;
        let shares = parts.iter().map(|&(bytes, percent)| {
            let percent = percent.unwrap_or_else(|| {
                place += 1;
                (left / open + u32::from(place <= left % open)) as u8
            });
            (bytes, percent)
        });
        Self::new(shares.collect::<Vec<_>>())
    }

    /// The sizes, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = SizeShare> {
        self.0.iter().copied()
    }

    /// Bytes of an operation on average, rounded down; 0 if there are no sizes.
    pub fn mean_bytes(&self) -> u64 {
        let sum: u128 = self.iter().map(|size| u128::from(size.bytes) * u128::from(size.percent)).sum();
        u64::try_from(sum / 100).unwrap_or(u64::MAX)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn part(text: &str) -> Result<(u64, Option<u8>), String> {
    let (size, percent) = match text.split_once('/') {
        Some((size, percent)) if !percent.trim().is_empty() => (size, Some(percent)),
        Some((size, _)) => (size, None),
        None => (text, None),
    };
    let bytes = units::parse_bytes(size).filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| format!("{:?} is not a size", size.trim()))?;
    let percent = percent.map(|text| match text.trim().parse::<u8>() {
        Ok(percent) if percent <= 100 => Ok(percent),
        _ => Err(format!("{:?} is not a whole percentage", text.trim())),
    });
    Ok((bytes, percent.transpose()?))
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str(NONE);
        }
        for (place, SizeShare { bytes, percent }) in self.iter().enumerate() {
            let separator = if place == 0 { "" } else { ":" };
            write!(f, "{separator}{}/{percent}", units::format_bytes(bytes))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        Sizes::parse(text).map_or_else(|why| format!("error: {why}"), |sizes| sizes.to_string())
    }

    #[test]
    fn shares_are_completed_as_in_fio() {
        assert_eq!(read("none"), "none");
        assert_eq!(read("8k/40:4k/60"), "4KiB/60:8KiB/40");
        assert_eq!(read("4k/50:8k:16k"), "4KiB/50:8KiB/25:16KiB/25");
        assert_eq!(read("4k:8k/:16k"), "4KiB/34:8KiB/33:16KiB/33");
        assert_eq!(read("4k/30:8k/30:4k/40"), "4KiB/70:8KiB/30");
        assert_eq!(read("4k/0:8k/100"), "8KiB/100");
        assert_eq!(read("4k/100:8k"), "error: nothing is left of 100 percent for the sizes without a share");
        assert_eq!(read("4k/60:8k/60"), "error: the shares sum to more than 100 percent");
        assert_eq!(read("4k/60:8k/30"), "error: the shares sum to less than 100 percent");
        assert_eq!(read("0/60:8k/40"), "error: \"0\" is not a size");
        assert_eq!(read("4k/60.5:8k"), "error: \"60.5\" is not a whole percentage");
        assert_eq!(read(""), "error: \"\" is not a size");
    }

    proptest! {
        #[test]
        fn the_text_reads_back(shares in prop::collection::vec((1_u64..1 << 40, 1_u8..30), 1..20)) {
            let mut left = 100;
            let mut shares: Vec<(u64, u8)> = shares
                .into_iter()
                .map(|(bytes, percent)| {
                    let percent = percent.min(left);
                    left -= percent;
                    (bytes, percent)
                })
                .collect();
            shares.push((512, left));
            let sizes = Sizes::new(shares).unwrap();
            prop_assert_eq!(Sizes::parse(&sizes.to_string()).unwrap(), sizes.clone());
            prop_assert_eq!(sizes.iter().map(|size| u32::from(size.percent)).sum::<u32>(), 100);
            let (first, last) = (sizes.iter().next().unwrap(), sizes.iter().last().unwrap());
            prop_assert!((first.bytes..=last.bytes).contains(&sizes.mean_bytes()));
        }

        #[test]
        fn no_text_panics(text in "[0-9a-zA-Z/:., ]{0,60}") {
            let _ = Sizes::parse(&text);
        }
    }
}
