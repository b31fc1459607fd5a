//! Whatever is typed or found in a file: a value or one clear error, never a panic; what was written is read back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use model::parameter::{Parameter, ParameterKind};
use model::study::Study;
use model::trial::{TrialRecord, WorkerRequest};
use model::{Nanos, Value, units};
use proptest::prelude::*;

const KINDS: &[ParameterKind] = &[
    ParameterKind::Bytes { min: 512, max: 1 << 40 },
    ParameterKind::Count { min: 1, max: 256 },
    ParameterKind::Duration,
    ParameterKind::Choice(&["buffered", "direct"]),
    ParameterKind::Flag,
    ParameterKind::Cap,
    ParameterKind::Endpoints,
    ParameterKind::FileSystem,
    ParameterKind::IoCap,
    ParameterKind::Settings,
    ParameterKind::Shares(&["get", "put"]),
    ParameterKind::Sizes,
    ParameterKind::Teams,
    ParameterKind::Zones,
    ParameterKind::OptionalCount { max: 64 },
    ParameterKind::ReadSize { max: 1 << 20 },
    ParameterKind::Name,
];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..1_u64 << 50).prop_map(Value::Bytes),
        any::<u64>().prop_map(Value::Count),
        (0..1_u64 << 52).prop_map(|nanos| Value::Duration(Nanos(nanos))),
        (0_u32..100_000).prop_map(|percent| Value::Percent(f64::from(percent) / 8.0)),
        any::<bool>().prop_map(Value::Flag),
        "[a-z_]{1,12}".prop_map(Value::Name),
    ]
}

/// A study file with pieces swapped for others: most are wrong, some in ways nobody thought of.
fn almost_a_study() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "question = \"?\"",
        "workload = \"commit\"",
        "[factors]",
        "mode = [\"buffered\", \"direct\"]",
        "[[ask]]",
        "compare = \"mode\"",
        "on = [\"commits_per_s\"]",
        "on = []",
        "[profile.quick]",
        "rounds = 6",
        "rounds = -1",
        "[fixed]",
        "a = { b = 1 }",
        "[[arm]]",
        "name = \"x\"",
        "crossover = \"mode\"",
        "limit = 1e400",
        "= =",
        "[",
        "\u{0}",
        "factors.mode = [1]",
        "baseline = { mode = 3 }",
        "exclude = 7",
    ]);
    prop::collection::vec(pieces, 0..14).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in value()) {
        let json = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
    }

    #[test]
    fn sizes_and_durations_are_read_back(number in 0..1_u64 << 52) {
        prop_assert_eq!(units::parse_bytes(&units::format_bytes(number)), Some(number));
        prop_assert_eq!(units::parse_duration(&units::format_duration(Nanos(number))), Some(Nanos(number)));
    }

    #[test]
    fn any_level_is_a_value_or_one_line(text in "\\PC{0,24}|[0-9.]{1,30}[kmgtKMGTiBs%]{0,3}") {
        for kind in KINDS {
            let parameter = Parameter { name: "x", kind: *kind, default: "", help: "" };
            match parameter.parse(&text) {
                // What a level is read as is written so that it is read as the same again.
                Ok(value) => prop_assert_eq!(parameter.parse(&value.to_string()), Ok(value)),
                Err(message) => prop_assert!(!message.is_empty()),
            }
        }
    }

    #[test]
    fn any_study_file_is_a_study_or_one_line(text in almost_a_study()) {
        if let Err(error) = Study::parse("x", &text) {
            prop_assert!(error.to_string().starts_with("study x: ") && !error.to_string().contains('\n'));
        }
    }

    #[test]
    fn any_line_is_a_record_or_an_error(text in "\\PC{0,200}|\\{\"(study|round|trial|prepare)\":.{0,80}\\}") {
        let _ = serde_json::from_str::<TrialRecord>(&text);
        let _ = serde_json::from_str::<WorkerRequest>(&text);
    }
}
