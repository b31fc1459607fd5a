//! How large tables are, and what the machine does not let be measured.

use super::made_up::{changes, design};
use crate::{Asked, Database, Design, Limits, Load, NamedServer, Obstacle, Server, next};
use model::Script;
use model::plan::{Resource, Shortage};
use std::convert::Infallible;

const GIB: u64 = 1 << 30;

fn with(settings: &[(&str, &str)]) -> Server {
    Server::default().with_all(&changes(settings))
}

/// The scale of each load, by its name.
fn scales(design: &Design) -> Vec<(String, String)> {
    let studies = next(design, &[]).unwrap().studies(design);
    studies.into_iter().map(|study| (study.name, study.fixed["scale"].clone())).collect()
}

fn named(scales: &[(&str, &str)]) -> Vec<(String, String)> {
    scales.iter().map(|(load, scale)| ((*load).to_owned(), (*scale).to_owned())).collect()
}

#[test]
fn the_largest_pool_of_any_arm_counts_in_every_way_to_ask() {
    let large = ("shared_buffers", "8GB");
    let small = ("shared_buffers", "1GB");
    let pool = |design: Design| design.conditions().pool_bytes;
    let asked = |pairs: &[(&str, &str)]| Asked::Changes(changes(pairs));
    assert_eq!(pool(design(asked(&[("commit_delay", "10")]))), GIB / 8, "the default");
    assert_eq!(pool(design(asked(&[large]))), 8 * GIB);
    assert_eq!(pool(Design { current: with(&[large]), ..design(asked(&[small])) }), 8 * GIB);
    assert_eq!(pool(design(Asked::Race(changes(&[small, large])))), 8 * GIB);
    let servers = |of: &[(&str, &str)]| {
        Asked::Servers(vec![NamedServer { name: "other".to_owned(), server: with(of) }])
    };
    assert_eq!(pool(design(servers(&[large]))), 8 * GIB);
    let users_server = Some(std::collections::BTreeMap::new());
    assert_eq!(pool(Design { users_server, ..design(asked(&[large])) }), GIB / 8);
    for id in ["mariadb", "rocksdb"] {
        let database = Database::named(id).unwrap();
        assert_eq!(pool(Design { database, ..design(asked(&[large])) }), 0, "every arm has the same pool");
    }
}

/// With the user's `shared_buffers = 8GB`, tables of 150 MB were in memory, and nothing read or wrote a page.
#[test]
fn tables_follow_from_the_pool_where_a_load_reads_or_writes_pages() {
    let asked = Asked::Changes(changes(&[
        ("wal_sync_method", "open_datasync"),
        ("wal_compression", "pglz"),
        ("random_page_cost", "1.1"),
        ("effective_io_concurrency", "64"),
        ("huge_pages", "on"),
    ]));
    let of = |settings: &[(&str, &str)]| scales(&Design { current: with(settings), ..design(asked.clone()) });
    let expected = |beyond: &str| {
        named(&[
            ("insert-1", "1"),
            ("simple_update-8", "2"),
            ("insert-32", "1"),
            ("simple_update-8-cycle", beyond),
            ("queries-1", beyond),
            // Its buffers are its own in every arm.
            ("sequential_scan-1", "20"),
            ("index_scan-1", "20"),
            ("large_index_scan-1", "20"),
            ("small_sequential_scan-1", "20"),
            ("tpcb_like-8", beyond),
        ])
    };
    assert_eq!(of(&[]), expected("10"));
    assert_eq!(of(&[("shared_buffers", "8GB")]), expected("615"));
}

/// What fits into a machine with this much room, if tables, their copies and the rest take four times the tables.
fn fitting(design: Design, room_mib: u64) -> Design {
    let limits = |design: &Design| {
        let mut limits = Limits::default();
        let stage = next(design, &[]);
        let studies = stage.iter().flat_map(|stage| stage.studies.iter().zip(stage.studies(design)));
        for (study, planned) in studies {
            let needed = planned.fixed["scale"].parse::<u64>().unwrap() * 15 * 4;
            if needed > room_mib {
                let obstacle =
                    Obstacle::Shortage(Shortage { short: Resource::Room, needed, available: room_mib });
                limits.of_each_load.extend(study.loads.iter().map(|load| (*load, obstacle.clone())));
            }
        }
        Ok::<Limits, Infallible>(limits)
    };
    let Ok(fitting) = design.fitting(limits);
    fitting
}

fn needed(design: &Design) -> Vec<u64> {
    let scales = if design.has_question() { scales(design) } else { Vec::new() };
    scales.into_iter().map(|(_, scale)| scale.parse::<u64>().unwrap() * 15 * 4).collect()
}

#[test]
fn loads_without_room_are_left_out_and_each_line_says_what_lacks() {
    let all = || {
        design(Asked::Changes(changes(&[
            ("wal_sync_method", "open_datasync"),
            ("random_page_cost", "1.1"),
            ("effective_io_concurrency", "64"),
        ])))
    };
    let mut loads_before = 0;
    for room_mib in [0, 59, 60, 119, 120, 599, 600, 1199, 1200, 100_000] {
        let left = fitting(all(), room_mib);
        assert!(needed(&left).iter().all(|needed| *needed <= room_mib), "never above the bound");
        assert!(needed(&left).len() >= loads_before, "more room never leaves more out");
        loads_before = needed(&left).len();
        for found in &left.unmeasured {
            let Obstacle::Shortage(Shortage { short: Resource::Room, needed, available }) = found.obstacle
            else {
                panic!("{found:?}")
            };
            assert!(needed > available && available == room_mib && !found.text().is_empty());
        }
        let dropped: usize =
            left.unmeasured.iter().map(|found| found.loads.len() + found.changes.len()).sum();
        assert_eq!(dropped == 0, room_mib >= 1200, "{room_mib}");
        assert_eq!(left.has_question(), room_mib >= 60);
        assert_eq!(Design::parse(left.text().unwrap().as_bytes()).unwrap(), left);
    }
    assert_eq!(loads_before, 8);
}

/// A pool that the machine cannot exceed took every load of reads and plans with it, those of the other changes too.
#[test]
fn a_change_that_asks_for_too_large_a_pool_is_left_out_before_loads_are() {
    let large = ("shared_buffers", "8GB");
    let others = [("random_page_cost", "1.1"), ("commit_delay", "10")];
    let asked = changes(&[large, others[0], others[1]]);
    let left = fitting(design(Asked::Changes(asked.clone())), 2000);
    assert_eq!(left.changes(), changes(&others));
    assert_eq!(left.unmeasured.len(), 1);
    assert_eq!(left.unmeasured[0].changes, changes(&[large]));
    assert!(left.unmeasured[0].loads.is_empty());
    assert_eq!(scales(&left)[0], ("queries-1".to_owned(), "10".to_owned()));
    // A race keeps the candidate that fits.
    let small = ("shared_buffers", "256MB");
    let raced = fitting(design(Asked::Race(changes(&[large, small]))), 2000);
    assert_eq!(raced.changes(), changes(&[small]));
    // What runs now cannot be left out, so the loads are.
    let current = with(&[large]);
    let left = fitting(Design { current, ..design(Asked::Changes(changes(&others))) }, 2000);
    assert_eq!(left.changes(), changes(&others[1..]));
    assert_eq!(left.unmeasured[0].changes, changes(&others[..1]));
    let servers =
        vec![NamedServer { name: "large".to_owned(), server: with(&[large, ("commit_delay", "10")]) }];
    let left = fitting(design(Asked::Servers(servers)), 2000);
    assert_eq!(left.unmeasured[0].loads, [Load::of(Script::TpcbLike, 8)]);
    assert!(left.has_question(), "commits still show the other setting");
    assert_eq!(fitting(design(Asked::Changes(asked.clone())), 1_000_000).changes(), asked);
}
