//! The remarks on a comparison of device trials: other parameters, other timed regions, other targets.

use super::{audit, check};
use crate::analyse;
use crate::finding::{Finding, Outcome, Reason, Remark};
use crate::verdict::{Answer, Status};
use model::plan::Factor;
use model::study::{Ask, AskKind};
use model::{Configuration, Value};
use synthetic::{Synthetic, ask, name};

/// The remarks of audits on a finding.
fn told(finding: &Finding) -> Vec<&str> {
    let remarks = finding.remarks.iter();
    remarks
        .filter_map(|remark| match remark {
            Remark::Audit(text) | Remark::AuditFailed { summary: text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn first(study: &Synthetic) -> Finding {
    analyse(&study.run(), &|_| None).studies.remove(0).findings.remove(0)
}

fn asks(rw: &str, metric: &str) -> Synthetic {
    Synthetic::device().fix("rw", name(rw)).asks(vec![ask(AskKind::Compare, "mode", &[metric])])
}

#[test]
fn a_write_into_memory_is_no_write_to_the_device() {
    check(
        &asks("randread", "completion_latency_p50_us"),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    let written = asks("randwrite", "completion_latency_p50_us");
    check(
        &written,
        "comparable-metric",
        Status::Warn,
        "completion latency p50: not comparable across mode: a direct write ends when the device has the \
         data, a buffered write when the data is copied to memory. Compare IOPS with end_fsync = true \
         instead.",
    );
    let withheld = first(&written);
    assert_eq!(withheld.answer(), Answer::NotAssessable);
    let Outcome::NotAssessable(Reason::NotComparable(why)) = &withheld.outcome else {
        panic!("{withheld:?}")
    };
    insta::assert_snapshot!(why, @"not comparable across mode: a direct write ends when the device has the data, a buffered write when the data is copied to memory. Compare IOPS with end_fsync = true instead.");
    assert!(withheld.ratio.is_none(), "{withheld:?}");
    check(
        &asks("randwrite", "iops"),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    check(
        &asks("write", "sync_latency_mean_us"),
        "comparable-metric",
        Status::Warn,
        "sync latency mean: not comparable across mode: under direct the data is written before the sync \
         begins, otherwise the sync writes it. Compare IOPS instead.",
    );
    // A page fault and a system call both end when the data is there.
    let mapped =
        |rw| asks(rw, "completion_latency_p50_us").vary("mode", vec![name("buffered"), name("mmap")]);
    check(
        &mapped("randread"),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    check(
        &mapped("randwrite"),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
}

/// A table of reads and writes marked the latency of buffered writes, which end in memory, as "better".
#[test]
fn latencies_of_writes_are_withheld_and_those_of_reads_are_kept() {
    let patterns = ["randread", "randwrite", "read", "write"].map(name).to_vec();
    let metrics = ["completion_latency_p50", "iops"];
    let study = Synthetic::device()
        .vary("rw", patterns)
        .asks(vec![ask(AskKind::Compare, "mode", &metrics)])
        .rate(|values, _| if values.is("mode", "direct") { 1500.0 } else { 1000.0 });
    let findings = analyse(&study.run(), &|_| None).studies.remove(0).findings;
    let [latency, iops] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((latency.answer(), latency.by_cell.len(), iops.by_cell.len()), (Answer::Different, 2, 4));
    assert!(latency.by_cell.iter().all(|(cell, _)| cell.ends_with("read")), "{:?}", latency.by_cell);
    insta::assert_snapshot!(told(latency).join("\n"), @r"
    When the clock stopped, 10 % of the bytes written had reached the device with buffered and 100 % with direct (at rw=write): most of the written data was still in memory, so writes into the page cache are compared with writes to the device; set end_fsync = true.
    Withheld as not comparable across mode: completion latency p50 in 2 cells (rw=randwrite, rw=write): a direct write ends when the device has the data, a buffered write when the data is copied to memory. Compare IOPS with end_fsync = true instead.
    ");
    insta::assert_snapshot!(told(iops).join("\n"), @"When the clock stopped, 10 % of the bytes written had reached the device with buffered and 100 % with direct (at rw=write): most of the written data was still in memory, so writes into the page cache are compared with writes to the device; set end_fsync = true.");
    check(
        &study,
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms: cells in which it would not are \
         withheld.",
    );
}

#[test]
fn syncs_that_time_the_same_work_are_compared() {
    let asks = |factor: &str| vec![ask(AskKind::Compare, factor, &["sync_latency_p50_us"])];
    let modes = vec![name("buffered"), name("dontcache")];
    let alike = Synthetic::commit().vary("mode", modes).asks(asks("mode"));
    check(
        &alike,
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    let apart = Synthetic::commit().fix("wal_mode", name("buffered")).asks(asks("mode"));
    check(
        &apart,
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    let syncs =
        |levels: [&str; 2]| Synthetic::commit().vary("sync", levels.map(name).to_vec()).asks(asks("sync"));
    check(
        &syncs(["fdatasync", "fsync"]),
        "comparable-metric",
        Status::Pass,
        "Every metric that is compared times the same work in all arms.",
    );
    check(
        &syncs(["fdatasync", "dsync"]),
        "comparable-metric",
        Status::Warn,
        "sync latency p50: not comparable across sync: dsync makes the write itself durable, the others \
         leave that to the sync. Compare commit_latency instead.",
    );
}

#[test]
fn every_comparison_of_writes_says_what_reached_the_device() {
    let says = |study: &Synthetic| {
        let words = "10 % of the bytes written had reached the device with buffered and 100 % with direct";
        told(&first(study)).iter().any(|text| text.contains(words))
    };
    assert!(says(&asks("randwrite", "iops")), "{:?}", first(&asks("randwrite", "iops")));
    assert!(says(&asks("rw", "completion_latency_p50_us")));
    assert!(!says(&asks("randread", "iops")));
    assert!(!says(&asks("randwrite", "in_flight_mean")), "it is not judged");
    assert!(!says(&asks("randwrite", "iops").fix("end_fsync", Value::Flag(true))));
    assert!(!says(&asks("randwrite", "iops").fix("fdatasync", Value::Count(32))));
}

/// Page 001 compared its capped runs, with 8 jobs, with the uncapped one, with 12: the ratio contains both effects.
#[test]
fn capped_runs_of_8_jobs_against_an_uncapped_one_of_12() {
    let story = |jobs: u64| {
        let between = Some("mode".to_owned());
        let asks = vec![Ask { between, ..ask(AskKind::Crossover, "memory_cap", &["iops"]) }];
        let levels = vec![name("none"), Value::Percent(50.0), Value::Percent(12.5)];
        let study = Synthetic::device().vary("memory_cap", levels).asks(asks);
        let mut run = study.run();
        let capped = |values: &Configuration| !values.is("memory_cap", "none");
        let plan = &mut run.plan.studies[0];
        let all =
            plan.configurations.iter_mut().chain(run.records.iter_mut().map(|record| &mut record.values));
        for values in all.filter(|values| capped(values)) {
            values.0.insert("numjobs".to_owned(), Value::Count(jobs));
        }
        let audits = analyse(&run, &|_| None).studies.remove(0).audits;
        audits.into_iter().find(|audit| audit.name == "same-knobs").unwrap()
    };
    // The uncapped trials have 2.
    assert_eq!(story(2).status, Status::Pass);
    let page_001 = story(8);
    assert_eq!(page_001.status, Status::Warn);
    insta::assert_snapshot!(page_001.evidence[0], @"memory_cap none against 50% also changes numjobs 2 against 8.");
}

#[test]
fn arms_by_name_tell_what_else_they_change() {
    let study = Synthetic::device().vary("mode", vec![name("buffered")]).asks(vec![ask(
        AskKind::Compare,
        "arm",
        &["iops"],
    )]);
    let mut run = study.run();
    let plan = &mut run.plan.studies[0];
    plan.factors = vec![Factor { name: "arm".to_owned(), levels: vec![name("uncapped"), name("capped")] }];
    let arm = |label: &str, jobs: u64, cap: Value| {
        let mut values = plan.configurations[0].clone();
        let changes = [("arm", name(label)), ("numjobs", Value::Count(jobs)), ("memory_cap", cap)];
        values.0.extend(changes.map(|(key, value)| (key.to_owned(), value)));
        values
    };
    plan.configurations = vec![arm("uncapped", 12, name("none")), arm("capped", 8, Value::Percent(50.0))];
    run.records.clear();
    let audits = analyse(&run, &|_| None).studies.remove(0).audits;
    let knobs = audits.iter().find(|audit| audit.name == "same-knobs").unwrap();
    assert_eq!(knobs.status, Status::Warn);
    insta::assert_snapshot!(knobs.evidence[0], @"arm uncapped against capped also changes memory_cap none against 50%, numjobs 12 against 8.");
}

#[test]
fn a_failing_factor_limits_only_what_is_asked_of_it() {
    let levels = vec![Value::Percent(50.0), Value::Percent(12.5)];
    let both = vec![ask(AskKind::Compare, "mode", &["iops"]), ask(AskKind::Trend, "memory_cap", &["iops"])];
    let study = Synthetic::device().vary("memory_cap", levels).asks(both);
    // Cold and short: no trial reached its cap.
    assert_eq!(audit(&study, "factor-took-effect").status, Status::Fail);
    let findings = analyse(&study.run(), &|_| None).studies.remove(0).findings;
    assert!(told(&findings[0]).is_empty(), "{:?}", findings[0]);
    insta::assert_snapshot!(told(&findings[1]).join("\n"), @"Different levels of memory_cap cached the same, so its effects were not tested. It concerns 2 of 4 configurations (mode=buffered memory_cap=50%; mode=buffered memory_cap=12.5%); answers without them remain valid.");
}
