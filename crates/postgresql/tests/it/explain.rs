//! Plans as PostgreSQL 18 and 15 answered them, and plans that nobody answered.

use postgresql::explain::{Blocks, Explained, PlanError, Wal, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

fn held(name: &str) -> Explained {
    let path = format!("{}/tests/explained/{name}.json", env!("CARGO_MANIFEST_DIR"));
    parse(&serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()).unwrap()
}

#[test]
fn a_write_back_is_timed_by_18_and_is_not_by_15() {
    let blocks = Blocks { hit: 0, read: 256, dirtied: 0, written: 128 };
    let new = held("18-write-back");
    assert_eq!((new.local, new.shared), (blocks, Blocks::default()));
    assert_eq!(new.local_times.read_s.value(), Some(&(0.837 / 1e3)));
    assert_eq!(new.local_times.write_s.value(), Some(&(0.253 / 1e3)));
    assert_eq!(new.nodes, ["Aggregate", "Seq Scan"]);
    // 15 says that writing 128 pages took 0 ms: it did not take the time.
    let old = held("15-write-back");
    assert_eq!(old.local, blocks);
    assert_eq!(old.local_times.read_s.value(), Some(&(0.645 / 1e3)));
    let why = "this server does not time the I/O of temporary tables; PostgreSQL does since version 17";
    assert_eq!(old.local_times.write_s.reason(), Some(why));
}

#[test]
fn rows_are_visited_by_their_place() {
    for name in ["18-random-read", "15-random-read"] {
        let explained = held(name);
        assert_eq!(explained.local.read, 128, "{name}");
        assert!(explained.nodes.iter().any(|node| node == "Tid Scan"), "{name}: {:?}", explained.nodes);
        assert!(explained.local_times.read_s.value().is_some(), "{name}");
    }
}

#[test]
fn a_permanent_table_is_logged_whole_after_a_checkpoint() {
    let new = held("18-permanent");
    assert_eq!(new.wal, Some(Wal { records: 256, full_page_images: 128, bytes: 1_044_864 }));
    assert_eq!(new.shared.dirtied, 128);
    assert_eq!(held("15-permanent").wal.unwrap().full_page_images, 128);
}

#[test]
fn what_was_not_timed_is_unsupported_and_never_zero() {
    let why = "the server did not time it: track_io_timing is off, and this user may not turn it on";
    for name in ["18-untimed", "15-untimed"] {
        let explained = held(name);
        for time in [&explained.local_times, &explained.shared_times] {
            for measured in [&time.read_s, &time.write_s] {
                assert_eq!(measured.reason(), Some(why), "{name}");
            }
        }
    }
}

#[test]
fn a_time_of_both_kinds_of_tables_is_nobodys() {
    let mut plan = whole(1, 2, 3, 4);
    plan[0]["Plan"]["I/O Read Time"] = json!(1.5);
    plan[0]["Plan"]["I/O Write Time"] = json!(0.0);
    let explained = parse(&plan).unwrap();
    assert!(explained.local_times.read_s.value().is_none(), "shared blocks were read too");
    assert!(explained.shared_times.read_s.value().is_none(), "local blocks were read too");
}

#[test]
fn what_is_no_plan_is_refused() {
    for text in ["[]", "{}", "null", "[{}]", "[{\"Plan\":3}]", "3"] {
        assert_eq!(parse(&serde_json::from_str(text).unwrap()), Err(PlanError::NoPlan), "{text}");
    }
    let mut plan = whole(1, 2, 3, 4);
    plan[0]["Plan"]["Local Hit Blocks"] = json!(-1);
    assert_eq!(parse(&plan), Err(PlanError::NoNumber("Local Hit Blocks")));
    plan[0].as_object_mut().unwrap().remove("Execution Time");
    plan[0]["Plan"]["Local Hit Blocks"] = json!(1);
    assert_eq!(parse(&plan), Err(PlanError::Missing("Execution Time")));
}

fn whole(hit: u64, read: u64, dirtied: u64, written: u64) -> Value {
    json!([{ "Execution Time": 1.0, "Plan": {
        "Node Type": "Result",
        "Shared Hit Blocks": hit, "Shared Read Blocks": read, "Shared Dirtied Blocks": dirtied,
        "Shared Written Blocks": written,
        "Local Hit Blocks": hit, "Local Read Blocks": read, "Local Dirtied Blocks": dirtied,
        "Local Written Blocks": written,
    }}])
}

/// Any JSON, with the names of a plan among its keys.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let key = prop_oneof![
            Just("Plan".to_owned()),
            Just("Plans".to_owned()),
            Just("Shared Hit Blocks".to_owned()),
            Just("Local I/O Read Time".to_owned()),
            Just("Execution Time".to_owned()),
            "[a-z]{1,4}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn figures_come_back_as_they_were_given(hit in 0u64..1 << 40, read: u32, written: u32, time in 0.0..1e9) {
        let mut plan = whole(hit, u64::from(read), 7, u64::from(written));
        for name in ["Shared I/O Read Time", "Shared I/O Write Time", "Local I/O Read Time", "Local I/O Write Time"] {
            plan[0]["Plan"][name] = json!(time);
        }
        let explained = parse(&plan).unwrap();
        let expected = Blocks { hit, read: u64::from(read), dirtied: 7, written: u64::from(written) };
        prop_assert_eq!((explained.local, explained.shared), (expected, expected));
        prop_assert_eq!(explained.local_times.write_s.value(), Some(&(time / 1e3)));
    }

    #[test]
    fn whatever_is_answered_is_read_or_refused(answer in anything()) {
        // Neither panics nor takes long.
        let _ = parse(&answer);
        let _ = parse(&json!([{ "Plan": answer, "Execution Time": 1 }]));
    }
}
