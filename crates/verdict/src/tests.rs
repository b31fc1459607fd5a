//! Verdicts on runs whose truth is known.

mod along;
mod answer;
mod attribution;
mod blocks;
mod compare;
mod conditions;
mod contrast;
mod costs;
mod dependence;
mod drawing;
mod durability;
mod hostile;
mod incomplete;
mod memory_study;
mod noise_floor;
mod open;
mod replayed;
mod sized_latencies;

use crate::analyse;
use crate::finding::{Finding, Remark};
use crate::verdict::StudyVerdict;
use model::Configuration;
use model::mechanism::Measured;
use model::study::AskKind;
use synthetic::{Synthetic, ask};

fn study(synthetic: &Synthetic) -> StudyVerdict {
    let mut verdict = analyse(&synthetic.run(), &|_| None);
    verdict.studies.remove(0)
}

fn first(synthetic: &Synthetic) -> Finding {
    study(synthetic).findings.remove(0)
}

fn direct_times(factor: f64) -> impl Fn(&Configuration, u32) -> f64 {
    move |configuration, _| if configuration.is("mode", "direct") { 1000.0 * factor } else { 1000.0 }
}

#[test]
fn a_failed_audit_is_a_remark_on_what_rests_on_it() {
    let broken = Synthetic::commit().rate(direct_times(1.5)).edit(|record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert("in_flight_mean".to_owned(), Measured::Value(40.0));
    });
    let study = study(&broken);
    assert_eq!(study.answer, [0]);
    let remark = &study.findings[0].remarks[0];
    assert!(matches!(remark, Remark::AuditFailed { audit, .. } if audit == "littles-law"), "{remark:?}");
}

#[test]
fn a_small_run_as_json() {
    let asks = vec![
        ask(AskKind::Compare, "mode", &["commits_per_s", "commit_latency_p50_us"]),
        ask(AskKind::Trend, "group_size", &["transactions_per_s"]),
    ];
    let study = Synthetic::commit().rounds(6).rate(direct_times(1.5)).asks(asks);
    let mut verdict = analyse(&study.run(), &synthetic::sidecar);
    // Two figures and a short curve represent all of them.
    for study in &mut verdict.studies {
        for cell in &mut study.cells {
            cell.figures.retain(|metric, _| metric == "commits_per_s");
        }
        study.curves.truncate(1);
        study.curves[0].points.truncate(3);
    }
    let mut json = serde_json::to_value(&verdict).unwrap();
    round(&mut json);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}

/// Six digits: the last ones depend on the machine's mathematics library.
fn round(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::Number(number) if number.is_f64() => {
            let text = format!("{:.5e}", number.as_f64().unwrap());
            *json = text.parse::<f64>().unwrap().into();
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(round),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}
