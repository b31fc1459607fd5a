//! A comparison of engines was published in which one had 12 reads in flight and the other 192, at unlike durability. A
//! ranking of engines that were not used alike is refused, and the reason is data.

use super::check;
use crate::analyse;
use crate::durability::Declared;
use crate::finding::{CacheUse, Finding, Outcome, Reason, UnlikeKnob};
use crate::verdict::{Answer, Audit, Status, StudyVerdict};
use model::Value;
use model::description::{EngineUse, LogWrites};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::run::Run;
use model::study::AskKind;
use model::units::MIB;
use synthetic::{Synthetic, ask, name};

const RATES: [&str; 2] = ["load_operations_per_s", "hit_operations_per_s"];

/// Two engines that read directly with 24 reads in flight and caches of 8 MiB; the second is twice as fast.
fn alike() -> Synthetic {
    Synthetic::kv()
        .vary("engine", vec![name("store"), name("rocksdb")])
        .fix("io", name("direct"))
        .fix("threads", Value::Count(24))
        .fix("cache_size", Value::Bytes(8 * MIB))
        // As many write buffers as RocksDB has by default.
        .fix("settings", name("memtables_max = 2"))
        .asks(vec![ask(AskKind::Compare, "engine", &RATES), ask(AskKind::Rank, "engine", &RATES)])
        .edit(|record| {
            let rate = if record.values.is("engine", "store") { 1000.0 } else { 2000.0 };
            let rate = rate * (1.0 + 0.01 * f64::from(record.key.round % 3));
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            for metric in RATES {
                metrics.insert(metric.to_owned(), Measured::Value(rate));
            }
            metrics.insert("hit_device_reads_in_flight".to_owned(), Measured::Value(20.0));
        })
}

/// The same, with RocksDB used in another way.
fn unlike(change: impl Fn(&mut EngineUse)) -> Run {
    let mut run = alike().run();
    let plan = &mut run.plan.studies[0];
    for (values, description) in plan.configurations.iter().zip(&mut plan.descriptions) {
        if values.is("engine", "rocksdb") {
            change(description.engine_use.as_mut().unwrap());
        }
    }
    run
}

fn verdict(run: &Run) -> StudyVerdict {
    analyse(run, &|_| None).studies.remove(0)
}

fn same_knobs(verdict: &StudyVerdict) -> &Audit {
    verdict.audits.iter().find(|audit| audit.name == "same-knobs").unwrap()
}

fn knobs(finding: &Finding) -> Option<&[UnlikeKnob]> {
    match &finding.outcome {
        Outcome::NotAssessable(Reason::UnlikeEngines(unlike)) => {
            assert_eq!(unlike.engines, ["store", "rocksdb"]);
            assert!(finding.ratio.is_none() && finding.rests_on.configurations.is_empty(), "{finding:?}");
            Some(&unlike.knobs)
        }
        _ => None,
    }
}

/// Checks that this metric alone is withheld, compared and ranked, because of this.
#[track_caller]
fn refused(run: &Run, metric: &str, expected: &UnlikeKnob) {
    let verdict = verdict(run);
    assert_eq!(verdict.findings.len(), 4);
    for finding in &verdict.findings {
        if finding.metric == metric {
            assert_eq!(knobs(finding), Some(std::slice::from_ref(expected)), "{finding:?}");
        } else {
            assert_eq!(finding.answer(), Answer::Different, "{finding:?}");
        }
    }
    let audit = same_knobs(&verdict);
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    assert!(audit.about.is_empty(), "{audit:?}");
    let [evidence] = &audit.evidence[..] else { panic!("{audit:?}") };
    assert_eq!(evidence.rsplit_once(": ").unwrap().1, format!("{expected}."));
    // The table has no ratio to the best either.
    let ratios = verdict
        .cells
        .iter()
        .filter(|cell| cell.against_best.get(metric).is_some_and(|against| against.ratio.is_some()));
    assert_eq!(ratios.count(), 0);
}

#[test]
fn engines_that_were_used_alike_are_ranked() {
    let verdict = verdict(&alike().run());
    for finding in &verdict.findings {
        assert_eq!(finding.answer(), Answer::Different, "{finding:?}");
    }
    check(&alike(), "same-knobs", Status::Pass, "Compared arms differ in the factor only.");
    assert!(verdict.cells[0].against_best["hit_operations_per_s"].ratio.is_some());
}

#[test]
fn reads_in_flight_have_to_be_as_many() {
    let run = unlike(|engine| engine.reads_in_flight = 192);
    refused(&run, "hit_operations_per_s", &UnlikeKnob::ReadsInFlight([24, 192]));
}

/// An engine that has 24 threads and reads ahead by itself has more in flight than they request.
#[test]
fn the_device_has_to_have_as_many_in_flight() {
    let measured = |of_rocksdb: f64| {
        let of = move |engine: &str| if engine == "rocksdb" { of_rocksdb } else { 12.0 };
        alike().edit(move |record| {
            let depth = of(&record.values.text("engine").unwrap());
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("hit_device_reads_in_flight".to_owned(), Measured::Value(depth));
        })
    };
    let unlike = measured(192.0).run();
    refused(&unlike, "hit_operations_per_s", &UnlikeKnob::DeviceReadsInFlight([12.0, 192.0]));
    // Threads compute too: that is the engine's own speed.
    for depth in [6.0, 20.0] {
        check(&measured(depth), "same-knobs", Status::Pass, "Compared arms differ in the factor only.");
    }
}

#[test]
fn caches_have_to_be_as_large() {
    let caches = |own_bytes, has_page_cache| CacheUse { own_bytes, has_page_cache, cap_bytes: None };
    let ours = caches(Some(8 * MIB), false);
    for theirs in [caches(Some(32 * MIB), false), caches(None, false), caches(Some(8 * MIB), true)] {
        let run = unlike(|engine| {
            engine.cache_bytes = theirs.own_bytes;
            engine.uses_page_cache = theirs.has_page_cache;
        });
        refused(&run, "hit_operations_per_s", &UnlikeKnob::Cache([ours, theirs]));
    }
}

/// What a load costs depends on what a put survives, and on no read in flight.
#[test]
fn writes_have_to_survive_the_same() {
    let study = alike().edit(|record| {
        if record.values.is("engine", "rocksdb") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Power;
        }
    });
    let classes = [DurabilityClass::Process, DurabilityClass::Power].map(|class| Declared::new(&[class]));
    refused(&study.run(), "load_operations_per_s", &UnlikeKnob::Durability(classes));
}

/// One engine in two ways is the factor itself.
#[test]
fn one_engine_may_be_used_in_two_ways() {
    let study =
        alike().vary("engine", vec![name("store")]).vary("io", vec![name("buffered"), name("direct")]);
    let study = study.asks(vec![ask(AskKind::Compare, "io", &RATES)]);
    check(&study, "same-knobs", Status::Pass, "Compared arms differ in the factor only.");
}

/// "5.4 times RocksDB" compared a mapped log with a written one, and memtables of 200 MB with 110.
#[test]
fn unlike_logs_and_write_buffers_are_named_and_withhold_nothing() {
    let change = |log, bytes| {
        move |run: &mut Run| {
            for description in &mut run.plan.studies[0].descriptions {
                let engine = description.engine_use.as_mut().unwrap();
                let is_store = engine.engine == "store";
                engine.log = Some(if is_store { log } else { LogWrites::Written });
                engine.write_memory_bytes = Some(if is_store { bytes } else { 128 * MIB });
            }
        }
    };
    let of = |change: &dyn Fn(&mut Run)| {
        let mut run = alike().run();
        change(&mut run);
        verdict(&run)
    };
    let unlike = of(&change(LogWrites::Mapped, 256 * MIB));
    let audit = same_knobs(&unlike);
    assert_eq!((audit.status, audit.evidence.len()), (Status::Warn, 1), "{audit:?}");
    let knobs = [
        UnlikeKnob::Log([LogWrites::Mapped, LogWrites::Written]),
        UnlikeKnob::WriteMemory([256 * MIB, 128 * MIB]),
    ];
    let knobs = knobs.map(|knob| knob.to_string()).join("; ");
    assert_eq!(audit.evidence[0].rsplit_once(": ").unwrap().1, format!("{knobs}."));
    assert!(unlike.findings.iter().all(|finding| finding.answer() == Answer::Different));
    let like = of(&change(LogWrites::Written, 128 * MIB));
    assert_eq!(same_knobs(&like).status, Status::Pass);
}
