//! The noise floor: how far two identical arms differ.

use crate::quantity;
use model::figure::count;
use model::units::format_significant;
use verdict::StudyVerdict;
use verdict::finding::{NoFloor, Noise};

/// A noise floor (a ratio ≥ 1) in words: `±2.10 %`, or `a factor of 3.07` where percent would mislead.
pub(crate) fn noise(ratio: f64) -> String {
    if ratio < 1.5 {
        format!("±{} %", format_significant((ratio - 1.0) * 100.0))
    } else {
        format!("a factor of {}", format_significant(ratio))
    }
}

/// The noise floor of each metric of the asks, as a clause each; for those without one, their titles and the reason.
pub(crate) fn noise_floors(study: &StudyVerdict) -> Vec<String> {
    let mut floors: Vec<String> = Vec::new();
    let mut without: Vec<(NoFloor, Vec<String>)> = Vec::new();
    for (name, noise_floor) in study.asked.iter().filter_map(|name| Some((name, study.noise.get(name)?))) {
        let title = quantity::named(name).title;
        match noise_floor {
            Noise::Floor(ratio) => floors.push(format!("{title} {}", noise(*ratio))),
            Noise::Unknown(why) => match without.iter_mut().find(|(known, _)| known == why) {
                Some((_, titles)) => titles.push(title),
                None => without.push((*why, vec![title])),
            },
        }
    }
    if let ([], [(why, _)]) = (&floors[..], &without[..]) {
        return vec![format!("unknown: {}", no_floor(why))];
    }
    let unknown = |(why, titles): &(NoFloor, Vec<String>)| {
        format!("{} unknown, because {}", titles.join(", "), no_floor(why))
    };
    floors.extend(without.iter().map(unknown));
    floors
}

/// Why there is no floor: a clause.
pub(super) fn no_floor(why: &NoFloor) -> String {
    match why {
        NoFloor::NotAsked => "no ask uses it".to_owned(),
        NoFloor::NoRound => "no round has the baseline twice".to_owned(),
        NoFloor::FewRounds { rounds, needed } => {
            format!("{} of the {needed} needed have the baseline twice", count(*rounds, "round"))
        }
        NoFloor::Zero => "the baseline is zero in some trial, and zero has no ratio".to_owned(),
        NoFloor::NoInterval(why) => why.to_string(),
    }
}
