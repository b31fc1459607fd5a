//! The forms of a result on standard output.

use clap::ValueEnum;
use std::fmt::Write as _;

/// How a command prints its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Text for a person.
    Text,
    /// One JSON document.
    Json,
}

/// How a command prints a result that can be published as a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentFormat {
    /// Text for a person.
    Text,
    /// One JSON document.
    Json,
    /// A page to publish.
    Markdown,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// CSV with one line per trial and metric; the default.
    Long,
    /// CSV with one line per configuration, in the columns of page 000; for the study commit.
    Csv,
    /// A page to publish: host, method, tables with intervals, findings, failed audits, the command that repeats the
    /// run.
    Markdown,
    /// The verdict: figures, findings and audits as JSON.
    Json,
    /// Seastar's and ScyllaDB's io_properties.yaml; from the study device-model.
    IoProperties,
    /// The capacity of a Ceph OSD, for mClock; from the study device-model.
    CephMclock,
    /// Linux's io.cost.model and io.cost.qos; from the study device-model.
    IoCost,
    /// One fio job file with a section for each configuration; for the workload device.
    Fio,
    /// CSV for Apache Otava: the run as one line below its header.
    Otava,
    /// Bencher Metric Format.
    Bmf,
    /// JSON for github-action-benchmark, customSmallerIsBetter: latencies.
    Gab,
    /// The same, customBiggerIsBetter: rates.
    GabBigger,
    /// JUnit's XML: configurations, findings and audits as tests.
    Junit,
    /// Prometheus's text format, for a textfile collector.
    Prometheus,
}

impl Format {
    /// The program or the people that read it.
    const fn reader(self) -> &'static str {
        match self {
            Self::Markdown => "people",
            Self::Long | Self::Csv => "spreadsheets, R, pandas",
            Self::Json => "scripts",
            Self::Junit | Self::Gab | Self::GabBigger | Self::Bmf | Self::Otava => "CI",
            Self::Prometheus => "monitoring",
            Self::IoProperties | Self::CephMclock | Self::IoCost => "I/O schedulers",
            Self::Fio => "fio",
        }
    }
}

/// Columns of the help, before its margin.
const WIDTH: usize = 100;

/// The formats of `export` below their readers, for its help.
pub(super) fn by_reader() -> String {
    let mut formats: Vec<Format> = Format::value_variants().to_vec();
    let mut readers: Vec<&str> = Vec::new();
    for format in &formats {
        if !readers.contains(&format.reader()) {
            readers.push(format.reader());
        }
    }
    formats.sort_by_key(|format| readers.iter().position(|reader| *reader == format.reader()));
    let described: Vec<(Format, String, String)> = formats
        .into_iter()
        .filter_map(|format| {
            let value = format.to_possible_value()?;
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            Some((format, value.get_name().to_owned(), help))
        })
        .collect();
    let names = described.iter().map(|(_, name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::from("Formats, by who reads them:");
    let mut above = "";
    for (format, name, help) in &described {
        if format.reader() != above {
            above = format.reader();
            let _ = write!(text, "\n  {above}");
        }
        for (place, line) in page::terminal::wrap(help, WIDTH - names - 6).iter().enumerate() {
            let name = if place == 0 { name.as_str() } else { "" };
            let _ = write!(text, "\n    {name:names$}  {line}");
        }
    }
    text
}
