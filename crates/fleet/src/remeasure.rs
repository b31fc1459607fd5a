//! What to measure again: the suspects that are not settled, and random controls beside them.

use crate::rule::CONTROLS_MIN;
use crate::standing::DiskStatus;
use crate::statement::Statement;
use crate::suspect::SuspectOutcome;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use stats::shuffle;
use std::collections::BTreeSet;

/// Disks to measure again, in the random order in which they are to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remeasure {
    pub disks: Vec<Again>,
    /// Suspects that no second measurement settles, because too few disks of their stratum can be controls.
    pub without_controls: Vec<usize>,
    /// Seed of the choice and of the order.
    pub seed: u64,
}

/// A disk to measure again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// The disk, as a place in the statement.
    pub disk: usize,
    pub role: Role,
}

/// Why a disk is measured again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An audit of its first measurement failed: it needs another first one.
    First,
    /// It is a suspect.
    Suspect,
    /// It is not, and shows how the day of the second measurement differs.
    Control,
}

/// The suspects that a second measurement can settle; and for each stratum of theirs as many controls, at least
/// [`CONTROLS_MIN`], chosen at random. Without an open suspect there is nothing to measure.
pub fn remeasure(statement: &Statement, seed: u64) -> Remeasure {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let of = |role| {
        let open = statement.suspects.iter().filter(move |suspect| needs(&suspect.outcome) == Some(role));
        open.map(|suspect| suspect.disk).collect::<BTreeSet<usize>>()
    };
    let firsts = of(Role::First);
    let suspects = &of(Role::Suspect) - &firsts;
    let stratum = |disk: usize| statement.disks[disk].stratum;
    let mut disks: Vec<Again> = firsts.iter().map(|disk| Again { disk: *disk, role: Role::First }).collect();
    let mut without_controls = Vec::new();
    for place in suspects.iter().map(|disk| stratum(*disk)).collect::<BTreeSet<usize>>() {
        let suspects: Vec<usize> = suspects.iter().copied().filter(|disk| stratum(*disk) == place).collect();
        let mut controls: Vec<usize> = (0..statement.disks.len())
            .filter(|disk| {
                stratum(*disk) == place && statement.disks[*disk].standing == DiskStatus::WithinLimits
            })
            .collect();
        if controls.len() < CONTROLS_MIN {
            without_controls.extend(suspects);
            continue;
        }
        shuffle(&mut controls, &mut random);
        controls.truncate(suspects.len().max(CONTROLS_MIN));
        disks.extend(suspects.into_iter().map(|disk| Again { disk, role: Role::Suspect }));
        disks.extend(controls.into_iter().map(|disk| Again { disk, role: Role::Control }));
    }
    shuffle(&mut disks, &mut random);
    Remeasure { disks, without_controls, seed }
}

/// What another measurement has to be, if one can settle the suspicion.
fn needs(outcome: &SuspectOutcome) -> Option<Role> {
    match outcome {
        SuspectOutcome::Doubted { runs, .. } if runs.iter().any(|run| run.is_first) => Some(Role::First),
        SuspectOutcome::MeasureAgain
        | SuspectOutcome::TooFewControls { .. }
        | SuspectOutcome::TooFewRounds { .. }
        | SuspectOutcome::Doubted { .. } => Some(Role::Suspect),
        SuspectOutcome::Slow(_) | SuspectOutcome::NotConfirmed(_) => None,
    }
}
