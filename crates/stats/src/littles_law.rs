//! Little's law: throughput × mean latency = operations in flight.
//!
//! It holds for any stable queue, whatever the distributions, so a measurement that breaks it has its timer, its counter or
//! its concurrency wrong.

/// Agreement of a throughput, a latency and a number in flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LittlesLaw {
    /// Operations in flight that throughput and latency imply.
    pub in_flight: f64,
    /// Implied ÷ stated. Above 1: latency holds time an operation was not in flight, or more were in flight than stated.
    /// Below 1: slots stood empty, or the latency leaves something out.
    pub ratio: f64,
    /// Whether the ratio lies in `1/(1 + tolerance) … 1 + tolerance`.
    pub holds: bool,
}

/// Checks `throughput_per_s` × `latency_mean_s` against `in_flight_stated` operations, e.g. with `tolerance` 0.05.
/// `None` unless throughput, latency and number are positive and finite and the tolerance is finite and not negative.
///
/// Source: Little, *A proof for the queuing formula L = λW*, Operations Research 1961.
pub fn littles_law(
    throughput_per_s: f64,
    latency_mean_s: f64,
    in_flight_stated: f64,
    tolerance: f64,
) -> Option<LittlesLaw> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let valid = [throughput_per_s, latency_mean_s, in_flight_stated].into_iter().all(positive)
        && tolerance.is_finite()
        && tolerance >= 0.0;
    if !valid {
        return None;
    }
    let in_flight = throughput_per_s * latency_mean_s;
    let ratio = in_flight / in_flight_stated;
    let allowed = 1.0 + tolerance;
    ratio.is_finite().then(|| LittlesLaw {
        in_flight,
        ratio,
        holds: (1.0 / allowed..=allowed).contains(&ratio),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    #[test]
    fn thirty_two_reads_in_flight() {
        let law = littles_law(200_000.0, 160e-6, 32.0, 0.05).unwrap();
        assert_close(law.in_flight, 32.0, 1e-12);
        assert!(law.holds);
    }

    /// Page 001 printed a 10 GiB latency line of a run with 200 reads in flight where 8 jobs × 16 make 128.
    #[test]
    fn a_line_from_another_run_does_not_fit() {
        let law = littles_law(1000.0, 0.2, 128.0, 0.05).unwrap();
        assert_close(law.ratio, 1.5625, 1e-12);
        assert!(!law.holds);
    }

    proptest! {
        #[test]
        fn never_panics(a in any::<f64>(), b in any::<f64>(), c in any::<f64>(), tolerance in any::<f64>()) {
            if let Some(law) = littles_law(a, b, c, tolerance) {
                prop_assert!(law.ratio.is_finite());
            }
        }
    }
}
