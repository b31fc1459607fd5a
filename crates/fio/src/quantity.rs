//! Sizes, times and switches as fio writes them in job files, which is not quite how people write them.
//!
//! Two habits of fio 3.33 would change a job silently, so both are refused with a reason: under the default
//! `kb_base=1024` fio reads `4k` as 4096 but `4KiB` as 4000, and it reads `1.5k` as 1 and `1h30m` as 1.

use model::Nanos;

/// Reads a size: a whole number with an optional `b`, `k`/`kb`, `m`/`mb`, `g`/`gb` or `t`/`tb`, powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected = "expected a size such as 4096, 4k, 1m or 20g";
    let (number, suffix) = split(text).ok_or_else(|| format!("\"{text}\": {expected}"))?;
    let shift = match suffix.as_str() {
        "" | "b" => 0,
        "k" | "kb" => 10,
        "m" | "mb" => 20,
        "g" | "gb" => 30,
        "t" | "tb" => 40,
        "ki" | "kib" | "mi" | "mib" | "gi" | "gib" | "ti" | "tib" => {
            let unit = &suffix[..1];
            return Err(format!(
                "\"{text}\": fio reads {suffix} as a power of 1000 unless kb_base=1000; write {number}{unit} for a \
                 power of 1024"
            ));
        }
        _ => return Err(format!("\"{text}\": {expected}")),
    };
    number
        .checked_mul(1 << shift)
        .filter(|bytes| *bytes < 1 << 62)
        .ok_or_else(|| format!("\"{text}\": too large a size"))
}

/// Reads a time: a whole number with an optional `us`, `ms`, `s`, `m`, `h` or `d`; a bare number is seconds.
pub fn parse_time(text: &str) -> Result<Nanos, String> {
    let expected = "expected a time such as 30, 30s, 250ms or 2m";
    let (number, suffix) = split(text).ok_or_else(|| format!("\"{text}\": {expected}"))?;
    let nanos: u64 = match suffix.as_str() {
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return Err(format!("\"{text}\": {expected}")),
    };
    number
        .checked_mul(nanos)
        .filter(|total| *total < 1 << 62)
        .map(Nanos)
        .ok_or_else(|| format!("\"{text}\": too long a time"))
}

/// Reads a whole number.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let count = if digits { text.parse().ok() } else { None };
    count.ok_or_else(|| format!("\"{text}\": expected a whole number"))
}

/// Reads `0` or `1`.
pub fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("\"{text}\": expected 0 or 1")),
    }
}

/// Writes a size so that fio and [`parse_size`] read it back: `4k`, `1g`, `512`.
pub fn format_size(bytes: u64) -> String {
    for (shift, unit) in [(40, "t"), (30, "g"), (20, "m"), (10, "k")] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// Writes a time so that fio and [`parse_time`] read it back; `None` below fio's microsecond.
pub fn format_time(time: Nanos) -> Option<String> {
    for (nanos, unit) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] {
        if time.0.is_multiple_of(nanos) {
            return Some(format!("{}{unit}", time.0 / nanos));
        }
    }
    None
}

fn split(text: &str) -> Option<(u64, String)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_fios() {
        for (text, bytes) in
            [("4k", 4096), ("4096", 4096), ("4096B", 4096), ("1M", 1 << 20), ("20g", 20 << 30)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "1.5k", "-4k", "4 k", "0x1000", "50%", "4KiB", "99999999999t", "4é"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert!(parse_size("4KiB").unwrap_err().contains("write 4k"));
        assert_eq!(format_size(1536 << 10), "1536k");
    }

    #[test]
    fn times_are_fios() {
        for (text, nanos) in
            [("30", 30e9), ("30s", 30e9), ("250ms", 250e6), ("2m", 120e9), ("2M", 120e9), ("0", 0.0)]
        {
            assert_eq!(parse_time(text), Ok(Nanos(nanos as u64)), "{text}");
        }
        for text in ["", "1h30m", "1.5", "forever", "99999999999d"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        assert_eq!(format_time(Nanos(1_500_000_000)).as_deref(), Some("1500ms"));
        assert_eq!(format_time(Nanos(1)), None);
    }
}
