//! A published latency line, and what its figures allow each other to be.

use model::units::format_significant;

/// What a latency is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// A read or a write, from its submission to its end.
    Operation,
    /// `fsync` or `fdatasync` alone.
    Sync,
    /// A whole commit: its write and its sync.
    Commit,
}

impl Timed {
    /// What its numbers' names begin with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operation => "latency",
            Self::Sync => "sync latency",
            Self::Commit => "commit latency",
        }
    }
}

/// A published percentile: quantile (0…1) and its value in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// Quantile, 0…1.
    pub quantile: f64,
    /// Value, ns.
    pub value_ns: f64,
}

impl Percentile {
    /// `p99`, `p99.9`.
    pub fn name(&self) -> String {
        let percent = format!("{:.6}", self.quantile * 100.0);
        format!("p{}", percent.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// A figure of a latency line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LatencyFigure {
    /// Arithmetic mean.
    Mean,
    /// Standard deviation over operations.
    StandardDeviation,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// The quantile, 0…1.
    Percentile(f64),
}

impl LatencyFigure {
    /// Its name within the line: `mean`, `p99`.
    pub fn name(self) -> String {
        match self {
            Self::Mean => "mean".to_owned(),
            Self::StandardDeviation => "sd".to_owned(),
            Self::Min => "min".to_owned(),
            Self::Max => "max".to_owned(),
            Self::Percentile(quantile) => Percentile { quantile, value_ns: 0.0 }.name(),
        }
    }
}

/// A published latency line, ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    pub mean_ns: Option<f64>,
    /// Standard deviation over operations.
    pub sd_ns: Option<f64>,
    pub min_ns: Option<f64>,
    pub max_ns: Option<f64>,
    /// Percentiles, by ascending quantile.
    pub percentiles: Vec<Percentile>,
}

impl Latency {
    /// Its minimum, or what comes closest to it that is not an accident: a low percentile may be of completions
    /// that were ready while others were still being submitted. With its name among the claim's numbers, ns.
    pub fn fastest(&self) -> Option<(String, f64)> {
        let upper_half = self.percentiles.iter().find(|percentile| percentile.quantile >= 0.5);
        let upper_half = upper_half.map(|percentile| (percentile.name(), percentile.value_ns));
        let named = |name: &str, value: Option<f64>| value.map(|value| (name.to_owned(), value));
        named("min", self.min_ns).or(upper_half).or_else(|| named("mean", self.mean_ns))
    }

    /// Its median or else its mean, with its name among the claim's numbers, ns.
    pub fn typical(&self) -> Option<(String, f64)> {
        let median = self.percentiles.iter().find(|percentile| percentile.quantile.total_cmp(&0.5).is_eq());
        let median = median.map(|percentile| (percentile.name(), percentile.value_ns));
        median.or_else(|| self.mean_ns.map(|mean| ("mean".to_owned(), mean)))
    }

    /// What is published of it, ns.
    pub fn figures(&self) -> impl Iterator<Item = (LatencyFigure, f64)> {
        let all = [
            (LatencyFigure::Mean, self.mean_ns),
            (LatencyFigure::StandardDeviation, self.sd_ns),
            (LatencyFigure::Min, self.min_ns),
            (LatencyFigure::Max, self.max_ns),
        ];
        let percentiles = self.percentiles.iter();
        let percentiles =
            percentiles.map(|known| (LatencyFigure::Percentile(known.quantile), known.value_ns));
        all.into_iter().filter_map(|(figure, value)| Some((figure, value?))).chain(percentiles)
    }

    /// Puts a figure, ns, into the line, in place of the one that it has.
    pub fn put(&mut self, figure: LatencyFigure, value_ns: f64) {
        match figure {
            LatencyFigure::Mean => self.mean_ns = Some(value_ns),
            LatencyFigure::StandardDeviation => self.sd_ns = Some(value_ns),
            LatencyFigure::Min => self.min_ns = Some(value_ns),
            LatencyFigure::Max => self.max_ns = Some(value_ns),
            LatencyFigure::Percentile(quantile) => {
                self.percentiles.retain(|known| known.quantile.total_cmp(&quantile).is_ne());
                self.percentiles.push(Percentile { quantile, value_ns });
                self.percentiles.sort_by(|a, b| a.quantile.total_cmp(&b.quantile));
            }
        }
    }

    /// One of its figures, ns.
    pub fn get(&self, figure: LatencyFigure) -> Option<f64> {
        self.figures().find(|(known, _)| *known == figure).map(|(_, value)| value)
    }

    /// The figure of this name among the claim's numbers, ns.
    pub fn named(&self, name: &str) -> Option<f64> {
        self.figures().find(|(figure, _)| figure.name() == name).map(|(_, value)| value)
    }

    /// Whether nothing of it is published.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A bound that the mean cannot lie below: each percentile's value holds for all operations above it.
    ///
    /// With one percentile this is Markov's inequality, mean ≥ (1 − q)·x_q.
    pub fn mean_at_least_ns(&self) -> Option<f64> {
        let first = self.percentiles.first()?;
        let mut sum = first.quantile * self.min_ns.unwrap_or(0.0);
        for (index, percentile) in self.percentiles.iter().enumerate() {
            let next = self.percentiles.get(index + 1).map_or(1.0, |next| next.quantile);
            sum += (next - percentile.quantile) * percentile.value_ns;
        }
        Some(sum)
    }

    /// A bound that the mean cannot lie above; needs the maximum.
    pub fn mean_at_most_ns(&self) -> Option<f64> {
        let mut sum = 0.0;
        let mut before = 0.0;
        for percentile in &self.percentiles {
            sum += (percentile.quantile - before) * percentile.value_ns;
            before = percentile.quantile;
        }
        Some(sum + (1.0 - before) * self.max_ns?)
    }
}

/// A time with a unit that suits it.
pub fn time(nanos: f64) -> String {
    let (value, unit) = match nanos.abs() {
        size if size < 1e3 => (nanos, "ns"),
        size if size < 1e6 => (nanos / 1e3, "µs"),
        size if size < 1e9 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    format!("{} {unit}", format_significant(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_bound_the_mean() {
        let of = |quantile, value_ns| Percentile { quantile, value_ns };
        let mut latency = Latency { percentiles: vec![of(0.5, 60.0)], ..Latency::default() };
        assert_eq!(latency.mean_at_least_ns(), Some(30.0));
        assert_eq!(latency.mean_at_most_ns(), None);
        latency = Latency { min_ns: Some(10.0), max_ns: Some(100.0), ..latency };
        assert_eq!(latency.mean_at_least_ns(), Some(35.0));
        assert_eq!(latency.mean_at_most_ns(), Some(80.0));
        assert_eq!(of(0.999, 1.0).name(), "p99.9");
        assert_eq!(of(0.5, 1.0).name(), "p50");
    }
}
