//! The names of all settings of a database, and the versions that have each.

use settings::{Release, Version, Versions};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The names, and the versions that they were taken from.
#[derive(Debug)]
pub(crate) struct Names {
    settings: BTreeMap<&'static str, Versions>,
    listed: RangeInclusive<u32>,
}

/// A line of a list: a name, and the first and the last version that have it.
type Line = (&'static str, &'static str, Option<u32>);

impl Names {
    /// Reads a list with one line for each setting, `io_method 18-` or `db_user_namespace 15-16`; `#` starts a comment.
    pub(crate) fn parse(text: &'static str) -> Self {
        let lines: Vec<Line> = text.lines().filter_map(line).collect();
        let number = |text: &str| text.parse().unwrap_or_default();
        let firsts = lines.iter().map(|(_, first, _)| number(first));
        let ends = lines.iter().flat_map(|(_, first, last)| [number(first), last.unwrap_or_default()]);
        let listed = firsts.min().unwrap_or_default()..=ends.max().unwrap_or_default();
        let versions = |first: &'static str, until| Versions {
            since: Some(first).filter(|first| number(first) > *listed.start()),
            until,
        };
        let settings = lines.iter().map(|(name, first, last)| (*name, versions(first, *last))).collect();
        Self { settings, listed }
    }

    /// The versions that have a setting; `None` if none of those listed has it.
    pub(crate) fn versions(&self, name: &str) -> Option<Versions> {
        self.settings.get(name).copied()
    }

    /// Every name with its versions, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Versions)> {
        self.settings.iter().map(|(name, versions)| (*name, *versions))
    }

    /// Whether the list has the settings of a version.
    pub(crate) fn has_list_of(&self, version: &Version) -> bool {
        self.listed.contains(&version.major())
    }

    /// The names that a server of this release may have.
    pub(crate) fn of<'a>(&'a self, release: &'a Release) -> impl Iterator<Item = &'static str> + 'a {
        let version = release.version();
        self.iter()
            .filter(move |(_, versions)| version.is_none_or(|version| versions.has(version)))
            .map(|(name, _)| name)
    }
}

fn line(text: &'static str) -> Option<Line> {
    let (name, versions) = text.split_once(' ').filter(|_| !text.starts_with('#'))?;
    let (first, last) = versions.split_once('-')?;
    Some((name, first, last.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_versions_of_each_name() {
        let names = Names::parse("# made\na 15-\nb 17-\nc 15-16\nd 18-\n");
        let versions = |since, until| Some(Versions { since, until });
        assert_eq!(names.versions("a"), versions(None, None));
        assert_eq!(names.versions("b"), versions(Some("17"), None));
        assert_eq!(names.versions("c"), versions(None, Some(16)));
        assert_eq!(names.versions("e"), None);
        let of = |release| names.of(&release).collect::<String>();
        assert_eq!(of(Release::Of("16.1".parse().unwrap())), "ac");
        assert_eq!(of(Release::Unknown), "abcd");
        for (version, is_listed) in [("14.9", false), ("15", true), ("18.6", true), ("19", false)] {
            assert_eq!(names.has_list_of(&version.parse().unwrap()), is_listed, "{version}");
        }
    }
}
