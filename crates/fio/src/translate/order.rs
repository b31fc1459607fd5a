//! The order of a job's blocks: backward, with holes, or in zones.

use super::block::Block;
use super::job::Job;
use super::load::{Pattern, is_in_zones};
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{format_size, parse_size};
use model::units::{MIB, format_bytes};

const IN_ORDER: &str =
    "a job that is random in its zones is not measured: take random_distribution=zoned:, or rw=read";
const MIXED: &str = "reads meet the write pointers of a zoned device, and a file has none: measure each with a section of \
    its own, or run this job with fio";
const RESET: &str = "a trim resets a zone of a zoned device, and the jobs that write a file do not see it: remove zonemode \
    to punch holes, or run this job with fio";
/// The size of a zone if the job leaves it to the device, which is never opened: that of disks with shingled tracks.
const ZONE_BYTES: u64 = 256 * MIB;

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
    if pattern.is_random() {
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
    if pattern.is_random() {
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

/// The least size of a target with zones, if the job gives no size: several zones have to be in it.
pub(super) fn target_bytes_min(options: &Options<'_>, pattern: &Pattern) -> Answer<Option<u64>> {
    let bytes = |name| Ok(options.size(name)?.unwrap_or(0));
    if options.text("zonemode") == Some("strided") {
        let accessed = bytes("zonesize")?;
        let whole = accessed.max(bytes("zonerange")?).saturating_add(bytes("zoneskip")?);
        return Ok(Some(whole.saturating_mul(2)).filter(|bytes| *bytes < 1 << 62));
    }
    if !is_in_zones(options, pattern) {
        return Ok(None);
    }
    let zones = open_zones(options)?.max(options.jobs()?);
    Ok(zone_bytes(options)?.checked_mul(zones).filter(|bytes| *bytes < 1 << 62))
}

/// Bytes of a zone.
fn zone_bytes(options: &Options<'_>) -> Answer<u64> {
    Ok(options.size("zonesize")?.filter(|bytes| *bytes > 0).unwrap_or(ZONE_BYTES))
}

/// Zones that all jobs write at a time; 0 = all.
fn open_zones(options: &Options<'_>) -> Answer<u64> {
    let of_all = options.count("max_open_zones")?.filter(|zones| *zones > 0);
    let each = options.count("job_max_open_zones")?.filter(|zones| *zones > 0);
    let of_each = each.map(|zones| Ok(zones.saturating_mul(options.jobs()?))).transpose()?;
    Ok(match (of_all, of_each) {
        (Some(all), Some(each)) => all.min(each),
        (one, other) => one.or(other).unwrap_or(0),
    })
}

/// `zonemode=zbd`: in a regular file fio emulates zones, whose write pointers it keeps to itself (`init_zone_info` in
/// `zbd.c`).
fn zoned(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<u64> {
    if pattern.trims() {
        return options.refuse("zonemode", format!("zonemode=zbd: {RESET}"));
    }
    if pattern.reads() && pattern.writes() {
        return options.refuse("zonemode", format!("zonemode=zbd: {MIXED}"));
    }
    if !is_in_zones(options, pattern) {
        job.remark(match (pattern.writes(), pattern.is_random()) {
            (true, _) => "a file has no zones: writes go on from one zone to the next, and no zone is reset",
            (false, false) => {
                "a file has no zones, and is full of data: reads go on from one zone to the next, as in full zones"
            }
            (false, true) => "a file has no zones, and is full of data: reads go anywhere, as in full zones",
        });
        return Ok(0);
    }
    let zone = zone_bytes(options)?;
    if options.size("zonecapacity")?.is_some_and(|capacity| capacity != zone) {
        return options.refuse("zonecapacity", "zones have no rest that is left out; remove zonecapacity");
    }
    if options.size("zonesize")?.is_none() {
        job.remark(format!(
            "no zonesize is given: zones have {}, because the target is never opened; zonesize= gives another",
            format_bytes(zone)
        ));
    }
    job.set("random_distribution", "in_zones");
    job.set("zone_size", &format_bytes(zone));
    job.set("open_zones", &open_zones(options)?);
    job.remark(
        "a file has no zones: they are emulated in it, as fio does in a file. Each is written in order from its \
         beginning, and again when it is full; no command for a zone is sent",
    );
    if options.jobs()? > 1 {
        job.remark("each job has zones of its own, and open_zones are shared equally; in fio jobs take turns in all zones");
    }
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
