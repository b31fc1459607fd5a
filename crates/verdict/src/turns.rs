//! How trials ran: in turns or one after another, and why.

use crate::interleaving::{Interleaving, Way};
use crate::verdict::StudyVerdict;
use model::Nanos;
use model::figure::{agreeing, count};
use model::plan::{Resource, Shortage, StudyPlan, Turns};
use model::units::{format_bytes_approximate, format_duration, format_significant};

/// Configurations that are named; the others are counted.
const NAMED_MAX: usize = 3;

/// How the trials ran that the figures are of: `in turns of 25 ms, 26 slices a trial`; `None` if turns were not asked
/// for.
pub(crate) fn way(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Option<String> {
    match &study.interleaving {
        Some(interleaving) => {
            let in_blocks = match interleaving.used {
                Way::InTurns => plan.map(in_blocks).unwrap_or_default(),
                Way::OneAfterAnother => String::new(),
            };
            Some(measured(interleaving, study.cells.len()) + &in_blocks)
        }
        None => plan.and_then(do_not_fit),
    }
}

fn measured(interleaving: &Interleaving, configurations: usize) -> String {
    match interleaving.used {
        Way::InTurns => {
            let taking = interleaving.configurations.len();
            let which = if taking < configurations { format!("{taking} of them ") } else { String::new() };
            let length = interleaving.slice_s.map_or_else(String::new, |(least, most)| {
                format!(" of {}", range(&milliseconds(least), &milliseconds(most)))
            });
            let slices = interleaving.slices.map_or_else(String::new, |(least, most)| {
                let noun = agreeing(most as usize, "slice", "slices");
                format!(", {} {noun} a trial", range(&least.to_string(), &most.to_string()))
            });
            format!("{which}in turns{length}{slices}")
        }
        Way::OneAfterAnother => format!(
            "one after another, without {} in turns, which disturbed each other",
            count(interleaving.rounds_in_turns, "round")
        ),
    }
}

fn range(least: &str, most: &str) -> String {
    if least == most { least.to_owned() } else { format!("{least} to {most}") }
}

fn milliseconds(seconds: f64) -> String {
    let text = format_significant(seconds * 1e3);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} ms")
}

/// How the trials of a round are to run: `in turns as long as a pilot finds; one after another: sync=none`.
pub fn planned(plan: &StudyPlan) -> String {
    let length = match plan.turns {
        Turns::Auto => format!("in turns as long as a pilot finds{}", in_blocks(plan)),
        Turns::Every(seconds) => format!("in turns of {}{}", milliseconds(seconds), in_blocks(plan)),
        Turns::Off => return "one after another".to_owned(),
        Turns::DoNotFit(_) => return do_not_fit(plan).unwrap_or_default(),
    };
    let alone: Vec<usize> =
        (0..plan.configurations.len()).filter(|index| !plan.takes_turns(*index)).collect();
    match alone.len() {
        0 => length,
        all if all == plan.configurations.len() => {
            "one after another: its trials leave work behind, or are compared with some that do".to_owned()
        }
        _ => {
            let mut names: Vec<String> =
                alone.iter().take(NAMED_MAX).map(|index| plan.label(*index)).collect();
            if alone.len() > NAMED_MAX {
                names.push(format!("{} more", alone.len() - NAMED_MAX));
            }
            format!("{length}; one after another: {}", names.join("; "))
        }
    }
}

/// Why trials that could take turns do not.
fn do_not_fit(plan: &StudyPlan) -> Option<String> {
    let Turns::DoNotFit(shortage) = &plan.turns else { return None };
    Some(format!("one after another: to take turns they {}", lack(shortage)))
}

/// The blocks of a round and why there are several: `, in 2 blocks a round: together they need 12 GiB of memory and
/// have 4 GiB`.
fn in_blocks(plan: &StudyPlan) -> String {
    match &plan.blocks {
        Some(blocks) => {
            format!(
                ", in {} blocks a round: together they {}",
                plan.blocks_per_round(),
                lack(&blocks.shortage)
            )
        }
        None => String::new(),
    }
}

/// What trials need and have: `need 12 GiB of memory and have 4 GiB`.
pub fn lack(shortage: &Shortage) -> String {
    let Shortage { short, needed, available } = *shortage;
    let size = |bytes: u64| format_bytes_approximate(bytes as f64);
    let (needed, available) = match short {
        Resource::Memory => (format!("{} of memory", size(needed)), size(available)),
        Resource::LockedMemory => (format!("{} of memory that may be locked", size(needed)), size(available)),
        Resource::Room => (format!("{} of room", size(needed)), size(available)),
        Resource::OpenFiles => (format!("{needed} open files"), available.to_string()),
    };
    format!("need {needed} and have {available}")
}

/// The option that lets a run take turns as this study did; `None` if it does so without.
pub fn option(plan: &StudyPlan) -> Option<String> {
    match plan.turns {
        Turns::Auto | Turns::DoNotFit(_) => None,
        Turns::Off => Some("off".to_owned()),
        Turns::Every(seconds) => Some(format_duration(Nanos((seconds * 1e9).round() as u64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_says_how_its_trials_ran() {
        let in_turns = Interleaving {
            used: Way::InTurns,
            rounds_in_turns: 6,
            rounds_one_after_another: 0,
            configurations: vec![0, 1],
            slice_s: Some((0.025, 0.025)),
            slices: Some((26, 26)),
        };
        assert_eq!(measured(&in_turns, 2), "in turns of 25 ms, 26 slices a trial");
        let uneven = Interleaving { slice_s: Some((0.1, 0.25)), slices: Some((4, 12)), ..in_turns.clone() };
        assert_eq!(measured(&uneven, 3), "2 of them in turns of 100 ms to 250 ms, 4 to 12 slices a trial");
        let fallen = Interleaving { used: Way::OneAfterAnother, rounds_one_after_another: 6, ..in_turns };
        let without = "one after another, without 6 rounds in turns, which disturbed each other";
        assert_eq!(measured(&fallen, 2), without);
    }
}
