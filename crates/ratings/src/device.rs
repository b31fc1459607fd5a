//! What others publish of devices: shipped as data, each figure with its source.

use model::units::format_significant;
use serde::Deserialize;

const DEVICES: &str = include_str!("../devices.toml");

/// A device that others measured or specified.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceDevice {
    /// What it is, and what kind of figure it is.
    pub name: String,
    /// Whether it is a drive or a provider's volume.
    pub kind: DeviceKind,
    /// Random reads per second.
    pub random_reads_per_s: f64,
    /// The most that one moves, MiB/s; `None` if the source does not state it.
    pub throughput_mib_per_s: Option<f64>,
    /// The latency of a single operation that its provider designs it for, milliseconds; no measurement.
    pub designed_latency_ms: Option<f64>,
    /// Where the figures were read.
    pub source: String,
    /// When they were read: `2026-11-27`.
    pub read_on: String,
}

impl ReferenceDevice {
    /// Its name, and what its source states besides: `…; 4 000 MiB/s; designed for less than 1 ms`.
    pub fn words(&self) -> String {
        let throughput =
            self.throughput_mib_per_s.map(|most| format!("; {} MiB/s", format_significant(most)));
        let latency = self.designed_latency_ms.map(|most| format!("; designed for less than {most} ms"));
        format!("{}{}{}", self.name, throughput.unwrap_or_default(), latency.unwrap_or_default())
    }
}

/// What kind of device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A device by itself.
    Drive,
    /// What a provider attaches to a virtual machine.
    Volume,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Devices {
    device: Vec<ReferenceDevice>,
}

/// Every reference device, the fastest first.
pub fn devices() -> Vec<ReferenceDevice> {
    // A test reads the same text.
    let mut devices = toml::from_str::<Devices>(DEVICES).map(|file| file.device).unwrap_or_default();
    devices.sort_by(|a, b| b.random_reads_per_s.total_cmp(&a.random_reads_per_s));
    devices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_its_source() {
        let file: Devices = toml::from_str(DEVICES).unwrap();
        assert_eq!(devices().len(), file.device.len());
        for device in &file.device {
            assert!(device.source.starts_with("https://") && device.random_reads_per_s > 0.0, "{device:?}");
            let date: Vec<usize> = device.read_on.split('-').map(str::len).collect();
            assert_eq!(date, [4, 2, 2], "{device:?}");
        }
    }
}
