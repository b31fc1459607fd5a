//! The order of pages in a phase.

use super::levels::Access;
use super::parameters::Parameters;
use super::phase::Phase;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use stats::shuffle;

/// The pages of a phase in their order. The table's pages are numbered from 0, then come the maps' pages, then the
/// displacer's. The displacer's pages have no place in the file, because they are neither read nor written.
pub(super) fn pages(parameters: &Parameters, phase: Phase, seed: u64) -> Vec<u32> {
    let table = parameters.blocks as u32;
    let maps = parameters.map_pages() as u32;
    match phase {
        Phase::Displace => Vec::new(),
        Phase::Fill => with_maps((0..table).collect(), table, maps),
        Phase::WriteBack | Phase::FirstRead | Phase::SecondRead => {
            let mut order: Vec<u32> = (0..table).collect();
            if parameters.access == Access::Random {
                // Every phase has its own order; all arms of a round have the same orders.
                shuffle(
                    &mut order,
                    &mut Xoshiro256PlusPlus::seed_from_u64(seed ^ ((phase as u64 + 1) << 56)),
                );
            }
            if phase != Phase::WriteBack {
                order.truncate(parameters.pass_pages() as usize);
            }
            with_maps(order, table, maps)
        }
    }
}

/// The displacer's pages of one round: as many as there are frames, and different ones from the previous round.
pub(super) fn displacer(parameters: &Parameters, round: u32) -> Vec<u32> {
    let frames = parameters.frames() as u32;
    let first = parameters.file_pages() as u32 + round % Parameters::DISPLACER_ROUNDS * frames;
    (first..first + frames).collect()
}

/// Spreads map pages evenly among the others, once in a pass, each before the part of the table that it covers.
fn with_maps(order: Vec<u32>, table: u32, maps: u32) -> Vec<u32> {
    if maps == 0 {
        return order;
    }
    let touched = order.len();
    let mut all = Vec::with_capacity(touched + maps as usize);
    let mut next_map = 0;
    for (index, page) in order.into_iter().enumerate() {
        while next_map < maps && next_map as usize * touched <= index * maps as usize {
            all.push(table + next_map);
            next_map += 1;
        }
        all.push(page);
    }
    // Only a table of one or two pages has more map pages than pages.
    all.extend((next_map..maps).map(|map| table + map));
    all
}
