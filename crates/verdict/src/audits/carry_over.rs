//! Whether trials that took turns left each other alone. Work that an arm leaves behind (dirty pages, writeback, a
//! cache or a queue of the device that is still full) slows the next arm's slice, and a comparison of the two is wrong
//! by a part of it.
//!
//! There are four signs: data of the trial's files on its way to the device at the end of a slice; a rate that changes
//! inside an arm's slices unlike that inside the others', although what settles is left out; slices that are slower
//! after one arm than after the others ([`stats::carry_over`]); and a server that reads or writes in others' turns
//! ([`crate::idle_servers`]). An effect that shifts a comparison by less than 1 % is reported and does not fail.
//!
//! A rate that changes inside slices takes nothing from other arms: caches that fill, or threads that fall out of step,
//! in each turn. Up to the margin of equivalence it is therefore a warning, and no difference that it could make is
//! claimed: the noise floor of the study is at least the largest shift that is not ruled out ([`shift`]). An answer
//! that is larger stands.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::idle_servers::{Moved, moved};
use crate::interleaving::{self, Way};
use crate::observations::Observations;
use crate::phrase::{bounds, count, limit, percent, ratio};
use crate::slices::{PhaseTurns, TrialSlices};
use crate::verdict::Status;
use model::figure::agreeing;
use model::mechanism::Measured;
use model::turns::Arm;
use model::units::format_bytes_approximate;
use stats::carry_over::{Effect, SHIFT_MAX, carry_over};
use stats::{EQUIVALENCE_MARGIN, TRIALS_MIN};
use std::collections::{BTreeMap, BTreeSet};

/// Confidence of all effects of a study together.
const LEVEL: f64 = 0.95;

const ADVICE: &str =
    "Run the study with interleave = off: its trials then run one after another, and need more rounds.";

pub(super) const CHECK: Check = Check {
    name: "carry-over",
    bearing,
    moot: "No trial took turns with another, so a whole trial lies between any two.",
    judge: check,
};

/// What turns carry over is in every time and in every counter of the device. A figure by itself is still valid within
/// it.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    (used.takes_turns && used.is_of_device()).then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let observations = context.observations;
    let rounds = observations.rounds();
    if rounds.in_turns() == 0 {
        return Judgement::not_assessable("No round of this study took turns.");
    }
    match rounds.used() {
        Way::OneAfterAnother => Judgement::pass(format!(
            "The figures are of rounds whose trials ran one after another; {} in turns {} set aside, because turns \
             carried something over.",
            count(rounds.in_turns(), "round"),
            agreeing(rounds.in_turns(), "is", "are")
        )),
        Way::InTurns => Found::new(observations, &context.latencies.slices).judge(observations),
    }
}

/// Whether turns carry something over that matters, as far as these records and slices show.
pub(crate) fn fails(observations: &Observations<'_>, slices: &[TrialSlices]) -> bool {
    Found::new(observations, slices).fails()
}

/// The largest shift, as a ratio of at least 1, that changes inside slices leave possible although the audit does not
/// fail.
pub(crate) fn shift(observations: &Observations<'_>, slices: &[TrialSlices]) -> f64 {
    match observations.rounds().used() {
        Way::OneAfterAnother => 1.0,
        Way::InTurns => {
            let found = Found::new(observations, slices);
            let bounded = found.effects.iter().filter(|seen| seen.effect.matters() && !seen.invalidates());
            bounded.map(|seen| seen.effect.shift_most()).fold(1.0, f64::max)
        }
    }
}

/// What the records and slices of a study show.
struct Found {
    /// By arm: most bytes that a slice of it left; why they are unknown.
    left: BTreeMap<Arm, Measured<u64>>,
    /// By arm with a server: what it moved between its turns.
    idle: BTreeMap<Arm, Measured<Moved>>,
    effects: Vec<Seen>,
    /// Arms of phases with an effect that cannot be estimated, and why.
    unknown: Vec<(Arm, String)>,
    /// Rounds behind the effects; the fewest, if phases differ.
    rounds: usize,
}

/// An effect, and where it is.
struct Seen {
    phase: String,
    arm: Arm,
    kind: Kind,
    effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Inside the arm's slices.
    Trend,
    /// In the slices after the arm's.
    Predecessor,
}

impl Seen {
    /// Whether it makes the comparisons wrong, and not only those that are no larger.
    fn invalidates(&self) -> bool {
        let is_too_large = match self.kind {
            Kind::Trend => self.effect.shift() > EQUIVALENCE_MARGIN,
            Kind::Predecessor => true,
        };
        is_too_large && self.effect.matters()
    }
}

impl Found {
    fn new(observations: &Observations<'_>, slices: &[TrialSlices]) -> Self {
        let mut found = Self {
            left: left(observations),
            idle: moved(observations),
            effects: Vec::new(),
            unknown: Vec::new(),
            rounds: 0,
        };
        let phases = interleaving::phases(slices);
        let level = stats::family::simultaneous_level(LEVEL, phases.len() * times_asked(observations));
        let mut rounds = Vec::new();
        for phase in phases {
            let turns = PhaseTurns::new(slices, phase);
            rounds.push(turns.rounds_min);
            let carried = carry_over(&turns.rounds, turns.arms.len(), level);
            let trends = carried.trends.into_iter().map(|effect| (Kind::Trend, effect));
            let predecessors = carried.predecessors.into_iter().map(|effect| (Kind::Predecessor, effect));
            for ((kind, effect), arm) in trends.chain(predecessors).zip(turns.arms.iter().cycle()) {
                match effect {
                    Ok(effect) => {
                        found.effects.push(Seen { phase: phase.to_owned(), arm: *arm, kind, effect });
                    }
                    Err(why) => found.unknown.push((*arm, why.to_string())),
                }
            }
        }
        found.rounds = rounds.into_iter().min().unwrap_or(0);
        found
    }

    fn fails(&self) -> bool {
        self.has_left().next().is_some()
            || self.worked_between().next().is_some()
            || self.effects.iter().any(Seen::invalidates)
    }

    /// Arms that left data on its way to the device.
    fn has_left(&self) -> impl Iterator<Item = (Arm, u64)> {
        self.left
            .iter()
            .filter_map(|(arm, left)| left.value().filter(|bytes| **bytes > 0).map(|bytes| (*arm, *bytes)))
    }

    /// Arms whose servers worked in others' turns.
    fn worked_between(&self) -> impl Iterator<Item = (Arm, Moved)> {
        self.idle.iter().filter_map(|(arm, moved)| {
            moved.value().filter(|moved| moved.matters()).map(|moved| (*arm, *moved))
        })
    }

    fn judge(&self, observations: &Observations<'_>) -> Judgement {
        let judgement = if self.fails() {
            Judgement::new(Status::Fail, self.failure(), ADVICE).at(self.concerned(observations))
        } else if self.effects.iter().any(|seen| seen.effect.matters()) {
            let summary = format!(
                "The rate changes inside the slices of some arms, and not alike in all: differences of less than {} \
                 are not claimed.",
                percent(self.shift_most() - 1.0)
            );
            Judgement::new(Status::Warn, summary, ADVICE).at(self.concerned(observations))
        } else if self.rounds < TRIALS_MIN {
            Judgement::not_assessable(format!(
                "The slices of every trial are known for {}; the audit needs {TRIALS_MIN}.",
                count(self.rounds, "round")
            ))
        } else if self.unassessed().is_empty() {
            Judgement::pass(format!(
                "Slices left no data behind, and neither the time inside a slice nor the arm before it shifts a \
                 comparison by more than {}.",
                percent(self.shift_most() - 1.0)
            ))
        } else if self.shift_most() > EQUIVALENCE_MARGIN {
            Judgement::not_assessable(format!(
                "The slices hold too few operations, or scatter too much: that turns shift a comparison by up to {} is \
                 not ruled out.",
                percent(self.shift_most() - 1.0)
            ))
        } else {
            Judgement::not_assessable(
                "The rate inside slices, or after an arm, or what slices left behind could not be read for every arm.",
            )
        };
        let unassessed = if self.rounds < TRIALS_MIN { None } else { Some(self.unassessed()) };
        let judgement = judgement.with(self.evidence(observations));
        match unassessed {
            Some(configurations) => judgement.unassessed(configurations),
            None => judgement,
        }
    }

    fn failure(&self) -> String {
        let matters = |kind: Kind| self.effects.iter().any(|seen| seen.kind == kind && seen.invalidates());
        let signs = [
            (self.has_left().next().is_some(), "slices ended with data still on its way to the device"),
            (self.worked_between().next().is_some(), "a server read or wrote in others' turns"),
            (matters(Kind::Trend), "the rate changes inside slices, and not alike in all arms"),
            (matters(Kind::Predecessor), "the rate of a slice depends on the arm before it"),
        ];
        let signs: Vec<&str> =
            signs.iter().filter(|(is_there, _)| *is_there).map(|(_, sign)| *sign).collect();
        format!("Trials that took turns disturbed each other: {}.", signs.join("; "))
    }

    /// A rate that changes inside slices is in the arm's own figures; what an arm leaves behind is in those of all
    /// others.
    fn concerned(&self, observations: &Observations<'_>) -> BTreeSet<usize> {
        let is_everywhere = self.has_left().next().is_some()
            || self.worked_between().next().is_some()
            || self.effects.iter().any(|seen| seen.kind == Kind::Predecessor && seen.effect.matters());
        if is_everywhere {
            let plan = observations.plan;
            return (0..plan.configurations.len()).filter(|index| plan.takes_turns(*index)).collect();
        }
        let fails = self.fails();
        let matters =
            self.effects.iter().filter(|seen| if fails { seen.invalidates() } else { seen.effect.matters() });
        matters.map(|seen| seen.arm.configuration).collect()
    }

    /// Configurations for which a shift as large as a difference that matters is not ruled out.
    fn unassessed(&self) -> BTreeSet<usize> {
        let wide = self
            .effects
            .iter()
            .filter(|seen| !seen.effect.matters() && seen.effect.shift_most() > EQUIVALENCE_MARGIN);
        let unread = self.left.iter().filter(|(_, left)| left.reason().is_some()).map(|(arm, _)| *arm);
        let uncounted = self.idle.iter().filter(|(_, moved)| moved.reason().is_some()).map(|(arm, _)| *arm);
        let unknown = self.unknown.iter().map(|(arm, _)| *arm).chain(uncounted);
        wide.map(|seen| seen.arm).chain(unread).chain(unknown).map(|arm| arm.configuration).collect()
    }

    fn shift_most(&self) -> f64 {
        self.effects.iter().map(|seen| seen.effect.shift_most()).fold(1.0, f64::max)
    }

    fn evidence(&self, observations: &Observations<'_>) -> Vec<String> {
        let name = |arm: Arm| {
            let label = observations.plan.label(arm.configuration);
            let label = if label.is_empty() { "the baseline".to_owned() } else { label };
            if arm.duplicate { format!("{label} (A/A arm)") } else { label }
        };
        let left = self.has_left().map(|(arm, bytes)| {
            format!(
                "{}: up to {} left at the end of a slice.",
                name(arm),
                format_bytes_approximate(bytes as f64)
            )
        });
        let between = self.worked_between().map(|(arm, moved)| {
            format!(
                "{}: its server moved {} in others' turns, and the device {} in its own.",
                name(arm),
                format_bytes_approximate(moved.between_bytes as f64),
                format_bytes_approximate(moved.within_bytes as f64)
            )
        });
        let uncounted = self.idle.iter().filter_map(|(arm, moved)| {
            moved.reason().map(|why| {
                format!("{}: what its server moved in others' turns is unknown: {why}.", name(*arm))
            })
        });
        let unread = self.left.iter().filter_map(|(arm, left)| {
            left.reason().map(|why| format!("{}: what its slices left is unknown: {why}.", name(*arm)))
        });
        let proven = self.effects.iter().filter(|seen| seen.effect.is_proven()).map(|seen| {
            let interval = &seen.effect.ratio.interval;
            let what = match seen.kind {
                Kind::Trend => format!("{}: the last quarter of its slices ran at", name(seen.arm)),
                Kind::Predecessor => format!("slices after {} ran at", name(seen.arm)),
            };
            let than = match seen.kind {
                Kind::Trend => "the whole slice, relative to the others'",
                Kind::Predecessor => "those after the others",
            };
            let shift = percent(seen.effect.shift() - 1.0);
            let extent = if seen.effect.matters() {
                format!("that shifts a comparison by {shift}")
            } else {
                format!("that shifts a comparison by {shift}, less than {}", limit(SHIFT_MAX - 1.0))
            };
            let phase = if seen.phase == "measure" { String::new() } else { format!(" in {}", seen.phase) };
            format!(
                "{what} {} the rate of {than}{phase} ({}, {}): {extent}.",
                ratio(interval.estimate),
                bounds((interval.low, interval.high)),
                count(interval.n, "round")
            )
        });
        let unknown = self.unknown.iter().map(|(arm, why)| format!("{}: {why}.", name(*arm)));
        left.chain(between).chain(uncounted).chain(unread).chain(proven).chain(unknown).collect()
    }
}

/// How often the audit is asked in the course of a study: at each look that leaves rounds enough for another way, and
/// at the end. One alarm ends the turns, so all of them share the error.
fn times_asked(observations: &Observations<'_>) -> usize {
    let plan = observations.plan;
    let leaves_rounds = |look: &&u32| {
        **look as usize >= TRIALS_MIN && plan.rounds.saturating_sub(**look) as usize >= TRIALS_MIN
    };
    plan.looks.iter().filter(leaves_rounds).count() + 1
}

/// By arm: the most that any slice of it left, over all its trials; the reason if that is unknown for one of them and
/// none left anything. Arms that only read leave nothing and are not in it.
fn left(observations: &Observations<'_>) -> BTreeMap<Arm, Measured<u64>> {
    let mut of_trials: BTreeMap<Arm, Vec<&Measured<u64>>> = BTreeMap::new();
    for record in observations.analysed() {
        let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
        let left = phases.filter_map(|phase| phase.turns.as_ref()?.left_bytes_max.as_ref());
        of_trials.entry(record.key.arm()).or_default().extend(left);
    }
    let most = |trials: &Vec<&Measured<u64>>| {
        let most = trials.iter().filter_map(|left| left.value()).max().copied();
        let unknown = trials.iter().find(|left| left.reason().is_some());
        match (most, unknown) {
            (Some(bytes), None) | (Some(bytes @ 1..), Some(_)) => Some(Measured::Value(bytes)),
            (Some(_) | None, Some(unknown)) => Some((*unknown).clone()),
            (None, None) => None,
        }
    };
    of_trials.iter().filter_map(|(arm, trials)| Some((*arm, most(trials)?))).collect()
}
