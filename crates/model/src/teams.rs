//! Kinds of jobs beside each other as one level of a parameter: `none`, or `name=log; name=reads rw=randread bs=8KiB`.
//! Each kind is a group of names with values, whose meaning the workload knows.

use std::fmt;

/// The level without groups.
const NONE: &str = "none";
/// The maximum number of kinds of jobs.
const TEAMS_MAX: usize = 64;
/// Longest name or value, in bytes.
const TEXT_BYTES_MAX: usize = 300;

/// What a group says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team(Vec<(String, String)>);

impl Team {
    /// A group of names with values.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let pairs: Vec<(String, String)> = pairs.into_iter().collect();
        if pairs.is_empty() {
            return Err("a group is empty".to_owned());
        }
        for (index, (name, value)) in pairs.iter().enumerate() {
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            let fits = |text: &str| (1..=TEXT_BYTES_MAX).contains(&text.len());
            if !is_name || !fits(name) {
                return Err(format!("{name:?} is not a name"));
            }
            let is_value = |c: char| c.is_ascii_graphic() && c != ';' && c != '=';
            if !fits(value) || !value.chars().all(is_value) {
                return Err(format!("{value:?} is not a value of {name}"));
            }
            if pairs.iter().take(index).any(|(known, _)| known == name) {
                return Err(format!("{name} is given twice"));
            }
        }
        Ok(Self(pairs))
    }

    /// The value of a name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Groups in their order; empty if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Teams(Vec<Team>);

impl Teams {
    /// These groups.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn new(teams: Vec<Team>) -> Result<Self, String> {
        if teams.len() > TEAMS_MAX {
            return Err(format!("there are more than {TEAMS_MAX} groups"));
        }
        Ok(Self(teams))
    }

    /// Reads `none` or `NAME=VALUE NAME=VALUE; NAME=VALUE`.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} has no ="))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        let team = |text: &str| {
            Team::new(text.split_ascii_whitespace().map(pair).collect::<Result<Vec<_>, String>>()?)
        };
        Self::new(text.split(';').map(team).collect::<Result<_, _>>()?)
    }

    /// The groups in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Team> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Teams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str(NONE);
        }
        for (place, team) in self.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "; " })?;
            for (place, (name, value)) in team.iter().enumerate() {
                write!(f, "{}{name}={value}", if place == 0 { "" } else { " " })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        Teams::parse(text).map_or_else(|why| format!("error: {why}"), |teams| teams.to_string())
    }

    #[test]
    fn groups_are_read_and_written() {
        assert_eq!(read("none"), "none");
        assert_eq!(read("name=log;  name=reads   rw=randread"), "name=log; name=reads rw=randread");
        assert_eq!(read("bssplit=4KiB/50:8KiB/50"), "bssplit=4KiB/50:8KiB/50");
        assert_eq!(read(""), "error: a group is empty");
        assert_eq!(read("name=a;"), "error: a group is empty");
        assert_eq!(read("name"), "error: \"name\" has no =");
        assert_eq!(read("name=a=b"), "error: \"a=b\" is not a value of name");
        assert_eq!(read("Name=a"), "error: \"Name\" is not a name");
        assert_eq!(read("bs=1 bs=2"), "error: bs is given twice");
        assert_eq!(Teams::parse("a=b c=d; a=e").unwrap().iter().last().unwrap().value("a"), Some("e"));
    }

    proptest! {
        #[test]
        fn the_text_reads_back(text in "([a-c]=[a-z0-9/:.%]{1,4}( [d-f]=[0-9]{1,3})?; ){0,9}[a-c]=x") {
            let teams = Teams::parse(&text).unwrap();
            prop_assert_eq!(Teams::parse(&teams.to_string()).unwrap(), teams);
        }

        #[test]
        fn no_text_panics(text in "[0-9a-zA-Z/:=; ]{0,60}") {
            let _ = Teams::parse(&text);
        }
    }
}
