//! Which seat each trial of an ensemble has: files of its own wherever another's work would show in them. Pure.

use crate::order::share_of_block;
use model::plan::StudyPlan;
use model::turns::Arm;
use model::{Description, FileSystem};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::shuffle;
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

/// The seat of each of these trials, which are alive together. Trials with the same files change seats from round to
/// round, so that the place of a file on the device does not distinguish them.
pub(crate) fn seats(
    study: &StudyPlan,
    mut random: Xoshiro256PlusPlus,
    together: &[Arm],
) -> BTreeMap<Arm, u32> {
    let mut seated = BTreeMap::new();
    for (first, arms) in by_need(study) {
        let mut arms: Vec<Arm> = arms.into_iter().filter(|arm| together.contains(arm)).collect();
        shuffle(&mut arms, &mut random);
        seated.extend(numbered(first, arms));
    }
    seated
}

/// The seats of all trials that take turns, in some round: how many there are, and for what, is the same in each.
/// Trials of different blocks sit where others sat before.
pub(crate) fn seats_of_any_round(study: &StudyPlan) -> BTreeMap<Arm, u32> {
    let together = together_max(study);
    let of_need = |(first, arms): (u32, Vec<Arm>)| {
        let seats = numbered(first, arms);
        let most = u32::try_from(together).unwrap_or(u32::MAX).max(1);
        seats.map(move |(arm, seat)| (arm, first + (seat - first) % most))
    };
    by_need(study).into_iter().flat_map(of_need).collect()
}

/// The most trials that are alive together.
pub(crate) fn together_max(study: &StudyPlan) -> usize {
    let members = taking_turns(study).iter().filter(|arm| !study.is_in_every_block(**arm)).count();
    1 + share_of_block(members, study.blocks_per_round())
}

/// Every arm that takes turns.
pub(crate) fn taking_turns(study: &StudyPlan) -> Vec<Arm> {
    let arm = |configuration| Arm { configuration, duplicate: false };
    let duplicate = study.has_duplicate().then_some(Arm { duplicate: true, ..arm(study.duplicate) });
    let arms = (0..study.configurations.len()).map(arm).chain(duplicate);
    arms.filter(|arm| study.takes_turns(arm.configuration)).collect()
}

/// The seat of trials that need no files of their own. Nobody writes to the files there, and none of them is cached.
const SHARED: u32 = 0;

/// Seats from this one on, or the shared one for all.
fn numbered(first: u32, arms: Vec<Arm>) -> impl Iterator<Item = (Arm, u32)> {
    let seat = move |place: usize| match first {
        SHARED => SHARED,
        _ => first.saturating_add(u32::try_from(place).unwrap_or(u32::MAX)),
    };
    arms.into_iter().enumerate().map(move |(place, arm)| (arm, seat(place)))
}

/// The arms that take turns by what they need, each with the first of its seats. The seats of a need are the same in
/// every block.
fn by_need(study: &StudyPlan) -> Vec<(u32, Vec<Arm>)> {
    let mut by_need: BTreeMap<Need, Vec<Arm>> = BTreeMap::new();
    let mut arms = taking_turns(study);
    arms.sort_unstable();
    for arm in arms {
        if let Some(description) = study.description(arm.configuration) {
            by_need.entry(need(description)).or_default().push(arm);
        }
    }
    let mut next = SHARED + 1;
    let numbered = |(need, arms): (Need, Vec<Arm>)| {
        let seats = if need.is_nothing() { 0 } else { u32::try_from(arms.len()).unwrap_or(u32::MAX) };
        let first = if seats == 0 { SHARED } else { next };
        next = next.saturating_add(seats);
        (first, arms)
    };
    by_need.into_iter().map(numbered).collect()
}

fn need(description: &Description) -> Need {
    let own = description.room.files.iter().filter(|files| !description.shares_files(&files.role));
    Need {
        filesystem: description.filesystem,
        store_bytes: description.room.store_bytes,
        files: own.map(|files| files.name.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::turns_random;
    use model::description::{FileSet, Interleaving, Room};
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
            Description {
                turns: Interleaving::of(true),
                room: Room { files: files.into_iter().collect(), ..Room::default() },
                ..Description::default()
            }
        };
        let study = StudyPlan {
            name: "one".to_owned(),
            workload: "toy".to_owned(),
            profile: "quick".to_owned(),
            configurations: vec![Configuration::default(); files.len()],
            descriptions: files.iter().map(described).collect(),
            rounds: 1,
            turns: Turns::Auto,
            ..StudyPlan::default()
        };
        (study, (0..files.len()).map(|configuration| Arm { configuration, duplicate: false }).collect())
    }

    #[test]
    fn trials_with_the_same_files_change_seats_and_others_never_sit_there() {
        let (study, arms) = study(&["log", "data", "log", "log"]);
        let mut taken: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for round in 0..40 {
            let seats = seats(&study, turns_random(7, "one", round, 0), &arms);
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
        let seats = seats(&study, turns_random(7, "one", 0, 0), &arms);
        assert_eq!((seats[&arms[0]], seats[&arms[2]]), (SHARED, SHARED));
        assert_ne!(seats[&arms[1]], SHARED);
    }
}
