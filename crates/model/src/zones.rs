//! Zones of a file and how often each is accessed, as one level of a parameter: `none`, or fio's `50/5:30/15:20/80`.

use std::fmt;

/// The level without zones.
const NONE: &str = "none";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Percent of all accesses, 0–100.
    pub accesses: u8,
    /// Percent of the file, 1–100.
    pub size: u8,
}

/// Zones from the beginning of a file to its end; accesses and sizes sum to 100 percent each. Empty if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zones(Vec<Zone>);

impl Zones {
    /// Reads `none` or `ACCESSES/SIZE:ACCESSES/SIZE`, in percent.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        let zones = text.split(':').map(zone).collect::<Result<Vec<_>, String>>()?;
        let sum = |percent: fn(&Zone) -> u8| zones.iter().map(|zone| u32::from(percent(zone))).sum::<u32>();
        if sum(|zone| zone.accesses) != 100 {
            return Err("the accesses do not sum to 100 percent".to_owned());
        }
        if sum(|zone| zone.size) != 100 {
            return Err("the sizes do not sum to 100 percent".to_owned());
        }
        Ok(Self(zones))
    }

    /// The zones, from the beginning of the file.
    pub fn iter(&self) -> impl Iterator<Item = Zone> {
        self.0.iter().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn zone(text: &str) -> Result<Zone, String> {
    let percent = |text: &str| match text.trim().parse::<u8>() {
        Ok(percent) if percent <= 100 => Ok(percent),
        _ => Err(format!("{:?} is not a whole percentage", text.trim())),
    };
    let (accesses, size) = text.split_once('/').ok_or_else(|| format!("{:?} has no /", text.trim()))?;
    let zone = Zone { accesses: percent(accesses)?, size: percent(size)? };
    if zone.size == 0 { Err(format!("{:?} is a zone without a size", text.trim())) } else { Ok(zone) }
}

impl fmt::Display for Zones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str(NONE);
        }
        for (place, Zone { accesses, size }) in self.iter().enumerate() {
            let separator = if place == 0 { "" } else { ":" };
            write!(f, "{separator}{accesses}/{size}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        Zones::parse(text).map_or_else(|why| format!("error: {why}"), |zones| zones.to_string())
    }

    #[test]
    fn zones_are_read_as_fio_has_them() {
        assert_eq!(read("none"), "none");
        assert_eq!(read("50/5:30/15: 20/80"), "50/5:30/15:20/80");
        assert_eq!(read("100/100"), "100/100");
        assert_eq!(read("50/5:30/15"), "error: the accesses do not sum to 100 percent");
        assert_eq!(read("50/5:50/15"), "error: the sizes do not sum to 100 percent");
        assert_eq!(read("50/5:50"), "error: \"50\" has no /");
        assert_eq!(read("50/100:50/0"), "error: \"50/0\" is a zone without a size");
        assert_eq!(read("50/5.5:50/94.5"), "error: \"5.5\" is not a whole percentage");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9/:., ]{0,60}") {
            if let Ok(zones) = Zones::parse(&text) {
                prop_assert_eq!(Zones::parse(&zones.to_string()), Ok(zones));
            }
        }
    }
}
