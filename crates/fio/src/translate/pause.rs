//! Pauses between operations.

use super::job::Job;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::parse_time;
use model::Nanos;
use model::units::format_duration;

pub(super) fn pause(options: &Options<'_>, job: &mut Job) -> Answer<()> {
    let length = microseconds(options, "thinktime")?;
    if length == Nanos::ZERO {
        return Ok(());
    }
    if options.text("rate").is_some() || options.text("rate_iops").is_some() {
        return options.refuse(
            "thinktime",
            "thinktime and a rate are both given: an open loop does not wait for its job; remove one",
        );
    }
    if microseconds(options, "thinktime_spin")? > Nanos::ZERO {
        job.remark("thinktime_spin has no effect: a job sleeps for the whole of thinktime");
    }
    match options.count("thinktime_blocks")? {
        Some(0) => {
            return options.refuse("thinktime_blocks", "thinktime_blocks=0 never pauses; take 1 or more");
        }
        blocks => job.set("thinktime_blocks", &blocks.unwrap_or(1)),
    }
    job.set("thinktime", &format_duration(length));
    Ok(())
}

/// A time of which a bare number is in microseconds.
fn microseconds(options: &Options<'_>, name: &str) -> Answer<Nanos> {
    let Some(text) = options.text(name) else { return Ok(Nanos::ZERO) };
    let is_bare = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let time = if is_bare { parse_time(&format!("{text}us")) } else { parse_time(text) };
    match time {
        Ok(time) => Ok(time),
        Err(why) => options.refuse(name, format!("option \"{name}\": {why}")),
    }
}
