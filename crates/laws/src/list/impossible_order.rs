//! Figures of one distribution that cannot stand together: order statistics out of order, a mean outside of what the
//! percentiles allow, a deviation that no distribution between minimum and maximum has (Bhatia & Davis 2000: variance ≤
//! (max − mean)(mean − min)).

use crate::claim::{Claim, Figure, Latency, Timed, time};
use crate::law::{Law, Looks, Reads};
use crate::reading::ANY_LATENCY;
use crate::status::Status;

/// Disagreement that rounding for print explains.
const ROUNDING: f64 = 0.01;

pub const LAW: Law = Law {
    name: "impossible-order",
    looks: Looks::AtFigures,
    needs: "latency_min_us, latency_p50_us, latency_mean_us, latency_max_us",
    held: "Minimum, percentiles, mean, deviation and maximum are consistent in {}.",
    broken: "Latency figures contradict each other in {}.",
    advice: "These figures do not come from one distribution: use none of them until the whole output of \
        one run is published.",
    lacking: "No {} gives two latency figures that could contradict each other.",
    reads: Reads::Each(ANY_LATENCY, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let completion = claim.completion.as_ref().map(|latency| ("completion latency", latency));
    let timed = [Timed::Operation, Timed::Sync, Timed::Commit];
    let lines = timed.into_iter().map(|timed| (timed.name(), claim.latency_of(timed)));
    let lines: Vec<Line<'_>> = lines
        .chain(completion)
        .map(|(name, latency)| Line { claim, name, latency })
        .filter(Line::has_two_figures)
        .collect();
    if lines.is_empty() {
        return None;
    }
    let found: Vec<String> = lines.iter().filter_map(Line::contradiction).collect();
    let status = if found.is_empty() { Status::Pass } else { Status::Fail };
    Some((status, found.join(" ")))
}

/// Whether a figure lies above another, however both were rounded.
fn exceeds(figure: Figure, other: Figure) -> bool {
    figure.least() > other.most() * (1.0 + ROUNDING)
}

/// One latency line of a row.
struct Line<'a> {
    claim: &'a Claim,
    name: &'static str,
    latency: &'a Latency,
}

impl Line<'_> {
    fn has_two_figures(&self) -> bool {
        self.ordered().len() + usize::from(self.latency.mean_ns.is_some()) >= 2
    }

    fn figure(&self, name: &str, value: f64) -> Figure {
        self.claim.figure(&format!("{} {name}", self.name), value)
    }

    /// Figures that must ascend.
    fn ordered(&self) -> Vec<(String, Figure)> {
        let end = |name: &str, key, value: Option<f64>| Some((name.to_owned(), self.figure(key, value?)));
        let percentiles = self.latency.percentiles.iter().map(|percentile| {
            let name = percentile.name();
            let figure = self.figure(&name, percentile.value_ns);
            (name, figure)
        });
        let min = end("minimum", "min", self.latency.min_ns);
        min.into_iter().chain(percentiles).chain(end("maximum", "max", self.latency.max_ns)).collect()
    }

    /// The line with every figure this number of steps away.
    fn moved(&self, steps: f64) -> Latency {
        let mut moved = Latency::default();
        for (figure, value) in self.latency.figures() {
            moved.put(figure, (value + steps * self.figure(&figure.name(), value).uncertainty).max(0.0));
        }
        moved
    }

    /// The first thing that cannot be.
    fn contradiction(&self) -> Option<String> {
        let ordered = self.ordered();
        if let Some([low, high]) = ordered.array_windows().find(|[low, high]| exceeds(low.1, high.1)) {
            let [low, high] = [low, high].map(|(name, figure)| format!("{name} {}", time(figure.value)));
            return Some(format!("{low} is above {high}."));
        }
        let latency = self.latency;
        let mean = self.figure("mean", latency.mean_ns?);
        // For the mean's bounds every figure may lie a step lower, or higher.
        let (lowered, raised) = (self.moved(-1.0), self.moved(1.0));
        let least = [lowered.mean_at_least_ns(), lowered.min_ns].into_iter().flatten().reduce(f64::max);
        if let Some(least) = least.map(Figure::exact).filter(|least| exceeds(*least, mean)) {
            let told = format!("a mean of {} is below the {} that", time(mean.value), time(least.value));
            return Some(format!("{told} minimum and percentiles allow."));
        }
        if let Some(most) = raised.mean_at_most_ns().map(Figure::exact).filter(|most| exceeds(mean, *most)) {
            let told = format!("a mean of {} is above the {} that", time(mean.value), time(most.value));
            return Some(format!("{told} percentiles and maximum allow."));
        }
        let (sd, max) = (latency.sd_ns?, raised.max_ns?);
        let min = lowered.min_ns.unwrap_or(0.0);
        let sd_most = |mean: f64| ((max - mean).max(0.0) * (mean - min).max(0.0)).sqrt();
        let sd_most = sd_most(mean.least()).max(sd_most(mean.most()));
        let is_too_wide = self.figure("sd", sd).least() > sd_most + ROUNDING * max;
        is_too_wide.then(|| {
            let told = format!("a deviation of {} is above the {} that", time(sd), time(sd_most));
            format!("{told} minimum, mean and maximum allow.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn impossible_order() {
        let header =
            "latency_min_us,latency_p50_us,latency_p99_us,latency_max_us,latency_mean_us,latency_sd_us\n";
        for (row, status, words) in [
            ("10,50,200,1000,60,40", Status::Pass, "are consistent"),
            ("10,250,200,1000,240,40", Status::Fail, "p50 250 µs is above p99 200 µs"),
            ("60,50,200,1000,60,40", Status::Fail, "minimum 60.0 µs is above p50 50.0 µs"),
            ("10,50,2000,1000,60,40", Status::Fail, "p99 2.00 ms is above maximum 1.00 ms"),
            ("10,50,200,1000,20,40", Status::Fail, "a mean of 20.0 µs is below the"),
            ("10,50,200,1000,400,40", Status::Fail, "a mean of 400 µs is above the"),
            ("10,50,200,1000,60,400", Status::Fail, "a deviation of 400 µs is above"),
            ("10,,,,,", Status::NotAssessable, "could contradict"),
        ] {
            check(&LAW, &format!("{header}{row}\n"), status, words);
        }
    }
}
