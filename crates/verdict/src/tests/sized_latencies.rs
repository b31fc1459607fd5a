//! Latencies by the size of what operations moved.

use crate::study::Plots;
use crate::verdict::SizedLatency;
use model::mechanism::Measured;
use model::trial::SizeClass;
use synthetic::Synthetic;

/// Small and large gets in every trial, and so few of the large ones in one of six that their p99 is not known.
fn mixed() -> Synthetic {
    Synthetic::device().rounds(6).scatter(0.0).edit(|record| {
        let class = |bytes_max, operations, us: f64, p99_us| SizeClass {
            operation: "get".to_owned(),
            bytes_max,
            operations,
            mean_us: us,
            p50_us: Measured::Value(us),
            p99_us,
            max_us: 2.0 * us,
        };
        let few = Measured::unsupported("900 operations; this quantile needs 1000");
        let p99_us = if record.key.round == 3 { few } else { Measured::Value(9000.0) };
        let phase = &mut record.measurement.as_mut().unwrap().phases[0];
        phase.size_classes = vec![
            class(Some(16 << 10), 5000, 100.0, Measured::Value(300.0)),
            class(None, 1000, 4000.0, p99_us),
        ];
    })
}

#[test]
fn each_class_has_its_means_over_trials() {
    let synthetic = mixed();
    let study = super::study(&synthetic);
    assert_eq!(study.sized_latencies.len(), 2 * study.cells.len());
    let [small, large, ..] = &study.sized_latencies[..] else { panic!("two classes") };
    let of = |sized: &SizedLatency| (sized.configuration, sized.bytes_max, sized.operations);
    assert_eq!((of(small), of(large)), ((0, Some(16 << 10), 30_000), (0, None, 6000)));
    let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-9;
    assert!(near(small.p50_us.point, 100.0) && near(small.p99_us.point, 300.0));
    assert!(near(large.mean_us.point, 4000.0));
    assert!(large.p99_us.point.is_none() && large.p99_us.reason.as_deref().unwrap().contains("5 of 6"));
    let parts = |synthetic: &Synthetic| {
        super::study(synthetic).section(&synthetic.run(), 0, Plots::none()).sections.len()
    };
    assert_eq!(parts(&synthetic), parts(&Synthetic::device().rounds(6).scatter(0.0)) + 1);
}
