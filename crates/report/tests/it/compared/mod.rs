//! Two invented runs and their comparison.

use crate::fixture::specimen;
use model::mechanism::Measured;
use model::run::Run;
use verdict::Status;
use verdict::compare::{Comparison, Gate, Ruling, Side, comparable, compare, measured_by_both};

/// Before and after a new kernel: direct commits are slower by a fifth, and the file system is another one.
pub(crate) fn runs() -> (Run, Run) {
    let (a, _) = specimen(6);
    let (mut b, _) = specimen(6);
    "2026-11-28T09:30:00Z".clone_into(&mut b.plan.created_at);
    b.plan.seed = 4712;
    "6.30.1".clone_into(&mut b.host.kernel);
    for record in &mut b.records {
        let direct = record.values.is("mode", "direct");
        let turn = f64::from((record.key.round * 7 + record.key.configuration as u32 * 3) % 5);
        let Some(measurement) = &mut record.measurement else { continue };
        "rw,noatime,|<b>".clone_into(&mut measurement.placement.mount_options);
        for (name, value) in &mut measurement.phases[0].metrics {
            let slower = if direct && name.starts_with("commit_latency") { 1.25 } else { 1.0 };
            if let Measured::Value(value) = value {
                *value *= slower * (1.0 + 0.002 * turn);
            }
        }
    }
    (a, b)
}

/// Both runs, compared, with two limits.
pub(crate) fn comparison((a, b): &(Run, Run)) -> (Comparison, Vec<Ruling>) {
    let mut verdicts = [a, b].map(|run| verdict::analyse(run, &|_| None));
    // The specimen's figures are invented, and audits that examine them notice; one failed audit is kept for B.
    for (verdict, keep) in verdicts.iter_mut().zip(["", "layout"]) {
        for study in &mut verdict.studies {
            study.audits.retain(|audit| audit.status != Status::Fail || audit.name == keep);
        }
    }
    let sides = [("runs/before", a), ("runs/after", b)];
    // Each round is a run, and those of both sides took turns.
    let rounds = a.plan.studies[0].rounds_total();
    let begun = ["00", "30"].map(|second| -> Vec<String> {
        (0..rounds).map(|run| format!("2026-11-21T10:{run:02}:{second}Z")).collect()
    });
    let side = |at: usize| {
        let (name, run) = sides[at];
        Side { name, run, verdict: &verdicts[at], begun: &begun[at] }
    };
    let measured = measured_by_both(&verdicts[0], &verdicts[1]);
    let gates = ["commit_latency_p50>+10%", "commits_per_s<-5%"]
        .map(|text| Gate::parse(text, &measured, "both runs").unwrap());
    let metrics: Vec<String> = gates.iter().map(|gate| gate.metric.clone()).collect();
    let comparison = compare(side(0), side(1), comparable(a, b, &[]).unwrap(), &metrics);
    let rulings = gates.iter().map(|gate| gate.judge(&comparison)).collect();
    (comparison, rulings)
}
