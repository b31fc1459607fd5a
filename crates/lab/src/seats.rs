//! Which seat each trial of an ensemble has: files of its own wherever another's work would show in them. Pure.

use crate::order::{shuffle, turns_random};
use model::plan::StudyPlan;
use model::turns::Arm;
use model::{Description, FileSystem};
use std::collections::BTreeMap;

/// What trials have to have for themselves: two with the same need can change seats.
type Need = (FileSystem, u64, Vec<String>);

/// The seat of each of these trials. Trials with the same files change seats from round to round, so that where a file lies on the
/// device is no part of what they differ in.
pub(crate) fn seats(study: &StudyPlan, seed: u64, round: u32, arms: &[Arm]) -> BTreeMap<Arm, u32> {
    let mut random = turns_random(seed, &study.name, round);
    let mut seated = BTreeMap::new();
    let mut next = 0;
    for (_, mut arms) in by_need(study, arms) {
        shuffle(&mut arms, &mut random);
        for arm in arms {
            seated.insert(arm, next);
            next += 1;
        }
    }
    seated
}

/// The trials of all seats, in the order of the seats in some round.
pub(crate) fn by_need(study: &StudyPlan, arms: &[Arm]) -> BTreeMap<Need, Vec<Arm>> {
    let mut by_need: BTreeMap<Need, Vec<Arm>> = BTreeMap::new();
    let mut arms = arms.to_vec();
    arms.sort_unstable();
    for arm in arms {
        if let Some(description) = study.description(arm.configuration) {
            by_need.entry(need(description)).or_default().push(arm);
        }
    }
    by_need
}

fn need(description: &Description) -> Need {
    let own = description.files.iter().filter(|files| !description.shares_files(&files.role));
    let names = own.map(|files| files.name.clone()).collect();
    (description.filesystem, description.store_bytes, names)
}
