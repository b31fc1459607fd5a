//! The order of trials within a round, with the compared arms next to each other, and the blocks of a round whose
//! trials do not fit together into the machine. Pure.

use model::plan::StudyPlan;
use model::study::AskKind;
use model::turns::Arm;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use stats::shuffle;
use std::collections::BTreeMap;

/// A trial's place in its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub arm: Arm,
    /// In which block of the round; 0 if the round is not divided.
    pub block: u32,
}

/// The order of one round. The same plan, seed and round give the same order on every machine.
///
/// Configurations that differ only in the factor of the study's first comparison form a group and run next to each
/// other, so that drift between them is as small as it can be; groups, and arms within a group, are in random order.
/// A round that is divided runs block after block.
pub fn round_order(study: &StudyPlan, seed: u64, round: u32) -> Vec<Slot> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix(seed, &study.name, round));
    let mut groups = groups(study);
    if study.blocks_per_round() > 1 {
        return divided(study, groups, &mut random);
    }
    shuffle(&mut groups, &mut random);
    for group in &mut groups {
        shuffle(group, &mut random);
    }
    groups.concat().into_iter().map(|arm| Slot { arm, block: 0 }).collect()
}

/// The arms of a round by what the study's first comparison compares.
fn groups(study: &StudyPlan) -> Vec<Vec<Arm>> {
    let compared = study.asks.iter().find(|ask| ask.kind == AskKind::Compare).map(|ask| ask.factor.as_str());
    let mut groups: BTreeMap<String, Vec<Arm>> = BTreeMap::new();
    for configuration in 0..study.configurations.len() {
        let others =
            study.factors.iter().map(|factor| factor.name.as_str()).filter(|name| Some(*name) != compared);
        let group = match compared {
            Some(_) => study.configurations[configuration].label(others),
            None => String::new(),
        };
        let arms = groups.entry(group).or_default();
        arms.push(Arm { configuration, duplicate: false });
        if configuration == study.duplicate && study.has_duplicate() {
            arms.push(Arm { configuration, duplicate: true });
        }
    }
    groups.into_values().collect()
}

/// The order of a round in blocks. Each block has the baseline and its share of the arms that take turns with it, which
/// is drawn again for each round: so two arms meet as often as any other two, on average. A group stays in one block if
/// it fits; an arm that the baseline's group has is compared with the baseline, which every block has. Trials that run
/// alone run between the blocks.
fn divided(study: &StudyPlan, groups: Vec<Vec<Arm>>, random: &mut Xoshiro256PlusPlus) -> Vec<Slot> {
    let (mut kept, mut singles, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    let mut baseline = None;
    for group in groups {
        let (together, others): (Vec<Arm>, Vec<Arm>) =
            group.into_iter().partition(|arm| study.takes_turns(arm.configuration));
        alone.push(others);
        let (shared, others): (Vec<Arm>, Vec<Arm>) =
            together.into_iter().partition(|arm| study.is_in_every_block(*arm));
        if shared.is_empty() {
            kept.push(others);
        } else {
            baseline = shared.first().copied();
            singles.extend(others.into_iter().map(|arm| vec![arm]));
        }
    }
    kept.extend(singles);
    shuffle(&mut kept, random);
    // The largest first, while there is a block with room for them; equal ones stay in random order.
    kept.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let members: usize = kept.iter().map(Vec::len).sum();
    let share = share_of_block(members, study.blocks_per_round());
    let mut blocks: Vec<Vec<Arm>> = vec![Vec::new(); study.blocks_per_round() as usize];
    let mut left = members;
    for group in kept {
        left -= group.len();
        for part in if stays_whole(&blocks, group.len(), share, left) { vec![group] } else { apart(group) } {
            if let Some(emptiest) = blocks.iter_mut().min_by_key(|block| block.len()) {
                emptiest.extend(part);
            }
        }
    }
    for block in &mut blocks {
        block.extend(baseline);
    }
    alone.retain(|arms| !arms.is_empty());
    let mut sections = [blocks, alone].concat();
    shuffle(&mut sections, random);
    let mut numbers = 0..;
    let mut order = Vec::new();
    for mut arms in sections {
        shuffle(&mut arms, random);
        let takes_turns = arms.first().is_some_and(|arm| study.takes_turns(arm.configuration));
        let block = if takes_turns { numbers.next().unwrap_or(0) } else { 0 };
        order.extend(arms.into_iter().map(|arm| Slot { arm, block }));
    }
    order
}

/// Whether the emptiest of these blocks takes a group of this many arms, so that the arms that are left then reach
/// every empty block.
fn stays_whole(blocks: &[Vec<Arm>], arms: usize, share: usize, left: usize) -> bool {
    let empty = blocks.iter().filter(|block| block.is_empty()).count();
    blocks.iter().any(|block| block.len() + arms <= share) && left + 1 >= empty
}

fn apart(group: Vec<Arm>) -> Vec<Vec<Arm>> {
    group.into_iter().map(|arm| vec![arm]).collect()
}

/// The most arms of a block beside the baseline, if this many are divided among this number of blocks.
pub(crate) fn share_of_block(members: usize, blocks: u32) -> usize {
    members.div_ceil(blocks.max(1) as usize)
}

/// Seed of a round's trials: every arm of a round sees the same random numbers, so they differ in the factor alone.
pub fn trial_seed(seed: u64, study: &str, round: u32) -> u64 {
    Xoshiro256PlusPlus::seed_from_u64(mix(seed, study, round)).next_u64()
}

/// The seed of a trial on this rank: with equal ones, all ranks would write equal bytes to equal offsets at the same
/// moments, and storage that keeps equal blocks once would keep one copy.
pub(crate) fn seed_of_rank(seed: u64, rank: u64) -> u64 {
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(rank)).next_u64()
}

/// The trials that are alive together with this one and take turns with it, in the order of their round; it alone if it
/// takes none.
pub fn ensemble(study: &StudyPlan, seed: u64, round: u32, slot: Slot) -> Vec<Slot> {
    if !study.takes_turns(slot.arm.configuration) {
        return vec![slot];
    }
    let is_beside = |other: &Slot| other.block == slot.block && study.takes_turns(other.arm.configuration);
    round_order(study, seed, round).into_iter().filter(is_beside).collect()
}

/// Random numbers for the turns of a block.
pub(crate) fn turns_random(seed: u64, study: &str, round: u32, block: u32) -> Xoshiro256PlusPlus {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix(seed, study, round));
    // The numbers before are those of the round's order and of its trials, and of the blocks before.
    for _ in 0..=block {
        random.jump();
    }
    random
}

/// FNV-1a over seed, study and round: stable across versions, unlike the standard library's hasher.
fn mix(seed: u64, study: &str, round: u32) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(study.bytes()).chain(round.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
