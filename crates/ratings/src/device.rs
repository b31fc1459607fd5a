//! What others publish of devices: shipped as data, each figure with its source.

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
    /// Where the figure was read.
    pub source: String,
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
        }
    }
}
