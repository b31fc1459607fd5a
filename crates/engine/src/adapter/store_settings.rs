//! The store's own options by name: `log.io`, `data.page_bytes`, `compaction.policy`. The names are those of the fields
//! of [`store::Options`](::store::Options), so an option that the store gains is a setting too.

use crate::{EngineError, Options};
use ::store::{IoMode, LogLayout, StoreError};
use model::{DurabilityClass, suggestion, units};
use serde_json::{Value, json};

const ENGINE: &str = "store";
/// The name of the setting that decides which other settings of compaction exist.
const POLICY: &str = "compaction.policy";
/// The value of an option that is left open.
const NONE: &str = "none";
/// Log segments that a memtable fills before it is flushed, as in the store's defaults.
const SEGMENTS_OF_A_MEMTABLE: u64 = 2;
const SEGMENT_BYTES_MIN: u64 = 1 << 20;

/// The store's options for these options of an engine. `can_map_log`: a mapped log that has its blocks does not run out
/// of space here.
///
/// # Errors
/// A setting that the store does not have, or not with this value, or that another option decides.
pub(super) fn options(
    options: &Options,
    durability: DurabilityClass,
    can_map_log: bool,
) -> Result<::store::Options, EngineError> {
    let mut made = given(options, durability, can_map_log);
    // The policy first: it decides which settings of compaction exist.
    let policy = options.settings.iter().filter(|(name, _)| *name == POLICY);
    let others = options.settings.iter().filter(|(name, _)| *name != POLICY);
    for (name, value) in policy.chain(others) {
        if is_decided(name, value, options) {
            let why = "another parameter of the study decides it";
            return Err(refused(name, value, why));
        }
        made = with(&made, name, value)?;
    }
    match made.check() {
        Ok(()) => Ok(made),
        Err(StoreError::Options { option, reason }) => {
            let value = options.settings.get(option).unwrap_or("the default");
            Err(refused(option, value, &reason))
        }
        Err(other) => Err(EngineError::failed(ENGINE, "check its options")(other)),
    }
}

/// The store's defaults, but for what the engine's options say.
fn given(options: &Options, durability: DurabilityClass, can_map_log: bool) -> ::store::Options {
    // A store that is measured and removed does not need to survive a full disk, and what it takes on the disk is a
    // figure.
    let mut made = ::store::Options { durability, reserve_bytes: Some(0), ..::store::Options::default() };
    made.data.io = options.io;
    let is_to_grow = options.settings.get("log.layout") == Some("append");
    (made.log.io, made.log.layout) = match durability {
        // An acknowledged write needs to be in the page cache and no further; `io` is of tables only, as in RocksDB.
        DurabilityClass::Process if can_map_log && !is_to_grow => (IoMode::Mmap, LogLayout::Recycled),
        DurabilityClass::None | DurabilityClass::Process => (IoMode::Buffered, LogLayout::Append),
        DurabilityClass::Power if options.io == IoMode::Direct => (IoMode::Direct, LogLayout::Recycled),
        DurabilityClass::Power => (IoMode::Buffered, LogLayout::Recycled),
    };
    if let Some(bytes) = options.write_buffer_bytes {
        made.memtable_bytes = bytes;
        // A store of small memtables does not take the space of large segments.
        let segment_bytes = (bytes / SEGMENTS_OF_A_MEMTABLE).next_multiple_of(::store::BLOCK_BYTES as u64);
        made.log.segment_bytes = segment_bytes.clamp(SEGMENT_BYTES_MIN, made.log.segment_bytes);
    }
    if let Some(bytes) = options.cache_bytes {
        made.cache_bytes = bytes;
    }
    made.reads.depth = options.reads_in_flight.max(1);
    made
}

/// Whether an option of the engine decides this already: a trial's record would contradict the setting.
fn is_decided(name: &str, value: &str, options: &Options) -> bool {
    match name {
        "durability" | "reads.depth" => true,
        "memtable_bytes" => options.write_buffer_bytes.is_some(),
        "cache_bytes" => options.cache_bytes.is_some(),
        // A buffered store may use the page cache in another way; a direct one does not use it.
        "data.io" => options.io == IoMode::Direct || value == IoMode::Direct.name(),
        _ => false,
    }
}

/// The same options with one more setting, which is read back from them.
fn with(options: &::store::Options, name: &str, value: &str) -> Result<::store::Options, EngineError> {
    let failed = EngineError::failed(ENGINE, "read its options");
    let mut tree = serde_json::to_value(options).map_err(&failed)?;
    let known = names(&tree);
    let wanted = if name == POLICY {
        tree["compaction"] = json!({ "policy": value });
        json!(value)
    } else {
        let option = option_mut(&mut tree, name).ok_or_else(|| {
            refused(name, value, &suggestion::unknown("option", name, known.iter().map(String::as_str)))
        })?;
        *option = parsed(value, option).ok_or_else(|| refused(name, value, &kind(option)))?;
        option.clone()
    };
    let made: ::store::Options =
        serde_json::from_value(tree).map_err(|error| refused(name, value, &error.to_string()))?;
    let mut taken = serde_json::to_value(&made).map_err(&failed)?;
    match option_mut(&mut taken, name) {
        Some(found) if *found == wanted => Ok(made),
        found => Err(refused(
            name,
            value,
            &format!("the store has {}", found.map_or(json!(null), |found| found.clone())),
        )),
    }
}

/// The option of this name; `None` if there is none, or if the name is that of a group.
fn option_mut<'a>(tree: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    let option = tree.pointer_mut(&format!("/{}", name.replace('.', "/")))?;
    (!option.is_object()).then_some(option)
}

fn names(tree: &Value) -> Vec<String> {
    let Value::Object(fields) = tree else { return Vec::new() };
    let below = |(name, value): (&String, &Value)| match value {
        Value::Object(_) => names(value).into_iter().map(|inner| format!("{name}.{inner}")).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            vec![name.clone()]
        }
    };
    fields.iter().flat_map(below).collect()
}

/// The text as a value of the kind that the option has.
fn parsed(text: &str, option: &Value) -> Option<Value> {
    match option {
        Value::Bool(_) => match text {
            "true" | "on" => Some(json!(true)),
            "false" | "off" => Some(json!(false)),
            _ => None,
        },
        Value::Number(number) if number.is_f64() => text.parse::<f64>().ok().map(|number| json!(number)),
        Value::Number(_) => {
            text.parse().ok().or_else(|| units::parse_bytes(text)).map(|number: u64| json!(number))
        }
        // An option that may be left open is null until it is set.
        Value::Null if text == NONE => Some(Value::Null),
        Value::String(_) | Value::Null => Some(json!(text)),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// The values that an option can have, as a clause.
fn kind(option: &Value) -> String {
    match option {
        Value::Bool(_) => "it is on or off",
        Value::Number(_) => "it is a number, of bytes also with a unit",
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => "it has no such value",
    }
    .to_owned()
}

fn refused(setting: &str, value: &str, why: &str) -> EngineError {
    EngineError::NativeLevel {
        engine: ENGINE,
        setting: setting.to_owned(),
        value: value.to_owned(),
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::store::{CompactionOptions, FilterKind};
    use model::Settings;

    fn made(change: impl FnOnce(&mut Options), settings: &str) -> Result<::store::Options, EngineError> {
        let mut engine = Options::new("");
        engine.settings = Settings::parse(settings).unwrap();
        change(&mut engine);
        options(&engine, DurabilityClass::Power, true)
    }

    fn refusal(change: impl FnOnce(&mut Options), settings: &str) -> (String, String) {
        match made(change, settings).unwrap_err() {
            EngineError::NativeLevel { setting, why, .. } => (setting, why),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn direct_without_settings_is_the_store_as_it_is() {
        let direct = made(|options| options.io = IoMode::Direct, "none").unwrap();
        let mut defaults = ::store::Options::default();
        defaults.reads.depth = 1;
        defaults.reserve_bytes = Some(0);
        assert_eq!(direct, defaults);
    }

    #[test]
    fn a_log_is_direct_only_if_a_put_waits_for_the_device_and_mapped_only_where_it_can_be() {
        let log = |io, durability, can_map_log| {
            let options = options(&Options { io, ..Options::new("") }, durability, can_map_log).unwrap();
            (options.log.io, options.log.layout)
        };
        let buffered = (IoMode::Buffered, LogLayout::Append);
        for io in [IoMode::Direct, IoMode::Buffered] {
            assert_eq!(log(io, DurabilityClass::None, true), buffered);
            assert_eq!(log(io, DurabilityClass::Process, true), (IoMode::Mmap, LogLayout::Recycled));
            assert_eq!(log(io, DurabilityClass::Process, false), buffered);
            assert_eq!(log(io, DurabilityClass::Power, true), (io, LogLayout::Recycled));
        }
        let mut growing = Options::new("");
        growing.settings = Settings::parse("log.layout = append").unwrap();
        let grows = options(&growing, DurabilityClass::Process, true).unwrap();
        assert_eq!((grows.log.io, grows.log.layout), buffered);
    }

    #[test]
    fn every_option_is_a_setting_by_its_name() {
        let settings = "log.io = dontcache; log.layout = append; data.io = mmap; data.page_bytes = 16KiB; \
                        data.compaction_read_io = dontcache; data.write_depth = 8; reads.verify_checksums = off; \
                        data.filter = fuse8; data.checksums = off; partitions = 1; \
                        compaction.policy = leveled; compaction.size_ratio = 4";
        let made = made(|_| (), settings).unwrap();
        assert_eq!((made.log.io, made.data.io), (IoMode::DontCache, IoMode::Mmap));
        assert_eq!((made.data.compaction_read_io, made.data.write_depth), (Some(IoMode::DontCache), 8));
        assert!(!made.reads.verify_checksums);
        assert_eq!((made.log.layout, made.data.filter), (LogLayout::Append, FilterKind::Fuse8));
        assert_eq!((made.data.page_bytes, made.data.checksums, made.partitions), (16 << 10, false, 1));
        let CompactionOptions::Leveled(levels) = &made.compaction else { panic!("{made:?}") };
        assert_eq!(levels.size_ratio, 4);
        let tree = serde_json::to_value(self::made(|_| (), "none").unwrap()).unwrap();
        for name in names(&tree).iter().filter(|name| *name != "durability" && *name != "reads.depth") {
            let value = tree.pointer(&format!("/{}", name.replace('.', "/"))).unwrap();
            let value = match value {
                Value::Null => NONE.to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let change = |options: &mut Options| options.io = IoMode::Buffered;
            if name != "data.io" {
                self::made(change, &format!("{name} = {value}")).unwrap();
            }
        }
    }

    #[test]
    fn the_wrong_setting_is_named() {
        assert_eq!(refusal(|_| (), "log.layuot = append").0, "log.layuot");
        assert!(refusal(|_| (), "log.layuot = append").1.contains("log.layout"));
        for settings in
            ["log.layout = new", "data.checksums = 2", "partitions = many", "compaction.policy = never"]
        {
            let name = settings.split(' ').next().unwrap();
            assert_eq!(refusal(|_| (), settings).0, name, "{settings}");
        }
        // The store's own check.
        assert_eq!(refusal(|_| (), "data.page_bytes = 5000").0, "data.page_bytes");
        // An option of the other policy.
        assert_eq!(refusal(|_| (), "compaction.level0_runs = 2").0, "compaction.level0_runs");
    }

    #[test]
    fn a_setting_contradicts_no_option_of_the_study() {
        type Change = fn(&mut Options);
        let cases: [(Change, &str); 6] = [
            (|_| (), "durability = none"),
            (|_| (), "reads.depth = 8"),
            (|options| options.write_buffer_bytes = Some(1 << 20), "memtable_bytes = 4MiB"),
            (|options| options.cache_bytes = Some(1 << 20), "cache_bytes = 4MiB"),
            (|options| options.io = IoMode::Direct, "data.io = mmap"),
            (|_| (), "data.io = direct"),
        ];
        for (change, settings) in cases {
            assert!(refusal(change, settings).1.contains("another parameter"), "{settings}");
        }
        assert_eq!(made(|_| (), "memtable_bytes = 4MiB").unwrap().memtable_bytes, 4 << 20);
    }

    #[test]
    fn small_memtables_have_small_segments() {
        let made = |bytes| made(|options| options.write_buffer_bytes = Some(bytes), "none").unwrap();
        assert_eq!(made(8 << 20).log.segment_bytes, 4 << 20);
        assert_eq!(made(1 << 16).log.segment_bytes, 1 << 20);
        assert_eq!(made(1 << 30).log.segment_bytes, 32 << 20);
    }
}
