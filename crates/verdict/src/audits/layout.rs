//! Whether files were laid out on the device as configured, by FIEMAP: the first write into an unwritten extent or a
//! hole changes metadata, and a journal turns that into a second flush.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::verdict::Status;
use model::Layout;
use model::trial::FileFacts;
use model::units::format_bytes;

/// The minimum share of an fallocated file that must still be unwritten: file systems round the first and last block.
const FALLOCATED_UNWRITTEN_AT_LEAST: f64 = 0.99;

pub(super) const CHECK: Check = Check {
    name: "layout",
    bearing,
    moot: "No file of this workload has a layout that matters.",
    judge: check,
};

/// A log that is called allocated or growing claims its layout, and so does a comparison of layouts. A prefilled log
/// was written in any case: its layout only limits the answer.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let layout = used.description.layout?;
    let is_compared =
        used.description.names.layout_parameter.as_deref().is_some_and(|name| used.compares(name));
    let is_claimed = layout != Layout::Prefilled || is_compared;
    used.is_of_device().then_some(if is_claimed { Bearing::Required } else { Bearing::Limiting })
}

fn check(context: &Context<'_>) -> Judgement {
    // A layout is read from the file system without scatter: a trial on another layout is not a replicate of the
    // others.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass("Every file had its configured layout on the device (FIEMAP)."),
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("The file system does not report the layout of files (FIEMAP).")
        }
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!("Files did not have their configured layout in {}.", tally.share()),
            "Use a file system that keeps the layout (no compression, no copy on write), or configure the actual \
             layout.",
        ),
    };
    tally.tell(judgement)
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let files = &trial.record.measurement.as_ref()?.files;
    let judged: Vec<Result<String, String>> = files.iter().filter_map(judge).collect();
    if judged.is_empty() {
        return None;
    }
    let wrong: Vec<&str> = judged.iter().filter_map(|file| file.as_ref().err()).map(String::as_str).collect();
    if wrong.is_empty() {
        let right: Vec<&str> =
            judged.iter().filter_map(|file| file.as_ref().ok()).map(String::as_str).collect();
        return Some(Reading { status: Status::Pass, severity: 0.0, text: right.join("; ") });
    }
    Some(Reading { status: Status::Fail, severity: wrong.len() as f64, text: wrong.join("; ") })
}

/// `Ok` if the file has its layout, `Err` if it does not; `None` if that is unknown.
fn judge(file: &FileFacts) -> Option<Result<String, String>> {
    let FileFacts { role, size_bytes, layout, .. } = file;
    let is_right = match layout.as_str() {
        "append" => *size_bytes == 0,
        "fallocated" => {
            let extents = file.extents.value()?;
            let enough = extents.unwritten_bytes as f64 >= FALLOCATED_UNWRITTEN_AT_LEAST * *size_bytes as f64;
            *size_bytes > 0 && extents.hole_bytes == 0 && enough
        }
        "prefilled" => {
            let extents = file.extents.value()?;
            *size_bytes > 0 && extents.unwritten_bytes == 0 && extents.hole_bytes == 0
        }
        _ => return None,
    };
    let extents = file.extents.value().map_or_else(String::new, |extents| {
        let (unwritten, holes) = (format_bytes(extents.unwritten_bytes), format_bytes(extents.hole_bytes));
        format!(", {unwritten} unwritten, {holes} of holes")
    });
    let text = format!("{role} is {layout}: {}{extents}", format_bytes(*size_bytes));
    Some(if is_right { Ok(text) } else { Err(text) })
}
