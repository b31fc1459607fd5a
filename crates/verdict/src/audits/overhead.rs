//! What the instrument itself costs: its time per operation on the null backend × operations per second.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::described;
use crate::observations::value;
use crate::phrase::{count, limit, percent};
use crate::verdict::Status;
use model::units::format_significant;

/// Share of a core that may go to the instrument: what an effect must exceed to be claimed.
const CORE_SHARE_MAX: f64 = 0.05;

pub(super) const CHECK: Check =
    Check { name: "overhead", bearing, moot: "No figure is read from the clock.", judge: check };

/// What the instrument costs is in every time; it makes figures conservative.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_timed().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    // Nothing fails here: every trial beyond the limit is told.
    let tally = Tally::read(context, Rule::MoreThanATenth, read);
    let judgement = match tally.status() {
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("No trial reports what the instrument costs.")
        }
        Status::Pass => {
            Judgement::pass(format!("The instrument took less than {} of a core.", limit(CORE_SHARE_MAX)))
        }
        // Its cost is known and printed; that makes figures conservative, not wrong.
        Status::Warn | Status::Fail => Judgement::new(
            Status::Warn,
            format!(
                "The instrument took more than {} of a core in {}.",
                limit(CORE_SHARE_MAX),
                tally.share()
            ),
            "Read operations per second as a lower bound there: part of the limit is the measurement.",
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
