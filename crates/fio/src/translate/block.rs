//! The size of a job's blocks: `bs`, an equal range, or a split.

use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{format_size, parse_count, parse_size};
use model::Sizes;
use model::units::format_bytes;

const DEFAULT_BLOCK_BYTES: u64 = 4096;
const RANGE_OF_SIZES: &str = "sizes are not drawn from a range; use bs= of one size, or bssplit= for several";

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
        Some(text) => match each(options, name, text, pattern)? {
            [trims, writes] if trims != writes && pattern.trims() => return sizes_of_trims(options, name),
            [reads, writes] if reads != writes => {
                let whole = |bytes| Sizes::new([(bytes, 100)]).unwrap_or_default();
                return several(options, pattern, &whole(reads), Some(&whole(writes)), job);
            }
            [bytes, _] => bytes,
        },
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

/// The size of reads and that of writes, which the text of an option names: `4k`, `4k,8k`, `4k-4k`. Both are the same
/// if only one way is taken.
fn each(options: &Options<'_>, name: &str, text: &str, pattern: &Pattern) -> Answer<[u64; 2]> {
    let one = |text: &str| -> Answer<u64> {
        // fio's HOWTO, bs: `,8k` leaves reads at the default.
        let text = if text.trim().is_empty() { "4k" } else { text.trim() };
        let sizes = if name == "bsrange" { text.split('-').collect() } else { vec![text] };
        match sizes.into_iter().map(|size| parse_size(size.trim())).collect::<Result<Vec<_>, _>>() {
            Err(why) => options.refuse(name, format!("option \"{name}\": {why}")),
            Ok(sizes) => match sizes[..] {
                [] | [0, ..] => {
                    options.refuse(name, format!("{name}={text} moves nothing; give a block size"))
                }
                [first, ref others @ ..] if others.iter().any(|size| *size != first) => {
                    options.refuse(name, format!("{name}={text}: {RANGE_OF_SIZES}"))
                }
                [first, ..] => Ok(first),
            },
        }
    };
    // What follows a second comma is of trims.
    let mut lists = text.split(',').take(3);
    let reads = one(lists.next().unwrap_or_default())?;
    let writes = lists.next().map_or(Ok(reads), one)?;
    let trims = if pattern.trims() { lists.next().map_or(Ok(writes), one)? } else { writes };
    Ok(match (pattern.reads(), pattern.writes(), pattern.trims()) {
        (_, true, true) => [trims, writes],
        (_, false, true) => [trims; 2],
        (true, true, false) => [reads, writes],
        (true, false, false) => [reads; 2],
        (false, _, false) => [writes; 2],
    })
}

/// What is trimmed is what is written afterwards.
fn sizes_of_trims(options: &Options<'_>, name: &str) -> Answer<Block> {
    options
        .refuse(name, format!("{name}: a block is written after its trim, so both have one size; give one"))
}

/// Several sizes with the share of each.
fn split(options: &Options<'_>, text: &str, pattern: &Pattern, job: &mut Job) -> Answer<Block> {
    // As in fio: what follows a comma is of writes, then of trims; without it the one list is of all.
    let mut lists = text.split(',').map(|list| match read_split(list.trim()) {
        Ok(sizes) if !sizes.is_empty() => Ok(sizes),
        Ok(_) => options.refuse("bssplit", format!("bssplit={text} has no size; give 4k/60:8k/40")),
        Err(why) => options.refuse("bssplit", format!("option \"bssplit\": {why}")),
    });
    let (reads, writes) = (lists.next().transpose()?.unwrap_or_default(), lists.next());
    if pattern.trims() {
        let writes = writes.unwrap_or_else(|| Ok(reads.clone()))?;
        let trims = lists.next().unwrap_or_else(|| Ok(writes.clone()))?;
        if pattern.writes() && trims != writes {
            return sizes_of_trims(options, "bssplit");
        }
        return several(options, pattern, &trims, None, job);
    }
    match writes {
        None => several(options, pattern, &reads, None, job),
        Some(writes) if pattern.writes() && !pattern.reads() => {
            several(options, pattern, &writes?, None, job)
        }
        Some(writes) => {
            let writes = writes?;
            several(
                options,
                pattern,
                &reads,
                Some(&writes).filter(|writes| **writes != reads && pattern.writes()),
                job,
            )
        }
    }
}

/// Sets the sizes of operations, and those of the writes of a mix if they differ. As in fio, offsets are multiples of
/// the smallest unless `blockalign` says otherwise.
fn several(
    options: &Options<'_>,
    pattern: &Pattern,
    sizes: &Sizes,
    of_writes: Option<&Sizes>,
    job: &mut Job,
) -> Answer<Block> {
    let all = || sizes.iter().chain(of_writes.into_iter().flat_map(Sizes::iter)).map(|size| size.bytes);
    let smallest = all().min().unwrap_or(DEFAULT_BLOCK_BYTES);
    let align = options.size("blockalign")?.filter(|align| *align > 0).unwrap_or(smallest);
    job.set("bs", &format_bytes(align));
    job.set("bssplit", sizes);
    let mut bytes_mean = sizes.mean_bytes();
    if let Some(of_writes) = of_writes {
        job.set("bssplit_writes", of_writes);
        job.remark(
            "offsets of reads and writes are multiples of the smallest size of both; in fio, of its own",
        );
        let (reads, writes) = (u128::from(bytes_mean), u128::from(of_writes.mean_bytes()));
        let percent = u128::from(pattern.read_percent.min(100));
        bytes_mean = u64::try_from((reads * percent + writes * (100 - percent)) / 100).unwrap_or(u64::MAX);
    }
    let bytes_max = all().max().unwrap_or(smallest);
    Ok(Block { bytes_max, bytes_mean: bytes_mean.max(1), is_split: true })
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
