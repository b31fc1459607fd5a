//! Latencies by the bytes that an operation moves: a histogram for each class of sizes that operations can be in.

use super::levels::Step;
use super::parameters::Parameters;
use super::sizes::ObjectSizes;
use crate::distribution::latency_statistic;
use driver::LATENCY_NANOS_MAX;
use hdrhistogram::Histogram;
use model::Nanos;
use model::metric::Statistic;
use model::trial::SizeClass;
use model::units::{KIB, MIB};
use std::ops::RangeInclusive;

/// The most bytes of each class but the last one, ascending.
const BOUNDS: [u64; 5] = [16 * KIB, 128 * KIB, MIB, 8 * MIB, 64 * MIB];
const CLASSES: usize = BOUNDS.len() + 1;
/// Steps that move bytes of an object: only their latencies depend on its size.
const MOVING: [Step; 4] = [Step::Get, Step::GetRange, Step::Put, Step::MultipartPut];
/// As those of the recorder; counts of a trial fit into 32 bits, which halves the memory.
const SIGNIFICANT_DIGITS: u8 = 3;

/// The histograms of one client: by step and class, for those that it can have.
#[derive(Clone, Debug)]
pub(super) struct SizeClasses(Box<[[Option<Histogram<u32>>; CLASSES]]>);

fn class_of(bytes: u64) -> usize {
    BOUNDS.iter().position(|bound| bytes <= *bound).unwrap_or(BOUNDS.len())
}

impl SizeClasses {
    /// For objects of these sizes. A step whose operations are all of one class has no histogram here: its latency
    /// family has them.
    pub(super) fn new(parameters: &Parameters, sizes: &ObjectSizes) -> Self {
        let objects = sizes.min()..=sizes.max();
        Self::with(|step| {
            if !parameters.has(|other| other == step) {
                return None;
            }
            Some(match step {
                Step::GetRange => {
                    let range = parameters.range_size;
                    sizes.min().min(range)..=sizes.max().min(range)
                }
                Step::Get | Step::Put | Step::MultipartPut | Step::Stat | Step::List | Step::Delete => {
                    objects.clone()
                }
            })
        })
    }

    /// For the operations of a log, which may move any number of bytes.
    pub(super) fn of_log() -> Self {
        Self::with(|_| Some(0..=u64::MAX))
    }

    fn with(bytes_of: impl Fn(Step) -> Option<RangeInclusive<u64>>) -> Self {
        let empty = || {
            Histogram::new_with_bounds(1, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS)
                .expect("1 ≤ low, 2 × low ≤ high and at most 5 digits: the bounds are constants")
        };
        let of_step = |step: &Step| {
            let classes = bytes_of(*step).map(|bytes| class_of(*bytes.start())..=class_of(*bytes.end()));
            let classes = classes.filter(|classes| classes.start() < classes.end());
            std::array::from_fn(|class| {
                classes.as_ref().is_some_and(|classes| classes.contains(&class)).then(empty)
            })
        };
        Self(MOVING.iter().map(of_step).collect())
    }

    /// Adds the latency of an operation that moved these bytes.
    #[inline]
    pub(super) fn add(&mut self, step: Step, bytes: u64, latency: Nanos) {
        let Some(place) = MOVING.iter().position(|moving| *moving == step) else { return };
        if let Some(histogram) = &mut self.0[place][class_of(bytes)] {
            histogram.saturating_record(latency.0.max(1));
        }
    }

    /// What several clients recorded: each class that has operations, of the steps that have several such classes.
    pub(super) fn merged<'a>(clients: impl IntoIterator<Item = &'a Self>) -> Vec<SizeClass> {
        let mut clients = clients.into_iter();
        let Some(first) = clients.next() else { return Vec::new() };
        let mut sum = first.clone();
        for client in clients {
            let both = sum.0.iter_mut().flatten().zip(client.0.iter().flatten());
            for (mine, theirs) in both.filter_map(|(mine, theirs)| Some((mine.as_mut()?, theirs.as_ref()?))) {
                mine.add(theirs).expect("every histogram has the same bounds");
            }
        }
        let of_step = |(step, classes): (&Step, &[Option<Histogram<u32>>; CLASSES])| {
            let found: Vec<SizeClass> = classes
                .iter()
                .enumerate()
                .filter_map(|(class, histogram)| Some((class, histogram.as_ref()?)))
                .filter(|(_, histogram)| !histogram.is_empty())
                .map(|(class, histogram)| size_class(*step, class, histogram))
                .collect();
            if found.len() > 1 { found } else { Vec::new() }
        };
        MOVING.iter().zip(&sum.0).flat_map(of_step).collect()
    }
}

fn size_class(step: Step, class: usize, histogram: &Histogram<u32>) -> SizeClass {
    SizeClass {
        operation: step.name().to_owned(),
        bytes_max: BOUNDS.get(class).copied(),
        operations: histogram.len(),
        mean_us: histogram.mean() / 1e3,
        p50_us: latency_statistic(histogram, Statistic::Quantile(0.50)),
        p99_us: latency_statistic(histogram, Statistic::Quantile(0.99)),
        max_us: histogram.max() as f64 / 1e3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> SizeClasses {
        SizeClasses::with(|step| (step != Step::GetRange).then_some(1..=MIB))
    }

    #[test]
    fn a_bound_belongs_to_the_class_below_it() {
        let classes = [1, 16 * KIB, 16 * KIB + 1, MIB, 64 * MIB, 64 * MIB + 1, u64::MAX].map(class_of);
        assert_eq!(classes, [0, 0, 1, 2, 4, 5, 5]);
    }

    #[test]
    fn clients_add_up_and_a_step_of_one_class_is_left_out() {
        let (mut one, mut other) = (mixed(), mixed());
        for latency in 1..=30 {
            one.add(Step::Get, 4096, Nanos(latency * 1000));
            other.add(Step::Get, MIB, Nanos(latency * 10_000));
            other.add(Step::Get, 4096, Nanos(1_000_000));
        }
        one.add(Step::Put, 4096, Nanos(5000));
        // What moves nothing, or cannot be in this class, is in none.
        one.add(Step::Stat, 4096, Nanos(5000));
        one.add(Step::GetRange, 4096, Nanos(5000));
        one.add(Step::Get, 8 * MIB, Nanos(5000));
        let merged = SizeClasses::merged([&one, &other]);
        let figures: Vec<_> =
            merged.iter().map(|class| (&*class.operation, class.bytes_max, class.operations)).collect();
        assert_eq!(figures, [("get", Some(16 * KIB), 60), ("get", Some(MIB), 30)]);
        let small = &merged[0];
        assert!((small.max_us / 1000.0 - 1.0).abs() < 0.001, "{small:?}");
        assert!(small.p50_us.value().is_some_and(|p50| (p50 / 30.0 - 1.0).abs() < 0.001), "{small:?}");
        assert!(small.p99_us.reason().is_some_and(|why| why.contains("1000")), "{small:?}");
        assert_eq!(SizeClasses::merged([]), []);
    }

    #[test]
    fn only_classes_that_sizes_can_be_in_have_memory() {
        let histograms = |classes: &SizeClasses| classes.0.iter().flatten().flatten().count();
        assert_eq!(histograms(&mixed()), 9);
        assert_eq!(histograms(&SizeClasses::with(|_| Some(MIB..=MIB))), 0);
        assert_eq!(histograms(&SizeClasses::of_log()), MOVING.len() * CLASSES);
    }
}
