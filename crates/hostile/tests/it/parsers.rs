//! Every parser with its seeds and with mutations of them: a short version of what `make soak` does a million times.

use hostile::mutation::mutated;
use hostile::parser::{PARSERS, Parser};
use hostile::random::Random;
use std::panic::catch_unwind;
use std::time::Instant;

/// Bytes that each parser is given in mutations of one seed, and the most mutations.
const BYTES: usize = 100_000;
const MUTATIONS_MAX: usize = 40;

#[track_caller]
fn keeps_its_promise(parser: &Parser, bytes: &[u8], what: &str) {
    let (promise, name) = (parser.promise, parser.name);
    if catch_unwind(|| promise(bytes)).is_err() {
        let shown: String = String::from_utf8_lossy(bytes).chars().take(2000).collect();
        panic!("{name} breaks its promise with {what}: {shown:?}");
    }
}

#[test]
fn every_parser_keeps_its_promise_with_mutated_input() {
    for parser in PARSERS {
        let started = Instant::now();
        for (index, sound) in (0..).zip(parser.seeds().unwrap()) {
            keeps_its_promise(parser, &sound, &format!("seed file {index}"));
            let mutations = (BYTES / sound.len()).clamp(2, MUTATIONS_MAX) as u64;
            for seed in 0..mutations {
                let bytes = mutated(&mut Random::new(seed), &sound);
                keeps_its_promise(parser, &bytes, &format!("seed file {index}, mutation {seed}"));
            }
        }
        println!("{}: {:?}", parser.name, started.elapsed());
    }
}

#[test]
fn every_parser_has_seeds_and_a_name_of_its_own() {
    for parser in PARSERS {
        assert!(!parser.seeds().unwrap().is_empty(), "{}", parser.name);
        assert_eq!(PARSERS.iter().filter(|other| other.name == parser.name).count(), 1, "{}", parser.name);
    }
}
