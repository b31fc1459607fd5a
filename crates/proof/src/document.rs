//! A proof as a document: what is proven, then each claim under each load, and what was checked.

use crate::claim::{Claim, Judged};
use crate::proof::{JudgedSetting, Proof};
use crate::ratio::Ratio;
use model::figure::round_figure;
use page::{Block, Cell, Column, Document, Figure, Item, List, Row, Section, Span, Table, Text, quantity};

/// How many comparisons share the error, and what was checked, in sentences.
pub const CHECKED: &str = "Each server's settings were read back before it was measured, and a trial whose server has \
     other values fails. The intervals are simultaneous: all comparisons of the proof share 5 % of error.";

/// Draws ratios on one axis: a drawing for each ratio that there is.
type Draw<'a> = &'a dyn Fn(&[Option<Ratio>]) -> Vec<Option<Figure>>;

/// The drawings of a page.
pub struct Plots<'a> {
    /// How to read them.
    pub legend: Option<Figure>,
    /// Draws ratios on one axis, one for each row.
    pub ratios: Draw<'a>,
}

impl Plots<'_> {
    /// No drawings, for a form without them.
    pub const NONE: Plots<'static> = Plots { legend: None, ratios: &|_| Vec::new() };
}

/// A claim with its name, and what was predicted of it.
struct Named<'a> {
    name: String,
    claim: &'a Claim,
    predicted: Option<String>,
}

impl<'a> Named<'a> {
    fn of_standing(standing: &'a JudgedSetting) -> Self {
        let score = standing.score.map_or_else(String::new, |score| format!(" {}", score.text()));
        let predicted = standing.predicted.as_ref().map(|predicted| predicted.text() + &score);
        Self { name: standing.change(), claim: &standing.claim, predicted }
    }
}

impl Proof {
    /// The proof in words, with these drawings.
    pub fn document(&self, plots: &Plots<'_>) -> Document {
        let named = self.named();
        let proven = if named.iter().any(|named| named.claim.is_measured()) {
            let note = "Each ratio is the rate with the change ÷ without it, with its simultaneous interval.";
            let mut proven = vec![Block::Table(claims(&named, plots)), Block::note(note)];
            proven.extend(plots.legend.clone().map(Block::Figure));
            Section::new("outcome", "What is proven", proven)
        } else {
            Section::new("outcome", "Nothing is measured yet", vec![reasons(&named)])
        };
        let loads = named.iter().filter(|named| named.claim.is_measured());
        let loads = loads.enumerate().map(|(place, named)| {
            let mut blocks = vec![Block::Table(loads_of(named, plots))];
            blocks.extend(named.claim.scopes().into_iter().map(Block::note));
            Section::new(format!("loads-{place}"), named.name.as_str(), blocks)
        });
        let loads: Vec<Section> = loads.collect();
        let by_load = Section::new("loads", "Under each load", Vec::new());
        // A race that picked nothing has neither.
        let mut sections: Vec<Section> = (!named.is_empty()).then_some(proven).into_iter().collect();
        sections.extend((!loads.is_empty()).then(|| by_load.with_sections(loads).on_a_page()));
        sections.extend(candidates(self, plots));
        sections.push(checked(self));
        let design = &self.design;
        let footer =
            format!("Syncline {} · seed {} · {}", design.program_version, design.seed, design.created_at);
        Document {
            title: self.title().into(),
            lead: [self.conclusion()].into_iter().chain(self.next_step()).map(Text::from).collect(),
            sections,
            footer: footer.into(),
            ..Document::default()
        }
    }

    /// The same in short, for the report of the run whose advice was proven.
    pub fn section(&self, plots: &Plots<'_>) -> Section {
        let named = self.named();
        let is_measured = named.iter().any(|named| named.claim.is_measured());
        let found = if is_measured { Block::Table(claims(&named, plots)) } else { reasons(&named) };
        let mut blocks = vec![Block::paragraph(self.conclusion()), found];
        blocks.extend(self.next_step().map(Block::paragraph));
        blocks.extend(self.floor().map(|floor| Block::note(format!("{floor} {CHECKED}"))));
        Section::new("proof", self.title(), blocks).with_kicker("Proof")
    }

    /// The bundle first. A bundle of one change is that change.
    fn named(&self) -> Vec<Named<'_>> {
        let is_taken_apart = self.settings.len() > 1 || self.bundle.is_none();
        let bundle = self.bundle.iter().filter(|_| is_taken_apart || self.settings.is_empty());
        let whole = bundle.chain(&self.mended).chain(&self.servers);
        let whole = whole.map(|claim| Named { name: self.subject(claim), claim, predicted: None });
        let settings = self.settings.iter().map(|standing| {
            let named = Named::of_standing(standing);
            match &self.bundle {
                Some(claim) if !is_taken_apart => Named { claim, ..named },
                Some(_) | None => named,
            }
        });
        whole.chain(settings).collect()
    }
}

fn claims(named: &[Named<'_>], plots: &Plots<'_>) -> Table {
    let columns = vec![
        Column::Words("Change".into()),
        Column::Words("Outcome".into()),
        Column::Figures("Ratio".into()),
        Column::Drawings,
    ];
    let mut table = Table::new("What is proven", columns);
    table.details = Some("Evidence".into());
    let ratios: Vec<Option<Ratio>> = named.iter().map(|named| named.claim.ratio()).collect();
    let mut drawings = (plots.ratios)(&ratios).into_iter();
    for Named { name, claim, predicted } in named {
        let cells = vec![
            Cell::of(name.as_str()),
            Cell::badge(claim.outcome.badge()),
            Cell::of(in_all(claim)),
            Cell::drawing(drawings.next().flatten()),
        ];
        table.rows.push(Row { cells, details: evidence(claim, predicted.as_deref()) });
    }
    table
}

/// Why nothing is known about claims that no trial measured: one line for each.
fn reasons(named: &[Named<'_>]) -> Block {
    let line = |named: &Named<'_>| Item::labelled(named.name.as_str(), named.claim.text());
    Block::List(List::of(named.iter().map(line).collect()))
}

/// The ratio of a claim, if there is one for all of its loads.
fn in_all(claim: &Claim) -> String {
    match (claim.disagreement(), claim.ratio()) {
        (Some(_), _) => "by load".to_owned(),
        (None, Some(ratio)) => ratio.text(),
        (None, None) => "–".to_owned(),
    }
}

/// What a claim rests on, what was predicted, and to what the claim is limited.
fn evidence(claim: &Claim, predicted: Option<&str>) -> Vec<Block> {
    let mut blocks = match claim.disagreement() {
        None => vec![Block::paragraph(claim.text())],
        Some(disagreement) => {
            let effects = claim.effects().map(|(effect, text)| Item::labelled(effect, text));
            vec![Block::paragraph(disagreement), Block::List(List::of(effects.collect()))]
        }
    };
    blocks.extend(predicted.map(Block::paragraph));
    blocks.extend(claim.scopes().into_iter().map(Block::note));
    blocks
}

fn loads_of(named: &Named<'_>, plots: &Plots<'_>) -> Table {
    let words = |heading: &str| Column::Words(heading.into());
    let figures = |heading: &str| Column::Figures(heading.into());
    let mut columns =
        vec![words("Load"), words("Outcome"), figures("Without"), figures("With"), figures("Ratio")];
    columns.extend([Column::Drawings, figures("Rounds"), words("Stage"), words("Audits that warn")]);
    let mut table = Table::new(named.name.as_str(), columns);
    let by_load = &named.claim.by_load;
    let ratios: Vec<Option<Ratio>> = by_load.iter().map(|judged| judged.ratio).collect();
    let mut drawings = (plots.ratios)(&ratios).into_iter();
    for judged in by_load {
        table.row(load(judged, drawings.next().flatten()));
    }
    table
}

fn load(judged: &Judged, drawing: Option<Figure>) -> Vec<Cell> {
    let unit = quantity::named(&judged.metric).unit;
    let mean = |of: fn((f64, f64)) -> f64| {
        Cell::of(judged.means.map_or_else(|| "–".to_owned(), |means| round_figure(of(means), unit)))
    };
    vec![
        Cell::of(judged.load.text()),
        Cell::badge(judged.outcome.badge()).with_hint(judged.text()),
        mean(|(base, _)| base),
        mean(|(_, other)| other),
        Cell::of(judged.ratio.map_or_else(|| "–".to_owned(), |ratio| ratio.text())),
        Cell::drawing(drawing),
        Cell::of(judged.rounds.to_string()),
        Cell::of(judged.stage.to_string()),
        Cell::of(judged.warnings.join(", ")),
    ]
}

fn candidates(proof: &Proof, plots: &Plots<'_>) -> Option<Section> {
    let named: Vec<Named<'_>> = proof.candidates.iter().map(Named::of_standing).collect();
    let note = match proof.bundle {
        Some(_) => "What was picked of them is proven above, on rounds that took no part in picking.",
        None => "None was picked: no rounds measured one of them again.",
    };
    let blocks = || vec![Block::note(note), Block::Table(claims(&named, plots))];
    (!named.is_empty()).then(|| Section::new("candidates", "Candidates", blocks()))
}

fn checked(proof: &Proof) -> Section {
    let design = &proof.design;
    let floor = proof.floor().into_iter().flat_map(|floor| [floor, CHECKED.to_owned()]);
    let mut blocks: Vec<Block> = floor.map(Block::paragraph).collect();
    blocks.extend(proof.notes().into_iter().map(Block::remark));
    blocks.extend(design.unmeasured.iter().map(|unmeasured| Block::remark(unmeasured.text())));
    if !design.left_out.is_empty() {
        let (instance, names) = (design.database.instance, design.left_out.join(", "));
        blocks.push(Block::remark(format!(
            "No {instance} of the proof has these settings of your file: {names}."
        )));
    }
    let mut facts: Vec<(Text, Text)> = vec![("What runs now".into(), proof.runs_now().into())];
    facts.extend(design.advised_by.as_deref().map(|run| ("Advice of".into(), run.into())));
    let mut stages = Text::default();
    for (place, stage) in proof.stages.iter().enumerate() {
        let link = Span::Link { text: stage.to_string(), target: format!("stages/{stage}/") };
        stages = if place > 0 { stages.plain(", ") } else { stages }.and(link);
    }
    facts.push(("Stages".into(), stages));
    blocks.push(Block::Facts(facts));
    Section::new("checked", "What was checked", blocks)
}
