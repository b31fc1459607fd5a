//! Ranks that no published figure has the order of: a rank or a figure is wrong, or the ranking is by something
//! that is not published.

use crate::claim::Claim;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading, grouped};
use crate::status::Status;
use std::collections::{BTreeMap, BTreeSet};

/// The numbers of one name, with the rank and the index of the claim of each.
type Ranked = Vec<(u64, usize, f64)>;

pub const LAW: Law = Law {
    name: "rank-order",
    looks: Looks::AtTelling,
    needs: "rank, iops",
    held: "A published figure has the order of the ranks in {}.",
    broken: "The ranks contradict the figures in {}.",
    advice: "Find out which of rank and figure is wrong, or what the ranking is by.",
    lacking: "No two {}s of a table have a rank and a figure.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let groups = grouped(claims, |claim| claim.rank.map(|_| claim.study.as_deref()));
    groups.iter().flat_map(|group| judge(claims, group)).collect()
}

/// Each claim whose neighbour in rank is on the wrong side, by the figure whose order comes closest to that of the
/// ranks.
fn judge(claims: &[Claim], group: &[usize]) -> Vec<Reading> {
    let figures = figures(claims, group);
    let inverted = figures.iter().map(|(name, ranked)| (name, inversions(ranked)));
    let Some((name, inverted)) = inverted.min_by_key(|(_, inverted)| inverted.len()) else {
        return Vec::new();
    };
    let names = BTreeSet::from([name.clone()]);
    let reading = |claim: &usize| {
        let claim = *claim;
        let pair = inverted.iter().find(|(better, worse)| [*better, *worse].contains(&claim));
        let text = pair.map_or(String::new(), |(better, worse)| {
            let rank = |claim: usize| claims[claim].rank.unwrap_or(0);
            let other = if claim == *better { *worse } else { *better };
            let name_of_other = claims[other].name();
            format!(
                "rank {} and rank {} ({name_of_other}) have the other order by {name}.",
                rank(claim),
                rank(other)
            )
        });
        let status = if pair.is_some() { Status::Warn } else { Status::Pass };
        Reading::new(Concern::Names(names.clone()), status, text).of(claim)
    };
    group.iter().map(reading).collect()
}

/// The figures that all of a group have.
fn figures(claims: &[Claim], group: &[usize]) -> BTreeMap<String, Ranked> {
    let mut figures: BTreeMap<String, Ranked> = BTreeMap::new();
    for index in group.iter().copied() {
        let claim = &claims[index];
        for (name, value) in values(claim) {
            figures.entry(name).or_default().push((claim.rank.unwrap_or(0), index, value));
        }
    }
    figures.retain(|_, ranked| ranked.len() == group.len() && ranked.len() > 1);
    for ranked in figures.values_mut() {
        ranked.sort_by_key(|(rank, ..)| *rank);
    }
    figures
}

fn values(claim: &Claim) -> Vec<(String, f64)> {
    let percentiles = claim.latency.percentiles.iter();
    let percentiles = percentiles.map(|known| (format!("latency {}", known.name()), known.value_ns));
    claim.results().into_iter().map(|(name, figure)| (name, figure.value)).chain(percentiles).collect()
}

/// Claims next to each other in rank whose figures have not the order that most pairs have; equal ones have both.
fn inversions(ranked: &Ranked) -> Vec<(usize, usize)> {
    let pairs = |is_off: fn(f64, f64) -> bool| -> Vec<(usize, usize)> {
        let off = ranked.array_windows().filter(|[a, b]| a.0 != b.0 && is_off(a.2, b.2));
        off.map(|[a, b]| (a.1, b.1)).collect()
    };
    let (rising, falling) = (pairs(|a, b| a > b), pairs(|a, b| a < b));
    if rising.len() < falling.len() { rising } else { falling }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_rank_that_no_figure_has_the_order_of() {
        let table = |rows: &str| format!("rank,iops,latency_p99_us\n{rows}");
        check(&LAW, &table("1,900,50\n2,700,60\n3,500,90\n"), Status::Pass, "in 3 rows");
        check(&LAW, &table("1,900,50\n2,500,90\n3,700,60\n"), Status::Warn, "have the other order by");
        check(&LAW, &table("1,900,50\n"), Status::NotAssessable, "No two rows");
    }
}
