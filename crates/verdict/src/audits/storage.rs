//! Whether the files were on storage. Memory (tmpfs, a RAM disk) has no device to measure, and loses everything in a
//! power loss; behind layers, a network or a program the device is not visible.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::verdict::Status;
use model::medium::{Medium, Veil};

pub(super) const CHECK: Check =
    Check { name: "storage", bearing, moot: "No figure depends on what holds the files.", judge: check };

/// Every time, and every count below the program, claims to be a device's.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.depends_on_files().then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    // The kind of storage has no scatter: a trial in memory is not a replicate of the others.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass("The files were on a block device, as far as can be seen."),
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("No trial reports what held its files.")
        }
        Status::Warn => Judgement::new(
            status,
            format!(
                "No device is visible below the files in {}: the figures cover the whole path to them, including its \
                 caches.",
                tally.share()
            ),
            "Measure where the disk is mounted by itself, such as a volume of the container or the server's own \
             directory.",
        ),
        Status::Fail => Judgement::new(
            status,
            format!(
                "The files were in memory in {}: nothing there is durable, and no figure is a device's.",
                tally.share()
            ),
            "Measure in a directory on a disk.",
        ),
    };
    tally.tell(judgement)
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let reading = |status, severity, text| Some(Reading { status, severity, text });
    let placement = &trial.record.measurement.as_ref()?.placement;
    match placement.medium() {
        Medium::Device => {
            let device = placement.device.value().map_or("a device without a name", String::as_str);
            reading(Status::Pass, 0.0, format!("{} on {device}", placement.filesystem))
        }
        Medium::Memory(what) => reading(Status::Fail, 2.0, what),
        Medium::Unseen { veil: Veil::ObjectStore, .. } => None,
        Medium::Unseen { veil, what } => {
            reading(Status::Warn, 1.0, format!("{what}: unknown is {}", veil.unknown()))
        }
    }
}
