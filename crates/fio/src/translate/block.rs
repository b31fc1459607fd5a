//! The size of a job's blocks: `bs`, an equal range, or a split.

use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{format_size, parse_count, parse_size};
use model::Sizes;
use model::units::format_bytes;

const DEFAULT_BLOCK_BYTES: u64 = 4096;
const MIX_OF_SIZES: &str =
    "reads and writes have the same sizes here; use bs= of one size, or bssplit= for several";

/// The bytes of a section's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The largest operation has as many.
    pub(super) bytes_max: u64,
    /// An operation has as many on average, and without a split always.
    pub(super) bytes_mean: u64,
    pub(super) is_split: bool,
}

impl Block {
    const fn one(bytes: u64) -> Self {
        Self { bytes_max: bytes, bytes_mean: bytes, is_split: false }
    }
}

/// Sets what operations of the section move.
pub(super) fn block(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<Block> {
    // As in fio a split counts more than both others, and of the others the later line.
    if let Some(text) = options.text("bssplit") {
        let text = text.to_owned();
        return split(options, &text, pattern, job);
    }
    let name = if options.text("bsrange").is_some() && options.line("bsrange") >= options.line("bs") {
        "bsrange"
    } else {
        "bs"
    };
    let bytes = match options.text(name) {
        Some(text) => one(options, name, text)?,
        None => DEFAULT_BLOCK_BYTES,
    };
    job.set("bs", &format_bytes(bytes));
    match options.size("blockalign")? {
        Some(align) if align != bytes && align != 0 => options.refuse(
            "blockalign",
            format!("blocks lie at multiples of bs={}; remove blockalign", format_size(bytes)),
        ),
        Some(_) | None => Ok(Block::one(bytes)),
    }
}

/// The one size that the text of an option names for reads and writes: `4k,4k`, `4k-4k`.
fn one(options: &Options<'_>, name: &str, text: &str) -> Answer<u64> {
    // fio's HOWTO, bs: `,8k` leaves reads at the default; what follows a second comma is of trims.
    let given = text.split(',').take(2).map(|text| if text.is_empty() { "4k" } else { text });
    let sizes = given.flat_map(|text| if name == "bsrange" { text.split('-').collect() } else { vec![text] });
    match sizes.map(|size| parse_size(size.trim())).collect::<Result<Vec<_>, _>>() {
        Err(why) => options.refuse(name, format!("option \"{name}\": {why}")),
        Ok(sizes) => match sizes[..] {
            [] | [0, ..] => options.refuse(name, format!("{name}={text} moves nothing; give a block size")),
            [first, ref others @ ..] if others.iter().any(|size| *size != first) => {
                options.refuse(name, format!("{name}={text}: {MIX_OF_SIZES}"))
            }
            [first, ..] => Ok(first),
        },
    }
}

/// Several sizes with the share of each. As in fio, offsets are multiples of the smallest unless `blockalign` says
/// otherwise.
fn split(options: &Options<'_>, text: &str, pattern: &Pattern, job: &mut Job) -> Answer<Block> {
    // As in fio: what follows a comma is of writes, then of trims; without it the one list is of all.
    let mut lists = text.split(',').map(|list| read_split(list.trim()));
    let (reads, writes) = (lists.next(), lists.next());
    let sizes = match (reads, writes) {
        (Some(reads), Some(writes)) if pattern.reads && pattern.writes => {
            if reads != writes {
                return options.refuse("bssplit", format!("bssplit={text}: {MIX_OF_SIZES}"));
            }
            reads
        }
        (_, Some(writes)) if pattern.writes => writes,
        (Some(sizes), _) => sizes,
        (None, _) => Ok(Sizes::default()),
    };
    let sizes = match sizes {
        Ok(sizes) if !sizes.is_empty() => sizes,
        Ok(_) => return options.refuse("bssplit", format!("bssplit={text} has no size; give 4k/60:8k/40")),
        Err(why) => return options.refuse("bssplit", format!("option \"bssplit\": {why}")),
    };
    let smallest = sizes.iter().next().map_or(DEFAULT_BLOCK_BYTES, |size| size.bytes);
    let align = options.size("blockalign")?.filter(|align| *align > 0).unwrap_or(smallest);
    job.set("bs", &format_bytes(align));
    job.set("bssplit", &sizes);
    let bytes_max = sizes.iter().last().map_or(smallest, |size| size.bytes);
    Ok(Block { bytes_max, bytes_mean: sizes.mean_bytes().max(1), is_split: true })
}

/// fio's sizes, not those of a person: `4k` and `4kb` are 4096, and `4KiB` is refused. If percentages do not reach 100,
/// the last size has the rest, as in fio.
fn read_split(text: &str) -> Result<Sizes, String> {
    let part = |part: &str| {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let bytes = parse_size(size.trim())?;
        let percent = match percent.trim() {
            "" => None,
            percent => Some(u8::try_from(parse_count(percent)?).unwrap_or(u8::MAX)),
        };
        Ok((bytes, percent))
    };
    let mut parts = text.split(':').map(part).collect::<Result<Vec<(u64, Option<u8>)>, String>>()?;
    let given: Option<u64> = parts.iter().map(|(_, percent)| percent.map(u64::from)).sum();
    if let (Some(given @ ..100), Some((last, _))) = (given, parts.last().copied()) {
        parts.push((last, Some(100 - given as u8)));
    }
    Sizes::completed(&parts)
}
