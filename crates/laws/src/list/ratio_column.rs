//! Speed-ups that do not follow from the figures beside them: `1.8×` where the rates are 2.3 apart.
//!
//! The row with 1.0 is the baseline. The ratios are those of the figure that most rows agree with; if none is, they
//! are of something that is not published.

use crate::claim::{Claim, Figure};
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::units::format_significant;
use std::collections::{BTreeMap, BTreeSet};

/// Words of a column of ratios.
const NAMES: &[&str] =
    &["speedup", "speed-up", "relative", "vs ", "vs. ", "baseline", "faster", "improvement"];
/// Disagreement that rounding of both does not explain.
const WITHIN: f64 = 0.03;
/// Claims that must agree with a figure for the others to be wrong.
const CLAIMS_MIN: usize = 2;

pub const LAW: Law = Law {
    name: "ratio-column",
    looks: Looks::AtTelling,
    needs: "figure, iops",
    held: "The ratios follow from the figures beside them in {}.",
    broken: "A ratio does not follow from the figures beside it in {}.",
    advice: "Compute it again from the figures, or find out which of them belongs to another run.",
    lacking: "No table has a column of ratios with a baseline and a figure that they follow from.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (index, claim) in claims.iter().enumerate() {
        for estimate in claim.estimates.iter().filter(|estimate| estimate.same_as.is_none()) {
            let name = estimate.column.to_lowercase();
            if NAMES.iter().any(|known| name.contains(known)) && estimate.figure.is_some() {
                groups.entry((claim.study.as_deref(), &estimate.column)).or_default().push(index);
            }
        }
    }
    groups.iter().flat_map(|((_, column), group)| judge(claims, column, group)).collect()
}

fn judge(claims: &[Claim], column: &str, group: &[usize]) -> Vec<Reading> {
    let ratio = |claim: usize| {
        let estimate = claims[claim].estimates.iter().find(|estimate| estimate.column == column)?;
        Some((claim, estimate.figure?))
    };
    let ratios: Vec<(usize, Figure)> = group.iter().filter_map(|claim| ratio(*claim)).collect();
    let mut bases = ratios.iter().filter(|(_, ratio)| (ratio.value - 1.0).abs() < f64::EPSILON);
    let (Some((first, _)), None) = (bases.next(), bases.next()) else { return Vec::new() };
    let others: Vec<&(usize, Figure)> = ratios.iter().filter(|(claim, _)| claim != first).collect();
    let candidates = figures(&claims[*first]).into_iter().filter(|(name, _)| name != column);
    let judged = candidates.flat_map(|(name, base)| {
        [true, false].map(|is_more| {
            let holds =
                |(claim, ratio): &&(usize, Figure)| follows(&claims[*claim], *ratio, &name, base, is_more);
            let held: Vec<Option<bool>> = others.iter().map(holds).collect();
            (name.clone(), held)
        })
    });
    let agreeing = |held: &[Option<bool>]| held.iter().filter(|holds| **holds == Some(true)).count();
    let Some((name, held)) = judged.max_by_key(|(_, held)| agreeing(held)) else { return Vec::new() };
    if agreeing(&held) < CLAIMS_MIN || 2 * agreeing(&held) < held.len() {
        return Vec::new();
    }
    let names = BTreeSet::from([column.to_owned()]);
    let reading = |((claim, ratio), holds): (&&(usize, Figure), Option<bool>)| {
        let status = if holds? { Status::Pass } else { Status::Warn };
        let base = claims[*first].name();
        let text =
            format!("{} is not the ratio of {name} to that of {base}.", format_significant(ratio.value));
        Some(Reading::new(Concern::Names(names.clone()), status, text).of(*claim))
    };
    others.iter().zip(held).filter_map(reading).collect()
}

/// Whether a ratio is this figure's to the baseline's, or the other way round for times.
fn follows(claim: &Claim, ratio: Figure, name: &str, base: Figure, is_more: bool) -> Option<bool> {
    let (_, figure) = figures(claim).into_iter().find(|(known, _)| known == name)?;
    let of_figures = if is_more { figure.value / base.value } else { base.value / figure.value };
    let rounding = [figure, base, ratio].map(|figure| figure.uncertainty / figure.value).iter().sum::<f64>();
    Some((of_figures / ratio.value - 1.0).abs() <= WITHIN + rounding)
}

/// The figures that ratios may be of.
fn figures(claim: &Claim) -> Vec<(String, Figure)> {
    let runtime = claim.runtime_s.map(|value| ("runtime".to_owned(), Figure::exact(value)));
    claim.results().into_iter().chain(runtime).filter(|(_, figure)| figure.value > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_speed_up_that_does_not_follow() {
        let table = |last: &str| format!("iops,speedup\n1000,1.0\n2010,2.01\n3050,3.05\n2310,{last}\n");
        check(&LAW, &table("2.31"), Status::Pass, "in 3 rows");
        check(&LAW, &table("1.80"), Status::Warn, "1.80 is not the ratio of iops");
        check(&LAW, "iops,speedup\n1000,1.5\n2010,2.01\n", Status::NotAssessable, "No table");
    }
}
