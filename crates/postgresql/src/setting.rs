//! Whether a setting of a server has the value that was requested: PostgreSQL takes units, rounds, and takes several
//! words for one.

/// A setting as `pg_settings` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    pub name: String,
    /// Its value, in its unit.
    pub setting: String,
    /// Its unit, if it has one: `8kB`, `ms`.
    pub unit: Option<String>,
    /// The kind of value: `bool`, `integer`, `real`, `string`, `enum`.
    pub kind: String,
    /// The same as SHOW prints it.
    pub shown: String,
}

impl InForce {
    /// Whether it has the requested value. A negative number asks the server to choose.
    pub fn agrees_with(&self, requested: &str) -> bool {
        let requested = requested.trim();
        match self.kind.as_str() {
            "bool" => boolean(requested).is_some_and(|value| boolean(&self.setting) == Some(value)),
            "integer" | "real" => {
                let base = self.unit.as_deref().and_then(unit);
                let Some(asked) = quantity(requested, base) else { return false };
                let Some(found) = quantity(&self.setting, base) else { return false };
                asked < 0.0 || (asked - found).abs() <= 1e-9 * asked.abs()
            }
            _ => requested.eq_ignore_ascii_case(&self.setting) || same_boolean(requested, &self.setting),
        }
    }
}

/// An enum such as `synchronous_commit` takes the names of Booleans too.
fn same_boolean(requested: &str, setting: &str) -> bool {
    boolean(requested).is_some() && boolean(requested) == boolean(setting)
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" | "t" | "y" | "tr" | "tru" | "ye" => Some(true),
        "off" | "false" | "no" | "0" | "f" | "n" | "fa" | "fal" | "fals" | "of" => Some(false),
        _ => None,
    }
}

/// Dimension and size of a unit, in bytes or in microseconds (the manual, "Setting Parameters").
fn unit(name: &str) -> Option<(Dimension, f64)> {
    const UNITS: &[(&str, Dimension, f64)] = &[
        ("kB", Dimension::Memory, 1024.0),
        ("MB", Dimension::Memory, 1_048_576.0),
        ("GB", Dimension::Memory, 1_073_741_824.0),
        ("TB", Dimension::Memory, 1_099_511_627_776.0),
        ("B", Dimension::Memory, 1.0),
        ("us", Dimension::Time, 1.0),
        ("ms", Dimension::Time, 1e3),
        ("min", Dimension::Time, 6e7),
        ("s", Dimension::Time, 1e6),
        ("h", Dimension::Time, 3.6e9),
        ("d", Dimension::Time, 8.64e10),
    ];
    // A setting's own unit may be several: 8kB.
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, name) = name.split_at(digits);
    let count = if count.is_empty() { 1.0 } else { count.parse().ok()? };
    UNITS.iter().find(|(known, ..)| *known == name).map(|(_, dimension, size)| (*dimension, count * size))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Memory,
    Time,
}

/// A number with or without a unit; without, it is in the setting's own.
fn quantity(text: &str, base: Option<(Dimension, f64)>) -> Option<f64> {
    let text = text.trim();
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let (number, name) = text.split_at(text.find(|c| !is_of_number(c)).unwrap_or(text.len()));
    let number: f64 = number.parse().ok()?;
    match (name.trim(), base) {
        ("", None) => Some(number),
        ("", Some((_, size))) => Some(number * size),
        (name, Some((dimension, _))) => {
            unit(name).filter(|(of, _)| *of == dimension).map(|(_, size)| number * size)
        }
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(kind: &str, setting: &str, unit: Option<&str>) -> InForce {
        let (name, setting, kind) = ("x".to_owned(), setting.to_owned(), kind.to_owned());
        InForce { name, shown: setting.clone(), setting, unit: unit.map(str::to_owned), kind }
    }

    #[test]
    fn a_value_is_the_same_whatever_its_unit() {
        for (kind, found, unit, requested, agrees) in [
            ("integer", "16384", Some("8kB"), "128MB", true),
            ("integer", "16384", Some("8kB"), "16384", true),
            ("integer", "12", Some("8kB"), "100kB", false),
            ("integer", "512", Some("8kB"), "-1", true),
            ("integer", "300", Some("s"), "5min", true),
            ("integer", "300", Some("s"), "5MB", false),
            ("integer", "10000", None, "10000", true),
            ("integer", "10000", None, "10000us", false),
            ("integer", "1", Some("MB"), "1024kB", true),
            ("real", "1.1", None, "1.10", true),
            ("real", "0.5", None, "0.9", false),
            ("bool", "on", None, "true", true),
            ("bool", "on", None, "off", false),
            ("bool", "on", None, "maybe", false),
            ("enum", "open_datasync", None, "OPEN_DATASYNC", true),
            ("enum", "on", None, "yes", true),
            ("enum", "fdatasync", None, "fsync", false),
            ("string", "pglz", None, "lz4", false),
        ] {
            let found = setting(kind, found, unit);
            assert_eq!(found.agrees_with(requested), agrees, "{found:?} {requested}");
        }
    }
}
