//! The image against a model that copies whole disks, and what a cut may leave of each unit.

use super::*;
use crate::cut::Torn;
use proptest::prelude::*;

const SIZE_BYTES: u64 = 5 * 4096;

#[derive(Clone, Debug)]
enum Step {
    Write { offset: u64, length: u64, byte: u8 },
    Clear { offset: u64, length: u64 },
    Flush,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let range = || (0..SIZE_BYTES).prop_flat_map(|offset| (Just(offset), 0..=SIZE_BYTES - offset));
    let aligned = (0..5_u64, 1..3_u64)
        .prop_map(|(page, pages)| (page * 4096, (pages * 4096).min(SIZE_BYTES - page * 4096)));
    prop_oneof![
        4 => (range(), any::<u8>())
            .prop_map(|((offset, length), byte)| Step::Write { offset, length, byte }),
        4 => (aligned, any::<u8>())
            .prop_map(|((offset, length), byte)| Step::Write { offset, length, byte }),
        2 => range().prop_map(|(offset, length)| Step::Clear { offset, length }),
        2 => Just(Step::Flush),
        1 => Just(Step::Restart),
    ]
}

/// Whole disks, copied.
struct Model {
    flushed: Vec<u8>,
    current: Vec<u8>,
    /// Where each pending request began, and its bytes.
    changes: Vec<(u64, Vec<u8>)>,
}

impl Model {
    fn put(&mut self, offset: u64, bytes: Vec<u8>) {
        self.current[offset as usize..offset as usize + bytes.len()].copy_from_slice(&bytes);
        self.changes.push((offset, bytes));
    }

    fn flush(&mut self) {
        self.flushed.clone_from(&self.current);
        self.changes.clear();
    }

    /// Every value that a byte may have after a cut: the flushed one and those of the later requests.
    fn may_be(&self, at: usize, found: u8) -> bool {
        let of = |(offset, bytes): &(u64, Vec<u8>)| {
            at.checked_sub(*offset as usize).and_then(|inside| bytes.get(inside).copied())
        };
        self.flushed[at] == found || self.changes.iter().filter_map(of).any(|byte| byte == found)
    }
}

fn content(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = vec![0xEE; SIZE_BYTES as usize];
    snapshot.read(0, &mut bytes).expect("inside");
    bytes
}

fn current(image: &Image) -> Vec<u8> {
    let mut bytes = vec![0xEE; SIZE_BYTES as usize];
    image.read(0, &mut bytes).expect("inside");
    bytes
}

proptest! {
    #[test]
    fn the_image_is_the_model(steps in prop::collection::vec(step(), 0..40), seed in any::<u64>()) {
        let zeros = vec![0; SIZE_BYTES as usize];
        let mut model = Model { flushed: zeros.clone(), current: zeros, changes: Vec::new() };
        let mut image = Image::new(SIZE_BYTES);
        for step in steps {
            match step {
                Step::Write { offset, length, byte } => {
                    let bytes = vec![byte; length as usize];
                    image.write(offset, &bytes).expect("inside");
                    model.put(offset, bytes);
                }
                Step::Clear { offset, length } => {
                    image.clear(offset, length).expect("inside");
                    model.put(offset, vec![0; length as usize]);
                }
                Step::Flush => {
                    image.flush();
                    model.flush();
                }
                Step::Restart => {
                    image = Image::after(&image.cut(Cut::FlushedOnly));
                    model.current.clone_from(&model.flushed);
                    model.changes.clear();
                }
            }
            prop_assert_eq!(current(&image), &*model.current);
            prop_assert_eq!(content(&image.cut(Cut::FlushedOnly)), &*model.flushed);
            prop_assert_eq!(image.pending_requests(), model.changes.len());
            for torn in [Torn::Whole, Torn::Sector512, Torn::Page4096] {
                let cut = Cut::Subset { seed, torn };
                let snapshot = image.cut(cut);
                let bytes = content(&snapshot);
                prop_assert!(bytes.iter().enumerate().all(|(at, byte)| model.may_be(at, *byte)));
                prop_assert_eq!(image.cut(cut), snapshot, "the same seed gives the same disk");
            }
        }
    }
}

/// A disk full of flushed ones.
fn disk_of_ones() -> Image {
    let mut image = Image::new(SIZE_BYTES);
    image.write(0, &vec![1; SIZE_BYTES as usize]).expect("inside");
    image.flush();
    image
}

/// The bytes of each unit after 400 cuts, one byte a unit.
fn seen_units(image: &Image, torn: Torn, unit: usize) -> Vec<Vec<u8>> {
    (0..400)
        .map(|seed| {
            let bytes = content(&image.cut(Cut::Subset { seed, torn }));
            bytes
                .chunks(unit)
                .map(|unit| {
                    assert!(unit.iter().all(|byte| *byte == unit[0]), "torn inside a unit");
                    unit[0]
                })
                .collect()
        })
        .collect()
}

#[test]
fn a_request_is_torn_at_its_unit_or_not_at_all() {
    let mut image = disk_of_ones();
    image.write(4096, &[2; 3 * 4096]).expect("inside");
    let whole = seen_units(&image, Torn::Whole, 4096);
    assert!(whole.iter().all(|pages| *pages == [1, 1, 1, 1, 1] || *pages == [1, 2, 2, 2, 1]), "{whole:?}");
    let pages = seen_units(&image, Torn::Page4096, 4096);
    assert!(pages.contains(&vec![1, 1, 2, 1, 1]) && pages.contains(&vec![1, 2, 1, 2, 1]), "{pages:?}");
    let sectors = seen_units(&image, Torn::Sector512, 512);
    let is_torn = |sectors: &Vec<u8>| sectors[8..16].iter().any(|byte| *byte != sectors[8]);
    assert!(sectors.iter().any(is_torn));
}

#[test]
fn cuts_lose_nothing_everything_and_what_is_in_between() {
    let mut image = disk_of_ones();
    for page in 0..5 {
        image.write(page * 4096, &[2; 4096]).expect("inside");
    }
    let seen = seen_units(&image, Torn::Whole, 4096);
    for lost in 0..=5 {
        let losses = |pages: &Vec<u8>| pages.iter().map(|byte| usize::from(*byte == 1)).sum::<usize>();
        assert!(seen.iter().any(|pages| losses(pages) == lost), "no cut loses {lost}");
    }
}

#[test]
fn pending_requests_reach_the_medium_in_any_order() {
    let mut image = disk_of_ones();
    image.write(0, &[2; 2 * 4096]).expect("inside");
    image.write(4096, &[3; 2 * 4096]).expect("inside");
    let seen = seen_units(&image, Torn::Whole, 4096);
    let in_order = vec![2, 3, 3, 1, 1];
    let reversed = vec![2, 2, 3, 1, 1];
    assert!(seen.contains(&in_order) && seen.contains(&reversed), "{seen:?}");
}

#[test]
fn what_arrives_after_a_cut_does_not_change_its_snapshot() {
    let mut image = disk_of_ones();
    let snapshot = image.cut(Cut::FlushedOnly);
    image.write(0, &[9; 4096]).expect("inside");
    image.flush();
    assert_eq!(content(&snapshot), vec![1; SIZE_BYTES as usize]);
    assert_ne!(image.cut(Cut::FlushedOnly), snapshot);
}

#[test]
fn a_request_past_the_end_changes_nothing() {
    let mut image = disk_of_ones();
    let past = PastTheEnd { offset: SIZE_BYTES - 1, length: 2, size_bytes: SIZE_BYTES };
    assert_eq!(image.write(SIZE_BYTES - 1, &[2; 2]), Err(past));
    assert_eq!(image.clear(SIZE_BYTES - 1, 2), Err(past));
    assert_eq!(image.read(SIZE_BYTES - 1, &mut [0; 2]), Err(past));
    assert!(image.clear(u64::MAX, 2).is_err());
    assert_eq!((image.pending_requests(), image.pending_bytes()), (0, 0));
}
