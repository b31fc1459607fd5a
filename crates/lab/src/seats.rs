//! Which seat each trial of an ensemble has: files of its own wherever another's work would show in them. Pure.

use crate::order::{shuffle, turns_random};
use model::plan::StudyPlan;
use model::turns::Arm;
use model::{Description, FileSystem};
use std::collections::BTreeMap;

/// What trials have to have for themselves: two with the same need can change seats.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    filesystem: FileSystem,
    store_bytes: u64,
    /// Names of files that they do not share.
    files: Vec<String>,
}

impl Need {
    fn is_nothing(&self) -> bool {
        self.store_bytes == 0 && self.files.is_empty()
    }
}

/// The seat of each of these trials. Trials with the same files change seats from round to round, so that the place of a file on
/// the device does not distinguish them.
pub(crate) fn seats(study: &StudyPlan, seed: u64, round: u32, arms: &[Arm]) -> BTreeMap<Arm, u32> {
    let mut random = turns_random(seed, &study.name, round);
    numbered(study, arms, |arms| shuffle(arms, &mut random))
}

/// The seats in some round: how many there are, and for what, is the same in each.
pub(crate) fn seats_of_any_round(study: &StudyPlan, arms: &[Arm]) -> BTreeMap<Arm, u32> {
    numbered(study, arms, |_| ())
}

/// The seat of trials that need no files of their own. Nobody writes to the files there, and none of them is cached.
const SHARED: u32 = 0;

fn numbered(study: &StudyPlan, arms: &[Arm], mut order: impl FnMut(&mut Vec<Arm>)) -> BTreeMap<Arm, u32> {
    let mut seated = BTreeMap::new();
    let mut seats = SHARED + 1..;
    for (need, mut arms) in by_need(study, arms) {
        order(&mut arms);
        let is_shared = need.is_nothing();
        let seat = |arm| (arm, if is_shared { SHARED } else { seats.next().unwrap_or(SHARED) });
        seated.extend(arms.into_iter().map(seat));
    }
    seated
}

fn by_need(study: &StudyPlan, arms: &[Arm]) -> BTreeMap<Need, Vec<Arm>> {
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
    Need {
        filesystem: description.filesystem,
        store_bytes: description.store_bytes,
        files: own.map(|files| files.name.clone()).collect(),
    }
}
