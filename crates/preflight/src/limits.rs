//! The file of limits: TOML, as a ConfigMap mounts it.

use crate::limit::Limit;
use serde::Deserialize;

/// More limits than this are a mistake.
pub const LIMITS_MAX: usize = 64;

/// The limits of a file, as text: what they mean depends on the studies.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    limits: Vec<String>,
}

/// What is wrong with a file of limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    #[error("it is not a file of limits: {0}")]
    NotLimits(String),
    #[error("it has no limits: write limits = [\"commits_per_s >= 500\"]")]
    None,
    #[error("it has more than {LIMITS_MAX} limits")]
    TooMany,
    /// What [`Limit::parse`] reports.
    #[error("{0}")]
    Limit(String),
}

impl Limits {
    /// Reads `limits = ["METRIC <= VALUE", …]`.
    ///
    /// # Errors
    /// [`LimitsError`], in one line.
    pub fn parse(text: &str) -> Result<Self, LimitsError> {
        let limits: Self = toml::from_str(text).map_err(|error| {
            let words: Vec<&str> = error.message().split_whitespace().collect();
            LimitsError::NotLimits(words.join(" "))
        })?;
        match limits.limits.len() {
            0 => Err(LimitsError::None),
            1..=LIMITS_MAX => Ok(limits),
            _ => Err(LimitsError::TooMany),
        }
    }

    /// The limits on these metrics, which are those of `whose`.
    ///
    /// # Errors
    /// [`LimitsError::Limit`].
    pub fn on(&self, metrics: &[String], whose: &str) -> Result<Vec<Limit>, LimitsError> {
        let read = |text: &String| Limit::parse(text, metrics, whose).map_err(LimitsError::Limit);
        self.limits.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_or_refused_in_one_line() {
        let file = "# What a volume has to give.\nlimits = [\n  \"commits_per_s >= 500\",\n]\n";
        let metrics = ["commits_per_s".to_owned()];
        assert_eq!(Limits::parse(file).unwrap().on(&metrics, "the planned studies").unwrap().len(), 1);
        let many = format!("limits = {:?}", vec!["commits_per_s >= 1"; LIMITS_MAX + 1]);
        for wrong in
            ["", "limits = []", "limits = [500]", "limit = []", "limits = \"a\"", "limits = [", &many]
        {
            let why = Limits::parse(wrong).unwrap_err().to_string();
            assert!(!why.is_empty() && !why.contains('\n'), "{why}");
        }
    }
}
