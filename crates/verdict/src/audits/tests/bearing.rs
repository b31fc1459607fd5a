//! What every audit supports, and that the requirements of an answer follow from it.

use crate::analyse;
use crate::audits::{AUDITS, Bearing};
use crate::basis::Basis;
use crate::finding::Remark;
use crate::verdict::Status;
use model::Value;
use model::mechanism::Measured;
use synthetic::{Synthetic, name};

/// The names of the audits that one figure of every configuration of a study depends on.
fn bearings(study: &Synthetic, metric: &str, parameters: &[&str]) -> Vec<(String, Bearing)> {
    let run = study.run();
    let verdict = analyse(&run, &|_| None);
    let plan = &run.plan.studies[0];
    let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
    let all = 0..plan.configurations.len();
    let basis = Basis::new(plan, &verdict.studies[0].cells, all, parameters, &[metric]);
    basis.requires.into_iter().map(|required| (required.audit, required.bearing)).collect()
}

fn required(study: &Synthetic, metric: &str, parameters: &[&str]) -> Vec<String> {
    let all = bearings(study, metric, parameters).into_iter();
    all.filter(|(_, bearing)| *bearing == Bearing::Required).map(|(audit, _)| audit).collect()
}

fn reads(mode: &str, cache: &str) -> Synthetic {
    Synthetic::device().vary("mode", vec![name(mode)]).fix("cache", name(cache))
}

#[test]
fn the_audits_page_has_every_audit_once_and_in_order() {
    let page = include_str!("../../../../../docs/advice.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| audit |")).skip(2);
    let told: Vec<&str> =
        rows.take_while(|line| line.starts_with('|')).filter_map(|line| line.split('`').nth(1)).collect();
    let listed: Vec<&str> = AUDITS.iter().map(|check| check.name).collect();
    assert_eq!(told, listed);
}

/// An audit without a reason why its question does not arise applies to every study.
#[test]
fn every_audit_vouches_for_something() {
    let figures = [
        (Synthetic::commit(), "commits_per_s"),
        (Synthetic::commit().in_turns(0..10), "commits_per_s"),
        (Synthetic::device(), "device_queue_depth_mean"),
        (Synthetic::append(), "append_latency_p99_us"),
        (Synthetic::append(), "lost_after_kill"),
        (Synthetic::pool(), "second_read_hit_share"),
        (Synthetic::device().fix("rw", name("randwrite")).fix("data", name("zero")), "iops"),
    ];
    let alone = figures.iter().map(|(study, metric)| bearings(study, metric, &[]));
    let compared = figures.iter().map(|(study, metric)| bearings(study, metric, &["mode"]));
    let all: Vec<Vec<(String, Bearing)>> = alone.chain(compared).collect();
    for check in AUDITS {
        let vouched = all.iter().filter(|found| found.iter().any(|(audit, _)| audit == check.name)).count();
        assert!(vouched > 0, "{} vouches for nothing", check.name);
        assert_eq!(vouched == all.len(), check.moot.is_empty(), "{}", check.name);
    }
}

#[test]
fn what_is_required_follows_from_the_metric_and_the_configuration() {
    let ever = ["small-n", "failed-trials", "complete-records"];
    let of = |more: &[&str]| -> Vec<String> {
        let order = AUDITS.iter().map(|check| check.name);
        order.filter(|name| ever.contains(name) || more.contains(name)).map(str::to_owned).collect()
    };
    let timed = |more: &[&str]| of(&[more, &["storage", "steal-and-pressure"]].concat());
    let iops = |study: &Synthetic| required(study, "iops", &[]);
    assert_eq!(iops(&reads("buffered", "cold")), timed(&["cold-cache", "cache-or-disk"]));
    assert_eq!(iops(&reads("direct", "cold")), timed(&["cache-or-disk"]));
    assert_eq!(iops(&reads("buffered", "warm")), timed(&["cold-cache"]));
    assert_eq!(iops(&reads("buffered", "as_is")), timed(&[]));
    let capped = reads("buffered", "as_is").fix("memory_cap", Value::Percent(25.0));
    assert_eq!(iops(&capped), timed(&["working-set"]));
    let queue = required(&reads("direct", "as_is"), "device_queue_depth_mean", &[]);
    assert_eq!(queue, of(&["storage", "cache-or-disk", "foreign-io"]));
    // Synced commits, without reads beside them.
    let log = || Synthetic::commit().fix("read_depth", Value::Count(0));
    let commits = |study: &Synthetic, parameters: &[&str]| required(study, "commits_per_s", parameters);
    let flushed = ["volatile-cache", "sync-too-fast"];
    assert_eq!(commits(&log(), &[]), timed(&flushed));
    let compared = [&flushed[..], &["durability-class", "same-knobs"]].concat();
    assert_eq!(commits(&log(), &["sync"]), timed(&compared));
    let layouts = [&compared[..], &["layout"]].concat();
    assert_eq!(commits(&log(), &["wal_layout"]), timed(&layouts));
    let allocated = log().fix("wal_layout", name("fallocated"));
    assert_eq!(commits(&allocated, &[]), timed(&[&flushed[..], &["layout"]].concat()));
    // Reads beside them are part of what was measured.
    let beside = timed(&[&flushed[..], &["cold-cache", "cache-or-disk"]].concat());
    assert_eq!(commits(&Synthetic::commit(), &[]), beside);
    // The entries that a kill lost do not depend on a device.
    assert_eq!(required(&Synthetic::append(), "lost_after_kill", &[]), of(&[]));
}

/// Syncline called the answer of a run "durable" although its device reported nothing, because the audit counted as
/// passed.
#[test]
fn not_assessable_is_not_passed() {
    let untold = Synthetic::commit().edit(|record| {
        let placement = &mut record.measurement.as_mut().unwrap().placement;
        placement.write_cache = Measured::unsupported("tmpfs is not on a block device of its own");
    });
    let verdict = analyse(&untold.run(), &|_| None);
    let study = &verdict.studies[0];
    let finding = &study.findings[0];
    let open: Vec<&str> = study.unproven(finding).map(|audit| audit.name.as_str()).collect();
    assert_eq!(open, ["volatile-cache"]);
    let open =
        |remark: &Remark| matches!(remark, Remark::NotProven { audit, .. } if audit == "volatile-cache");
    assert!(finding.remarks.iter().any(open), "{finding:?}");
    let sound = analyse(&Synthetic::commit().run(), &|_| None);
    let finding = &sound.studies[0].findings[0];
    assert_eq!(sound.studies[0].unproven(finding).count(), 0);
}

/// The pass of the other configurations covered one that could not be judged.
#[test]
fn a_pass_is_about_the_configurations_that_were_judged() {
    let half = Synthetic::commit().edit(|record| {
        if record.values.is("mode", "direct") {
            let placement = &mut record.measurement.as_mut().unwrap().placement;
            placement.write_cache = Measured::unsupported("made up");
        }
    });
    let verdict = analyse(&half.run(), &|_| None);
    let study = &verdict.studies[0];
    let audit = study.audits.iter().find(|audit| audit.name == "volatile-cache").unwrap();
    assert_eq!((audit.status, &audit.unassessed[..]), (Status::Pass, &[2, 3][..]));
    assert_eq!(study.unproven(&study.findings[0]).count(), 1);
}

/// A dataset of holes was read at the speed of memory.
#[test]
fn holes_are_no_disk() {
    let scan = |hits: f64| {
        Synthetic::scan()
            .vary("block_size", [1 << 18, 1 << 20].map(Value::Bytes).to_vec())
            .vary("page_cache", vec![name("normal")])
            .edit(move |record| {
                let rate = record.values.bytes("block_size").unwrap() as f64
                    * (1.0 + 0.001 * f64::from(record.key.round));
                let measurement = record.measurement.as_mut().unwrap();
                measurement.notes.push("the rest are holes, which are read from no device".to_owned());
                let metrics = &mut measurement.phases[0].metrics;
                metrics.insert("bandwidth_bytes_per_s".to_owned(), Measured::Value(rate));
                metrics.insert("pass_hit_share".to_owned(), Measured::Value(hits));
            })
            .asks(vec![synthetic::ask(
                model::study::AskKind::Compare,
                "block_size",
                &["bandwidth_bytes_per_s"],
            )])
    };
    let of = |hits| {
        let audits = analyse(&scan(hits).run(), &|_| None).studies.remove(0).audits;
        audits.into_iter().find(|audit| audit.name == "cache-or-disk").unwrap()
    };
    assert_eq!(of(0.0).status, Status::Pass);
    let audit = of(1.0);
    assert_eq!(audit.status, Status::Fail);
    insta::assert_snapshot!(audit.evidence.join("\n"), @r"
    The worker noted: the rest are holes, which are read from no device.
    arm=only block_size=256KiB page_cache=normal: pass 1 measured the page cache: 100 % of the bytes came from the page cache.
    arm=only block_size=1MiB page_cache=normal: pass 1 measured the page cache: 100 % of the bytes came from the page cache.
    ");
}

/// Syncline reported "430 522 durable commits/s … fit for etcd" for a tmpfs, with exit code 0.
#[test]
fn memory_is_no_disk() {
    let place = |filesystem: &'static str| {
        Synthetic::commit().edit(move |record| {
            let placement = &mut record.measurement.as_mut().unwrap().placement;
            filesystem.clone_into(&mut placement.filesystem);
            let none = || Measured::unsupported("there is no block device");
            placement.device = none();
            placement.write_cache = none();
        })
    };
    let of = |filesystem| {
        let verdict = analyse(&place(filesystem).run(), &|_| None);
        let study = &verdict.studies[0];
        let storage = study.audits.iter().find(|audit| audit.name == "storage").unwrap().status;
        (storage, study.failed_for(&study.findings[0]).count())
    };
    assert_eq!(of("tmpfs"), (Status::Fail, 1));
    for filesystem in ["overlay", "nfs4", "fuse.ntfs-3g"] {
        assert_eq!(of(filesystem).0, Status::Warn, "{filesystem}");
    }
}
