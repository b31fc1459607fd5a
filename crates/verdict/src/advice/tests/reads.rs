//! Page costs, depth, temporary buffers, data loaders.

use super::{advised, measure, names, ruling, silent};
use crate::advice::{Ruling, Why};
use crate::synthetic::{Synthetic, ask, name};
use model::Value;
use model::study::AskKind;
use model::trial::TrialRecord;
use model::units::MIB;

const CONF: &str = "postgresql.conf";

/// Random reads cost `cold` and `cached` times what reads in order do, with nothing and nine tenths cached.
fn page_cost(cold: f64, cached: f64) -> Synthetic {
    Synthetic::device()
        .vary("mode", names(&["buffered"]))
        .vary("rw", names(&["read", "randread"]))
        .vary("cached_percentage", vec![Value::Count(0), Value::Count(90)])
        .fix("bs", Value::Bytes(8192))
        .fix("iodepth", Value::Count(1))
        .fix("numjobs", Value::Count(1))
        .fix("ioengine", name("psync"))
        .edit(move |record| {
            let share = record.values.count("cached_percentage").unwrap();
            let cost = match (record.values.is("rw", "randread"), share) {
                (false, _) => 1.0,
                (true, 0) => cold,
                (true, _) => cached,
            };
            measure(record, "completion_latency_mean_us", 50.0 * cost * jitter(record));
            measure(record, "in_flight_mean", 1.0);
            let iops = 1e6 / (50.0 * cost);
            measure(record, "iops", iops);
        })
}

/// A few percent up and down by round and configuration.
fn jitter(record: &TrialRecord) -> f64 {
    1.0 + 0.01
        * f64::from(record.key.round % 3)
        * if record.key.configuration.is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[test]
fn a_random_page_costs_what_it_costs_with_nine_tenths_cached() {
    let ruling = ruling(&page_cost(30.0, 4.0), CONF, "random_page_cost");
    let Ruling::Advised(found) = ruling else { panic!("{ruling:?}") };
    let value: f64 = found.value.parse().unwrap();
    let raw: f64 = found.alternatives[0].value.parse().unwrap();
    assert!((value / 4.0 - 1.0).abs() < 0.05 && (raw / 30.0 - 1.0).abs() < 0.05, "{value} {raw}");
    let (low, high) = found.estimate.unwrap().interval.unwrap();
    assert!(low - 0.01 < value && value < high + 0.01, "{low} {value} {high}");
    advised(&page_cost(1.0, 0.5), CONF, "random_page_cost", "1.00");
}

#[test]
fn a_cost_that_may_be_twice_as_high_is_none() {
    let wide = page_cost(30.0, 4.0).edit(|record| {
        if record.values.is("rw", "randread") {
            let factor = if record.key.round.is_multiple_of(2) { 0.4 } else { 2.5 };
            measure(record, "completion_latency_mean_us", 200.0 * factor);
        }
    });
    silent(&wide, CONF, "random_page_cost", Why::Undecided, "an interval that wide decides no plan");
}

fn depths(rate: impl Fn(f64) -> f64 + 'static) -> Synthetic {
    Synthetic::device()
        .vary("mode", names(&["direct"]))
        .vary("iodepth", [1, 4, 16, 64].map(Value::Count).to_vec())
        .asks(vec![ask(AskKind::Knee, "iodepth", &["iops"])])
        .rate(move |values, _| rate(values.count("iodepth").unwrap() as f64))
}

#[test]
fn as_many_reads_in_flight_as_the_disk_needs() {
    let found = depths(|depth| 1000.0 * depth.min(16.0));
    for setting in ["effective_io_concurrency", "maintenance_io_concurrency"] {
        let advice = advised(&found, CONF, setting, "16");
        assert_eq!(advice.grounds[0].finding, "knee iodepth, iodepth 1 to 64");
        assert!(advice.statement.contains("of the best depth's IOPS"), "{}", advice.statement);
    }
    let few = depths(|depth| 1000.0 * depth.min(16.0)).rounds(3);
    assert!(matches!(ruling(&few, CONF, "effective_io_concurrency"), Ruling::Silent(_)));
}

fn tables(subject: &str, enough: f64) -> Synthetic {
    let rooms = [1.0, 1.05, 1.1].map(Value::Number).to_vec();
    Synthetic::pool().fix("subject", name(subject)).vary("headroom", rooms).edit(move |record| {
        let headroom = record.values.number("headroom").unwrap();
        measure(record, "second_read_hit_share", if headroom >= enough { 1.0 } else { 0.02 });
    })
}

#[test]
fn temporary_tables_need_room_for_their_maps() {
    let advice = ruling(&tables("postgres", 1.05), CONF, "temp_buffers");
    let Ruling::Advised(found) = advice else { panic!("{advice:?}") };
    assert!(found.value.starts_with("1.05 ×") && !found.loadable, "{found:?}");
    silent(
        &tables("postgres", 2.0),
        CONF,
        "temp_buffers",
        Why::Undecided,
        "did not fit at the largest headroom",
    );
    silent(&tables("ours", 1.05), CONF, "temp_buffers", Why::NotMeasured, "subject = postgres");
    let few = tables("postgres", 1.05).rounds(3);
    silent(&few, CONF, "temp_buffers", Why::Undecided, "fewer than 6 rounds");
}

fn loads(rate: impl Fn(u64, bool) -> f64 + 'static) -> Synthetic {
    Synthetic::scan()
        .vary("block_size", [256 << 10, MIB].map(Value::Bytes).to_vec())
        .vary("page_cache", names(&["dontneed", "sequential"]))
        .edit(move |record| {
            let bytes = record.values.bytes("block_size").unwrap();
            let rate = rate(bytes, record.values.is("page_cache", "sequential"));
            measure(record, "bandwidth_bytes_per_s", rate * jitter(record));
        })
}

#[test]
fn a_loader_reads_as_the_fastest_arm_does() {
    const FILE: &str = "data-loader.txt";
    let clear = || loads(|bytes, sequential| bytes as f64 * if sequential { 3.0 } else { 1.0 });
    let size = advised(&clear(), FILE, "block_size", "1MiB");
    assert_eq!(size.grounds.len(), 3);
    advised(&clear(), FILE, "page_cache", "sequential");
    let noisy = loads(|_, _| 1e9).edit(|record| {
        let factor = 1.0 + 0.2 * f64::from((record.key.round + record.key.configuration as u32) % 2);
        measure(record, "bandwidth_bytes_per_s", 1e9 * factor);
    });
    silent(&noisy, FILE, "block_size", Why::Undecided, "neither a difference nor equality is proven");
}
