//! A settings file compared with an advice, as a document.

use super::review::{Change, Hazardous, Review, Trade, Unadvised};
use super::{Kept, Lacking, UnknownSetting};
use crate::fact::facts;
use crate::no_advice::Needs;
use crate::verb::Verb;
use page::{Badge, Block, Document, Item, List, Section, Text, Tone};
use settings::Place;

/// The maximum number of settings without a rule that are named.
const UNKNOWN_MAX: usize = 12;

impl Review {
    /// What to change, what to keep and what cannot be judged in a file of this name.
    pub fn document(&self, file: &str) -> Document {
        let first = self.hazards.iter().map(hazard).chain(self.lacking.iter().map(lacking)).collect();
        let changes = self.changes.iter().map(|change| another(Verb::Change, change)).collect::<Vec<_>>();
        let kept = self.kept.iter().map(kept).collect::<Vec<_>>();
        let none = |items: &[Item]| if items.is_empty() { ": none of the measured settings" } else { "" };
        let (to_change, to_keep) =
            (format!("To change{}", none(&changes)), format!("To keep{}", none(&kept)));
        let candidates = self.candidates.iter().map(|candidate| another(Verb::Candidate, candidate));
        Document {
            title: format!("{file} compared with {}", self.database).into(),
            sections: [
                section("Before anything else", first),
                Some(listed(to_change, changes)),
                section("To prove first: predicted from the disk", candidates.collect()),
                section("Your decision: values that guarantee less", self.trades.iter().map(trade).collect()),
                Some(listed(to_keep, kept)),
                section("Not judged", self.unadvised.iter().map(unadvised).collect()),
                section("Without a rule", unknown(&self.unknown)),
            ]
            .into_iter()
            .flatten()
            .collect(),
            ..Document::default()
        }
    }
}

fn listed(heading: impl Into<Text>, items: Vec<Item>) -> Section {
    let list = (!items.is_empty()).then(|| Block::List(List::of(items)));
    Section::new("", heading, list.into_iter().collect())
}

/// A section of items, if there are any.
fn section(heading: &str, items: Vec<Item>) -> Option<Section> {
    (!items.is_empty()).then(|| listed(heading, items))
}

fn hazard(Hazardous { setting, value, place, loses }: &Hazardous) -> Item {
    let text = Text::default().code(format!("{setting} = {value}")).plain(format!(" ({place}): {loses}"));
    Item::of(text).with_badge(Badge::new(Tone::Bad, "gives up"))
}

fn lacking(Lacking { setting, place, program, versions }: &Lacking) -> Item {
    let text = Text::default().code(setting).plain(format!(" ({place}): {program} {}", versions.text()));
    Item::of(text).with_badge(Badge::new(Tone::Bad, "not there"))
}

/// Another value than the one in use, and its basis.
fn another(verb: Verb, change: &Change) -> Item {
    let Change { setting, place, from, because } = change;
    let text = format!("{setting} = {}{} → {}", from.text(), at(place.as_ref()), because.value);
    let gains = because.effects.iter().map(|effect| ("gain", effect.text()));
    let basis = [
        ("measured", because.statement.text()),
        ("rests on", because.grounds()),
        ("holds for", because.expires.text()),
    ];
    let caveats = because.caveats.iter().map(|caveat| ("but", caveat.text()));
    let mut below: Vec<Block> = facts(gains.chain(basis).chain(caveats)).into_iter().collect();
    let proof = because.needs.as_ref().filter(|_| verb == Verb::Candidate);
    below.extend(proof.map(|needs| Block::paragraph(needs.text())));
    Item::of(text).with_badge(verb.badge()).with_below(below)
}

fn trade(Trade { setting, place, of, safe }: &Trade) -> Item {
    let loses = of.loses.as_ref().map(|loses| ("loses", loses.text()));
    let basis = [("instead", format!("{setting} = {safe}"))];
    let below =
        [Block::paragraph(of.statement.text())].into_iter().chain(facts(loses.into_iter().chain(basis)));
    Item::of(format!("{setting} = {} ({place})", of.value))
        .with_badge(Badge::new(Tone::Warn, "price"))
        .with_below(below.collect())
}

fn kept(Kept { setting, place, value, because }: &Kept) -> Item {
    let regret = because.regret.as_ref().map(|regret| ("loses", regret.text()));
    let needs = because.needs.as_ref().map(|needs| ("decide", needs.command_text()));
    let below = [Block::paragraph(because.statement.text())]
        .into_iter()
        .chain(facts(regret.into_iter().chain(needs)));
    Item::of(format!("{setting} = {}{}", value.text(), at(place.as_ref())))
        .with_badge(Verb::Keep.badge())
        .with_below(below.collect())
}

fn unadvised(Unadvised { setting, value, because }: &Unadvised) -> Item {
    let value = value.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
    let needs = because.needs.as_ref().map(Needs::text);
    let needs = needs.map_or_else(String::new, |needs| format!("; {needs}"));
    Item::of(format!("{setting}{value}: {}{needs}", because.cause.text()))
        .with_badge(Badge::new(Tone::Faint, because.why.name()))
}

/// Settings without a rule: those that look like typing errors one by one, the others by their number.
fn unknown(unknown: &[UnknownSetting]) -> Vec<Item> {
    let slip = |unknown: &UnknownSetting| {
        let meant = unknown.meant.as_deref()?;
        let text = format!("{} ({}): did you mean {meant}?", unknown.setting, unknown.place);
        Some(Item::of(text).with_badge(Badge::new(Tone::Warn, "unknown")))
    };
    let mut items: Vec<Item> = unknown.iter().filter_map(slip).collect();
    let others: Vec<&str> =
        unknown.iter().filter(|it| it.meant.is_none()).map(|it| it.setting.as_str()).collect();
    if !others.is_empty() {
        let more = match others.len().saturating_sub(UNKNOWN_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = others.iter().take(UNKNOWN_MAX).copied().collect::<Vec<_>>().join(", ");
        items.push(Item::of(format!("{names}{more}")).with_badge(Badge::new(Tone::Faint, "not judged")));
    }
    items
}

fn at(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" ({place})"))
}
