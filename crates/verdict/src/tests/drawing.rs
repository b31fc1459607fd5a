//! The cost of a verdict that is not drawn: no resamples, each sidecar opened once, and the same content otherwise.

use crate::{Drawing, Verdict, analyse_for};
use model::trial::TrialKey;
use std::sync::atomic::{AtomicUsize, Ordering};
use synthetic::Synthetic;

fn verdict(drawing: Drawing) -> (Verdict, usize, usize) {
    let run = Synthetic::commit().rounds(6).run();
    let opened = AtomicUsize::new(0);
    let sidecar = |key: &TrialKey| {
        opened.fetch_add(1, Ordering::Relaxed);
        synthetic::sidecar(key)
    };
    let verdict = analyse_for(&run, &sidecar, drawing);
    let opened = opened.load(Ordering::Relaxed);
    (verdict, opened, run.records.len())
}

/// `compare` took longer than a report, because it resampled the curves of both runs without drawing any.
#[test]
fn what_is_not_drawn_is_not_resampled_and_all_else_is_the_same() {
    let (drawn, opened, records) = verdict(Drawing::Curves);
    let (judged, opened_again, _) = verdict(Drawing::Nothing);
    assert!(opened <= records && opened_again == opened, "{opened} and {opened_again} of {records}");
    assert!(!drawn.studies[0].curves.is_empty());
    assert!(judged.studies[0].curves.is_empty());
    let without_curves = |mut verdict: Verdict| {
        verdict.studies.iter_mut().for_each(|study| study.curves.clear());
        serde_json::to_string(&verdict).unwrap()
    };
    assert_eq!(without_curves(drawn), without_curves(judged));
}
