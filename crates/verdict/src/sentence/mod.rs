//! A finding in words, absolute figures first: the claim, which is the short form, then the proof in brackets, then
//! further clauses.

mod comparison;
mod crossing;
mod effect;
mod ladder;
mod levels;
mod opening;
mod told;

use crate::durability::names;
use crate::finding::{Finding, Group, Opposing, Outcome, Outlook, Reason, Remark, Side, name};
use effect::Effect;
use model::figure::{count, ratio};
use model::metric::Better;
use page::quantity::named;
use told::Told;

/// The maximum number of groups of cells that are named for a direction.
const GROUPS_NAMED_MAX: usize = 4;

impl Finding {
    /// The full form: `direct commits 1.20× as fast as buffered: 9 900 against 8 250 commits/s (95 % interval
    /// 1.16–1.24, 6 rounds).`
    pub fn statement(&self) -> String {
        let Told { claim, ends_in_bracket, proof, mut notes } = told(self);
        let rounds = (self.proof.rounds > 0).then(|| count(self.proof.rounds, "round"));
        let proof: Vec<String> =
            Some(proof).filter(|text| !text.is_empty()).into_iter().chain(rounds).collect();
        let proof = match (proof.join(", "), ends_in_bracket) {
            (proof, _) if proof.is_empty() => proof,
            (proof, true) => format!("; {proof}"),
            (proof, false) => format!(" ({proof})"),
        };
        notes.extend(self.outlook.as_ref().map(Outlook::text));
        let clauses: Vec<String> = [format!("{claim}{proof}")].into_iter().chain(notes).collect();
        opening::opened(self, &format!("{}.", clauses.join("; ")))
    }

    /// The short form: only the claim.
    pub fn brief(&self) -> String {
        opening::opened(self, &format!("{}.", told(self).claim))
    }
}

fn told(finding: &Finding) -> Told {
    let named = named(&finding.metric);
    let told = match &finding.outcome {
        Outcome::Different { is_small, is_steady } => {
            Effect::in_finding(finding).different(*is_small, *is_steady)
        }
        Outcome::Equivalent => Effect::in_finding(finding).equivalent(),
        Outcome::Undecided => Effect::in_finding(finding).undecided(),
        Outcome::DependsOnCell(opposing) => depends_on_cell(finding, opposing),
        Outcome::ChangePlaces { at, starts } => crossing::change_places(finding, at, *starts),
        Outcome::KeepPlaces { always } => crossing::keep_places(finding, *always),
        Outcome::ChangePlacesOften { changes } => crossing::change_places_often(finding, *changes),
        Outcome::Enough { level, best } => levels::enough(finding, &named, level, best),
        Outcome::OnlyBest { best, is_smallest } => levels::only_best(finding, &named, best, *is_smallest),
        Outcome::EnoughUndecided { best } => levels::enough_undecided(finding, &named, best),
        Outcome::Keeps { level, limit, proven } => levels::keeps(finding, &named, level, *limit, *proven),
        Outcome::NoneKeeps { limit, proven } => levels::none_keeps(finding, &named, *limit, *proven),
        Outcome::KeepsUndecided { limit } => levels::keeps_undecided(finding, &named, *limit),
        Outcome::Ranked(order) => levels::ranked(finding, &named, order),
        Outcome::Typical { mean, levels: count, between: _, spread, heterogeneity, lowest, highest } => {
            let claim = levels::typical(finding, &named, mean, *count, [lowest, highest]);
            claim.note(Some(levels::variation(*spread, *heterogeneity)))
        }
        Outcome::NotAssessable(why) => not_assessable(finding, why),
    };
    match price(finding) {
        Some(price) => told.and(&price).bracketed(),
        None => told,
    }
}

/// The clause that the sides differ in durability, which their figures must not hide.
fn price(finding: &Finding) -> Option<String> {
    let (level, baseline) = finding.remarks.iter().find_map(|remark| {
        let Remark::Durability { level, baseline } = remark else { return None };
        Some((names(level), names(baseline)))
    })?;
    Some(match finding.sides() {
        Some((ours, theirs)) => {
            format!("; their durability differs ({ours}: {level}, {theirs}: {baseline})")
        }
        None => format!("; the levels differ in durability ({level}, {baseline})"),
    })
}

/// `direct against buffered: commits/s depends on rw: better for write (1.90×); worse for randread (0.610×)`.
fn depends_on_cell(finding: &Finding, opposing: &Opposing) -> Told {
    let named = named(&finding.metric);
    let (upwards, downwards) = match named.better {
        Better::Higher => ("better", "worse"),
        Better::Lower => ("worse", "better"),
        Better::Neither => ("higher", "lower"),
    };
    let mut sides = [(Some(Side::Above), upwards), (Some(Side::Below), downwards)];
    if named.better == Better::Lower {
        sides.reverse();
    }
    let sides = sides.into_iter().chain([(None, "no proven difference")]);
    let told: Vec<String> = sides.filter_map(|(side, word)| of_side(opposing, side, word)).collect();
    let on = opposing.factor.as_deref().unwrap_or("the other factors");
    let (compared, told) = (finding.subject.text(&finding.ask.factor), told.join("; "));
    let claim = if opposing.is_decided {
        format!("{} of {compared} depends on {on}: {told}", opening::first_word(finding, &named.title))
    } else {
        format!(
            "{} is undecided whether {} of {compared} depends on {on}, because not both directions are proven: {told}",
            opening::first_word(finding, "it"),
            named.title
        )
    };
    // The last group's ratios are in brackets.
    Told::new(claim, String::new()).bracketed()
}

fn of_side(opposing: &Opposing, side: Option<Side>, word: &str) -> Option<String> {
    let groups: Vec<&Group> = opposing.groups.iter().filter(|group| group.proven == side).collect();
    let named = |group: &&Group| group_name(opposing, group);
    let mut names: Vec<String> = groups.iter().take(GROUPS_NAMED_MAX).map(named).collect();
    if groups.len() > GROUPS_NAMED_MAX {
        names.push(format!("{} more", groups.len() - GROUPS_NAMED_MAX));
    }
    (!names.is_empty()).then(|| format!("{word} for {}", names.join(", ")))
}

/// `write (1.90×)`, `write (1.40× to 3.10×, 3 of 4 combinations)`: the ratios that prove the direction.
fn group_name(opposing: &Opposing, group: &Group) -> String {
    let name = opposing
        .factor
        .as_deref()
        .map_or_else(|| group.level.to_string(), |factor| name(factor, &group.level));
    let (least, most) = group.ratios;
    let ratios = if group.cells > 1 { format!("{} to {}", ratio(least), ratio(most)) } else { ratio(least) };
    let part = if group.cells < group.of_cells {
        format!(", {} of {}", group.cells, count(group.of_cells, "combination"))
    } else {
        String::new()
    };
    format!("{name} ({ratios}{part})")
}

fn not_assessable(finding: &Finding, why: &Reason) -> Told {
    let title = opening::first_word(finding, &named(&finding.metric).title);
    let subject = finding.subject.text(&finding.ask.factor);
    let why = why.to_string();
    let why = why.trim_end_matches('.');
    let seen = finding.ratio.as_ref().and_then(|ratio| ratio.point);
    let claim = match seen {
        Some(point) => {
            let absolute = Effect::in_finding(finding).absolute();
            format!(
                "{title} of {subject} was {}{absolute}; nothing follows without an interval: {why}",
                ratio(point)
            )
        }
        None => format!("{title} of {subject} cannot be assessed: {why}"),
    };
    Told::new(claim, String::new())
}
