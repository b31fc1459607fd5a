//! What is typed as a value: sizes, durations, levels of parameters, limits, places of datasets.

use super::refusal::says_something;
use dataset::Target;
use model::Value;
use model::units;
use verdict::compare::Gate;
use workload::SCHEMAS;

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().map(str::trim)
}

/// What is read is written so that it is read as the same again.
pub(super) fn quantity(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(size) = units::parse_bytes(text) {
        assert_eq!(units::parse_bytes(&units::format_bytes(size)), Some(size), "{text}");
    }
    if let Some(duration) = units::parse_duration(text) {
        assert_eq!(units::parse_duration(&units::format_duration(duration)), Some(duration), "{text}");
    }
    if let Ok(size) = fio::quantity::parse_size(text) {
        assert_eq!(fio::quantity::parse_size(&fio::quantity::format_size(size)), Ok(size), "{text}");
    }
    if let Ok(time) = fio::quantity::parse_time(text) {
        let written = fio::quantity::format_time(time);
        assert_eq!(written.map(|written| fio::quantity::parse_time(&written)), Some(Ok(time)), "{text}");
    }
    let _ = (fio::quantity::parse_count(text), fio::quantity::parse_switch(text));
    let value = Value::from_canonical(text);
    assert_eq!(Value::from_canonical(&value.to_string()), value, "{text}");
}

pub(super) fn level(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for parameter in SCHEMAS.iter().flat_map(|schema| schema.all()) {
        match parameter.parse(text) {
            Ok(value) => {
                assert_eq!(parameter.parse(&value.to_string()), Ok(value), "{}: {text}", parameter.name);
            }
            Err(error) => says_something(error),
        }
    }
}

/// `--fail-if`.
pub(super) fn limit(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let measured = ["commits_per_s", "commit_latency_p50_us", "commit_latency_p99_us"].map(str::to_owned);
    match Gate::parse(text, &measured, "both runs") {
        Ok(gate) => assert!(measured.contains(&gate.metric), "{gate:?}"),
        Err(error) => says_something(error),
    }
}

/// The parameter `target` of `scan`.
pub(super) fn target(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(error) = Target::parse(text) {
        says_something(error);
    }
}
