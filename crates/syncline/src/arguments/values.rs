//! Values of options: budgets, levels, counts of rounds.

use clap::builder::RangedI64ValueParser;
use model::plan::Turns;
use model::study::ROUNDS_MAX;
use std::time::Duration;

pub(super) fn parse_fix(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn parse_budget(text: &str) -> Result<Duration, String> {
    let parsed = model::units::parse_duration(text).filter(|duration| duration.0 > 0);
    parsed.map(Duration::from).ok_or_else(|| "write it as 90s, 5m or 1h30m".to_owned())
}

/// A slice is at most this long, as one that is found is.
const SLICE_MAX: Duration = Duration::from_secs(1);

pub(super) fn parse_interleave(text: &str) -> Result<Turns, String> {
    let slice = || {
        let parsed = model::units::parse_duration(text).map(Duration::from);
        parsed.filter(|slice| !slice.is_zero() && *slice <= SLICE_MAX)
    };
    match text {
        "auto" => Ok(Turns::Auto),
        "off" => Ok(Turns::Off),
        _ => slice()
            .map(|slice| Turns::Every(slice.as_secs_f64()))
            .ok_or_else(|| "write it as auto, off, or the time of a slice up to 1s, such as 25ms".to_owned()),
    }
}

/// As many rounds as a study file may have.
pub(super) fn rounds() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(ROUNDS_MAX))
}

pub(super) fn parse_vary(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, levels) = text.split_once('=').ok_or("write it as NAME=A,B,C")?;
    let levels: Vec<String> = levels.split(',').map(|level| level.trim().to_owned()).collect();
    if levels.iter().any(String::is_empty) {
        return Err("a level is empty: write it as NAME=A,B,C".to_owned());
    }
    Ok((name.trim().to_owned(), levels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_split_at_commas() {
        assert_eq!(
            parse_vary("mode=a, b").unwrap(),
            ("mode".to_owned(), vec!["a".to_owned(), "b".to_owned()])
        );
        assert!(parse_vary("mode").is_err() && parse_vary("mode=a,,b").is_err() && parse_fix("x").is_err());
    }
}
