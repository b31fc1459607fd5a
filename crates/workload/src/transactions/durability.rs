//! What an acknowledged transaction survives under a server's settings.

use model::{DurabilityClass, Script};

/// The class under these settings; one that is not among them has its default. Reads have nothing to lose and count as
/// writes without a sync.
///
/// PostgreSQL's manual, "Write Ahead Log": with `synchronous_commit = off` the server acknowledges before it has
/// written the log, so what a killed server had not written is lost. Without `fsync` the log is in the kernel's memory.
/// Without `full_page_writes` a page that was half written at a power loss cannot be repaired.
pub fn durability<'a>(script: Script, setting: impl Fn(&str) -> Option<&'a str>) -> DurabilityClass {
    let is_off = |name| setting(name).is_some_and(is_off);
    if !script.writes() {
        DurabilityClass::Process
    } else if is_off("synchronous_commit") {
        DurabilityClass::None
    } else if is_off("fsync") || is_off("full_page_writes") {
        DurabilityClass::Process
    } else {
        DurabilityClass::Power
    }
}

/// Whether a value means off: PostgreSQL takes any unambiguous beginning of a Boolean's names.
fn is_off(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    let begins = |name: &str, letters_min: usize| value.len() >= letters_min && name.starts_with(&value);
    value == "0" || begins("off", 2) || begins("false", 1) || begins("no", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_decide_what_a_commit_survives() {
        for (name, value, class) in [
            ("synchronous_commit", "off", DurabilityClass::None),
            ("synchronous_commit", "local", DurabilityClass::Power),
            ("synchronous_commit", "on", DurabilityClass::Power),
            ("fsync", "No", DurabilityClass::Process),
            ("fsync", "0", DurabilityClass::Process),
            ("fsync", "true", DurabilityClass::Power),
            ("full_page_writes", "f", DurabilityClass::Process),
            ("wal_sync_method", "open_datasync", DurabilityClass::Power),
        ] {
            let found = |script| durability(script, |asked| (asked == name).then_some(value));
            assert_eq!(found(Script::Insert), class, "{name} = {value}");
            assert_eq!(found(Script::SelectOnly), DurabilityClass::Process, "{name} = {value}");
        }
    }
}
