//! How much a sum of products of neighbours varies over all orders of the rounds.

/// Standard deviation of Σ `products(i, i + 1)` over the pairs with `are_neighbours[i]`, if the `n` rounds came in any
/// order with equal probability. `products` is symmetric; `n` is at least 4.
///
/// Source: the second moment of Mantel's statistic, *The detection of disease clustering and a generalized regression
/// approach*, Cancer Research 1967; in this form: Cliff & Ord, *Spatial Processes*, 1981, section 2.3.
pub(crate) fn path_deviation(
    n: usize,
    products: impl Fn(usize, usize) -> f64,
    are_neighbours: &[bool],
) -> f64 {
    let pairs = are_neighbours.iter().filter(|beside| **beside).count() as f64;
    let is_beside = |index: Option<usize>| index.and_then(|index| are_neighbours.get(index)) == Some(&true);
    let neighbours =
        (0..n).map(|round| u32::from(is_beside(round.checked_sub(1))) + u32::from(is_beside(Some(round))));
    // Sums over the neighbourhood: of its entries, of their squares, of the squared sums by round.
    let (s0, s1, s2) =
        (2.0 * pairs, 4.0 * pairs, 4.0 * neighbours.map(|of_round| f64::from(of_round.pow(2))).sum::<f64>());
    // The same over the products of different rounds.
    let (mut t1, mut t2, mut t3) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let of_round = || (0..n).filter(|j| *j != i).map(|j| products(i, j));
        let sum: f64 = of_round().sum();
        t1 += sum;
        t2 += 2.0 * of_round().map(|product| product.powi(2)).sum::<f64>();
        t3 += 4.0 * sum.powi(2);
    }
    let n = n as f64;
    let (n2, n3, n4) = (n * (n - 1.0), n * (n - 1.0) * (n - 2.0), n * (n - 1.0) * (n - 2.0) * (n - 3.0));
    let mean = s0 * t1 / n2;
    let square = s1 * t2 / (2.0 * n2)
        + (s2 - 2.0 * s1) * (t3 - 2.0 * t2) / (4.0 * n3)
        + (s0.powi(2) + s1 - s2) * (t1.powi(2) + t2 - t3) / n4;
    // Every pair counts twice in Mantel's statistic.
    (square - mean.powi(2)).max(0.0).sqrt() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;

    /// Calls `visit` with every order once (Heap, 1963).
    fn orders(items: &mut Vec<usize>, size: usize, visit: &mut impl FnMut(&[usize])) {
        if size <= 1 {
            return visit(items);
        }
        for index in 0..size {
            orders(items, size - 1, visit);
            items.swap(if size.is_multiple_of(2) { index } else { 0 }, size - 1);
        }
    }

    #[test]
    fn the_moment_is_that_of_all_720_orders_with_and_without_a_gap() {
        let series = [[0.4, -0.1, 0.9, -1.3, 0.2, -0.1], [2.0, 0.1, -0.3, 0.5, -1.9, -0.4]];
        let products = |a: usize, b: usize| series.iter().map(|values| values[a] * values[b]).sum::<f64>();
        for are_neighbours in [[true; 5], [true, false, true, true, false]] {
            let mut sums = Vec::new();
            orders(&mut (0..6).collect(), 6, &mut |order| {
                let beside = (0..5).filter(|index| are_neighbours[*index]);
                sums.push(beside.map(|index| products(order[index], order[index + 1])).sum::<f64>());
            });
            assert_eq!(sums.len(), 720);
            let mean = sums.iter().sum::<f64>() / 720.0;
            let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / 720.0;
            assert_close(path_deviation(6, products, &are_neighbours), variance.sqrt(), 1e-9);
        }
    }
}
