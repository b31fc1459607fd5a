//! Mutations of bytes: cuts, repetitions, flipped bits, absurd numbers, bytes that are not text.

use crate::random::Random;

/// What is put into a text, or in the place of a number.
const TOKENS: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1e308",
    b"1e999",
    b"-1e999",
    b"NaN",
    b"Infinity",
    b"18446744073709551615",
    b"18446744073709551616",
    b"9223372036854775808",
    b"4294967295",
    b"4294967296",
    b"0.0000000000000000000001",
    b"1e-320",
    b"99999999999999999999999999999999999999999",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\"\"",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\x1b[2J",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\xef\xbb\xbf",
    b"../../../etc/passwd",
    b"%s%n",
    b"4KiB",
    b"100%",
    b"=",
    b",",
    b"\"",
    b"'",
    b"#",
    b"[",
    b"{",
];

/// Nesting that a recursive reader does not survive.
const NESTING: usize = 20_000;

/// The bytes after one to eight changes.
pub fn mutated(random: &mut Random, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(8) {
        mutate(random, &mut bytes);
    }
    bytes
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    match random.below(10) {
        0 => bytes.truncate(random.below(bytes.len() + 1)),
        1 => flip(random, bytes),
        2 => drop(bytes.drain(random.range(bytes.len()))),
        3 => repeat(random, bytes),
        4 => {
            let at = random.below(bytes.len() + 1);
            insert(random, bytes, at..at);
        }
        5 => {
            let range = random.range(bytes.len());
            insert(random, bytes, range);
        }
        6 | 7 => {
            let numbers = numbers(bytes);
            if let Some(number) = random.one_of(&numbers).cloned() {
                insert(random, bytes, number);
            }
        }
        8 => lines(random, bytes),
        _ => nest(random, bytes),
    }
}

fn flip(random: &mut Random, bytes: &mut [u8]) {
    let (place, bit) = (random.below(bytes.len()), random.below(8));
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1 << bit;
    }
}

fn repeat(random: &mut Random, bytes: &mut Vec<u8>) {
    let range = random.range(bytes.len());
    let copy = bytes[range.clone()].repeat(1 + random.below(4));
    bytes.splice(range.end..range.end, copy);
}

fn insert(random: &mut Random, bytes: &mut Vec<u8>, range: std::ops::Range<usize>) {
    let token = random.one_of(TOKENS).copied().unwrap_or_default();
    bytes.splice(range, token.iter().copied());
}

fn numbers(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (place, byte) in bytes.iter().enumerate() {
        if byte.is_ascii_digit() || *byte == b'.' {
            match found.last_mut() {
                Some(last) if last.end == place => last.end += 1,
                Some(_) | None => found.push(place..place + 1),
            }
        }
    }
    found
}

/// Two lines change places, or one goes or comes twice.
fn lines(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    if one >= lines.len() {
        return;
    }
    match random.below(3) {
        0 => lines.swap(one, other),
        1 => drop(lines.remove(one)),
        _ => lines.insert(other, lines[one].clone()),
    }
    *bytes = lines.concat();
}

fn nest(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let open: &[u8] = random.one_of(&[&b"["[..], b"{\"a\":", b"(", b"[["]).copied().unwrap_or_default();
    bytes.splice(at..at, open.repeat(NESTING));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_makes_the_same_bytes_again_and_others_make_others() {
        let of = |seed| mutated(&mut Random::new(seed), b"{\"bs\": 4096}\n{\"bs\": 8192}\n");
        assert_eq!(of(7), of(7));
        let different: BTreeSet<Vec<u8>> = (0..100).map(of).collect();
        assert!(different.len() > 80, "{}", different.len());
    }

    #[test]
    fn nothing_can_be_mutated_too() {
        for seed in 0..200 {
            mutated(&mut Random::new(seed), b"");
        }
    }
}
