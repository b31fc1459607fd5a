//! The forms of a result on standard output.

use clap::ValueEnum;

/// How a command prints its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Text for a person.
    Text,
    /// One JSON document.
    Json,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// CSV with one line per trial and metric.
    Long,
    /// CSV with one line per configuration, in the columns of page 000; for the study commit.
    Csv,
    /// The verdict: figures, findings and audits as JSON.
    Json,
    /// A page to publish: host, method, tables with intervals, findings, failed audits, the command that repeats the
    /// run.
    Markdown,
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
