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

#[cfg(test)]
mod tests {
    use super::*;
    use model::description::FileSet;
    use model::plan::Turns;
    use model::{Configuration, Layout};
    use std::collections::BTreeSet;

    /// Trials that need these files each; nothing for an empty name.
    fn study(files: &[&str]) -> (StudyPlan, Vec<Arm>) {
        let file = |name: &str| FileSet {
            name: name.to_owned(),
            role: "data".to_owned(),
            layout: Layout::Prefilled,
            size_bytes: 1 << 20,
            count: 1,
        };
        let described = |name: &&str| {
            let files = Some(file(name)).filter(|_| !name.is_empty());
            Description { interleavable: true, files: files.into_iter().collect(), ..Description::default() }
        };
        let study = StudyPlan {
            name: "one".to_owned(),
            question: String::new(),
            workload: "toy".to_owned(),
            profile: "quick".to_owned(),
            factors: Vec::new(),
            configurations: vec![Configuration::default(); files.len()],
            descriptions: files.iter().map(described).collect(),
            baseline: Configuration::default(),
            duplicate: 0,
            asks: Vec::new(),
            responses: Vec::new(),
            warmup_rounds: 0,
            rounds: 1,
            turns: Turns::Auto,
            alone: Vec::new(),
            looks: Vec::new(),
            fresh_placement: false,
            excluded: Vec::new(),
        };
        (study, (0..files.len()).map(|configuration| Arm { configuration, duplicate: false }).collect())
    }

    #[test]
    fn trials_with_the_same_files_change_seats_and_others_never_sit_there() {
        let (study, arms) = study(&["log", "data", "log", "log"]);
        let mut taken: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for round in 0..40 {
            let seats = seats(&study, 7, round, &arms);
            assert_eq!(seats.values().collect::<BTreeSet<_>>().len(), arms.len(), "no two share one");
            for (arm, seat) in seats {
                taken.entry(arm.configuration).or_default().insert(seat);
            }
        }
        assert_eq!(taken[&0].len(), 3, "each place was everybody's");
        assert!(taken[&0] == taken[&2] && taken[&0] == taken[&3], "{taken:?}");
        assert!(taken[&1].len() == 1 && taken[&0].is_disjoint(&taken[&1]), "{taken:?}");
    }

    #[test]
    fn trials_that_need_nothing_of_their_own_share_a_seat() {
        let (study, arms) = study(&["", "log", ""]);
        let seats = seats(&study, 7, 0, &arms);
        assert_eq!((seats[&arms[0]], seats[&arms[2]]), (SHARED, SHARED));
        assert_ne!(seats[&arms[1]], SHARED);
    }
}
