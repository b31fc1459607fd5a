//! A ratio that was set and never held: on page 000 the reads went on while a commit was synced, so 1 and 8 reads
//! per commit both gave about 600 (direct) or 9,000 (buffered), and the effect of the ratio was never measured.

use crate::claim::Claim;
use crate::law::{Law, Looks, Reads};
use crate::reading::COMPARISON;
use crate::status::Status;
use model::units::format_significant;

/// Factor between set and realised up to which the ratio held.
const HELD_WITHIN: f64 = 1.10;
/// Factor beyond which the column names something else.
const FAIL_BEYOND: f64 = 2.0;

pub const LAW: Law = Law {
    name: "ratio-never-bound",
    looks: Looks::AtFigures,
    needs: "reads_per_commit, iops, commits_per_s",
    held: "Reads per commit equal the setting in {}.",
    broken: "Reads per commit differ from the setting in {}.",
    advice: "Conclude nothing from that column, least of all that it has no effect: hold the ratio (pace \
        the reads by the commits) and measure again.",
    lacking: "No {} gives the intended reads per commit and the rates of both.",
    reads: Reads::Each(COMPARISON, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let set = claim.setting.reads_per_commit.filter(|set| *set > 0.0)?;
    let (reads, commits) = (claim.rate()?, claim.commit_rate().filter(|commits| commits.value > 0.0)?);
    let realised = reads.value / commits.value;
    let rounding = reads.relative() + commits.relative();
    let off = (realised / set).ln().abs() - rounding;
    let status = if !off.is_finite() || off > FAIL_BEYOND.ln() {
        Status::Fail
    } else if off > HELD_WITHIN.ln() {
        Status::Warn
    } else {
        Status::Pass
    };
    let text = format!(
        "{} reads per commit were set, but {}/s ÷ {}/s are {}.",
        format_significant(set),
        format_significant(reads.value),
        format_significant(commits.value),
        format_significant(realised)
    );
    Some((status, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_ratio_that_never_bound() {
        let table = |row: &str| format!("reads_per_commit,iops,commits_per_s\n{row}\n");
        check(&LAW, &table("8,314818,474"), Status::Fail, "÷ 474/s are 664");
        check(&LAW, &table("8,3794,474"), Status::Pass, "equal the setting");
        check(&LAW, &table("8,4741,474"), Status::Warn, "are 10.0");
        check(&LAW, &table("8,5k,474"), Status::Pass, "equal the setting");
        check(&LAW, &table("8,3794,"), Status::NotAssessable, "rates of both");
    }
}
