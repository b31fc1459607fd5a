//! Named parts and how often each comes, as one level of a parameter: `get/95:put/5`.

use std::fmt;

/// Names with their shares, in percent of 100. The text form lists them in the order of all names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares(Vec<(&'static str, u8)>);

impl Shares {
    /// Reads `NAME/PERCENT:NAME/PERCENT` with some of these names.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str, names: &[&'static str]) -> Result<Self, String> {
        let mut shares: Vec<(&'static str, u8)> = Vec::new();
        for part in text.split(':').map(str::trim) {
            let (name, percent) = part.split_once('/').ok_or_else(|| format!("{part:?} has no /"))?;
            let name = name.trim();
            let Some(known) = names.iter().find(|known| **known == name) else {
                return Err(format!("{name:?} is none of {}", names.join(", ")));
            };
            if shares.iter().any(|(listed, _)| listed == known) {
                return Err(format!("{name} comes twice"));
            }
            match percent.trim().parse() {
                Ok(percent) if (1..=100).contains(&percent) => shares.push((known, percent)),
                _ => return Err(format!("{part:?} has no whole percentage from 1 to 100")),
            }
        }
        if shares.iter().map(|(_, percent)| u32::from(*percent)).sum::<u32>() != 100 {
            return Err("the shares do not sum to 100 percent".to_owned());
        }
        shares.sort_by_key(|(name, _)| names.iter().position(|known| known == name));
        Ok(Self(shares))
    }

    /// The names and their shares, in percent.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u8)> {
        self.0.iter().copied()
    }

    /// The share of a name, in percent: 0 if it does not come.
    pub fn of(&self, name: &str) -> u8 {
        self.iter().find(|(listed, _)| *listed == name).map_or(0, |(_, percent)| percent)
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, percent)) in self.iter().enumerate() {
            let separator = if place == 0 { "" } else { ":" };
            write!(f, "{separator}{name}/{percent}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: &[&str] = &["get", "put", "scan"];

    fn read(text: &str) -> String {
        Shares::parse(text, NAMES).map_or_else(|why| format!("error: {why}"), |shares| shares.to_string())
    }

    #[test]
    fn shares_are_read_and_what_is_wrong_is_named() {
        assert_eq!(read("get/95: put / 5"), "get/95:put/5");
        assert_eq!(read("put/5:get/95"), "get/95:put/5");
        assert_eq!(read("scan/100"), "scan/100");
        assert_eq!(read("get/95"), "error: the shares do not sum to 100 percent");
        assert_eq!(read("get/50:get/50"), "error: get comes twice");
        assert_eq!(read("get/50:take/50"), "error: \"take\" is none of get, put, scan");
        assert_eq!(read("get/100:put/0"), "error: \"put/0\" has no whole percentage from 1 to 100");
        assert_eq!(read("get"), "error: \"get\" has no /");
        let shares = Shares::parse("get/95:put/5", NAMES).unwrap();
        assert_eq!((shares.of("get"), shares.of("put"), shares.of("scan")), (95, 5, 0));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-z0-9/: ]{0,60}") {
            if let Ok(shares) = Shares::parse(&text, NAMES) {
                prop_assert_eq!(Shares::parse(&shares.to_string(), NAMES), Ok(shares));
            }
        }
    }
}
