//! A study's asks, one file for each kind. Each ask becomes hypotheses, one for each metric and level. When their
//! number is known, so are the level of simultaneous intervals and Holm's p-values, and the hypotheses become findings.

mod across;
mod along;
mod compare;
mod contrast;
mod copies;
mod crossover;
mod hypothesis;
mod interacting;
mod knee;
mod opposing;
mod pair;
mod rank;
mod threshold;
mod trend;
mod within_class;

pub use contrast::{Contrast, Pairs};
pub(crate) use hypothesis::Data;

use crate::arms;
use crate::attribution;
use crate::basis::Basis;
use crate::finding::{Finding, Remark};
use crate::verdict::{Audit, Status};
use hypothesis::{Hypothesis, Share, Topic};
use model::Value;
use model::metric;
use model::plan::StudyPlan;
use model::study::{Ask, AskKind};
use std::borrow::Cow;

/// Findings of every ask of a study, in the order of the asks.
pub(crate) fn findings(data: &Data<'_>) -> Vec<Finding> {
    let names =
        data.plan().asks.iter().map(|ask| {
            copies::without_copies(data.plan(), ask, ask.on.iter().map(|name| full(name)).collect())
        });
    let names: Vec<Vec<String>> = names.collect();
    let plans: Vec<Cow<'_, StudyPlan>> =
        data.plan().asks.iter().map(|ask| asked_at(data.plan(), ask)).collect();
    let mut hypotheses: Vec<Hypothesis<'_>> = Vec::new();
    for (place, ((ask, metrics), plan)) in data.plan().asks.iter().zip(&names).zip(&plans).enumerate() {
        for metric in metrics {
            hypotheses.extend(of_topic(Topic { data, plan, ask, place, metric }));
        }
    }
    let asks = hypotheses.len();
    let level = data.confidence;
    // A hypothesis without a test still takes its share of the intervals, and therefore of the family.
    let p_values: Vec<f64> = hypotheses.iter().map(|hypothesis| hypothesis.p.unwrap_or(1.0)).collect();
    let adjusted = stats::family::holm(&p_values).ok();
    let finish = |(index, hypothesis): (usize, Hypothesis<'_>)| {
        let holm = adjusted.as_ref().and_then(|p| p.get(index)).copied();
        // The error that earlier looks spent is gone; the scaling keeps 0.05 as the limit that a reader knows.
        let p_adjusted = hypothesis.p.and(holm).map(|p| (p * 0.05 / (1.0 - level)).min(1.0));
        let finding = (hypothesis.finish)(Share { asks, level, p_adjusted });
        let ask = &data.plan().asks[finding.ask.place];
        let rests_on = basis(data, ask, hypothesis.rests_on, &finding.metric);
        let mut remarks = doubts(&data.audits.all, &rests_on);
        remarks.extend(finding.remarks);
        Finding { rests_on, remarks, ..finding }
    };
    hypotheses.into_iter().enumerate().map(finish).collect()
}

/// The basis of an answer from these configurations. Named arms stand for every parameter in which they differ.
fn basis(data: &Data<'_>, ask: &Ask, configurations: Vec<usize>, metric: &str) -> Basis {
    let plan = data.plan();
    let mut parameters: Vec<String> =
        [Some(&ask.factor), ask.between.as_ref(), ask.each.as_ref()].into_iter().flatten().cloned().collect();
    if parameters.iter().any(|name| name == "arm") {
        let mut arms = configurations.iter().filter_map(|index| plan.configurations.get(*index));
        if let Some(first) = arms.next() {
            let differences = arms.flat_map(|arm| arms::other_differences(&["arm"], first, arm));
            parameters.extend(differences.map(|(name, _, _)| name));
            parameters.sort();
            parameters.dedup();
        }
    }
    Basis::new(plan, data.cells, configurations, parameters, &[metric])
}

/// The audits that an answer rests on and that failed, or could not be carried out.
fn doubts(audits: &[Audit], basis: &Basis) -> Vec<Remark> {
    let failed =
        |audit: &Audit| Remark::AuditFailed { audit: audit.name.clone(), summary: audit.summary.clone() };
    let open = |audit: &Audit| Remark::NotProven {
        audit: audit.name.clone(),
        summary: (audit.status == Status::NotAssessable).then(|| audit.summary.clone()),
    };
    let failed_for = attribution::failed_for(audits, basis).map(failed);
    failed_for.chain(attribution::unproven(audits, basis).map(open)).collect()
}

/// The plan with the levels at which the ask is asked as its baseline.
fn asked_at<'a>(plan: &'a StudyPlan, ask: &Ask) -> Cow<'a, StudyPlan> {
    if ask.at.is_empty() {
        return Cow::Borrowed(plan);
    }
    let mut plan = plan.clone();
    for (name, level) in &ask.at {
        let found = plan
            .factor(name)
            .and_then(|factor| factor.levels.iter().find(|value| value.to_string() == *level).cloned());
        // A level that another version's plan wrote in another form matches nothing, and neither does the ask.
        plan.baseline.0.insert(name.clone(), found.unwrap_or_else(|| Value::Name(level.clone())));
    }
    Cow::Owned(plan)
}

fn of_topic(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    match topic.ask.kind {
        AskKind::Compare => compare::hypotheses(topic),
        AskKind::Trend => trend::hypotheses(topic),
        AskKind::Crossover => crossover::hypotheses(topic),
        AskKind::Knee => knee::hypotheses(topic),
        AskKind::Threshold => threshold::hypotheses(topic),
        AskKind::Rank => rank::hypotheses(topic),
        AskKind::Across => across::hypotheses(topic),
    }
}

fn full(name: &str) -> String {
    metric::find(name).map_or_else(|| name.to_owned(), |metric| metric.name())
}
