//! Whether the device handles zeros faster than random data, and whether the written data was random. A drive or a
//! hypervisor that compresses, deduplicates or drops zeros is otherwise measured with data that no database writes.

use super::{Bearing, Canary, Check, Context, Judgement, Use};
use crate::phrase::{bounds, count, limit, ratio};
use crate::verdict::Status;
use model::canary::CanaryPair;
use model::description::Content;
use model::{Description, FileSystem};
use stats::Ratio;
use stats::contrast::paired_ratio;

/// Zeros are faster if the interval of their time lies wholly beyond this factor, and not faster if it lies wholly
/// within. An interval across it decides neither.
const FASTER: f64 = 1.10;
const LEVEL: f64 = 0.95;

pub(super) const CHECK: Check = Check {
    name: "compressible-data",
    bearing,
    moot: "Nothing here wrote zeros or compressible data.",
    judge: check,
};

/// Random data is the slowest: only figures of softer data can be too good.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let is_soft = used.description.writes().is_some() && used.description.content != Content::Random;
    (is_soft && used.is_of_device()).then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    let soft = written_soft(context, |_| true);
    let in_engines = written_soft(context, |description| description.in_engine);
    let relevant: Vec<&Canary<'_>> =
        context.canaries.iter().filter(|canary| is_below(context, canary)).collect();
    let mut evidence = Vec::new();
    let (mut known, mut fastest, mut untold) = (false, None::<f64>, Vec::new());
    for contrast in contrasts(&relevant) {
        match contrast.ratio {
            Ok(found) => {
                known = true;
                let words = contrast.words(&found);
                if found.interval.high < 1.0 / FASTER {
                    let times = 1.0 / found.interval.estimate;
                    fastest = Some(fastest.map_or(times, |known| known.max(times)));
                } else if found.interval.low < 1.0 / FASTER {
                    untold.push(words.clone());
                }
                evidence.push(format!("{words}."));
            }
            Err(ref why) => {
                untold.push(format!("{}: {why}", contrast.name()));
                evidence.push(format!("{}: {why}.", contrast.name()));
            }
        }
    }
    evidence.extend(relevant.iter().filter_map(|canary| canary.found.reason().map(str::to_owned)));
    let judgement = match (known, fastest) {
        (true, Some(times)) if soft.is_empty() => Judgement::pass(format!(
            "The written data was random; zeros would have been {} faster here.",
            ratio(times)
        )),
        (true, Some(times)) => Judgement::new(
            Status::Fail,
            format!(
                "{} wrote zeros or compressible data to a device that handles zeros {} faster than random data.",
                count(soft.len(), "configuration"),
                ratio(times)
            ),
            "Write random data: a database's data does not compress like this.",
        ),
        (true, None) if !untold.is_empty() && soft.is_empty() => Judgement::not_assessable(format!(
            "The canary cannot show whether the device handles zeros more than {} faster than random data: {}. Nothing \
             here wrote zeros.",
            limit(FASTER - 1.0),
            untold.join("; ")
        )),
        (true, None) if !untold.is_empty() => Judgement::new(
            Status::Warn,
            format!(
                "{} wrote zeros or compressible data, and the canary cannot show whether the device takes advantage of \
                 that: {}.",
                count(soft.len(), "configuration"),
                untold.join("; ")
            ),
            "Write random data.",
        ),
        (true, None) if !in_engines.is_empty() => Judgement::new(
            Status::Warn,
            format!(
                "{} put compressible data into an engine, which may compress it whether or not the device does.",
                count(in_engines.len(), "configuration")
            ),
            "Write random data.",
        ),
        (true, None) => Judgement::pass(format!(
            "The device does not handle zeros more than {} faster than random data.",
            limit(FASTER - 1.0)
        )),
        (false, _) if soft.is_empty() => Judgement::not_assessable(
            "No canary measured whether the device handles zeros faster than random data; nothing here wrote zeros.",
        ),
        (false, _) => Judgement::new(
            Status::Warn,
            format!(
                "{} wrote zeros or compressible data, and no canary measured whether the device takes advantage of \
                 that.",
                count(soft.len(), "configuration")
            ),
            "Write random data.",
        ),
    };
    let at: Vec<usize> = soft.iter().map(|soft| soft.configuration).collect();
    judgement.at(at).with(evidence).with(soft.into_iter().map(|soft| soft.sentence))
}

/// A configuration that writes data other than random.
struct Soft {
    configuration: usize,
    sentence: String,
}

/// Such configurations among those that `counts` selects.
fn written_soft(context: &Context<'_>, counts: impl Fn(&Description) -> bool) -> Vec<Soft> {
    let plan = context.observations.plan;
    let sentence = |(configuration, trials): (usize, &Vec<super::Trial<'_>>)| {
        let description = Some(trials.first()?.description).filter(|found| counts(found))?;
        let content = match description.content {
            Content::Random => return None,
            Content::Zero => "zeros",
            Content::Compressible => "compressible data",
        };
        let label = plan.label(configuration);
        let label = if label.is_empty() { "the only configuration" } else { &label };
        let sentence = format!("{label}: {content} written.");
        description.writes().map(|_| Soft { configuration, sentence })
    };
    context.trials.iter().enumerate().filter_map(sentence).collect()
}

/// Whether files of this study were on the canary's file system.
fn is_below(context: &Context<'_>, canary: &Canary<'_>) -> bool {
    let mut trials = context.trials.iter().filter_map(|trials| trials.first());
    trials.any(|trial| trial.description.filesystem == canary.filesystem)
}

/// Zeros compared with random data, writing or reading, on one file system.
struct Contrast {
    filesystem: FileSystem,
    verb: &'static str,
    ratio: Result<Ratio, stats::NoInterval>,
}

impl Contrast {
    fn name(&self) -> String {
        format!("{} zeros (filesystem = {})", self.verb, self.filesystem)
    }

    fn words(&self, found: &Ratio) -> String {
        format!(
            "{} took {} the time of random data (95 % interval {}, {})",
            self.name(),
            ratio(found.interval.estimate),
            bounds((found.interval.low, found.interval.high)),
            count(found.n(), "pair")
        )
    }
}

/// The pairs of each file system; those of a resumed run are combined.
fn contrasts(canaries: &[&Canary<'_>]) -> Vec<Contrast> {
    let mut pairs: Vec<(FileSystem, Vec<CanaryPair>)> = Vec::new();
    for canary in canaries {
        let Some(found) = canary.found.value() else { continue };
        match pairs.iter_mut().find(|(filesystem, _)| *filesystem == canary.filesystem) {
            Some((_, known)) => known.extend(&found.pairs),
            None => pairs.push((canary.filesystem, found.pairs.clone())),
        }
    }
    let contrast = |filesystem, verb, pairs: &[CanaryPair], of: fn(&CanaryPair) -> (f64, f64)| {
        let rounds: Vec<(f64, f64)> = pairs.iter().map(of).collect();
        Contrast { filesystem, verb, ratio: paired_ratio(&rounds, LEVEL) }
    };
    let both = |(filesystem, pairs): &(FileSystem, Vec<CanaryPair>)| {
        [
            contrast(*filesystem, "Writing", pairs, |pair| (pair.random_write_s, pair.zero_write_s)),
            contrast(*filesystem, "Reading", pairs, |pair| (pair.random_read_s, pair.zero_read_s)),
        ]
    };
    pairs.iter().flat_map(both).collect()
}
