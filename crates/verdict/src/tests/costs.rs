//! What the operations of a study on an object store cost.

use crate::study::Plots;
use crate::verdict::StudyVerdict;
use model::mechanism::Measured;
use synthetic::Synthetic;

/// 1,000 operations a second: half gets of 1 MiB, half puts in three parts; the second round repeated every get.
fn of_store() -> Synthetic {
    Synthetic::device().rounds(6).scatter(0.0).edit(|record| {
        let reads = if record.key.round == 1 { 1.0 } else { 0.5 };
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        for (name, figure) in [
            ("write_requests_per_operation", 2.5),
            ("list_requests_per_operation", 0.0),
            ("read_requests_per_operation", reads),
            ("delete_requests_per_operation", 0.0),
            ("object_operations_per_s", 1000.0),
            ("object_read_bytes_per_s", 500.0 * 1_048_576.0),
        ] {
            metrics.insert(name.to_owned(), Measured::Value(figure));
        }
    })
}

#[test]
fn costs_follow_from_requests_and_bytes_with_the_repeated_ones() {
    let study: StudyVerdict = super::study(&of_store());
    assert_eq!(study.costs.len(), study.cells.len());
    let cost = &study.costs[0];
    let close = |found: Option<f64>, expected: f64| {
        assert!((found.unwrap() / expected - 1.0).abs() < 1e-9, "{found:?} {expected}");
    };
    let reads = (5.0 * 0.5 + 1.0) / 6.0;
    close(cost.reads.point, reads);
    assert!(cost.reads.interval.is_some_and(|(low, high)| low < reads && reads < high));
    close(cost.bytes_out.point, 524_288.0);
    let s3 = cost.by_store.iter().find(|of| of.store == "AWS S3").unwrap();
    let usd = 2.5 * 5.0 + reads * 0.4;
    close(s3.usd_per_million.point, usd);
    close(s3.usd_per_million_to_internet.point, usd + 1e6 / 2048.0 * 0.09);
    close(s3.usd_per_hour.point, usd * 3.6);
    let r2 = cost.by_store.iter().find(|of| of.store == "Cloudflare R2").unwrap();
    close(r2.usd_per_million_to_internet.point, r2.usd_per_million.point.unwrap());
}

#[test]
fn files_cost_nothing_and_have_no_section() {
    let parts = |study: &StudyVerdict, synthetic: &Synthetic| {
        study.section(&synthetic.run(), 0, Plots::none()).sections.len()
    };
    let (store, files) = (of_store(), Synthetic::device().rounds(6).scatter(0.0));
    let (of_store, of_files) = (super::study(&store), super::study(&files));
    assert!(of_files.costs.is_empty());
    assert_eq!(parts(&of_store, &store), parts(&of_files, &files) + 1);
}
