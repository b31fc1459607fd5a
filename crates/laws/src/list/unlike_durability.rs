//! Writes in one table that promise different things: one that loses what it acknowledged when the process dies is
//! faster than one that does not, and no better. Page 003 has `O_SYNC`, one fsync at the end and a log in the
//! process's memory in one ranking.

use crate::claim::{Claim, Direction};
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading, grouped};
use crate::status::Status;
use model::durability::DurabilityClass;

pub const LAW: Law = Law {
    name: "unlike-durability",
    looks: Looks::AtFigures,
    needs: "rw, durability (or sync)",
    held: "One durability class in {} that write.",
    broken: "One table has writes of different durability: {} have another class than the first.",
    advice: "Compare rows of one class with each other. What a stronger promise costs is the distance \
        between classes, and no merit of either.",
    lacking: "No two {}s that write say what an acknowledged write survives, or how it is synced.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let groups = grouped(claims, |claim| class(claim).map(|_| claim.comparison()));
    groups.iter().filter(|group| group.len() > 1).flat_map(|group| judge(claims, group)).collect()
}

/// Each claim of a group against the first.
fn judge(claims: &[Claim], group: &[usize]) -> Vec<Reading> {
    let classed = || group.iter().filter_map(|claim| Some((*claim, class(&claims[*claim])?)));
    let Some((first, least)) = classed().next() else { return Vec::new() };
    let reading = |(claim, class)| {
        let status = if class == least { Status::Pass } else { Status::Warn };
        let first = claims[first].name();
        let text = format!("an acknowledged write {}; one of {first} {}.", survives(class), survives(least));
        Reading::new(Concern::Comparison, status, text).of(claim)
    };
    classed().map(reading).collect()
}

fn class(claim: &Claim) -> Option<DurabilityClass> {
    let class = claim.setting.survives()?;
    (claim.setting.direction != Some(Direction::Read)).then_some(class)
}

const fn survives(class: DurabilityClass) -> &'static str {
    match class {
        DurabilityClass::None => "is lost when the process dies",
        DurabilityClass::Process => "survives the process but not a power loss",
        DurabilityClass::Power => "survives a power loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn unlike_durability_in_one_table() {
        let table = |rows: &str| format!("rw,iops,durability,sync\n{rows}");
        let page = table("write,305078,process,never\nwrite,19455,,o_sync\nwrite,1471724,none,never\n");
        check(&LAW, &page, Status::Warn, "2 of 3 rows have another class");
        check(&LAW, &page, Status::Warn, "line 3: an acknowledged write survives a power loss");
        let clean = table("write,305078,process,never\nwrite,295813,,never\nwrite,290000,,later\n");
        check(&LAW, &clean, Status::Pass, "One durability class in 3 rows");
        let reads = table("read,305078,process,\nread,19455,power,\n");
        check(&LAW, &reads, Status::NotAssessable, "No two rows");
        let apart = table("write,305078,process,\nrandwrite,19455,power,\n");
        check(&LAW, &apart, Status::NotAssessable, "No two rows");
    }
}
