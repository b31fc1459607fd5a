//! Whether a compared latency times the same work in both arms. With `direct` the data is written before the sync's
//! timer starts; with `buffered` the sync writes it. Page 000 derived 3.07× from that, although write and sync together
//! differ by
//! 1.06×. Cells with different work are withheld from the finding; if no cell is left, nothing is claimed.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::arms::{self, Others, Stratum};
use crate::described;
use crate::phrase::{count, family, title};
use crate::references;
use crate::verdict::Status;
use model::Configuration;
use model::description::{Part, Timed, Whole};
use model::plan::StudyPlan;
use model::study::Ask;

pub(super) const CHECK: Check =
    Check { name: "comparable-metric", bearing, moot: "No time is compared.", judge: check };

/// It applies to compared times.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    (used.is_compared() && used.is_timed()).then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let plan = context.observations.plan;
    let (mut none, mut some) = (Vec::new(), Vec::new());
    for ask in &plan.asks {
        for metric in &ask.on {
            let compared: Vec<&str> = arms::compared(ask).into_iter().collect();
            let (evidence, is_left) = match split(plan, &compared, metric, pairs(context, ask)) {
                Ok((_, None)) => continue,
                Ok((_, Some(withheld))) => (withheld, true),
                Err(why) => (format!("{}: {why}", title(metric)), false),
            };
            let told = if is_left { &mut some } else { &mut none };
            if !told.contains(&evidence) {
                told.push(evidence);
            }
        }
    }
    let judgement = if !none.is_empty() {
        let summary = "The study compares a latency across arms in which it times different work: no result is \
            claimed.";
        let advice = "Compare a metric that holds all of the work in every arm: the evidence names it.";
        Judgement::new(Status::Warn, summary, advice)
    } else if !some.is_empty() {
        Judgement::pass(
            "Every metric that is compared times the same work in all arms: cells in which it would not are withheld.",
        )
    } else {
        Judgement::pass("Every metric that is compared times the same work in all arms.")
    };
    judgement.with(none).with(some)
}

/// What an ask compares, cell by cell.
fn pairs(context: &Context<'_>, ask: &Ask) -> Vec<Stratum> {
    let plan = context.observations.plan;
    let Some(compared) = arms::compared(ask) else { return Vec::new() };
    let pairs = references::pairs(plan, context.classes, ask).into_iter();
    pairs
        .flat_map(|(baseline, level)| {
            arms::strata(plan, &[(compared, vec![baseline, level])], Others::AtBaseline)
        })
        .collect()
}

/// The cells in which a metric times the same work in all arms, which differ in the parameters `compared`, and a
/// sentence about the withheld ones; the reason if no cell is left.
pub(crate) fn split(
    plan: &StudyPlan,
    compared: &[&str],
    metric: &str,
    strata: Vec<Stratum>,
) -> Result<(Vec<Stratum>, Option<String>), String> {
    let mut first: Option<Partial> = None;
    let mut withheld: Vec<String> = Vec::new();
    let mut kept = Vec::new();
    for stratum in strata {
        match partial(plan, compared, metric, &stratum) {
            None => kept.push(stratum),
            Some(partial) => {
                first.get_or_insert(partial);
                if !withheld.contains(&stratum.label) {
                    withheld.push(stratum.label);
                }
            }
        }
    }
    let Some(Partial { how, instead, .. }) = first else { return Ok((kept, None)) };
    let compared = compared.join(", ");
    if kept.is_empty() {
        return Err(format!("not comparable across {compared}: {how}. {instead}"));
    }
    let sentence = format!(
        "Withheld as not comparable across {compared}: {} in {} ({}): {how}. {instead}",
        title(metric),
        count(withheld.len(), "cell"),
        withheld.join(", ")
    );
    Ok((kept, Some(sentence)))
}

/// What moves work into or out of this metric between the arms of one cell, and what to compare instead, as clauses.
fn partial(plan: &StudyPlan, compared: &[&str], metric: &str, stratum: &Stratum) -> Option<Partial> {
    let timed = |index: &usize| -> Vec<&Timed> {
        let timed = described::configuration(plan, *index).figures.timed.iter();
        timed.filter(|timed| timed.family == family(metric)).collect()
    };
    let arms: Vec<Vec<&Timed>> = stratum.configurations.iter().map(timed).collect();
    let (first, others) = arms.split_first()?;
    let configurations: Vec<&Configuration> =
        stratum.configurations.iter().filter_map(|index| plan.configurations.get(*index)).collect();
    let differs = |ours: &&&Timed| {
        let theirs = others.iter().flatten().filter(|theirs| theirs.parameter == ours.parameter);
        theirs.into_iter().any(|theirs| theirs.part != ours.part)
    };
    let moved =
        first.iter().filter(differs).find(|timed| moves(&configurations, compared, &timed.parameter))?;
    Some(Partial { how: how(moved.part), instead: instead(&moved.instead) })
}

/// Why a metric times different work in the arms, and what to compare instead.
struct Partial {
    how: &'static str,
    instead: String,
}

/// How the two parts of a kind differ: a clause.
const fn how(part: Part) -> &'static str {
    match part {
        Part::WrittenBeforeSync | Part::WrittenBySync => {
            "under direct the data is written before the sync begins, otherwise the sync writes it"
        }
        Part::DurableByWrite | Part::DurableBySync => {
            "dsync makes the write itself durable, the others leave that to the sync"
        }
        Part::SyncedByWorker | Part::SyncedByCaller => {
            "io_uring hands a sync to a kernel worker and times the way there, psync does not"
        }
        Part::UntilDevice | Part::UntilMemory => {
            "a direct write ends when the device has the data, a buffered write when the data is copied to memory"
        }
    }
}

/// The metric that times all of the work, as a sentence.
fn instead(whole: &Whole) -> String {
    let metric = title(&whole.metric);
    match &whole.with {
        None => format!("Compare {metric} instead."),
        Some((parameter, level)) => format!("Compare {metric} with {parameter} = {level} instead."),
    }
}

/// Whether the comparison changes this parameter: it is among the compared ones, or one of those is a list of arms that
/// differ in it.
fn moves(arms: &[&Configuration], compared: &[&str], parameter: &str) -> bool {
    let varies =
        || arms.iter().any(|arm| Some(arm.get(parameter)) != arms.first().map(|arm| arm.get(parameter)));
    compared.contains(&parameter) || (compared.contains(&"arm") && varies())
}
