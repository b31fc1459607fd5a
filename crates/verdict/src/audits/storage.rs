//! Whether what was measured is storage. Memory (tmpfs, a RAM disk) has no device whose figures these could be, and keeps
//! nothing when the power fails; behind layers, a network or a program no device can be seen.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::verdict::Status;
use model::medium::Medium;

pub(super) const CHECK: Check =
    Check { name: "storage", bearing, moot: "No figure depends on what holds the files.", judge: check };

/// Whatever is timed or counted below the program claims to be of a device.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.depends_on_storage().then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    // What holds the files has no scatter: a trial in memory is no replicate of the others.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass("The files were on a block device, as far as can be seen."),
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("No trial tells what held its files.")
        }
        Status::Warn => Judgement::new(
            status,
            format!(
                "No device can be seen below the files in {}: what was measured is the whole way to them, caches on it \
                 included.",
                tally.share()
            ),
            "Measure where the disk is mounted by itself, such as a volume of the container or the server's own directory.",
        ),
        Status::Fail => Judgement::new(
            status,
            format!(
                "The files were in memory in {}: nothing there is durable, and no figure is one of a device.",
                tally.share()
            ),
            "Choose a directory on a disk with --dir.",
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
        Medium::Unseen(veil) => {
            let text = format!("{} is {}: unknown is {}", placement.filesystem, veil.name(), veil.unknown());
            reading(Status::Warn, 1.0, text)
        }
    }
}
