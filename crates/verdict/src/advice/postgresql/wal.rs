//! The log: how a commit waits for it, what its files are made of, and whether commits wait for each other.
//!
//! PostgreSQL writes its log by plain calls through the page cache, whatever its data files do: of a study's cells those of
//! the same kind count, without reads beside them.

use crate::advice::evidence::{Arms, Draft, Evidence, Held, Outcome, figure, text};
use crate::advice::setting::Silence;
use model::units::format_significant;

const COMMITS: &str = "commits_per_s";

/// A log as PostgreSQL has it by default.
const LOG: &[Held<'static>] = &[
    ("wal_mode", "buffered"),
    ("ioengine", "psync"),
    ("read_depth", "0"),
    ("filesystem", "host"),
    ("committers", "1"),
];

fn log(held: &[Held<'static>]) -> Vec<Held<'static>> {
    LOG.iter().chain(held).copied().collect()
}

/// `open_datasync` opens the log with O_DSYNC: every write waits by itself. `fdatasync` is called once for all of a commit.
pub(super) fn sync_method(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let held = log(&[("wal_layout", "prefilled")]);
    let against = |sync: &'static str| {
        let arms = Arms {
            workload: "commit",
            held: &held,
            base: &[("sync", "fdatasync")],
            other: &[("sync", sync)],
            across_classes: false,
        };
        evidence.contrast(arms, COMMITS)
    };
    let open = against("dsync")?;
    let words = ("a write with RWF_DSYNC", "write and fdatasync");
    let mut draft = Draft {
        loadable: true,
        statement: open.words(words.0, words.1),
        grounds: vec![open.ground.clone()],
        caveats: vec![
            "Measured with one write a commit. A commit of several writes waits for each of them under open_datasync, \
             and once under fdatasync."
                .to_owned(),
        ],
        ..Draft::default()
    };
    match open.outcome {
        Outcome::Undecided => return Err(open.spans_the_boundary("open_datasync", "fdatasync")),
        Outcome::Better => {
            "open_datasync".clone_into(&mut draft.value);
            draft.effects.push(open.effect("fdatasync"));
        }
        Outcome::Worse | Outcome::Equal => {
            "fdatasync".clone_into(&mut draft.value);
            draft.effects.push(open.effect_of_base("open_datasync"));
            // Not every profile has it, and nothing depends on it.
            if let Ok(full) = against("fsync") {
                draft.effects.push(full.effect_of_base("fsync"));
            }
        }
    }
    Ok(draft)
}

/// A log that grows, or that was only allocated, against one whose blocks were written before.
fn layout(layout: &'static str) -> (Vec<Held<'static>>, [Held<'static>; 1], [Held<'static>; 1]) {
    (log(&[("sync", "fdatasync")]), [("wal_layout", "prefilled")], [("wal_layout", layout)])
}

fn against_prefilled(
    evidence: &Evidence<'_>,
    name: &'static str,
) -> Result<crate::advice::evidence::Contrast, Silence> {
    let (held, base, other) = layout(name);
    let arms = Arms { workload: "commit", held: &held, base: &base, other: &other, across_classes: false };
    evidence.contrast(arms, COMMITS)
}

/// Off, a new log file is a hole but for its last byte, and its blocks are allocated while it is written.
pub(super) fn init_zero(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let growing = against_prefilled(evidence, "append")?;
    let mut draft = Draft {
        loadable: true,
        grounds: vec![growing.ground.clone()],
        caveats: vec![
            "A file that wal_init_zero = off leaves sparse was not measured itself: its blocks are allocated as it is \
             written, as those of the growing log are."
                .to_owned(),
        ],
        ..Draft::default()
    };
    match growing.outcome {
        Outcome::Undecided => return Err(growing.spans_the_boundary("a growing log", "a written one")),
        Outcome::Worse => {
            "on".clone_into(&mut draft.value);
            draft.statement = growing.words_of_base("a log written before", "a growing one");
            draft.effects.push(growing.effect_of_base("off"));
        }
        Outcome::Better | Outcome::Equal => {
            let allocated = against_prefilled(evidence, "fallocated")?;
            match allocated.outcome {
                Outcome::Undecided => {
                    return Err(allocated.spans_the_boundary("a log only allocated", "a written one"));
                }
                Outcome::Worse => {
                    return Err(Silence::undecided(format!(
                        "the layouts do not agree: {}; {}",
                        growing.words("a growing log", "a written one"),
                        allocated.words("a log only allocated", "a written one")
                    )));
                }
                Outcome::Better | Outcome::Equal => {}
            }
            "off".clone_into(&mut draft.value);
            draft.statement = format!(
                "{}; {}: writing zeros first buys nothing here",
                growing.words("a growing log", "a written one"),
                allocated.words("a log only allocated", "a written one")
            );
            draft.effects.push(growing.effect("on"));
            draft.grounds.push(allocated.ground);
        }
    }
    Ok(draft)
}

/// On, an old log file is renamed and overwritten; off, it is removed and a new one made.
pub(super) fn recycle(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let growing = against_prefilled(evidence, "append")?;
    let (value, effect) = match growing.outcome {
        Outcome::Undecided => return Err(growing.spans_the_boundary("a growing log", "a log overwritten")),
        Outcome::Better => ("off", growing.effect("on")),
        Outcome::Worse | Outcome::Equal => ("on", growing.effect_of_base("off")),
    };
    Ok(Draft {
        value: value.to_owned(),
        loadable: true,
        statement: growing.words_of_base("a log overwritten", "a growing one"),
        effects: vec![effect],
        grounds: vec![growing.ground],
        caveats: vec![
            "What making a new file costs, where it is filled with zeros, is not in this figure.".to_owned(),
        ],
        ..Draft::default()
    })
}

/// Commits that scale with their number have no flush to share. Where they do not, the manual's starting point is half the
/// time of one flush: <https://www.postgresql.org/docs/18/wal-configuration.html>.
pub(super) fn commit_delay(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let held: &[Held<'_>] = &[("wal_mode", "buffered"), ("sync", "fdatasync"), ("filesystem", "host")];
    let most = evidence.of_workload("commit").find_map(|(_, plan)| {
        let levels = &plan.factor("committers")?.levels;
        levels.iter().filter_map(model::Value::number).max_by(f64::total_cmp).filter(|most| *most > 1.0)
    });
    let most = most.ok_or_else(|| Silence::not_measured("no study of this run varies committers"))?;
    let many = format!("{most}");
    let arms = Arms {
        workload: "commit",
        held,
        base: &[("committers", "1")],
        other: &[("committers", &many)],
        across_classes: false,
    };
    let curve = evidence.contrast(arms, COMMITS)?;
    let statement = curve.words(&format!("{many} committers"), "1");
    let Some((low, high)) = curve.ratio.interval else { return Err(Silence::undecided(statement)) };
    // Proportional within the 5 % that count as equal.
    let proportional = most / stats::EQUIVALENCE_MARGIN;
    let grounds = vec![curve.ground];
    if low >= proportional {
        let statement = format!("{statement}: commits do not wait for each other's flushes");
        return Ok(Draft { value: "0".to_owned(), loadable: true, statement, grounds, ..Draft::default() });
    }
    if high >= proportional {
        return Err(Silence::undecided(format!(
            "{statement}: whether commits scale with their number is not proven either way"
        )));
    }
    let flush_us = flush_us(evidence, held)?;
    Ok(Draft {
        value: format!("{:.0}", (flush_us / 2.0).clamp(1.0, 100_000.0)),
        loadable: true,
        statement: format!(
            "{statement}: flushes hold commits up; half of the {} µs that one commit takes by itself is the manual's \
             starting point, and what it gains was not measured",
            format_significant(flush_us)
        ),
        grounds,
        caveats: vec![
            "While at least commit_siblings (5) transactions are open, a commit takes up to that much longer: try it \
             with your own load."
                .to_owned(),
        ],
        ..Draft::default()
    })
}

/// Time of one commit without others, write and flush together, as pg_test_fsync takes it.
fn flush_us(evidence: &Evidence<'_>, held: &[Held<'_>]) -> Result<f64, Silence> {
    let alone: Vec<Held<'_>> = held.iter().copied().chain([("committers", "1")]).collect();
    let varies = evidence.of_workload("commit").find(|(_, plan)| plan.factor("committers").is_some());
    let (study, plan) =
        varies.ok_or_else(|| Silence::not_measured("no study of this run varies committers"))?;
    let is_alone = |index: usize| {
        plan.configurations.get(index).is_some_and(|values| {
            alone.iter().all(|(name, level)| text(values, name).as_deref() == Some(level))
        })
    };
    let cell = study.cells.iter().find(|cell| is_alone(cell.configuration));
    let cell = cell.ok_or_else(|| Silence::not_measured("no study of this run has one committer"))?;
    let mean = &figure(cell, "commit_latency_mean_us")?.mean;
    mean.point.ok_or_else(|| Silence::unsupported("the time of one commit was not measured"))
}
