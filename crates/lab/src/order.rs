//! The order of trials within a round: randomised complete blocks with the compared arms next to each other. Pure.

use model::plan::StudyPlan;
use model::study::AskKind;
use model::turns::Arm;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// The order of one round. The same plan, seed and round give the same order on every machine.
///
/// Configurations that differ only in the factor of the study's first comparison form a block and run next to each
/// other, so that drift between them is as small as it can be; blocks, and arms within a block, are in random order.
pub fn round_order(study: &StudyPlan, seed: u64, round: u32) -> Vec<Arm> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix(seed, &study.name, round));
    let compared = study.asks.iter().find(|ask| ask.kind == AskKind::Compare).map(|ask| ask.factor.as_str());
    let mut blocks: BTreeMap<String, Vec<Arm>> = BTreeMap::new();
    for configuration in 0..study.configurations.len() {
        let others =
            study.factors.iter().map(|factor| factor.name.as_str()).filter(|name| Some(*name) != compared);
        let block = match compared {
            Some(_) => study.configurations[configuration].label(others),
            None => String::new(),
        };
        let slots = blocks.entry(block).or_default();
        slots.push(Arm { configuration, duplicate: false });
        if configuration == study.duplicate && study.has_duplicate() {
            slots.push(Arm { configuration, duplicate: true });
        }
    }
    let mut blocks: Vec<Vec<Arm>> = blocks.into_values().collect();
    shuffle(&mut blocks, &mut random);
    for block in &mut blocks {
        shuffle(block, &mut random);
    }
    blocks.concat()
}

/// Seed of a round's trials: every arm of a round sees the same random numbers, so they differ in the factor alone.
pub fn trial_seed(seed: u64, study: &str, round: u32) -> u64 {
    Xoshiro256PlusPlus::seed_from_u64(mix(seed, study, round)).next_u64()
}

/// The trials that are alive together with this one and take turns with it, in the order of their round; it alone if it takes
/// none.
pub fn ensemble(study: &StudyPlan, seed: u64, round: u32, arm: Arm) -> Vec<Arm> {
    let takes_turns = |arm: &Arm| study.takes_turns(arm.configuration);
    if !takes_turns(&arm) {
        return vec![arm];
    }
    round_order(study, seed, round).into_iter().filter(takes_turns).collect()
}

/// Random numbers for the turns of a round.
pub(crate) fn turns_random(seed: u64, study: &str, round: u32) -> Xoshiro256PlusPlus {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix(seed, study, round));
    // The numbers before are those of the round's order and of its trials.
    random.jump();
    random
}

/// FNV-1a over seed, study and round: stable across versions, unlike the standard library's hasher.
fn mix(seed: u64, study: &str, round: u32) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(study.bytes()).chain(round.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Fisher and Yates' shuffle.
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        let pick = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        items.swap(last, pick);
    }
}
