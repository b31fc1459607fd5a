//! A limit of a control group was not named: the figures were the limit's, and every audit passed.

use super::*;
use model::host::{IoLimit, LimitOf};

fn limited(from_round: u32) -> Synthetic {
    Synthetic::commit().edit(move |record| {
        let limit =
            IoLimit { of: LimitOf::BytesWritten, per_s: 10 << 20, group: "/sys/fs/cgroup/x".to_owned() };
        let is_limited = record.key.round >= from_round;
        let limits = is_limited.then_some(limit).into_iter().collect();
        record.measurement.as_mut().unwrap().placement.io_limits = Some(limits);
    })
}

#[test]
fn a_limit_is_named_from_the_start_and_from_midway() {
    check(
        &Synthetic::commit(),
        "io-limit",
        Status::Pass,
        "No control group at or above the worker limits the device's I/O.",
    );
    let first = 0;
    check(
        &limited(first),
        "io-limit",
        Status::Warn,
        "A control group limits the device's I/O: the figures are those of the limit, as far as it binds.",
    );
    let midway = audit(&limited(5), "io-limit");
    assert_eq!(midway.status, Status::Warn);
    insta::assert_snapshot!(format!("{}\n{}", midway.summary, midway.evidence.join("\n")), @r"
    A limit of a control group on the device's I/O began or ended during the study: its rounds are not of one kind.
    At most 10.0 MiB written a second, by control group /sys/fs/cgroup/x, from round 5 on, in 5 of 10 rounds.
    ");
    let older = measured(|measurement| measurement.placement.io_limits = None);
    check(&older, "io-limit", Status::NotAssessable, "No trial reports the limits of its control groups.");
}

/// A limit that a configuration sets itself is what is measured, and it has to hold: the device did 4 000 reads a
/// second.
#[test]
fn a_limit_of_the_configuration_is_only_checked_against_the_device() {
    let capped = |reads: u64| {
        Synthetic::device().fix("io_cap", Value::Name(format!("riops={reads}"))).edit(move |record| {
            let limit = IoLimit { of: LimitOf::Reads, per_s: reads, group: "/x".to_owned() };
            record.measurement.as_mut().unwrap().placement.io_limits = Some(vec![limit]);
        })
    };
    for (reads, held) in [(4000, Status::Pass), (3700, Status::Pass), (3000, Status::Fail)] {
        assert_eq!(audit(&capped(reads), "io-limit").status, Status::Pass, "{reads}");
        assert_eq!(audit(&capped(reads), "factor-took-effect").status, held, "{reads}");
    }
}
