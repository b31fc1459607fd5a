//! This disk's random reads beside published figures, for the screen of `check` and for the page of any run that
//! measured them. Both use the same figure.

use crate::label::label;
use crate::wording;
use model::run::Run;
use model::units::format_significant;
use ratings::{ReferenceDevice, are_random_reads, devices};
use std::fmt::Write as _;
use verdict::{Cell, Verdict, failed_for};

const METRIC: &str = "iops";
/// Devices on either side of this disk that a terminal shows; the page has all.
const NEAR: usize = 3;

/// Devices in order, the fastest first, and the place of this disk.
#[derive(Clone, Debug)]
pub(crate) struct Among {
    /// Its reads per second, the mean over trials.
    pub(crate) ours: f64,
    /// What was measured: `iodepth=32`.
    pub(crate) label: String,
    /// The audits that failed for this figure, which then is not reliable.
    pub(crate) failed: Vec<String>,
    /// Number of faster devices.
    pub(crate) place: usize,
    pub(crate) devices: Vec<ReferenceDevice>,
}

impl Among {
    fn new(ours: f64, label: String, failed: Vec<String>, devices: Vec<ReferenceDevice>) -> Self {
        let place = devices.iter().take_while(|device| device.random_reads_per_s > ours).count();
        Self { ours, label, failed, place, devices }
    }

    /// This disk, and why its figure cannot be relied on.
    pub(crate) fn this_disk(&self) -> String {
        match &self.failed[..] {
            [] => "this disk".to_owned(),
            failed => format!("this disk, not reliable: {} failed", failed.join(", ")),
        }
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
    let mut best: Option<(f64, String, Vec<String>)> = None;
    for study in &verdict.studies {
        let Some(plan) = wording::plan(run, study) else { continue };
        for cell in &study.cells {
            let comparable = plan.description(cell.configuration).is_some_and(are_random_reads);
            let Some(mean) = mean(cell).filter(|_| comparable) else { continue };
            if best.as_ref().is_none_or(|(most, _, _)| mean > *most) {
                let basis = study.basis(plan, cell.configuration, METRIC);
                let failed = failed_for(&study.audits, &basis).map(|audit| audit.name.clone()).collect();
                best = Some((mean, label(study, cell), failed));
            }
        }
    }
    best.map(|(ours, label, failed)| Among::new(ours, label, failed, devices()))
}

fn mean(cell: &Cell) -> Option<f64> {
    cell.figures.get(METRIC)?.mean.point
}

/// The devices as a list for a terminal, with the sources below; empty if no such reads were measured.
pub fn among_published(run: &Run, verdict: &Verdict) -> String {
    among(run, verdict).as_ref().map_or_else(String::new, text)
}

fn text(among: &Among) -> String {
    let all = among.devices.len();
    let mut text = format!("\n  Random reads/s beside published figures, the nearest of {all}\n");
    let nearest = among.place.saturating_sub(NEAR)..among.place + NEAR;
    let near = |line: &(usize, &ReferenceDevice)| nearest.contains(&line.0);
    let shown: Vec<_> = among.lines().into_iter().filter(|line| line.as_ref().is_none_or(near)).collect();
    for line in &shown {
        let (mark, reads, name) = match line {
            Some((index, device)) => {
                (" ", device.random_reads_per_s, format!("{} [{}]", device.words(), index + 1))
            }
            None => ("→", among.ours, among.this_disk()),
        };
        let reads = format_significant(reads);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {mark} {reads:>9}  {name}");
    }
    for (index, device) in shown.iter().flatten() {
        let _ = writeln!(text, "    [{}] {} ({})", index + 1, device.source, device.read_on);
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
            throughput_mib_per_s: Some(125.0),
            designed_latency_ms: Some(1.0),
            source: String::new(),
            read_on: String::new(),
        };
        for (ours, place) in [(5000.0, 0), (3000.0, 0), (100.0, 1), (1.0, 2)] {
            let among =
                Among::new(ours, String::new(), vec!["drift".to_owned()], vec![device(3000.0), device(20.0)]);
            assert_eq!(among.lines().iter().position(Option::is_none), Some(place));
            let ours = text(&among).lines().skip(2).position(|line| line.trim_start().starts_with('→'));
            assert_eq!(ours, Some(place));
            assert_eq!(among.this_disk(), "this disk, not reliable: drift failed");
            assert_eq!(among.devices[0].words(), "3000; 125 MiB/s; designed for less than 1 ms");
        }
    }
}
