//! Figures of a disk in a file for a scheduler.

/// What a figure in a file is of. Requests are of 4 KiB unless the file says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Random reads a second; Seastar does not say which.
    ReadIops,
    /// Sequential reads a second.
    SequentialReadIops,
    /// Bytes read a second.
    ReadBandwidth,
    /// Random writes a second; Seastar does not say which.
    WriteIops,
    /// Sequential writes a second.
    SequentialWriteIops,
    /// Bytes written a second.
    WriteBandwidth,
    /// Random writes a second of an OSD on flash.
    OsdSsdIops,
    /// Random writes a second of an OSD on a spinning disk.
    OsdHddIops,
    /// Percentile of the read latency that is watched.
    ReadPercentile,
    /// Its limit, µs.
    ReadLatencyUs,
    /// Percentile of the write latency that is watched.
    WritePercentile,
    /// Its limit, µs.
    WriteLatencyUs,
    /// Lowest share of the model's rate, percent.
    RateMinPercent,
    /// Highest share of the model's rate, percent.
    RateMaxPercent,
}

/// One figure of a disk, which has one of each property.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    /// What it is of.
    pub property: Property,
    /// Its name in the file.
    pub name: String,
    pub text: String,
    /// In operations or bytes per second, µs or percent.
    pub value: f64,
    /// Whether nobody measured it: the program that reads the file chose it.
    pub is_default: bool,
}
