//! A server's settings as one level of a parameter: `none`, or `name = value; name = value`.
//!
//! None of them loads code or names files: every way by which settings reach a server goes through this type.

mod reach;

pub use reach::{Reach, reach};

use std::collections::BTreeMap;
use std::fmt;

/// Longest text of settings: every record of a configuration holds it.
const TEXT_BYTES_MAX: usize = 4096;
/// The level without settings.
const NONE: &str = "none";

/// Settings by name. Its text form lists them by name, so equal settings are equal levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Settings with these names and values.
    ///
    /// # Errors
    /// A name or a value that the text form cannot hold, a name that comes twice, or a setting that reaches code or
    /// files.
    pub fn new<N: Into<String>, V: Into<String>>(
        pairs: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, String> {
        let mut settings = BTreeMap::new();
        for (name, value) in pairs {
            let (name, value): (String, String) = (name.into(), value.into());
            require_name(&name)?;
            require_value(&name, &value)?;
            // An empty value names nothing.
            if let Some(reach) = reach(&name).filter(|_| !value.trim().is_empty()) {
                return Err(format!("{name} {}: Syncline gives it to no server", reach.words()));
            }
            if settings.insert(name.clone(), value).is_some() {
                return Err(format!("{name} is set twice"));
            }
        }
        let settings = Self(settings);
        if settings.to_string().len() > TEXT_BYTES_MAX {
            return Err(format!("the settings have more than {TEXT_BYTES_MAX} bytes"));
        }
        Ok(settings)
    }

    /// Reads `none` or `name = value; name = value`. A value may have single quotes around it, as in a settings file.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("{:?} has no =", part.trim()))?;
            Ok((name.trim().to_ascii_lowercase(), unquoted(value.trim()).to_owned()))
        };
        let parts = text.split(';').filter(|part| !part.trim().is_empty());
        let settings = Self::new(parts.map(pair).collect::<Result<Vec<_>, String>>()?)?;
        if settings.is_empty() { Err("there is no setting in it".to_owned()) } else { Ok(settings) }
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str(NONE);
        }
        for (place, (name, value)) in self.iter().enumerate() {
            let separator = if place == 0 { "" } else { "; " };
            // An empty value has to be seen, and one with blanks at its ends has to keep them.
            let quote = if value.trim() == value && !value.is_empty() { "" } else { "'" };
            write!(f, "{separator}{name} = {quote}{value}{quote}")?;
        }
        Ok(())
    }
}

/// Names as PostgreSQL has them, those of extensions with a dot; etcd's have hyphens.
fn require_name(name: &str) -> Result<(), String> {
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.' | '-'));
    if is_name { Ok(()) } else { Err(format!("{name:?} is not the name of a setting")) }
}

fn require_value(name: &str, value: &str) -> Result<(), String> {
    let has_none_of =
        |forbidden: &[char]| !value.contains(|c: char| c.is_control() || forbidden.contains(&c));
    if has_none_of(&[';', '\'']) {
        Ok(())
    } else {
        Err(format!(
            "the value of {name} has a character that is not allowed there (; ' or a control character)"
        ))
    }
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn settings_are_ordered_by_name_whatever_was_written() {
        let settings = Settings::parse(" wal_buffers='16MB' ;; Commit_Delay = 10 ").unwrap();
        assert_eq!(settings.to_string(), "commit_delay = 10; wal_buffers = 16MB");
        assert_eq!((settings.get("wal_buffers"), settings.get("shared_buffers")), (Some("16MB"), None));
        assert_eq!(Settings::parse("none").unwrap().to_string(), "none");
        assert_eq!(Settings::parse("archive_command = ''").unwrap().to_string(), "archive_command = ''");
    }

    /// `prove --settings-file` started servers that loaded the libraries of the file's author.
    #[test]
    fn what_loads_code_or_names_files_is_refused() {
        for name in [
            "session_preload_libraries",
            "shared_preload_libraries",
            "local_preload_libraries",
            "dynamic_library_path",
            "archive_command",
            "restore_command",
            "ssl_passphrase_command",
            "archive_library",
            "jit_provider",
            "plperl.on_init",
            "include",
            "include_dir",
            "data_directory",
            "hba_file",
            "external_pid_file",
            "wal_dir",
            "temp_store_directory",
        ] {
            let why = Settings::parse(&format!("{} = x", name.to_ascii_uppercase())).unwrap_err();
            assert!(why.starts_with(name), "{why}");
            assert!(Settings::new([(name, "")]).is_ok(), "{name}: an empty value names nothing");
        }
        assert!(Settings::parse("wal_buffers = 1MB; jit = off; io_method = worker").is_ok());
    }

    #[test]
    fn what_is_no_setting_is_named() {
        for (text, part) in [
            ("", "no setting"),
            (";", "no setting"),
            ("fsync", "\"fsync\" has no ="),
            ("fsync = off; fsync = on", "fsync is set twice"),
            ("9 = off", "\"9\" is not the name"),
            ("-c x = off", "\"-c x\" is not the name"),
            ("a = it's", "value of a"),
            ("a = b\u{1}c", "value of a"),
        ] {
            let why = Settings::parse(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
        assert!(Settings::parse(&format!("a = {}", "x".repeat(5000))).is_err());
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(pairs in prop::collection::btree_map("[a-z][a-z0-9_.]{0,8}", "[^;'\\p{C}]{0,12}", 0..4)) {
            let settings = Settings::new(pairs).unwrap();
            prop_assert_eq!(Settings::parse(&settings.to_string()).unwrap(), settings);
        }

        #[test]
        fn no_text_is_a_panic(text in any::<String>()) {
            if let Ok(settings) = Settings::parse(&text) {
                prop_assert_eq!(Settings::parse(&settings.to_string()), Ok(settings));
            }
        }
    }
}
