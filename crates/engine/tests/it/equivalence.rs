//! Every engine answers random operations as the reference does.

use engine::{AnyEngine, Engine, EngineKind, Options};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Put(Vec<u8>, Vec<u8>),
    Get(Vec<u8>),
    Delete(Vec<u8>),
    Scan(Vec<u8>, usize),
    Sync,
    Drain,
    Reopen,
}

/// Keys of few and near bytes, so that they meet and are each other's prefixes.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0u8, 1, b'a', 0xff]), 1..4)
}

fn step() -> impl Strategy<Value = Step> {
    let value = prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..200),
        1 => prop::collection::vec(any::<u8>(), 5_000..20_000),
    ];
    prop_oneof![
        40 => (key(), value).prop_map(|(key, value)| Step::Put(key, value)),
        20 => key().prop_map(Step::Get),
        15 => key().prop_map(Step::Delete),
        20 => (key(), 0usize..20).prop_map(|(start, limit)| Step::Scan(start, limit)),
        2 => Just(Step::Sync),
        1 => Just(Step::Drain),
        2 => Just(Step::Reopen),
    ]
}

type Answer = Vec<(Vec<u8>, Vec<u8>)>;

fn apply(engine: &AnyEngine, step: &Step) -> Answer {
    let mut answer = Vec::new();
    match step {
        Step::Put(key, value) => engine.put(key, value).unwrap(),
        Step::Get(key) => {
            let mut value = Vec::new();
            if engine.get(key, &mut value).unwrap() {
                answer.push((key.clone(), value));
            }
        }
        Step::Delete(key) => engine.delete(key).unwrap(),
        Step::Scan(start, limit) => {
            engine.scan(start, *limit, |key, value| answer.push((key.to_vec(), value.to_vec()))).unwrap();
        }
        Step::Sync => engine.sync().unwrap(),
        Step::Drain => drop(engine.drain().unwrap()),
        Step::Reopen => {}
    }
    answer
}

fn run(kind: EngineKind, steps: &[Step]) {
    let directory = tempfile::tempdir().unwrap();
    let level = kind.levels().unwrap()[0].name;
    let options = Options::new(directory.path().join("store")).durability(level);
    let reference = EngineKind::Memory.open(&Options::new("")).unwrap();
    let mut engine = kind.open(&options).unwrap();
    for step in steps {
        if matches!(step, Step::Reopen) {
            engine.close().unwrap();
            engine = kind.open(&options).unwrap();
        }
        assert_eq!(apply(&engine, step), apply(&reference, step), "{}: {step:?}", kind.name());
    }
    let everything = Step::Scan(vec![0], usize::from(u16::MAX));
    assert_eq!(apply(&engine, &everything), apply(&reference, &everything), "{}", kind.name());
    engine.close().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn random_operations_have_the_answers_of_the_reference(steps in prop::collection::vec(step(), 1..200)) {
        for kind in EngineKind::BUILT_IN.iter().copied().filter(|kind| kind.is_persistent().unwrap()) {
            run(kind, &steps);
        }
    }
}
