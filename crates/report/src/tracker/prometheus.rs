//! Prometheus's text format, for node_exporter's textfile collector: gauges in base units, named after their unit.
//!
//! A figure and the ends of its interval are three samples with the label `bound`. What is missing has no sample and a
//! comment.

use super::{Tracked, tracked};
use model::metric::{Family, Metric, STATISTICS, Unit};
use model::printable;
use model::run::Run;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter;
use verdict::{Status, StudyVerdict, Verdict};

/// Endings of the metrics' own names that say a unit, and Prometheus's endings for them with the factor to base units.
const UNITS: &[(&str, &str, f64)] = &[
    ("_bytes_per_s", "_bytes_per_second", 1.0),
    ("_per_s", "_per_second", 1.0),
    ("_us", "_seconds", 1e-6),
    ("_ns", "_seconds", 1e-9),
    ("_s", "_seconds", 1.0),
];

/// Renders the run's figures, the trials behind them, and how many audits of each study failed.
pub fn prometheus(run: &Run, verdict: &Verdict) -> String {
    prometheus_labelled(run, verdict, &[])
}

/// The same with more labels at every sample, which keep several runs of one host apart.
pub fn prometheus_labelled(run: &Run, verdict: &Verdict, labels: &[(&str, &str)]) -> String {
    let mut page = Page { labels: labels.iter().map(label).collect(), ..Page::default() };
    for figure in tracked(run, verdict) {
        page.figure(&figure);
    }
    for study in &verdict.studies {
        page.study(study);
    }
    page.finish()
}

/// The name under which Prometheus has a metric.
pub fn prometheus_name(metric: &Metric) -> String {
    base_unit(metric).0
}

/// Samples by the name of their metric, as the format wants them together.
#[derive(Default)]
struct Page {
    /// At every sample.
    labels: Vec<String>,
    metrics: BTreeMap<String, (String, Vec<String>)>,
    missing: Vec<String>,
}

impl Page {
    fn figure(&mut self, figure: &Tracked<'_>) {
        let (name, factor) = base_unit(&figure.metric);
        let mean = match &figure.mean {
            Ok(mean) => mean,
            Err(why) => {
                let what = format!("{}, {}", figure.benchmark(), figure.metric.name());
                return self.missing.push(format!("{what}: {why}"));
            }
        };
        let statistic = figure.metric.statistic.map(|index| STATISTICS[index].0.replace('_', "."));
        let ends = mean.interval.map(|(low, high)| [("low", low), ("high", high)]);
        for (bound, value) in iter::once(("mean", mean.value)).chain(ends.into_iter().flatten()) {
            let mut labels = vec![("study", figure.study), ("configuration", &figure.cell.label)];
            labels.extend(statistic.as_deref().map(|statistic| ("statistic", statistic)));
            labels.push(("bound", bound));
            self.sample(&name, &help(figure.metric.family), &labels, value * factor);
        }
    }

    fn study(&mut self, study: &StudyVerdict) {
        for cell in &study.cells {
            let labels = [("study", study.name.as_str()), ("configuration", &cell.label)];
            self.sample(
                "syncline_trials",
                "Trials behind the figures of a configuration.",
                &labels,
                cell.n as f64,
            );
        }
        let failed = study.audits.iter().filter(|audit| audit.status == Status::Fail).count();
        let help = "Audits of a study that failed: figures that rest on them have no sample.";
        self.sample("syncline_failed_audits", help, &[("study", &study.name)], failed as f64);
    }

    fn sample(&mut self, name: &str, help: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = self.labels.iter().cloned().chain(labels.iter().map(label)).collect();
        let (_, samples) =
            self.metrics.entry(name.to_owned()).or_insert_with(|| (help.to_owned(), Vec::new()));
        samples.push(format!("{name}{{{}}} {value}", labels.join(",")));
    }

    fn finish(self) -> String {
        let mut text = String::new();
        for (name, (help, samples)) in self.metrics {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{}", samples.join("\n"));
        }
        for missing in self.missing {
            let _ = writeln!(text, "# no value: {}", missing.replace(['\n', '\r'], " "));
        }
        text
    }
}

fn label((name, value): &(&str, &str)) -> String {
    format!("{name}=\"{}\"", escaped(value))
}

/// A metric's name with its base unit last, and the factor to it; statistics of a distribution share one name.
fn base_unit(metric: &Metric) -> (String, f64) {
    let family = metric.family;
    let own = if family.distribution { format!("{}_us", family.name) } else { family.name.to_owned() };
    let found =
        UNITS.iter().find_map(|(ending, base, factor)| Some((own.strip_suffix(ending)?, *base, *factor)));
    let (stem, ending, factor) = match (family.unit, found) {
        (Unit::Count | Unit::Bytes, _)
        | (
            Unit::PerSecond | Unit::BytesPerSecond | Unit::Microseconds | Unit::Nanoseconds | Unit::Seconds,
            None,
        ) => (own.as_str(), "", 1.0),
        (Unit::Share, _) => (own.trim_end_matches("_share"), "_ratio", 1.0),
        (
            Unit::PerSecond | Unit::BytesPerSecond | Unit::Microseconds | Unit::Nanoseconds | Unit::Seconds,
            Some(found),
        ) => found,
    };
    (format!("syncline_{stem}{ending}"), factor)
}

fn help(family: &Family) -> String {
    let text = format!("{}: {}", family.title, family.help);
    text.replace('\\', "\\\\").replace('\n', " ")
}

fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
