//! Asks about the factors that the command line varies and the study asks nothing about: who varies a factor wants to
//! know what it does.

use model::Value;
use model::metric;
use model::plan::Factor;
use model::study::{Ask, AskKind, Study};

/// An ask for each varied factor that no ask of the study is about. Two levels are compared, more numbers have a trend,
/// and more names an order; each on what the study's first ask is about, as far as a user pays for it.
pub(crate) fn of_varied(study: &Study, varied: &[&str], factors: &[Factor], asked: &[Ask]) -> Vec<Ask> {
    let is_asked = |name: &str| {
        let of_ask = |ask: &Ask| {
            [Some(&ask.factor), ask.between.as_ref(), ask.each.as_ref()]
                .into_iter()
                .flatten()
                .any(|known| known == name)
        };
        asked.iter().any(of_ask)
    };
    let on = metrics(study);
    let wanted = factors.iter().filter(|factor| varied.contains(&factor.name.as_str()));
    let wanted = wanted.filter(|factor| factor.levels.len() > 1 && !is_asked(&factor.name));
    wanted.filter(|_| !on.is_empty()).map(|factor| ask(factor, on.clone())).collect()
}

fn ask(factor: &Factor, on: Vec<String>) -> Ask {
    let are_numbers = factor.levels.iter().all(|level| Value::number(level).is_some());
    let kind = match (factor.levels.len(), are_numbers) {
        (0..=2, _) => AskKind::Compare,
        (_, true) => AskKind::Trend,
        (_, false) => AskKind::Rank,
    };
    Ask::new(kind, &*factor.name, on)
}

/// The paid metrics of the first ask, or all paid metrics of a study that asks nothing.
fn metrics(study: &Study) -> Vec<String> {
    let first = study.asks.first().map_or(&study.responses, |ask| &ask.on);
    let is_paid = |name: &&String| metric::find(name).is_some_and(|metric| metric.is_paid());
    first.iter().filter(is_paid).cloned().collect()
}
