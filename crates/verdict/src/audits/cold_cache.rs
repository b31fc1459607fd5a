//! Whether the page cache was what the configuration says: proven by cachestat, and by what the device was asked for.

use super::tally::{Reading, Tally};
use super::{Context, Judgement};
use crate::observations::value;
use crate::phrase::percent;
use crate::verdict::Status;
use model::trial::{FileFacts, TrialRecord};

/// A cold file may have this share of its pages cached: the page or two that preparing it touched.
const COLD_AT_MOST: f64 = 0.01;
/// A warm file must have this share of its pages cached, before and after: the kernel may reclaim them behind our back.
const WARM_AT_LEAST: f64 = 0.99;
/// Buffered reads count as reads of the device where at least this share of the bytes came from it.
const FROM_DEVICE_AT_LEAST: f64 = 0.5;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let tally = Tally::of(context, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass("The page cache was as cold or as warm as asked, in every trial."),
        Status::NotAssessable => {
            Judgement::not_assessable("No trial reads data whose place in the page cache is known.")
        }
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!("The page cache was not what the configuration says in {}.", tally.share()),
            "Use a data_size well above memory (or a memory_cap) for cold reads, and well below it for warm ones; or \
             read directly.",
        ),
    };
    judgement.with(tally.evidence())
}

fn read(record: &TrialRecord) -> Option<Reading> {
    let values = &record.values;
    if values.count("read_depth").is_ok_and(|depth| depth == 0) {
        return None;
    }
    let data = record.measurement.as_ref()?.files.iter().find(|file| file.role == "data")?;
    let mode = if values.is("data_mode", "same") { "mode" } else { "data_mode" };
    let direct = values.is(mode, "direct");
    if values.is("cache", "cold") {
        cold(record, data, direct)
    } else if values.is("cache", "warm") && !direct {
        warm(data)
    } else {
        None
    }
}

fn cold(record: &TrialRecord, data: &FileFacts, direct: bool) -> Option<Reading> {
    let before = data.cached_share_before.value().copied().filter(|share| share.is_finite())?;
    if before > COLD_AT_MOST {
        let text = format!("asked cold, {} of the data file was cached before", percent(before));
        return Some(Reading { status: Status::Fail, severity: 1.0 + before, text });
    }
    let page = record.values.bytes("page_size").ok().filter(|bytes| *bytes > 0);
    let from_device =
        value(record, "device_read_bytes_per_read").zip(page).map(|(read, page)| read / page as f64);
    let text = match from_device {
        Some(share) => format!(
            "{} of the data file was cached before, the device delivered {} of the bytes read",
            percent(before),
            percent(share)
        ),
        None => format!("{} of the data file was cached before", percent(before)),
    };
    // Direct reads never come from the page cache; that other reads do is the cache filling up, not a lie of the setup.
    let missing = from_device.filter(|_| !direct).map_or(0.0, |share| (1.0 - share).max(0.0));
    let status = if missing > 1.0 - FROM_DEVICE_AT_LEAST { Status::Warn } else { Status::Pass };
    Some(Reading { status, severity: missing, text })
}

fn warm(data: &FileFacts) -> Option<Reading> {
    let share =
        |facts: &model::mechanism::Measured<f64>| facts.value().copied().filter(|share| share.is_finite());
    let before = share(&data.cached_share_before)?;
    let after = share(&data.cached_share_after).unwrap_or(before);
    let severity = 1.0 - before.min(after);
    let text = format!(
        "asked warm, {} of the data file was cached before and {} after",
        percent(before),
        percent(after)
    );
    let limit = 1.0 - WARM_AT_LEAST;
    Some(Reading::judged(severity, limit, limit, text))
}
