//! Where the time of a study's operations went: the drawing of its traced trials.

use model::figure::elapsed;
use page::Figure;
use page::waterfall::{self, Bar, Pair, Part};
use verdict::explanation::{ExplainedArm, ExplainedFamily, Explanation, Shares};

/// Draws the arms of a study.
pub(crate) fn draw(explanation: &Explanation) -> Option<Figure> {
    let families =
        explanation.arms.iter().flat_map(|arm| arm.families.iter().map(move |family| (arm, family)));
    let pairs: Vec<Pair> = families.map(|(arm, family)| pair(arm, family)).collect();
    let label = format!("Where the time of {} went", explanation.study);
    waterfall::draw(&pairs, &explanation.study, &label)
}

fn pair(arm: &ExplainedArm, family: &ExplainedFamily) -> Pair {
    let title = if arm.label.is_empty() {
        family.operation()
    } else {
        format!("{} · {}", family.operation(), arm.label)
    };
    let all = family.all.operations;
    let slowest = format!("slowest 1 % ({} of {all})", family.slowest.operations);
    Pair { title, bars: [bar(&format!("mean of {all}"), &family.all), bar(&slowest, &family.slowest)] }
}

fn bar(name: &str, shares: &Shares) -> Bar {
    let part = |part: &verdict::explanation::Part| Part {
        segment: part.segment,
        share: part.share,
        mean_us: part.mean_us,
    };
    let parts = shares.parts.iter().map(part);
    Bar { name: format!("{name}: {} each", elapsed(shares.traced_mean_us)), parts: parts.collect() }
}
