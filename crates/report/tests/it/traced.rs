//! Where the time of both sides of a finding differs, in every form of a report.

use crate::fixture::specimen;
use model::traced::{Segment, Stage};
use report::Repeat;
use scraper::Html;
use verdict::finding::{Answer, SegmentDifference, TimeDifference};
use verdict::{Estimate, Verdict};

fn segment(stage: Stage, (low, high): (f64, f64), answer: Answer) -> SegmentDifference {
    let point = f64::midpoint(low, high);
    SegmentDifference {
        segment: Segment { stage, journal: false },
        level_us: 400.0 + point,
        baseline_us: 400.0,
        difference_us: Estimate {
            point: Some(point),
            interval: Some((low, high)),
            level: Some(0.975),
            reason: None,
        },
        answer,
    }
}

/// The first two findings of the specimen have the same sides.
fn traced() -> (model::run::Run, Verdict) {
    let (run, mut verdict) = specimen(6);
    let difference = TimeDifference {
        family: "commit_latency".to_owned(),
        level_trials: 3,
        baseline_trials: 3,
        confidence: 0.95,
        measured_us: Some(-280.0),
        segments: vec![
            segment(Stage::FileSystem, (-310.0, -250.0), Answer::Different),
            segment(Stage::RunQueue, (-91.0, 7.0), Answer::Undecided),
        ],
        others_us: 1.0,
    };
    let findings = &mut verdict.studies[0].findings;
    assert_eq!(findings[0].sides(), findings[1].sides());
    findings[..2].iter_mut().for_each(|finding| finding.traced = Some(difference.clone()));
    (run, verdict)
}

/// The words of a text, without the marks and the breaks of its form.
fn words(text: &str) -> String {
    text.replace('\\', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_form_has_the_sentences_once() {
    let (run, verdict) = traced();
    let finding = &verdict.studies[0].findings[0];
    let sentences = words(&finding.time_difference().unwrap());
    let page = report::html(&run, &verdict, &[], &Repeat::default());
    let html = words(&Html::parse_document(&page).root_element().text().collect::<String>());
    let terminal = words(&report::terminal(&run, &verdict, &[], 100, false));
    let markdown = words(&report::markdown(&run, &verdict, &[], &Repeat::default()));
    for text in [&html, &terminal, &markdown] {
        assert_eq!(text.matches(&sentences).count(), 1, "{sentences}\n\n{text}");
    }
    // The page has every segment.
    let undecided = words(&finding.traced.as_ref().unwrap().segments[1].in_words());
    assert!(!sentences.contains(&undecided));
    assert_eq!([&html, &terminal, &markdown].map(|text| text.matches(&undecided).count()), [1, 0, 0]);
}
