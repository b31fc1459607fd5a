//! The size of a job's blocks: `bs`, or an equal range or split.

use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{format_size, parse_size};

const DEFAULT_BLOCK_BYTES: u64 = 4096;
const MIX_OF_SIZES: &str = "a job has one block size, because its rate, latency and bandwidth are figures of one size; use bs=, with a job for each size";

/// Bytes of every operation of the section.
pub(super) fn block_bytes(options: &Options<'_>) -> Answer<u64> {
    // As in fio a split counts more than both others, and of the others the later line.
    let name = if options.text("bssplit").is_some() {
        "bssplit"
    } else if options.text("bsrange").is_some() && options.line("bsrange") >= options.line("bs") {
        "bsrange"
    } else {
        "bs"
    };
    let Some(text) = options.text(name) else { return Ok(DEFAULT_BLOCK_BYTES) };
    let sizes = sizes(name, text);
    let block = match sizes.iter().map(|size| parse_size(size)).collect::<Result<Vec<_>, _>>() {
        Err(why) => return options.refuse(name, format!("option \"{name}\": {why}")),
        Ok(sizes) => match sizes[..] {
            [] | [0, ..] => {
                return options.refuse(name, format!("{name}={text} moves nothing; give a block size"));
            }
            [first, ref others @ ..] if others.iter().any(|size| *size != first) => {
                return options.refuse(name, format!("{name}={text}: {MIX_OF_SIZES}"));
            }
            [first, ..] => first,
        },
    };
    match options.size("blockalign")? {
        Some(align) if align != block && align != 0 => options.refuse(
            "blockalign",
            format!("blocks lie at multiples of bs={}; remove blockalign", format_size(block)),
        ),
        Some(_) | None => Ok(block),
    }
}

/// Every size that the text of an option names for reads and writes: `4k,8k`, `4k-64k`, `4k/60:8k/40`. A size that no
/// operation has is left out.
fn sizes<'a>(name: &str, text: &'a str) -> Vec<&'a str> {
    let of_split = |part: &'a str| match part.split_once('/') {
        Some((_, "0")) => None,
        Some((size, _)) => Some(size),
        None => Some(part),
    };
    let part = |text: &'a str| match name {
        "bssplit" => text.split(':').filter_map(of_split).collect::<Vec<_>>(),
        "bsrange" => text.split('-').collect(),
        _ => vec![text],
    };
    // fio's HOWTO, bs: `,8k` leaves reads at the default; what follows a second comma is of trims.
    let directions = text.split(',').take(2);
    let given = directions.map(|text| if text.is_empty() { "4k" } else { text });
    given.flat_map(part).map(str::trim).collect()
}
