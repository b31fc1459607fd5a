//! Values of options: budgets, levels, counts of rounds, names of runs.

use crate::latest;
use clap::builder::{PathBufValueParser, StringValueParser, TypedValueParser};
use model::plan::Turns;
use model::study::ROUNDS_MAX;
use std::path::PathBuf;
use std::time::Duration;

pub(super) fn parse_fix(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn parse_budget(text: &str) -> Result<Duration, String> {
    let parsed = model::units::parse_duration(text).filter(|duration| duration.0 > 0);
    parsed.map(Duration::from).ok_or_else(|| "write it as 90s, 5m or 1h30m".to_owned())
}

pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    model::units::parse_bytes(text).ok_or_else(|| "write it as 500MiB or 20GiB".to_owned())
}

pub(super) fn parse_threshold(text: &str) -> Result<Duration, String> {
    let parsed = model::units::parse_duration(text).filter(|duration| duration.0 > 0);
    parsed.map(Duration::from).ok_or_else(|| "write it as 500us, 50ms or 1s".to_owned())
}

/// A time that may be zero.
pub(super) fn parse_interval(text: &str) -> Result<Duration, String> {
    let parsed = model::units::parse_duration(text);
    parsed.map(Duration::from).ok_or_else(|| "write it as 0s, 10min, 1h or 90d".to_owned())
}

/// A share, written as a percentage from 0 to 100, with or without its sign.
pub(super) fn parse_percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.map(|number| number / 100.0).ok_or_else(|| "write it as 20%, from 0% to 100%".to_owned())
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

/// As many rounds as a study file may have, also written as 1e2.
pub(super) fn parse_rounds(text: &str) -> Result<u32, String> {
    let refused = || format!("write a whole number from 1 to {ROUNDS_MAX}");
    let number = text.parse::<f64>().map_err(|_| refused())?;
    let is_possible = number.fract() == 0.0 && (1.0..=f64::from(ROUNDS_MAX)).contains(&number);
    if is_possible { Ok(number as u32) } else { Err(refused()) }
}

/// A database by any of its names; one that is not known is kept, for the error that lists the others.
pub(super) fn database() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|name| named(&name))
}

fn named(database: &str) -> String {
    advice::database_known_as(database).unwrap_or(database).to_owned()
}

/// A run directory; `latest` is the newest one of this directory's runs.
pub(super) fn run() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(latest::run)
}

/// A proof's directory; `latest` is the newest one.
pub(super) fn proof() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(latest::proof)
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
    fn rounds_are_a_whole_number_however_written() {
        for (text, rounds) in [("1", 1), ("12", 12), ("1e2", 100), ("1000", ROUNDS_MAX)] {
            assert_eq!(parse_rounds(text), Ok(rounds), "{text}");
        }
        for wrong in ["0", "-3", "1.5", "1e9", "many", "inf", "NaN", ""] {
            let refused = parse_rounds(wrong).unwrap_err();
            assert!(refused.contains("1 to 1000"), "{wrong}: {refused}");
        }
    }

    #[test]
    fn a_percentage_is_a_share() {
        assert_eq!(parse_percentage("25%"), Ok(0.25));
        assert_eq!(parse_percentage("100"), Ok(1.0));
        assert!(
            ["", "%", "-1%", "101%", "NaN", "many"].into_iter().all(|wrong| parse_percentage(wrong).is_err())
        );
    }

    #[test]
    fn a_database_has_the_names_that_users_give_it() {
        for (name, id) in
            [("Postgres", "postgresql"), ("pg", "postgresql"), ("MariaDB", "mariadb"), ("oracle", "oracle")]
        {
            assert_eq!(named(name), id);
        }
    }

    #[test]
    fn levels_are_split_at_commas() {
        assert_eq!(
            parse_vary("mode=a, b").unwrap(),
            ("mode".to_owned(), vec!["a".to_owned(), "b".to_owned()])
        );
        assert!(parse_vary("mode").is_err() && parse_vary("mode=a,,b").is_err() && parse_fix("x").is_err());
    }
}
