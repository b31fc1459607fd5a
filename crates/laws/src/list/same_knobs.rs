//! Claims that are compared and differ in more than one knob: which of them made the difference is unknown. Page 001
//! compares 12 jobs without a memory cap with 8 jobs under one.
//!
//! Claims of one access pattern are taken to be compared. They form a graph with an edge if two differ in one knob
//! only; if it falls apart, claims of different parts cannot be compared, step by step or at once.

use crate::claim::Claim;
use crate::law::{Law, LawResult, Looks, Reads, Told};
use crate::reading::{Concern, Reading, grouped};
use crate::status::Status;
use model::figure::count;
use model::units::format_bytes;
use std::collections::BTreeMap;

/// Settings that are looked at for the closest pair between two parts.
const PAIRS_MAX: usize = 300;
/// Parts of one access pattern whose closest pair is reported.
const BREAKS_TOLD: usize = 10;

/// Followed by how many groups are left.
const BROKEN: &str = "Rows of one access pattern differ in more than one knob: steps of one knob do not lead from \
    the first row";

pub(super) type Knobs = BTreeMap<String, String>;

pub const LAW: Law = Law {
    name: "same-knobs",
    looks: Looks::AtFigures,
    needs: "rw, mode, iodepth, numjobs, knob",
    held: "{} can be compared one knob at a time.",
    broken: BROKEN,
    advice: "Measure the missing rows, so that each row differs from another one in a single knob. Until then \
        nobody knows which knob made the difference.",
    lacking: "No two {}s of one access pattern give their settings.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let groups = grouped(claims, |claim| Some(claim.comparison()));
    let (mut readings, mut evidence) = (Vec::new(), Vec::new());
    let (mut compared, mut breaks) = (0, 0);
    for group in groups.iter().filter(|group| group.len() > 1) {
        let (firsts, knobs): (Vec<usize>, Vec<Knobs>) = distinct(claims, group).into_iter().unzip();
        if knobs.iter().all(Knobs::is_empty) {
            continue;
        }
        compared += group.len();
        let parts = parts(&knobs);
        let broken = broken(&parts);
        breaks += broken.len();
        for (first, second) in broken.into_iter().take(BREAKS_TOLD) {
            let Some((a, b)) = closest(&knobs, &parts, first, second) else { continue };
            let text = format!(
                "differs from {} in {}.{}",
                claims[firsts[b]].name(),
                difference(&knobs[a], &knobs[b]),
                missing(&knobs[a], &knobs[b])
            );
            evidence.push(format!("{}: {text}", claims[firsts[a]].name()));
            readings.push(Reading::new(Concern::Comparison, Status::Warn, text).of(firsts[a]));
        }
    }
    if compared == 0 {
        return LawResult::default();
    }
    if breaks > evidence.len() {
        evidence.push(format!("… and {} more.", breaks - evidence.len()));
    }
    let (status, summary) = match breaks {
        0 => (Status::Pass, LAW.held.replace("{}", &count(compared, "row"))),
        _ => (Status::Warn, format!("{BROKEN} to {}.", count(breaks, "other group"))),
    };
    LawResult { readings, told: Some(Told { status, summary, evidence }), notes: Vec::new() }
}

/// The settings of these rows, each once and behind the first row that has them: a hundred thousand rows may have
/// the same.
fn distinct(claims: &[Claim], group: &[usize]) -> Vec<(usize, Knobs)> {
    let mut first: BTreeMap<Knobs, usize> = BTreeMap::new();
    for claim in group {
        first.entry(knobs(&claims[*claim])).or_insert(*claim);
    }
    let mut distinct: Vec<(usize, Knobs)> = first.into_iter().map(|(knobs, claim)| (claim, knobs)).collect();
    distinct.sort_unstable_by_key(|(claim, _)| *claim);
    distinct
}

/// The settings of a row that somebody chose, as text.
pub(super) fn knobs(claim: &Claim) -> Knobs {
    let setting = &claim.setting;
    if setting.knobs_are_complete {
        return Knobs::clone(&setting.knobs);
    }
    let size = |bytes: Option<u64>| bytes.map(format_bytes);
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let named = [
        ("mode", setting.mode.map(|mode| mode.name().to_owned())),
        ("block_bytes", size(setting.block_bytes)),
        ("iodepth", count(setting.iodepth)),
        ("numjobs", count(setting.numjobs)),
        ("in_flight", count(setting.in_flight)),
        ("ioengine", setting.engine.clone()),
        ("synced", setting.synced.map(|synced| synced.to_string())),
        ("sync", setting.sync.map(|sync| sync.name().to_owned())),
        ("log_mode", setting.log_mode.map(|mode| mode.name().to_owned())),
        ("passes", count(setting.passes)),
        ("cache_drops", count(setting.cache_drops)),
        ("file_bytes", size(setting.file_bytes)),
        ("memory_cap_bytes", size(setting.memory_cap_bytes)),
    ];
    let known = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.chain(Knobs::clone(&setting.knobs)).collect()
}

/// The number of the part of each of these settings: those of one part are linked by steps of one knob.
fn parts(knobs: &[Knobs]) -> Vec<usize> {
    let mut part: Vec<usize> = (0..knobs.len()).collect();
    // What agrees in all knobs but one shares a text with that one left out.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: Vec<&String> = knobs.iter().flat_map(Knobs::keys).collect();
    names.sort();
    names.dedup();
    for left_out in names {
        seen.clear();
        for (index, claim) in knobs.iter().enumerate() {
            let others: Vec<String> = claim
                .iter()
                .filter(|(name, _)| *name != left_out)
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let twin = *seen.entry(others.join("\n")).or_insert(index);
            let (a, b) = (root(&mut part, twin), root(&mut part, index));
            part[a.max(b)] = a.min(b);
        }
    }
    (0..knobs.len()).map(|index| root(&mut part, index)).collect()
}

/// The first of a part; paths are halved on the way.
fn root(part: &mut [usize], mut index: usize) -> usize {
    while part[index] != index {
        part[index] = part[part[index]];
        index = part[index];
    }
    index
}

/// Each part but the first, against the first.
fn broken(parts: &[usize]) -> Vec<(usize, usize)> {
    let mut roots = parts.to_vec();
    roots.sort_unstable();
    roots.dedup();
    roots.iter().skip(1).map(|other| (*other, roots[0])).collect()
}

/// The two of two parts that differ in the fewest knobs.
fn closest(knobs: &[Knobs], parts: &[usize], first: usize, second: usize) -> Option<(usize, usize)> {
    let of = |part: usize| (0..knobs.len()).filter(move |index| parts[*index] == part).take(PAIRS_MAX);
    let pairs = of(first).flat_map(|a| of(second).map(move |b| (a, b)));
    pairs.min_by_key(|(a, b)| differing(&knobs[*a], &knobs[*b]).len())
}

fn differing(a: &Knobs, b: &Knobs) -> Vec<(String, String, String)> {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    let value = |knobs: &Knobs, name: &String| knobs.get(name).cloned().unwrap_or_else(|| "none".to_owned());
    let differing = names.into_iter().filter(|name| a.get(*name) != b.get(*name));
    differing.map(|name| (name.clone(), value(a, name), value(b, name))).collect()
}

fn difference(a: &Knobs, b: &Knobs) -> String {
    let told: Vec<String> = differing(a, b)
        .into_iter()
        .map(|(name, ours, theirs)| format!("{name} ({ours} against {theirs})"))
        .collect();
    told.join(" and ")
}

/// The row that would tell two knobs apart: ` Measure it with numjobs = 12 too.`; empty for more knobs, which take
/// several rows.
fn missing(a: &Knobs, b: &Knobs) -> String {
    match &differing(a, b)[..] {
        [_, (name, _, theirs)] => format!(" Measure it with {name} = {theirs} too."),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Circumstances;
    use crate::tests::check;

    #[test]
    fn same_knobs() {
        let table = |rows: &str| format!("iops,rw,mode,numjobs,memory_cap_bytes,knob\n{rows}");
        let grid =
            table("1,read,direct,8,,\n1,read,buffered,8,,\n1,read,buffered,8,1GiB,\n1,write,direct,12,,\n");
        check(&LAW, &grid, Status::Pass, "3 rows can be compared");
        let page = table("1,read,direct,12,,\n1,read,buffered,12,,\n1,read,buffered,8,1GiB,\n");
        check(&LAW, &page, Status::Warn, "memory_cap_bytes (1GiB against none) and numjobs (8 against 12)");
        check(&LAW, &page, Status::Warn, "Measure it with numjobs = 12 too");
        check(&LAW, "iops\n1\n2\n", Status::NotAssessable, "No two rows");
    }

    /// A page with 99,000 results below one command kept the settings of each as texts of their own.
    #[test]
    fn rows_with_the_same_settings_have_them_once() {
        let claim = |iodepth: u64| {
            let knobs = std::sync::Arc::new([("size".to_owned(), "1g".to_owned())].into());
            Claim {
                setting: Circumstances { iodepth: Some(iodepth), knobs, ..Circumstances::default() },
                ..Claim::default()
            }
        };
        let claims: Vec<Claim> = (0..1000).map(|index| claim(if index < 998 { 1 } else { 2 })).collect();
        let distinct = distinct(&claims, &(0..1000).collect::<Vec<_>>());
        let firsts: Vec<usize> = distinct.iter().map(|(claim, _)| *claim).collect();
        assert_eq!(firsts, [0, 998]);
        assert_eq!(LAW.judge(&claims, "row").status, Status::Pass);
    }
}
