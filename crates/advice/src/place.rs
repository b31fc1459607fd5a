//! Where a value lies with respect to the interval of an estimate.

/// Where a value lies with respect to an interval.
pub(crate) enum Place {
    /// Outside: the interval refutes it.
    Outside,
    /// Inside, and beside it at most the next of the values that a user would choose among.
    Alone,
    /// Inside, together with these.
    AmongOthers(Vec<String>),
}

/// The place of a value among others. An interval may reach beyond the values that have an effect.
pub(crate) fn place(number: f64, (low, high): (f64, f64), among: &[f64]) -> Place {
    let (least, most) = (among.first().copied().unwrap_or(low), among.last().copied().unwrap_or(high));
    let (low, high) = (low.clamp(least, most), high.clamp(least, most));
    let is_inside = |value: f64| (low..=high).contains(&value);
    // A printed value has two decimals.
    let others: Vec<String> = among
        .iter()
        .filter(|value| is_inside(**value) && (**value - number).abs() > 0.005)
        .map(ToString::to_string)
        .collect();
    match others.len() {
        _ if !is_inside(number) => Place::Outside,
        0 | 1 => Place::Alone,
        _ => Place::AmongOthers(others),
    }
}
