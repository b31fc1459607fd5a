//! What follows from a run for the settings of databases, as sections: what to change and what to keep in a line for
//! each setting, and each setting with its basis.

use crate::computed_values;
use crate::decision::Recommendation;
use crate::fact::{Fact, facts};
use crate::no_advice::{NoAdvice, Why};
use crate::setting::{Advice, Setting};
use crate::to_do::unmeasured;
use model::figure::count;
use page::{Badge, Block, Details, Item, List, Section, Text, Tone};

/// Every setting with its basis; `None` if no rule was applied.
pub fn section(advice: &[Advice]) -> Option<Section> {
    let (decided, open): (Vec<&Advice>, Vec<&Advice>) =
        advice.iter().partition(|advice| advice.advised().next().is_some());
    let mut blocks = vec![Block::note(
        "Only what was measured here, and nothing that gives up durability. Values are written to the run \
         directory as files that each database loads; a candidate, which the disk predicts to be better, is a comment \
         in it.",
    )];
    if decided.is_empty() {
        blocks.push(Block::paragraph("No setting follows from this run; the reasons are below."));
    }
    let databases = decided.iter().chain(&open).map(|advice| database(advice));
    let databases = databases.chain(advice.iter().filter_map(computed_values::section)).collect();
    let section = || Section::new("advice", "Which settings follow?", blocks).with_kicker("Advice");
    (!advice.is_empty()).then(|| section().with_sections(databases))
}

fn database(advice: &Advice) -> Section {
    let settings: Vec<Item> = advice.advised().map(|(setting, found)| decided(setting, found)).collect();
    let (heading, not_decided) = match settings.len() {
        0 => (Text::from(advice.database.as_str()), "nothing decided".to_owned()),
        _ => (
            Text::from(format!("{} → ", advice.database)).code(format!("advice/{}", advice.fragment)),
            format!("{} not decided", count(advice.without().count(), "setting")),
        ),
    };
    let mut blocks = if settings.is_empty() { Vec::new() } else { vec![Block::List(List::of(settings))] };
    if advice.without().next().is_some() {
        let blocks_of_open = vec![Block::List(List::of(open(advice)))];
        blocks.push(Block::Folded(Details { summary: not_decided.into(), blocks: blocks_of_open }));
    }
    Section::new("", heading, blocks)
}

fn decided(setting: &Setting, found: &Recommendation) -> Item {
    let mut below = vec![Block::paragraph(page::sentence(&setting.reason()))];
    let needs = setting.needs().map(|needs| ("decide", needs));
    let measured = setting.measured().map(|measured| ("measured", measured));
    let others = found.alternatives.iter().map(|other| ("not advised", other.text(&setting.name)));
    below.extend(facts(needs.into_iter().chain(measured).chain(others)));
    let limits =
        [("rests on", found.grounds()), ("audits", found.audits()), ("holds for", found.expires.text())];
    let caveats = found.caveats.iter().map(|caveat| ("but", caveat.text()));
    let limits = facts(of_setting(setting).into_iter().chain(limits).chain(caveats));
    below.push(Block::Folded(Details {
        summary: "Limits, audits, and when to measure again".into(),
        blocks: limits.into_iter().collect(),
    }));
    let default = format!(" ({})", setting.default.text());
    Item::of(Text::default().code(format!("{} = {}", setting.name, found.value)).plain(default))
        .with_badge(setting.decision.verb().badge())
        .with_below(below)
}

/// The settings that were measured and have no value, then those that no study of the run measured, with the command
/// that does.
fn open(advice: &Advice) -> Vec<Item> {
    let measured = advice.without().filter(|(_, none)| none.why != Why::NotMeasured);
    let in_vain = |(setting, none): (&Setting, &NoAdvice)| {
        let needs = none.needs.as_ref().map(|needs| ("decide", needs.command_text()));
        let cause = page::sentence(&none.cause.text());
        Item::of(Text::default().code(setting.name.as_str()).plain(format!(": {cause}")))
            .with_badge(setting.decision.verb().badge())
            .with_below(facts(needs.into_iter().chain(of_setting(setting))).into_iter().collect())
    };
    let not_measured = unmeasured(advice).into_iter().map(|(needs, names)| {
        Item::of(Text::default().code(names.join(", ")).plain(format!(": {}.", needs.text())))
            .with_badge(Badge::new(Tone::Faint, "not measured"))
    });
    measured.map(in_vain).chain(not_measured).collect()
}

/// What a new value needs, does and risks.
fn of_setting(setting: &Setting) -> Vec<Fact> {
    let mut requires: Vec<String> = setting.requires.iter().map(|clause| (*clause).to_owned()).collect();
    if !setting.versions.are_all() {
        requires.insert(0, format!("version {}", setting.versions.text()));
    }
    vec![
        ("candidates", setting.candidates_text()),
        ("takes effect", setting.takes_effect.text().to_owned()),
        ("requires", requires.join("; ")),
        ("risks", setting.risks.join("; ")),
        ("manual", setting.manual.to_owned()),
    ]
}
