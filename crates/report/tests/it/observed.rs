//! What was observed of a database, as a page: drawings, and names that are text.

use crate::outline::outline;
use model::traced::{Segment, Stage};
use observe::layout::Role;
use observe::{
    AgainstRun, Class, ClassFigures, ClassOverTime, DeviceFigures, DiskFigure, Explanation, FileFigures,
    Latency, LatencyBin, Lost, MissingTracepoint, NotSeen, Observation, OverTime, Part, Recording,
    RoleFigures, SizeFigures, Spike, SpikeFigures, SyncFigures, Writer,
};
use scraper::{Html, Selector};

fn parts(shares: &[(Stage, bool, f64)], mean_us: f64) -> Vec<Part> {
    let part = |(stage, journal, share): &(Stage, bool, f64)| Part {
        segment: Segment { stage: *stage, journal: *journal },
        mean_us: mean_us * share,
        share: *share,
    };
    shares.iter().map(part).collect()
}

fn class(class: Class, rate: f64, bytes: u64, [p50, p99, max]: [f64; 3]) -> ClassFigures {
    // A hump around the median, and a tail.
    let bin = |place: u32| {
        let from_us = p50 * 10_f64.powf((f64::from(place) - 4.0) / 10.0);
        let operations = (1000.0 / (1.0 + (f64::from(place) - 4.0).powi(2))) as u64;
        LatencyBin { from_us, to_us: from_us * 10_f64.powf(0.1), operations }
    };
    ClassFigures {
        class,
        operations: (rate * 60.0) as u64,
        seen_share: if class == Class::Sync { 1.0 } else { 0.05 },
        operations_per_s: rate,
        operations_per_s_interval: (class == Class::Read).then_some((rate * 0.9, rate * 1.1)),
        bytes_per_s: rate * bytes as f64,
        sizes: if bytes > 0 { vec![SizeFigures { bytes, share: 0.99 }] } else { Vec::new() },
        sequential_share: (bytes > 0).then_some(0.369),
        depth_by_littles_law: 0.73,
        depth_counted: 0.732,
        depth_max: 4,
        busy_share: 0.6,
        direct_share: 0.0,
        failed: 0,
        latency: Some(Latency { mean_us: p50 * 1.2, p50_us: Some(p50), p99_us: Some(p99), max_us: max }),
        latency_bins: (0..12).map(bin).collect(),
    }
}

fn spike(at_s: f64, latency_us: f64, class: Class, name: &str) -> Spike {
    Spike {
        at_s,
        class,
        process: 12_471,
        name: name.to_owned(),
        path: format!("/data/pg_wal/{name}"),
        bytes: 0,
        latency_us,
        parts: parts(&[(Stage::Queue, true, 0.938), (Stage::Flush, false, 0.062)], latency_us),
        others: vec![Writer { thread: 14_886, name: name.to_owned(), requests: 93, bytes: 761_856 }],
    }
}

fn missing(name: &str) -> MissingTracepoint {
    MissingTracepoint { tracepoint: name.to_owned(), reason: name.to_owned(), lost: Lost::Calls }
}

fn role(role: Role) -> RoleFigures {
    RoleFigures {
        database: "PostgreSQL".to_owned(),
        role,
        files: 4,
        reads_per_s: 555.0,
        bytes_read_per_s: 4.5e6,
        writes_per_s: 373.0,
        bytes_written_per_s: 3.0e6,
        syncs_per_s: 207.0,
    }
}

fn file(name: &str) -> FileFigures {
    FileFigures {
        path: format!("/data/base/{name}"),
        database: "PostgreSQL".to_owned(),
        role: Role::Data,
        direct: false,
        reads: 1_665,
        reads_per_s: 555.0,
        bytes_read: 1 << 24,
        writes: 1_119,
        writes_per_s: 373.0,
        bytes_written: 1 << 23,
        bytes_written_per_s: 3.0e6,
        syncs: 0,
        syncs_per_s: 0.0,
    }
}

/// An observation whose untrusted names contain this one.
pub(crate) fn observation(name: &str) -> Observation {
    let sync = [
        (Stage::FileSystem, false, 0.02),
        (Stage::Device, false, 0.165),
        (Stage::Device, true, 0.109),
        (Stage::Flush, false, 0.4),
        (Stage::RunQueue, false, 0.306),
    ];
    let explanation = |class: Class, mean_us: f64| Explanation {
        class,
        operations: 400,
        mean_us,
        parts: parts(&sync, mean_us),
        slowest_operations: 4,
        slowest_mean_us: mean_us * 9.0,
        slowest_parts: parts(&[(Stage::RunQueue, false, 0.7), (Stage::Queue, true, 0.3)], mean_us * 9.0),
    };
    let wave = |most: f64| {
        let rate = |slot: i32| most * (0.6 + 0.4 * f64::from(slot % 40) / 40.0);
        (0..240).map(|slot| (slot % 20 == 0 || most < 300.0).then(|| rate(slot))).collect()
    };
    let over_time = |class: Class, most: f64| ClassOverTime {
        class,
        operations_per_s: wave(most),
        bytes_per_s: wave(most * 8192.0),
    };
    let device = DeviceFigures {
        disk: name.to_owned(),
        requests: "writes".to_owned(),
        requests_per_s: 640.0,
        bytes_per_s: 9e6,
        sizes: vec![SizeFigures { bytes: 8192, share: 0.7 }],
        sequential_share: Some(0.4),
        depth_by_littles_law: 0.5,
        depth_counted: 0.5,
        depth_max: 9,
        busy_share: 0.4,
        latency: None,
    };
    let spikes =
        [(8.15, 124_000.0, Class::Sync), (9.0, 50_100.0, Class::Read), (31.0, 61_000.0, Class::Sync)];
    Observation {
        target: format!("process 4242 ({name})"),
        duration_s: 60.05,
        recording: Recording { windows: Some(12), seconds: 3.0, share: 0.05 },
        processes: 9,
        databases: vec![("PostgreSQL".to_owned(), format!("/{name}"))],
        classes: vec![
            class(Class::Read, 555.0, 8192, [5.98, 5460.0, 62_300.0]),
            class(Class::Write, 584.0, 8192, [4.08, 35.1, 376.0]),
            class(Class::Sync, 207.0, 0, [2170.0, 17_800.0, 124_000.0]),
        ],
        syncs: SyncFigures {
            log_bytes_between_mean: Some(28_262.0),
            log_writes_between_mean: Some(1.02),
            ..SyncFigures::default()
        },
        streams: Vec::new(),
        roles: vec![role(Role::Log), role(Role::Data)],
        files: vec![file(name)],
        over_time: OverTime {
            slot_s: 0.25,
            classes: vec![
                over_time(Class::Read, 900.0),
                over_time(Class::Write, 700.0),
                over_time(Class::Sync, 250.0),
            ],
        },
        explanations: vec![explanation(Class::Read, 323.0), explanation(Class::Sync, 3530.0)],
        devices: vec![device],
        spikes: Some(SpikeFigures {
            threshold_us: 50_000.0,
            seen: 3,
            slowest: spikes.map(|(at_s, latency_us, class)| spike(at_s, latency_us, class, name)).to_vec(),
        }),
        against: Some(AgainstRun {
            run: name.to_owned(),
            place: name.to_owned(),
            commits_per_s: Some(DiskFigure { mean: 1200.0, interval: Some((1100.0, 1300.0)) }),
            withheld_by: Vec::new(),
            commit_latency_p99_us: None,
        }),
        not_seen: NotSeen { missing_tracepoints: vec![missing(name)], ..NotSeen::default() },
    }
}

fn page(name: &str) -> String {
    report::page(&observation(name).document(None))
}

#[test]
fn page_of_an_observation() {
    insta::assert_snapshot!(outline(&page("orders")));
}

#[test]
fn the_page_is_well_formed_and_offline_and_draws_each_part() {
    let text = page("orders");
    for scheme in ["http://", "https://", "@import", "fetch(", "<script"] {
        assert!(!text.contains(scheme), "{scheme}");
    }
    let page = Html::parse_document(&text);
    assert_eq!(page.errors, Vec::<String>::new());
    let count = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    assert_eq!(
        (count("#operations .lanes > svg"), count("#over-time .lanes > svg")),
        (4, 4),
        "three rows and an axis"
    );
    assert_eq!(count("#over-time circle"), 3);
    assert_eq!(count("#waterfall .pairs svg"), 4, "reads and syncs, mean and tail");
    assert_eq!(count("#spikes .lanes > svg circle"), 3);
    assert_eq!(count("[role=img]:not([aria-label])"), 0);
    for target in page.select(&Selector::parse("nav a[href]").unwrap()) {
        let target = target.value().attr("href").unwrap();
        assert!(page.select(&Selector::parse(target).unwrap()).next().is_some(), "{target}");
    }
}

#[test]
fn every_mark_lies_inside_its_drawing() {
    let page = Html::parse_document(&page("orders"));
    let marks =
        Selector::parse(".lanes :is(rect, circle, line, text), .waterfall .pairs :is(rect, text)").unwrap();
    let mut looked_at = 0;
    for mark in page.select(&marks) {
        let places = ["x", "x1", "x2", "cx", "width"].into_iter().filter_map(|name| mark.value().attr(name));
        for place in places.filter_map(|place| place.strip_suffix('%')) {
            let place: f64 = place.parse().unwrap();
            assert!((0.0..=100.0).contains(&place), "{}", mark.html());
            looked_at += 1;
        }
    }
    assert!(looked_at > 80, "{looked_at}");
}

#[test]
fn names_stay_text_in_every_form() {
    let hostile =
        "</td></title></svg><script>alert(1)</script>\u{1b}]0;owned\u{7}\u{202e}\u{2066}\r\n|`[x](y)";
    let seen = observation(hostile).document(None);
    let (text, html) = (page::terminal::document(&seen, 110, false), report::page(&seen));
    let markdown = page::markdown::document(&seen);
    for shown in [&text, &html, &markdown] {
        assert!(shown.chars().all(|c| c == '\n' || model::printable::is_printable(c)), "{shown}");
    }
    let parsed = Html::parse_document(&html);
    assert_eq!(parsed.errors, Vec::<String>::new());
    assert_eq!(parsed.select(&Selector::parse("script").unwrap()).count(), 0);
    assert!(!markdown.contains("<script>") && !markdown.contains("[x](y)"), "{markdown}");
    assert!(!markdown.contains("<svg") && !text.contains("<svg"));
}
