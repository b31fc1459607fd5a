//! Every metric in a sentence: no figure is printed without its unit.

use crate::wording::{along, at, different, finding};
use model::durability::DurabilityClass;
use model::metric::{self, Metric, Unit};
use model::study::AskKind;
use verdict::finding::{Finding, Limit, Outcome, Proven, Rung, Subject};

/// A step of the durability ladder, a comparison, a trend, a level that is enough, and one that keeps a limit.
fn findings() -> [Finding; 5] {
    let compared = finding();
    let levels = compared.subject.levels().unwrap().clone();
    let (stronger, weaker) = (DurabilityClass::Power, DurabilityClass::Process);
    let rung = Subject::Rung(Rung { levels, stronger, weaker, is_further: false });
    let enough = Outcome::Enough { level: at(8, 11_800.0), best: at(32, 12_300.0) };
    let keeps = Outcome::Keeps {
        level: at(8, 11_800.0),
        limit: Limit::AtLeast(10_000.0),
        proven: Proven::ByInterval,
    };
    [
        Finding { subject: rung, ..compared.clone() },
        compared,
        along(AskKind::Trend, different()),
        along(AskKind::Knee, enough),
        along(AskKind::Threshold, keeps),
    ]
}

/// The end of a figure around 10 000 of this metric.
fn unit_behind(metric: &Metric) -> &'static str {
    match metric.family.unit {
        Unit::PerSecond => metric.family.counted_per_s,
        Unit::Microseconds => " µs",
        Unit::Nanoseconds => " ns",
        Unit::Seconds => " s",
        Unit::Bytes => " KiB",
        Unit::BytesPerSecond => " KiB/s",
        Unit::Share => " %",
        Unit::Count => "",
    }
}

#[test]
fn every_sentence_has_the_unit_of_its_figures() {
    let (findings, mut rates) = (findings(), String::new());
    for metric in metric::all() {
        let of_metric = findings.clone().map(|finding| Finding { metric: metric.name(), ..finding });
        let sentences = of_metric.map(|finding| finding.brief());
        for sentence in &sentences {
            assert!(sentence.contains(unit_behind(&metric)), "{}: {sentence}", metric.name());
        }
        if metric.family.unit == Unit::PerSecond {
            rates.extend([metric.name(), "\n  ".to_owned(), sentences.join("\n  "), "\n".to_owned()]);
        }
    }
    insta::assert_snapshot!(rates);
}
