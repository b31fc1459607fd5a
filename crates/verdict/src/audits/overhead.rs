//! The overhead of the instrument: its time per operation on the null backend × operations per second.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::described;
use crate::observations::value;
use crate::phrase::{count, limit, percent};
use crate::verdict::Status;
use model::units::format_significant;

/// The maximum share of a core that the instrument may use: an effect must exceed it.
const CORE_SHARE_MAX: f64 = 0.05;

pub(super) const CHECK: Check =
    Check { name: "overhead", bearing, moot: "No figure is read from the clock.", judge: check };

/// The instrument's overhead is in every time; it makes figures conservative.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_timed().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    // Nothing fails here: the audit reports every trial beyond the limit.
    let tally = Tally::read(context, Rule::MoreThanATenth, read);
    let judgement = match tally.status() {
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("No trial reports the overhead of the instrument.")
        }
        Status::Pass => {
            Judgement::pass(format!("The instrument took less than {} of a core.", limit(CORE_SHARE_MAX)))
        }
        // The overhead is known and printed; it makes figures conservative, not wrong.
        Status::Warn | Status::Fail => Judgement::new(
            Status::Warn,
            format!(
                "The instrument took more than {} of a core in {}.",
                limit(CORE_SHARE_MAX),
                tally.share()
            ),
            "Take operations per second as a lower bound there: the measurement is part of the limit.",
        ),
    };
    tally.tell(judgement)
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let record = trial.record;
    let nanoseconds = value(record, "instrument_overhead_ns").filter(|cost| *cost >= 0.0)?;
    let phases = &record.measurement.as_ref()?.phases;
    let rates = phases.iter().map(|phase| phase.operations as f64 / phase.duration_s);
    let rate = rates.filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    let threads = described::threads(trial.description);
    let share = nanoseconds * rate / threads / 1e9;
    let text = format!(
        "{} ns per operation at {} operations/s on {}: {} of a core",
        format_significant(nanoseconds),
        format_significant(rate),
        count(threads as usize, "thread"),
        percent(share)
    );
    Some(Reading::judged(share, CORE_SHARE_MAX, f64::INFINITY, text))
}
