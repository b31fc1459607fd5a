//! The computed settings as a section, and as comments of a settings file.

use crate::computed::{Computation, Computed, Missing};
use crate::fact::facts;
use crate::no_advice::{Command, Needs};
use crate::setting::Advice;
use model::printable;
use page::{Badge, Block, Item, List, Section, Text, Tone};
use settings::Writer;

/// The mark of every computed value.
const HEADING: &str = "computed, not measured";

/// Every computed setting with its formula; `None` if there is none.
pub(crate) fn section(advice: &Advice) -> Option<Section> {
    let items: Vec<Item> = advice.computed().map(|computed| item(computed, advice)).collect();
    let note = Block::note(
        "Arithmetic from the machine and from counters of the server: Syncline measured no effect of these values. They \
         are comments in the settings file, and a setting that the run decided is not among them.",
    );
    let heading = format!("{}: {HEADING}", advice.database);
    (!items.is_empty()).then(|| Section::new("", heading, vec![note, Block::List(List::of(items))]))
}

fn item(computed: &Computed, advice: &Advice) -> Item {
    let (named, formula, badge) = match &computed.computation {
        Computation::Value { value, formula } => (
            format!("{} = {value}", computed.name),
            formula.clone(),
            Badge::new(Tone::Plain, "computed").with_symbol("≈"),
        ),
        Computation::Missing(missing) => {
            (computed.name.to_owned(), missing.text(), Badge::new(Tone::Faint, "not computed"))
        }
    };
    let text = Text::default().code(named).plain(format!(": {}", page::sentence(&formula)));
    let below = facts([
        ("source", computed.source.to_owned()),
        ("takes effect", computed.takes_effect.text().to_owned()),
        ("requires", computed.requires.to_owned()),
        ("risks", computed.risk.to_owned()),
        proof(computed, advice),
    ]);
    let manual = Block::note(computed.manual);
    Item::of(text).with_badge(badge).with_below(below.into_iter().chain([manual]).collect())
}

/// What judges the value, or what computes it; empty if nothing does.
fn proof(computed: &Computed, advice: &Advice) -> (&'static str, String) {
    match (&computed.computation, computed.is_provable) {
        (Computation::Missing(Missing::Server), _) => ("compute", Command::ReadServer.text(&advice.run)),
        (Computation::Missing(_), _) => ("compute", String::new()),
        (Computation::Value { .. }, true) => {
            let needs = Needs { run: advice.run.clone(), ..Needs::proof(&advice.id, computed.name) };
            ("prove", needs.command_text())
        }
        (Computation::Value { .. }, false) => {
            ("prove", "no load of Syncline's own shows what it does".to_owned())
        }
    }
}

/// The same in a settings file: comments, or lines that set the values if they are `active`.
pub(crate) fn comments(file: &mut Writer, advice: &Advice, active: bool) {
    for computed in advice.computed() {
        let Computation::Value { value, formula } = &computed.computation else { continue };
        file.gap();
        let name = computed.name;
        file.comment(&format!("{HEADING}: {name} = {}: {}", printable(value), page::sentence(formula)));
        file.comment(&format!("Source: {}. {}", computed.source, computed.manual));
        if !computed.requires.is_empty() {
            file.comment(&format!("Requires: {}.", computed.requires));
        }
        file.comment(&format!("Risk: {}.", computed.risk));
        if active {
            file.setting(name, value);
        } else {
            file.setting_as_comment(name, value);
        }
    }
}
