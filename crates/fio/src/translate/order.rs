//! The order of a sequential job: backward, or with holes.

use super::block::Block;
use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{format_size, parse_size};
use model::units::format_bytes;

const IN_ORDER: &str =
    "a job that is random in its zones is not measured: take random_distribution=zoned:, or rw=read";
const ZONED: &str =
    "a file has no zones: measure sequential writes with rw=write, and a zoned device with fio";

/// Sets the order of a sequential job. The answer is the bytes that it leaves out after each operation.
pub(super) fn order(options: &Options<'_>, pattern: &Pattern, block: Block, job: &mut Job) -> Answer<u64> {
    match (options.text("zonemode").unwrap_or("none"), modifier(options)) {
        ("none", None) if options.size("zonesize")?.unwrap_or(0) > 0 => options.refuse(
            "zonesize",
            "zonesize has no effect without zones, and fio refuses it: add zonemode=strided",
        ),
        ("none", None) => Ok(0),
        ("none", Some(bytes)) => added(options, pattern, block, bytes, job),
        ("strided", None) => strided(options, pattern, block, job),
        ("zbd", None) => zoned(options, pattern, job),
        (mode @ ("strided" | "zbd"), Some(_)) => {
            let rw = options.text("rw").unwrap_or_default();
            options.refuse("rw", format!("rw={rw} and zonemode={mode} are both given; remove one"))
        }
        (other, _) => options.refuse(
            "zonemode",
            format!("zonemode={} is not supported; use none or strided", model::printable(other)),
        ),
    }
}

/// What follows `:` in the pattern.
fn modifier<'a>(options: &'a Options<'_>) -> Option<&'a str> {
    options.text("rw")?.split_once(':').map(|(_, bytes)| bytes.trim())
}

/// `rw=read:8k`: fio adds the bytes to the end of an operation to find the next one.
fn added(options: &Options<'_>, pattern: &Pattern, block: Block, bytes: &str, job: &mut Job) -> Answer<u64> {
    let rw = options.text("rw").unwrap_or_default();
    if pattern.random {
        let what = format!(
            "rw={rw}: operations in order after each random one are not measured; write it without \":\""
        );
        return options.refuse("rw", what);
    }
    let (is_backward, text) = bytes.strip_prefix('-').map_or((false, bytes), |text| (true, text));
    let size = match parse_size(text) {
        Ok(size) => size,
        Err(why) => return options.refuse("rw", format!("rw={rw}: {why}")),
    };
    if size == 0 {
        return Ok(0);
    }
    if block.is_split {
        return options.refuse("rw", format!("rw={rw}: holes are left between blocks of one size; take bs="));
    }
    let bs = block.bytes_max;
    let hole = match (is_backward, size.checked_sub(2 * bs)) {
        (false, _) => size,
        (true, Some(hole)) => hole,
        (true, None) => {
            let least = format_size(2 * bs);
            let what =
                format!("rw={rw} would access blocks again and again; -{least} goes backward block by block");
            return options.refuse("rw", what);
        }
    };
    // Such a pattern reaches across places of the device at a distance of its own.
    if options.size("offset")?.is_some_and(|offset| offset % (bs + hole) != 0) {
        let what = format!(
            "offset={} with rw={rw}: the file begins where offset points to, so the places of the blocks would differ; \
             remove offset, or run this job with fio",
            options.text("offset").unwrap_or_default()
        );
        return options.refuse("offset", what);
    }
    set_hole(options, "rw", hole, bs, job)?;
    if is_backward {
        job.set("order", "backward");
    }
    Ok(hole)
}

/// `zonemode=strided`: `zonesize` bytes of each zone of `zonerange`, with `zoneskip` bytes between two zones.
fn strided(options: &Options<'_>, pattern: &Pattern, block: Block, job: &mut Job) -> Answer<u64> {
    if pattern.random {
        return options.refuse("zonemode", format!("zonemode=strided: {IN_ORDER}"));
    }
    if block.is_split {
        return options.refuse("zonemode", "zonemode=strided: zones consist of blocks of one size; take bs=");
    }
    let Some(accessed) = options.size("zonesize")?.filter(|bytes| *bytes > 0) else {
        return options.refuse("zonemode", "zonemode=strided needs the bytes of a zone; add zonesize=");
    };
    let range = options.size("zonerange")?.filter(|bytes| *bytes > 0).unwrap_or(accessed);
    let Some(rest) = range.checked_sub(accessed) else {
        let what =
            "zonesize is more than zonerange, so zones would be accessed several times; take zonesize=";
        return options.refuse("zonerange", format!("{what}{}", format_size(range)));
    };
    let hole = rest.saturating_add(options.size("zoneskip")?.unwrap_or(0));
    if accessed % block.bytes_max != 0 {
        let what = format!("zonesize={} is not a multiple of bs; take one", format_size(accessed));
        return options.refuse("zonesize", what);
    }
    set_hole(options, "zonesize", hole, block.bytes_max, job)?;
    if hole > 0 {
        job.set("hole_every", &format_bytes(accessed));
    }
    Ok(0)
}

/// `zonemode=zbd` in order: the zones of a file are full, so a job goes on from one to the next.
fn zoned(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<u64> {
    if pattern.random || pattern.reads && pattern.writes {
        return options.refuse("zonemode", format!("zonemode=zbd: {ZONED}"));
    }
    job.remark(if pattern.writes {
        "a file has no zones: writes go on from one zone to the next, and no zone is reset"
    } else {
        "a file has no zones, and is full of data: reads go on from one zone to the next, as in full zones"
    });
    Ok(0)
}

fn set_hole(options: &Options<'_>, name: &str, hole: u64, bs: u64, job: &mut Job) -> Answer<()> {
    if !hole.is_multiple_of(bs) {
        let what = format!("the holes between blocks have {}; take a multiple of bs", format_size(hole));
        return options.refuse(name, what);
    }
    if hole > 0 {
        job.set("hole", &format_bytes(hole));
    }
    Ok(())
}
