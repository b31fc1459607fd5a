//! Descriptions of one sample. `None` means: nothing there, or something that is not a finite number.

/// Arithmetic mean, in the unit of the values.
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    finite(values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (divisor n − 1), in the unit of the values; needs two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let deviation = finite((squares / (values.len() - 1) as f64).sqrt())?;
    // Equal values have no spread; the rounding of their mean must not invent one.
    if values.iter().all(|&value| value.total_cmp(&values[0]).is_eq()) { Some(0.0) } else { Some(deviation) }
}

/// Geometric mean of positive values, in their unit.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.iter().any(|&value| value.is_nan() || value <= 0.0) {
        return None;
    }
    finite(mean(&values.iter().map(|value| value.ln()).collect::<Vec<_>>())?.exp())
}

/// Median: the middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Quantile of type 7 of Hyndman & Fan (*Sample quantiles in statistical packages*, 1996): linear interpolation between
/// the order statistics around position (n − 1)·q, as R and numpy do by default. `None` unless `0 <= q <= 1`.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    quantile_of_sorted(&sorted(values)?, q)
}

/// [`quantile`] of values that are sorted and finite already.
pub(crate) fn quantile_of_sorted(ascending: &[f64], q: f64) -> Option<f64> {
    if ascending.is_empty() || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let position = (ascending.len() - 1) as f64 * q;
    let below = position.floor() as usize;
    let above = (below + 1).min(ascending.len() - 1);
    let fraction = position - below as f64;
    // Not `low + f·(high − low)`: that overflows when the two are far apart.
    finite(ascending[below] * (1.0 - fraction) + ascending[above] * fraction)
}

/// [`quantile`] of values in any order, which it puts into another: two of them are found without sorting all. `None`
/// if one is not finite.
pub(crate) fn quantile_by_selection(values: &mut [f64], q: f64) -> Option<f64> {
    if values.is_empty() || !(0.0..=1.0).contains(&q) || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let position = (values.len() - 1) as f64 * q;
    let below = position.floor() as usize;
    let fraction = position - below as f64;
    let (_, low, rest) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let high = rest.iter().copied().reduce(f64::min).unwrap_or(low);
    finite(low * (1.0 - fraction) + high * fraction)
}

/// The values in ascending order; `None` if one is not finite.
pub(crate) fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut ascending = values.to_vec();
    ascending.sort_by(f64::total_cmp);
    Some(ascending)
}

/// Least-squares slope of `y` over `x`, in units of y per unit of x; needs two different x.
pub fn slope(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let (centre_x, centre_y) = (mean(x)?, mean(y)?);
    let spread: f64 = x.iter().map(|value| (value - centre_x).powi(2)).sum();
    let joint: f64 = x.iter().zip(y).map(|(a, b)| (a - centre_x) * (b - centre_y)).sum();
    finite(joint / spread)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;

    /// Expected figures: numpy 2.4.6, `np.mean`, `np.std(ddof=1)`, `np.quantile`.
    #[test]
    fn descriptions_match_numpy() {
        let values = [3.1, 4.7, 2.2, 9.8, 5.5, 4.1];
        assert_close(mean(&values).unwrap(), 4.9, 1e-12);
        assert_close(standard_deviation(&values).unwrap(), 2.667_583_175_835_385_4, 1e-12);
        assert_close(median(&values).unwrap(), 4.4, 1e-12);
        assert_close(quantile(&values, 0.9).unwrap(), 7.65, 1e-12);
        assert_close(geometric_mean(&[1.0, 4.0, 16.0]).unwrap(), 4.0, 1e-12);
        assert_close(slope(&[0.0, 1.0, 2.0], &[1.0, 3.0, 5.0]).unwrap(), 2.0, 1e-12);
    }

    #[test]
    fn a_quantile_by_selection_is_that_of_the_sorted_values() {
        let values = [3.1, 4.7, 2.2, 9.8, 5.5, 4.1, 4.1];
        for step in 0..=100 {
            let q = f64::from(step) / 100.0;
            assert_eq!(quantile_by_selection(&mut values.clone(), q), quantile(&values, q), "{q}");
        }
        assert_eq!(quantile_by_selection(&mut [1.0, f64::NAN], 0.5), None);
        assert_eq!(quantile_by_selection(&mut [], 0.5), None);
    }

    #[test]
    fn what_cannot_be_described_is_none() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, f64::NAN]), None);
        assert_eq!(mean(&[f64::MAX, f64::MAX]), None);
        assert_eq!(standard_deviation(&[1.0]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(quantile(&[1.0], 1.5), None);
        assert_eq!(quantile(&[1.0], f64::NAN), None);
        assert_eq!(geometric_mean(&[0.0, 1.0]), None);
        assert_eq!(slope(&[1.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn equal_values_have_no_spread_at_all() {
        assert_eq!(standard_deviation(&[0.1; 7]), Some(0.0));
    }
}
