//! Whether the advised block size is right for other numbers of readers too.

use super::arm::{Arm, Measured};
use crate::caveat::Caveat;
use crate::effect::Standing;
use crate::evidence::Evidence;
use crate::no_advice::NoAdvice;

/// What other numbers of readers change, with the hint of the advised arm: for each number the block size that is
/// proven faster than the advised one there; `None` if one number was measured.
pub(super) fn caveat(
    evidence: &Evidence<'_>,
    measured: &Measured,
    best: &Arm,
) -> Result<Option<Caveat>, NoAdvice> {
    let mut numbers: Vec<u32> = measured.arms.iter().map(|arm| arm.readers).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let sizes = measured.arms.iter().filter(|arm| arm.block_size != best.block_size).count();
    if numbers.len() < 2 || sizes == 0 {
        return Ok(None);
    }
    let (mut faster, mut is_open) = (Vec::new(), false);
    for readers in numbers {
        let advised = Arm { readers, ..*best };
        if !advised.is_measured(&measured.arms) {
            continue;
        }
        // Those that differ from it in the block size, the fastest first.
        let others = measured.arms.iter().filter(|arm| {
            (arm.readers, arm.page_cache) == (readers, best.page_cache) && arm.block_size != best.block_size
        });
        let mut proven = None;
        for other in others {
            let contrast = measured.over(evidence, other, &advised)?;
            let (_, high) = contrast.ratio.interval.unwrap_or((0.0, f64::INFINITY));
            is_open |= high > stats::EQUIVALENCE_MARGIN && contrast.outcome != Standing::Better;
            if contrast.outcome == Standing::Better && proven.is_none() {
                proven = Some(contrast.pair(other.size(), advised.size()));
            }
        }
        faster.extend(proven.map(|pair| (readers, pair)));
    }
    let block = best.size();
    Ok(Some(match (faster.is_empty(), is_open) {
        (false, _) => Caveat::BlockDependsOnReaders { block, faster },
        (true, true) => Caveat::BlockMayDependOnReaders { block },
        (true, false) => Caveat::BlockForAllReaders { block },
    }))
}
