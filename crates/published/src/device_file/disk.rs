//! The figures of one disk in a device file.

use model::printable;

/// What a figure in a file is of. Requests are of 4 KiB unless the file says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Property {
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
pub(crate) struct Figure {
    pub(crate) property: Property,
    /// Its name in the file.
    pub(crate) name: String,
    /// As written.
    pub(crate) text: String,
    pub(crate) value: f64,
    /// Whether nobody measured it: the program that reads the file chose it.
    pub(crate) is_default: bool,
}

/// The figures of one disk in a file for a scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Disk {
    /// Mount point, OSD or device number.
    pub(crate) name: String,
    pub(crate) line: u64,
    pub(crate) figures: Vec<Figure>,
}

impl Disk {
    pub(crate) fn figure(&self, property: Property) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.property == property)
    }

    /// What was measured.
    pub(crate) fn value(&self, property: Property) -> Option<f64> {
        self.figure(property).filter(|figure| !figure.is_default).map(|figure| figure.value)
    }

    pub(crate) fn shown(&self, property: Property) -> String {
        self.figure(property).map_or_else(String::new, |figure| {
            printable(&format!("{} = {}", figure.name, figure.text)).into_owned()
        })
    }
}
