//! Values of settings as servers take them and show them.

/// Whether a server shows a value for another one that means the same: `64M` is shown as `67108864`, `1` as `ON`.
pub fn is_same_value(shown: &str, requested: &str) -> bool {
    plain(shown) == plain(requested)
}

fn plain(value: &str) -> String {
    let value = value.trim().to_ascii_lowercase();
    match value.as_str() {
        "on" | "true" | "yes" => return "1".to_owned(),
        "off" | "false" | "no" => return "0".to_owned(),
        _ => {}
    }
    let factor = match value.chars().last() {
        Some('k') => 1_u64 << 10,
        Some('m') => 1 << 20,
        Some('g') => 1 << 30,
        Some('t') => 1 << 40,
        Some(_) | None => 1,
    };
    let digits = if factor > 1 { &value[..value.len() - 1] } else { &value };
    match digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)) {
        Some(number) => number.to_string(),
        // 90.000000 is how a percentage is shown.
        None => value.parse::<f64>().map_or(value, |number| number.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_in_the_form_in_which_a_server_shows_it() {
        for (shown, requested) in [
            ("67108864", "64M"),
            ("ON", "1"),
            ("OFF", "false"),
            ("O_DIRECT", "o_direct"),
            ("90.000000", "90"),
            ("200", "200"),
        ] {
            assert!(is_same_value(shown, requested), "{shown} {requested}");
        }
        for (shown, requested) in [("200", "100"), ("fsync", "O_DIRECT"), ("ON", "0"), ("100", "100k")] {
            assert!(!is_same_value(shown, requested), "{shown} {requested}");
        }
    }
}
