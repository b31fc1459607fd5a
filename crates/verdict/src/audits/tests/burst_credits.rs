//! Rates that last, and rates from burst credits.

use super::{audit, measured};
use crate::verdict::Status;
use model::mechanism::Measured;
use synthetic::Synthetic;

fn status(study: &Synthetic) -> Status {
    audit(study, "burst-credits").status
}

/// A volume's credits outlive trials of a second and end in the middle of the session.
#[test]
fn a_rate_that_falls_at_once_is_said_with_its_round() {
    let exhausted = Synthetic::commit().rate(|_, round| if round < 6 { 3000.0 } else { 300.0 });
    let audit = audit(&exhausted, "burst-credits");
    assert_eq!(audit.status, Status::Warn, "{audit:?}");
    insta::assert_snapshot!(audit.summary, @"commits/s fell at once, in all configurations together: from round 6 on it is 0.0986× its earlier value.");
}

#[test]
fn a_rate_that_falls_from_round_to_round_is_said() {
    assert_eq!(
        status(&Synthetic::commit().rate(|_, round| 1000.0 * 0.95_f64.powi(round as i32))),
        Status::Warn
    );
}

/// The counterparts: a constant rate, and a rate that rises as a cache warms.
#[test]
fn a_rate_that_lasts_or_rises_is_no_burst() {
    assert_eq!(status(&Synthetic::commit()), Status::Pass);
    assert_eq!(
        status(&Synthetic::commit().rate(|_, round| if round < 6 { 300.0 } else { 3000.0 })),
        Status::Pass
    );
    assert_eq!(status(&Synthetic::commit().rounds(3)), Status::NotAssessable);
}

#[test]
fn a_volume_that_may_have_credits_is_named_until_they_are_outlived() {
    let on = |model: &'static str, duration_s: f64| {
        measured(move |measurement| {
            measurement.placement.model = Measured::Value(model.to_owned());
            measurement.phases[0].duration_s = duration_s;
        })
    };
    let ebs = audit(&on("Amazon Elastic Block Store", 2.0), "burst-credits");
    assert_eq!(ebs.status, Status::Warn, "{ebs:?}");
    assert_eq!(ebs.evidence.len(), 1, "{ebs:?}");
    // Fifty trials of two minutes: longer than any credits last.
    assert_eq!(status(&on("Amazon Elastic Block Store", 120.0)), Status::Pass);
    // A local drive, and a name that matters only on another cloud.
    assert_eq!(status(&on("Amazon EC2 NVMe Instance Storage", 2.0)), Status::Pass);
    assert_eq!(status(&on("Virtual Disk", 2.0)), Status::Pass);
}
