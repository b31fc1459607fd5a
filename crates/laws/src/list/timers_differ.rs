//! Sync latencies that are compared between buffered and direct rows: under `O_DIRECT` the data has reached the
//! drive before the sync's timer starts, through the page cache the sync writes it. Only write and sync together
//! compare; page 000 takes its 3 × from the sync alone.

use super::same_knobs::knobs;
use crate::claim::{Claim, Timed};
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading, grouped};
use crate::status::Status;
use model::IoMode;
use model::units::format_significant;

/// Factor between the two comparisons up to which the timers cover the same share of a commit.
const AGREE_WITHIN: f64 = 1.10;

pub const LAW: Law = Law {
    name: "timers-differ",
    looks: Looks::AtFigures,
    needs: "mode, sync_latency_p50_us, commit_latency_p50_us",
    held: "Sync and commit latencies agree between I/O modes in {}.",
    broken: "A sync's timer covers different work in different I/O modes in {}.",
    advice: "Compare the latency of write and sync together (commit_latency), from the first submission to \
        the acknowledgement; the sync alone compares within one I/O mode only.",
    lacking: "No two {}s that differ in being direct give a sync's latency.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let groups = grouped(claims, |claim| {
        let mut others = knobs(claim);
        others.remove("mode")?;
        claim.sync.typical().map(|_| (claim.study.clone(), others))
    });
    groups.iter().flat_map(|group| compare(claims, group)).collect()
}

/// Each claim that is not direct against the first that is.
fn compare(claims: &[Claim], group: &[usize]) -> Vec<Reading> {
    let is_direct = |index: &usize| claims[*index].setting.mode == Some(IoMode::Direct);
    let Some(direct) = group.iter().copied().find(is_direct) else { return Vec::new() };
    let others = group.iter().copied().filter(|index| !is_direct(index));
    let reading = |claim: usize| {
        let (status, text) = judge(&claims[claim], &claims[direct])?;
        Some(Reading::new(Concern::Comparison, status, text).of(claim))
    };
    others.filter_map(reading).collect()
}

fn judge(claim: &Claim, direct: &Claim) -> Option<(Status, String)> {
    let (syncs, rounding) = ratio(claim, direct, Timed::Sync)?;
    let told = format!("its sync takes {} × that of {}", format_significant(syncs), direct.name());
    let Some((commits, more)) = ratio(claim, direct, Timed::Commit) else {
        let why = "but no latency of write and sync together is given: in one mode the sync includes the write of \
         the data.";
        return Some((Status::Warn, format!("{told}, {why}")));
    };
    let apart = (syncs / commits).ln().abs();
    let status = if apart > AGREE_WITHIN.ln() + rounding + more { Status::Warn } else { Status::Pass };
    Some((status, format!("{told}, write and sync together {} ×.", format_significant(commits))))
}

/// How many times longer it takes, by a figure that both rows give, and the share of it that is rounding.
fn ratio(claim: &Claim, direct: &Claim, timed: Timed) -> Option<(f64, f64)> {
    let (name, ours) = claim.typical(timed)?;
    let theirs = direct.timed(timed, &name).filter(|theirs| theirs.value > 0.0)?;
    (ours.value > 0.0).then(|| (ours.value / theirs.value, ours.relative() + theirs.relative()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_sync_alone_does_not_compare_between_modes() {
        let header = "mode,sync_latency_p50_us,commit_latency_p50_us\n";
        let page = format!("{header}buffered,5996,8001\ndirect,1942,1967\n");
        check(&LAW, &page, Status::Warn, "3.09 × that of line 3, write and sync together 4.07 ×");
        let clean = format!("{header}buffered,2110,2215\ndirect,1942,2040\n");
        check(&LAW, &clean, Status::Pass, "agree between");
        let alone = "mode,sync_latency_mean_us\nbuffered,5996\ndirect,1942\n";
        check(&LAW, alone, Status::Warn, "no latency of write and sync together");
        // One mode's syncs compare with each other.
        check(
            &LAW,
            "mode,rw,sync_latency_mean_us\ndirect,write,5\ndirect,write,9\n",
            Status::NotAssessable,
            "No two rows",
        );
        let elsewhere = "mode,numjobs,sync_latency_mean_us\nbuffered,1,5996\ndirect,8,1942\n";
        check(&LAW, elsewhere, Status::NotAssessable, "No two rows");
    }
}
