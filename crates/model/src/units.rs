//! Sizes and durations as people write them: `4KiB`, `4k`, `512B`, `250ms`, `1h30m`.
//!
//! Sizes are IEC throughout: `k`, `kB`, `Ki` and `KiB` are all 1024 bytes. fio reads `4k` and `4kb` in the same way,
//! but `4KiB` as 4000 bytes, so the crate `fio` refuses that form in a job file. What is printed can be read back
//! without knowing its kind.

use crate::Nanos;

/// Bytes in a kibibyte.
pub const KIB: u64 = 1 << 10;
/// Bytes in a mebibyte.
pub const MIB: u64 = 1 << 20;
/// Bytes in a gibibyte.
pub const GIB: u64 = 1 << 30;

fn number_and_suffix(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim().to_ascii_lowercase()))
}

/// Reads a size: a number with an optional suffix `B`, `k`/`Ki`/`KiB`/`kB`, `m`/…, `g`/…, `t`/…, in either case.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let (number, suffix) = number_and_suffix(text)?;
    let shift = match suffix.as_str() {
        "" | "b" => 0,
        "k" | "kb" | "ki" | "kib" => 10,
        "m" | "mb" | "mi" | "mib" => 20,
        "g" | "gb" | "gi" | "gib" => 30,
        "t" | "tb" | "ti" | "tib" => 40,
        _ => return None,
    };
    let bytes = number * (1_u64 << shift) as f64;
    (bytes.fract() == 0.0 && bytes < 2f64.powi(63)).then_some(bytes as u64)
}

/// Writes a size as a parameter has it, with the largest unit that divides it: `4KiB`, `1536MiB`, `512B`.
pub fn format_bytes(bytes: u64) -> String {
    let (number, unit) = in_largest_unit(bytes);
    format!("{number}{unit}")
}

/// The same in a sentence: `4 KiB`.
pub fn format_bytes_in_text(bytes: u64) -> String {
    let (number, unit) = in_largest_unit(bytes);
    format!("{number} {unit}")
}

fn in_largest_unit(bytes: u64) -> (u64, &'static str) {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let divides = |(shift, _): &(u32, &str)| bytes > 0 && bytes.is_multiple_of(1 << shift);
    units.into_iter().find(divides).map_or((bytes, "B"), |(shift, unit)| (bytes >> shift, unit))
}

/// Writes a measured size for a person: three significant digits, `27.4 KiB`.
pub fn format_bytes_approximate(bytes: f64) -> String {
    for (size, unit) in [(GIB * KIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")] {
        if bytes.abs() >= size as f64 {
            return format!("{} {unit}", format_significant(bytes / size as f64));
        }
    }
    format!("{} B", format_significant(bytes))
}

/// Reads a duration: a number with `ns`, `us`, `ms`, `s`, `min` (or `m`), `h` or `d`, or several of them from the
/// largest unit to the smallest, such as `1h30m`. A bare number is seconds, as in fio. In `1h30` the last number has no
/// unit, so it is refused.
pub fn parse_duration(text: &str) -> Option<Nanos> {
    let mut rest = text.trim();
    if rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return nanos(rest.parse::<f64>().ok()? * 1e9);
    }
    let (mut total, mut smallest) = (0.0, f64::INFINITY);
    while !rest.is_empty() {
        let unit_begin = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, after) = rest.split_at(unit_begin);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let unit = unit_nanos(unit)?;
        if unit >= smallest {
            return None;
        }
        total += number.parse::<f64>().ok()? * unit;
        (smallest, rest) = (unit, after);
    }
    nanos(total)
}

/// A unit of time, in nanoseconds.
fn unit_nanos(unit: &str) -> Option<f64> {
    Some(match unit.trim().to_ascii_lowercase().as_str() {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3600e9,
        "d" => 86_400e9,
        _ => return None,
    })
}

fn nanos(total: f64) -> Option<Nanos> {
    (total < 9e18).then_some(Nanos(total.round() as u64))
}

/// Writes a duration with the largest unit that divides it: `250ms`, `90s`, `5min`.
pub fn format_duration(duration: Nanos) -> String {
    for (size, unit) in [
        (3_600_000_000_000, "h"),
        (60_000_000_000, "min"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
    ] {
        if duration.0 > 0 && duration.0.is_multiple_of(size) {
            return format!("{}{unit}", duration.0 / size);
        }
    }
    if duration.0 == 0 { "0s".to_owned() } else { format!("{}ns", duration.0) }
}

/// Writes elapsed or remaining time for a person: `42 s`, `3 min 07 s`, `1 h 12 min`.
pub fn format_elapsed(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..=99 => format!("{whole} s"),
        100..=5999 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Three significant digits, and every one before the point, with a thousands separator: `9 375`, `48.1`, `0.0123`.
pub fn format_significant(number: f64) -> String {
    if !number.is_finite() {
        return "not finite".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let magnitude = number.abs().log10().floor() as i32;
    let decimals = (2 - magnitude).max(0) as usize;
    let text = format!("{number:.decimals$}");
    if magnitude < 3 { text } else { group_thousands(&text) }
}

fn group_thousands(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_iec_and_read_back() {
        for (text, bytes, printed) in [
            ("4k", 4096, "4KiB"),
            ("4KiB", 4096, "4KiB"),
            ("512", 512, "512B"),
            ("4K", 4096, "4KiB"),
            ("4kB", 4096, "4KiB"),
            ("4 Ki", 4096, "4KiB"),
            ("1.5G", 3 << 29, "1536MiB"),
            ("1.5GiB", 3 << 29, "1536MiB"),
            ("1T", 1 << 40, "1TiB"),
            ("0", 0, "0B"),
        ] {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
            assert_eq!(format_bytes(bytes), printed);
            assert_eq!(parse_bytes(printed), Some(bytes));
        }
        for bad in ["", "k", "4x", "-1", "0.3", "4 k i b", "1e9"] {
            assert_eq!(parse_bytes(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_read_back() {
        for (text, printed) in [
            ("250ms", "250ms"),
            ("90", "90s"),
            ("1.5s", "1500ms"),
            ("2m", "2min"),
            ("0", "0s"),
            ("7ns", "7ns"),
            ("1h30m", "90min"),
            ("1h 30min", "90min"),
            ("1m30.5s", "90500ms"),
            ("1.5h", "90min"),
            ("500ms", "500ms"),
            ("2d", "48h"),
            ("1s500us", "1000500us"),
        ] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(format_duration(duration), printed);
            assert_eq!(parse_duration(printed), Some(duration));
        }
        for bad in ["", "fast", "1h30", "30m1h", "1m1m", "h", "1h-30m", "1..5s", "1e3s", "99999999999d"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }

    #[test]
    fn figures_have_three_digits() {
        for (number, text) in [
            (0.0, "0"),
            (48.123, "48.1"),
            (9375.4, "9\u{2009}375"),
            (0.012_345, "0.0123"),
            (1.0, "1.00"),
            (-1234.5, "-1\u{2009}234"),
        ] {
            assert_eq!(format_significant(number), text);
        }
    }
}
