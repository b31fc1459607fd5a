//! Which trials are alive together: those of a round, or of a block if the round is divided.

use crate::toy;
use lab::next::{Due, ensemble, in_order};
use lab::order::{self, Slot, round_order};
use model::description::Interleaving;
use model::plan::{Blocks, Factor, Resource, Shortage, StudyPlan, Turns};
use model::trial::TrialRecord;
use model::turns::Arm;
use model::{Configuration, Description, Value};
use std::collections::{BTreeMap, BTreeSet};

const SEED: u64 = 7;

/// Configurations of two factors, the first of which is compared; the first configuration is the baseline.
fn study(compared: u64, other: u64, blocks: u32) -> StudyPlan {
    let mut study = toy::study("toy", 0, 40);
    let factor = |name: &str, levels: u64| Factor {
        name: name.to_owned(),
        levels: (0..levels).map(Value::Count).collect(),
    };
    study.factors = vec![factor("mode", compared), factor("depth", other)];
    let values =
        (0..other).flat_map(|depth| (0..compared).map(move |mode| [("mode", mode), ("depth", depth)]));
    let configuration = |values: [(&str, u64); 2]| {
        Configuration(values.map(|(name, level)| (name.to_owned(), Value::Count(level))).into())
    };
    study.configurations = values.map(configuration).collect();
    let description = Description { turns: Interleaving::of(true), ..Description::default() };
    study.descriptions = vec![description; study.configurations.len()];
    study.asks = vec![
        serde_json::from_value(serde_json::json!({"kind": "compare", "factor": "mode", "on": []})).unwrap(),
    ];
    study.turns = Turns::Auto;
    let shortage = Shortage { short: Resource::Memory, needed: 2, available: 1 };
    study.blocks = (blocks > 1).then_some(Blocks { count: blocks, shortage });
    study
}

/// The blocks of a round, each without the baseline, in the order in which they run.
fn blocks(study: &StudyPlan, round: u32) -> Vec<Vec<Arm>> {
    let order = round_order(study, SEED, round);
    assert_eq!(order.len(), study.trials_per_round());
    let mut blocks: Vec<(u32, Vec<Arm>)> = Vec::new();
    for Slot { arm, block } in order {
        match blocks.last_mut().filter(|(last, _)| *last == block) {
            Some((_, arms)) => arms.push(arm),
            None => blocks.push((block, vec![arm])),
        }
    }
    let numbers: BTreeSet<u32> = blocks.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (0..study.blocks_per_round()).collect(), "each runs once, whole");
    assert_eq!(numbers.len(), blocks.len());
    let without_baseline = |(_, mut arms): (u32, Vec<Arm>)| {
        let all = arms.len();
        arms.retain(|arm| !study.is_in_every_block(*arm));
        assert_eq!(arms.len(), all - 1, "every block has the baseline once");
        arms
    };
    blocks.into_iter().map(without_baseline).collect()
}

#[test]
fn every_arm_is_in_one_block_and_blocks_are_of_one_size() {
    for (configurations, count) in [(3, 2), (6, 2), (6, 3), (7, 4), (9, 9)] {
        let study = study(configurations, 1, count);
        for round in 0..40 {
            let blocks = blocks(&study, round);
            let arms: BTreeSet<Arm> = blocks.iter().flatten().copied().collect();
            assert_eq!(arms.len(), configurations as usize, "all others, and the A/A arm");
            assert_eq!(blocks.iter().map(Vec::len).sum::<usize>(), arms.len());
            let sizes: BTreeSet<usize> = blocks.iter().map(Vec::len).collect();
            assert!(sizes.last().unwrap() - sizes.first().unwrap() <= 1, "{sizes:?}");
        }
    }
}

#[test]
fn any_two_arms_meet_about_equally_often() {
    let study = study(5, 1, 2);
    let mut met: BTreeMap<(Arm, Arm), u32> = BTreeMap::new();
    for round in 0..400 {
        for arms in blocks(&study, round) {
            for (one, other) in arms.iter().flat_map(|one| arms.iter().map(move |other| (one, other))) {
                *met.entry((*one, *other)).or_default() += u32::from(one < other);
            }
        }
    }
    // Five arms in blocks of three and two: 4 of the 10 pairs meet in each round.
    let (least, most) = met
        .values()
        .filter(|count| **count > 0)
        .fold((u32::MAX, 0), |(least, most), count| (least.min(*count), most.max(*count)));
    assert!((130..=190).contains(&least) && (130..=190).contains(&most), "{least} to {most} of 400 rounds");
}

#[test]
fn arms_that_are_compared_with_each_other_share_a_block() {
    let study = study(2, 4, 3);
    for round in 0..40 {
        let blocks = blocks(&study, round);
        for pair in [[2, 3], [4, 5], [6, 7]] {
            let has =
                |arms: &&Vec<Arm>, configuration| arms.iter().any(|arm| arm.configuration == configuration);
            assert!(blocks.iter().any(|arms| pair.iter().all(|of| has(&arms, *of))), "{pair:?} {blocks:?}");
        }
    }
    // A group that no block has room for is divided: its arms meet through the baseline.
    assert!(blocks(&self::study(4, 2, 4), 0).iter().all(|arms| arms.len() == 2));
}

#[test]
fn who_takes_turns_is_alive_together_with_its_block() {
    let mut study = study(2, 3, 2);
    study.descriptions[4].turns.interleavable = false;
    study.descriptions[5].turns.interleavable = false;
    for round in 0..20 {
        let order = round_order(&study, SEED, round);
        assert_eq!(order.len(), study.trials_per_round());
        for slot in &order {
            let together = order::ensemble(&study, SEED, round, *slot);
            if study.takes_turns(slot.arm.configuration) {
                assert!(together.contains(slot));
                assert!(together.iter().any(|other| study.is_in_every_block(other.arm)));
                assert!(
                    together.iter().all(|other| other.block == slot.block && other.arm.configuration < 4)
                );
                assert_eq!(together.len(), 3);
            } else {
                assert_eq!(together, [*slot], "it runs alone");
            }
        }
    }
    study.blocks = None;
    let order = round_order(&study, SEED, 0);
    let first = order.iter().find(|slot| slot.arm.configuration == 0).unwrap();
    assert_eq!(order::ensemble(&study, SEED, 0, *first).len(), 5, "four configurations and the A/A arm");
    study.turns = Turns::Off;
    assert_eq!(order::ensemble(&study, SEED, 0, *first), [*first]);
}

/// What was recorded of a block is not run again with the next one, and a round is over after its last block.
#[test]
fn a_round_goes_on_with_its_next_block() {
    let plan = toy::plan(vec![study(4, 1, 2)]);
    let mut records: Vec<TrialRecord> = Vec::new();
    for (round, block) in [(0, 0), (0, 1), (1, 0)] {
        let due = in_order(&plan, &records, None).unwrap();
        let together = ensemble(&plan, &due);
        let keys: BTreeSet<(u32, Arm)> = together.iter().map(|due| (due.key.round, due.key.arm())).collect();
        assert_eq!((keys.len(), together.len()), (3, 3), "{keys:?}");
        assert!(keys.contains(&(round, Arm { configuration: 0, duplicate: false })), "{keys:?}");
        let is_of_one = |due: &Due| due.key.round == round && due.key.block == together[0].key.block;
        assert!(together.iter().all(is_of_one), "{block}");
        records.extend(together.into_iter().map(|due| toy::record(due.key, 1.0)));
    }
    assert!(records.iter().all(|record| plan.studies[0].has(&record.key)));
    let names: BTreeSet<String> = records.iter().map(|record| record.key.sidecar_name()).collect();
    assert_eq!(names.len(), records.len(), "each trial has a sidecar of its own");
}
