//! This disk's random reads beside published figures, for the screen of `check` and for the page of any run that
//! measured them. Both use the same figure.

use crate::label::label;
use crate::wording;
use model::run::Run;
use model::units::format_significant;
use ratings::{ReferenceDevice, are_random_reads, devices};
use std::fmt::Write as _;
use verdict::{Cell, Verdict};

const METRIC: &str = "iops";

/// Devices in order, the fastest first, and the place of this disk.
#[derive(Clone, Debug)]
pub(crate) struct Among {
    /// Its reads per second, the mean over trials.
    pub(crate) ours: f64,
    /// What was measured: `iodepth=32`.
    pub(crate) label: String,
    /// Number of faster devices.
    pub(crate) place: usize,
    pub(crate) devices: Vec<ReferenceDevice>,
}

impl Among {
    fn new(ours: f64, label: String, devices: Vec<ReferenceDevice>) -> Self {
        let place = devices.iter().take_while(|device| device.random_reads_per_s > ours).count();
        Self { ours, label, place, devices }
    }

    /// Every line from top to bottom; `None` is this disk.
    pub(crate) fn lines(&self) -> Vec<Option<(usize, &ReferenceDevice)>> {
        let mut lines: Vec<_> = self.devices.iter().enumerate().map(Some).collect();
        lines.insert(self.place, None);
        lines
    }
}

/// The place of a run that measured direct random reads of 4 KiB, at the configuration with the highest rate.
pub(crate) fn among(run: &Run, verdict: &Verdict) -> Option<Among> {
    let mut best: Option<(f64, String)> = None;
    for study in &verdict.studies {
        let Some(plan) = wording::plan(run, study) else { continue };
        for cell in &study.cells {
            let comparable = plan.description(cell.configuration).is_some_and(are_random_reads);
            let Some(mean) = mean(cell).filter(|_| comparable) else { continue };
            if best.as_ref().is_none_or(|(most, _)| mean > *most) {
                best = Some((mean, label(study, cell)));
            }
        }
    }
    best.map(|(ours, label)| Among::new(ours, label, devices()))
}

fn mean(cell: &Cell) -> Option<f64> {
    cell.figures.get(METRIC)?.mean.point
}

/// The devices as a list for a terminal, with the sources below; empty if no such reads were measured.
pub fn among_published(run: &Run, verdict: &Verdict) -> String {
    among(run, verdict).as_ref().map_or_else(String::new, text)
}

fn text(among: &Among) -> String {
    let mut text = "\n  Random reads/s beside published figures\n".to_owned();
    for line in among.lines() {
        let (mark, reads, name) = match line {
            Some((index, device)) => {
                (" ", device.random_reads_per_s, format!("{} [{}]", device.name, index + 1))
            }
            None => ("→", among.ours, "this disk".to_owned()),
        };
        let reads = format_significant(reads);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {mark} {reads:>9}  {name}");
    }
    for (index, device) in among.devices.iter().enumerate() {
        let _ = writeln!(text, "    [{}] {}", index + 1, device.source);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratings::DeviceKind;

    #[test]
    fn this_disk_has_its_place() {
        let device = |reads: f64| ReferenceDevice {
            name: format!("{reads}"),
            kind: DeviceKind::Drive,
            random_reads_per_s: reads,
            source: String::new(),
        };
        for (ours, place) in [(5000.0, 0), (3000.0, 0), (100.0, 1), (1.0, 2)] {
            let among = Among::new(ours, String::new(), vec![device(3000.0), device(20.0)]);
            assert_eq!(among.lines().iter().position(Option::is_none), Some(place));
            assert_eq!(text(&among).lines().skip(2).position(|line| line.contains('→')), Some(place));
        }
    }
}
