//! No level is ever taken for another one: a configuration that holds an unknown level is an error that names the
//! workload, the parameter, the level and what is allowed.

use model::parameter::{Parameter, ParameterKind};
use model::{Levels, Schema, TrialParameters, Value};
use workload::SCHEMAS;

const NO_LEVEL: &str = "no_such_level";

/// What reading the defaults says once this parameter has another value, or none.
fn refusal(schema: &'static Schema, parameter: &Parameter, value: Option<Value>) -> String {
    let mut values = schema.defaults();
    values.0.remove(parameter.name);
    values.0.extend(value.map(|value| (parameter.name.to_owned(), value)));
    let trial = TrialParameters::of(&Levels::new(schema.workload(), &values)).map(drop);
    let own = (schema.check)(&values);
    own.and(trial.map_err(|error| error.to_string())).expect_err(parameter.name)
}

/// What a name may be, others decide: an engine, or whether there is such a place; a redacted address is none.
fn takes_any_name(parameter: &Parameter) -> bool {
    matches!(parameter.kind, ParameterKind::Endpoints | ParameterKind::Name | ParameterKind::Place)
}

#[test]
fn an_unknown_level_is_an_error_and_never_another_level() {
    for schema in SCHEMAS {
        for parameter in schema.all().filter(|parameter| !takes_any_name(parameter)) {
            let why = refusal(schema, parameter, Some(Value::Name(NO_LEVEL.to_owned())));
            let (workload, name, allowed) = (schema.workload(), parameter.name, parameter.values());
            assert_eq!(why, format!("{workload}: {name} = \"{NO_LEVEL}\": expected {allowed}"));
        }
    }
}

#[test]
fn a_missing_level_is_an_error_and_never_the_default() {
    for schema in SCHEMAS {
        for parameter in schema.all() {
            let why = refusal(schema, parameter, None);
            let (workload, name, allowed) = (schema.workload(), parameter.name, parameter.values());
            assert_eq!(why, format!("{workload}: {name} is missing: expected {allowed}"));
        }
    }
}

/// A level that the enum has and this workload does not.
#[test]
fn a_level_of_another_workload_is_unknown_too() {
    for (workload, parameter, level) in [
        ("commit", "mode", "mmap"),
        ("commit", "cache", "as_is"),
        ("append", "layout", "fallocated"),
        ("kv", "io", "dontcache"),
    ] {
        let schema = workload::schema(workload).unwrap();
        let parameter = schema.parameter(parameter).unwrap();
        let why = refusal(schema, parameter, Some(Value::Name(level.to_owned())));
        let (name, allowed) = (parameter.name, parameter.values());
        assert_eq!(why, format!("{workload}: {name} = {level:?}: expected {allowed}"));
    }
}

#[test]
fn what_a_plain_file_promises_is_one_of_its_own_levels() {
    let schema = workload::schema("append").unwrap();
    let durability = schema.parameter("durability").unwrap();
    assert_eq!(
        refusal(schema, durability, Some(Value::Name("fdatasink".to_owned()))),
        "append: durability = \"fdatasink\": expected default | none | sync_at_end | fdatasync | o_dsync | o_sync with \
         engine = file; did you mean \"fdatasync\"?"
    );
}

#[test]
fn every_default_is_read() {
    for schema in SCHEMAS {
        let values = schema.defaults();
        assert_eq!((schema.check)(&values), Ok(()), "{}", schema.workload());
        assert!(
            TrialParameters::of(&Levels::new(schema.workload(), &values)).is_ok(),
            "{}",
            schema.workload()
        );
    }
}
