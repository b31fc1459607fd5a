//! RocksDB's rate limiter: how much flushes and compactions may write in a second, so that reads beside them wait less.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::ground::Ground;
use crate::level::on_host;
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::{Configuration, IoMode, LoadPart};
use workload::kv::PARAMETERS as KV;

/// What it limits was measured: how much RocksDB writes if nothing limits it. What it is for was not: no phase of the
/// workload `kv` reads while compactions run, so no study and no proof decides it.
pub(super) const RULES: &[Rule] = &[Rule {
    facts: Facts::new(
        "rate_limiter_bytes_per_sec",
        ValueKind::Integer,
        DefaultValue::Always("0"),
        TakesEffect::AtOpen,
        "https://github.com/facebook/rocksdb/wiki/Rate-Limiter",
    )
    .acting_on(&[LoadPart::DataWrites])
    .requires(&[
        "a load of your own with reads while compactions run: no study or proof of Syncline has one",
        "an option in the program, NewGenericRateLimiter: RocksDB does not read it from its OPTIONS file",
    ])
    .risks(&["a limit below what compactions need stalls writes"]),
    source: None,
    comparisons: 0,
    decide: Decide::Study(rate_limiter),
}];

const LOADED: &str = "load_and_drain_operations_per_s";
const AMPLIFICATION: &str = "write_amplification";

/// Half of what a load and its drain wrote in a second leaves the other half of the disk to reads.
pub(crate) fn rate_limiter(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let none = || NoAdvice::not_measured(Cause::OnlyTheDatabase);
    let held = [KV.engine.at("rocksdb"), KV.io.at(IoMode::Buffered), on_host()];
    let found = evidence.cells("kv", &held).map_err(|_| none())?;
    let cell = found.cells.first().ok_or_else(none)?;
    let entry_bytes = entry_bytes(&found.plan.configurations[cell.configuration]).ok_or_else(none)?;
    let figure = |metric| Ok(evidence.figure(&found, cell, metric)?.mean.point);
    let (Some(loaded), Some(amplification)) = (figure(LOADED)?, figure(AMPLIFICATION)?) else {
        return Err(none());
    };
    let bytes_per_s = loaded * amplification * entry_bytes;
    Ok(Weighed {
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: cell.label.clone(),
            metric: LOADED.to_owned(),
            trials: cell.n,
        }],
        ..Weighed::new(
            Choose::Untried(vec![format!("{:.0}", bytes_per_s / 2.0)]),
            Statement::WritesWhileLoading { bytes_per_s },
        )
    })
}

fn entry_bytes(values: &Configuration) -> Option<f64> {
    Some(f64::from(KV.key_size.of(values)?) + f64::from(KV.value_size.of(values)?))
}
