//! What to measure again: the suspects that are not settled, and random controls beside them.

use crate::rule::CONTROLS_MIN;
use crate::statement::{Outcome, Standing, Statement};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;

/// Disks to measure again, in the random order in which they are to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remeasure {
    /// The disks.
    pub disks: Vec<Again>,
    /// Seed of the choice and of the order.
    pub seed: u64,
}

/// A disk to measure again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// The disk, as a place in the statement.
    pub disk: usize,
    /// Why.
    pub role: Role,
}

/// Why a disk is measured again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is a suspect.
    Suspect,
    /// It is not, and shows how the day of the second measurement differs.
    Control,
}

/// The suspects that a second measurement can settle; and for each stratum of theirs as many controls, at least [`CONTROLS_MIN`], chosen
/// at random. Without an open suspect there is nothing to measure.
pub fn remeasure(statement: &Statement, seed: u64) -> Remeasure {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let open = statement.suspects.iter().filter(|suspect| is_open(&suspect.outcome));
    let open: BTreeSet<usize> = open.map(|suspect| suspect.disk).collect();
    let strata: BTreeSet<usize> = open.iter().map(|disk| statement.disks[*disk].stratum).collect();
    let mut disks: Vec<Again> = open.iter().map(|disk| Again { disk: *disk, role: Role::Suspect }).collect();
    for stratum in strata {
        let in_stratum = |disk: &usize| statement.disks[*disk].stratum == stratum;
        let wanted = open.iter().filter(|disk| in_stratum(disk)).count().max(CONTROLS_MIN);
        let mut candidates: Vec<usize> = (0..statement.disks.len())
            .filter(|disk| in_stratum(disk) && statement.disks[*disk].standing == Standing::WithinLimits)
            .collect();
        shuffle(&mut candidates, &mut random);
        candidates.truncate(wanted);
        disks.extend(candidates.into_iter().map(|disk| Again { disk, role: Role::Control }));
    }
    shuffle(&mut disks, &mut random);
    Remeasure { disks, seed }
}

fn is_open(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::MeasureAgain
        | Outcome::TooFewControls { .. }
        | Outcome::TooFewRounds { .. }
        | Outcome::Doubted { .. } => true,
        Outcome::Slow(_) | Outcome::NotConfirmed(_) => false,
    }
}

/// Fisher and Yates's shuffle.
fn shuffle<T>(values: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..values.len()).rev() {
        let other = random.next_u64() % (last as u64 + 1);
        values.swap(last, other as usize);
    }
}
