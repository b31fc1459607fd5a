//! Buffers of temporary tables.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::evidence::Evidence;
use crate::ground::Ground;
use crate::level::{on_host, text};
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::{LoadPart, Value};
use std::collections::BTreeMap;
use verdict::Figure;
use workload::pool::{Access, PARAMETERS as POOL, Subject, Table};

pub(super) const RULES: &[Rule] = &[Rule {
    facts: Facts::new(
        "temp_buffers",
        ValueKind::Relative,
        DefaultValue::Always("8MB"),
        TakesEffect::Session,
        "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-TEMP-BUFFERS",
    )
    .acting_on(&[LoadPart::TemporaryFiles])
    .requires(&["the session has not touched a temporary table yet"])
    .risks(&["each session keeps what it has taken until it ends"]),
    source: Some(Source::study("temp-buffers", 1)),
    comparisons: 0,
    decide: Decide::Study(temp_buffers),
}];

/// A note on `temp_buffers`.
pub(crate) const EACH_SESSION: Caveat = Caveat::Note(
    "Each session has buffers of its own, and what it has taken of them it keeps until it ends: \
     max_connections sessions together can hold max_connections times as much. Set it only in the sessions \
     that need it.",
);

const HITS: &str = "second_read_hit_share";

/// The smallest headroom at which every trial of PostgreSQL found its whole table in the buffers, for the table size
/// that needs most.
pub(super) fn temp_buffers(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let held = [POOL.subject.at(Subject::Postgres), POOL.access.at(Access::Sequential), on_host()];
    let found = evidence.cells("pool", &held)?;
    // By pages of the table: headrooms, whether each was enough, and trials.
    let mut by_size: BTreeMap<u64, Vec<(f64, bool, usize)>> = BTreeMap::new();
    for cell in &found.cells {
        let values = &found.plan.configurations[cell.configuration];
        if text(values, POOL.table.name()).is_some_and(|table| table != Table::Temporary.name()) {
            continue;
        }
        let (Ok(blocks), Some(headroom)) =
            (values.count(POOL.blocks.name()), values.get(POOL.headroom.name()).and_then(Value::number))
        else {
            continue;
        };
        let Some(whole) = is_whole(evidence.figure(&found, cell, HITS)?) else { continue };
        by_size.entry(blocks).or_default().push((headroom, whole, cell.n));
    }
    if by_size.is_empty() {
        return Err(NoAdvice::undecided(Cause::FewRounds {
            needed: stats::TRIALS_MIN,
            of: "PostgreSQL's temporary tables",
        }));
    }
    let mut enough: f64 = 0.0;
    for (blocks, headrooms) in &mut by_size {
        headrooms.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Only headrooms above the last failure count: a smaller one that was enough by chance is unreliable.
        let last_short = headrooms.iter().rposition(|(_, whole, _)| !whole);
        let first = headrooms.get(last_short.map_or(0, |short| short + 1));
        let Some((headroom, _, _)) = first else {
            return Err(NoAdvice::undecided(Cause::DidNotFit { pages: *blocks }));
        };
        enough = enough.max(*headroom);
    }
    let with_room = by_size.values().flatten().filter(|(headroom, _, _)| *headroom >= enough);
    let trials = with_room.map(|(_, _, n)| n).sum();
    let statement = Statement::Buffers {
        headroom: enough,
        table_pages: by_size.keys().copied().collect(),
        trials,
        share_missing_at_most: stats::Count { of: 0, n: trials }.share_at_most(0.95),
    };
    let value = format!("{enough} × the pages of the largest temporary table that is read repeatedly");
    Ok(Weighed {
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: "subject = postgres, headroom by blocks".to_owned(),
            metric: HITS.to_owned(),
            trials,
        }],
        caveats: vec![
            Caveat::Note(
                "A page has 8 KiB, and PostgreSQL takes no less than 800kB. temp_buffers can be set in a \
                 session until its first access to a temporary table.",
            ),
            EACH_SESSION,
        ],
        ..Weighed::new(Choose::Said { words: value, estimate: None }, statement)
    })
}

/// Whether every trial found every page; `None` if there are too few trials.
fn is_whole(hits: &Figure) -> Option<bool> {
    let shares: Vec<f64> = hits.values.iter().filter_map(|(_, value)| *value).collect();
    (shares.len() >= stats::TRIALS_MIN).then(|| shares.iter().all(|share| *share >= 1.0))
}
