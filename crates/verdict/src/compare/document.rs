//! A comparison as a document: what changed and the limits, then what differs around the runs, and a table for each
//! metric.

use super::between_runs::BetweenRuns;
use super::change;
use super::comparison::{Comparison, Difference, Row, SideAudit, StudyComparison};
use super::gate::{LimitOutcome, Ruling};
use crate::quantity::{cut, plus_minus_text};
use crate::verdict::{Answer, Status};
use model::figure::{count, exact_percent};
use page::quantity::named;
use page::{
    Answer as Answered, Badge, Block, Cell, Column, Document, Figure, Item, List, Number, Section, Table,
    Text, Tone, sentence,
};

/// The drawings of a page.
pub struct Plots<'a> {
    /// How to read the drawings of answers.
    pub legend: Option<Figure>,
    /// Draws both means of a row.
    pub sides: &'a dyn Fn(&Row) -> Option<Figure>,
    /// Draws the intervals of rows on one axis, one for each row.
    pub changes: &'a dyn Fn(&[&Row]) -> Vec<Option<Figure>>,
    /// How to read the drawings of rows; empty without any.
    pub changes_legend: &'a str,
}

impl Plots<'_> {
    /// No drawings, for a form without them.
    pub const NONE: Plots<'static> =
        Plots { legend: None, sides: &|_| None, changes: &|_| Vec::new(), changes_legend: "" };
}

impl Comparison {
    /// The comparison and its limits in words, with these drawings.
    pub fn document(&self, rulings: &[Ruling], plots: &Plots<'_>) -> Document {
        let versions = match (&self.a.program_version, &self.b.program_version) {
            (a, b) if a == b => a.clone(),
            (a, b) => format!("{a} and {b}"),
        };
        let open = open_limits(rulings).map(|limits| Text::default().strong(limits));
        let studies = self.studies.iter().enumerate();
        let studies = studies.map(|(place, compared)| study(compared, place, plots));
        Document {
            title: format!("{} against {}", self.b.name, self.a.name).into(),
            lead: [Text::from(self.machines.text())].into_iter().chain(open).collect(),
            conclusion: [answers(self, plots)].into_iter().chain(limits(rulings)).collect(),
            closing: Some(closing(self, rulings)),
            chapters: "Questions".into(),
            sections: [differs(self)].into_iter().chain(studies).collect(),
            footer: format!("Syncline {versions} · B ÷ A by {}", test(self.between_runs)).into(),
            elsewhere: None,
        }
    }
}

/// The test that the intervals come from.
const fn test(between_runs: BetweenRuns) -> &'static str {
    match between_runs {
        BetweenRuns::Pairs { .. } => "Student's t test on the log ratios of pairs of runs",
        BetweenRuns::Runs { .. } => "Welch's t test on the logarithms of runs",
        BetweenRuns::Assumed => "Welch's t test on logarithms, with an assumed spread between runs",
    }
}

/// The limits that are not proven to be kept, as a sentence.
fn open_limits(rulings: &[Ruling]) -> Option<String> {
    let open = rulings.iter().filter(|ruling| ruling.outcome != LimitOutcome::Kept);
    let open: Vec<String> =
        open.map(|ruling| format!("{} is {}", ruling.gate, ruling.outcome.badge().word)).collect();
    (!open.is_empty()).then(|| format!("{}.", open.join("; ")))
}

/// How many comparisons have which answer, and the limits that are not proven to be kept.
fn closing(comparison: &Comparison, rulings: &[Ruling]) -> Text {
    let answers = all_counts(comparison);
    match open_limits(rulings) {
        Some(limits) => Text::from(format!("{answers} ")).strong(limits),
        None => answers.into(),
    }
}

fn all_counts(comparison: &Comparison) -> String {
    counts("B against A, ", comparison.studies.iter().flat_map(|study| &study.rows))
}

/// The answers: metrics that became worse first, then better, unchanged, and undecided ones.
fn answers(comparison: &Comparison, plots: &Plots<'_>) -> Section {
    let mut order: Vec<(usize, &StudyComparison)> = comparison.studies.iter().enumerate().collect();
    order.sort_by_key(|(_, study)| headline(study).map_or(u8::MAX, gravity));
    let answers = order.into_iter().map(|(place, study)| answer(study, place, plots)).collect();
    let mut blocks = vec![Block::paragraph(all_counts(comparison))];
    blocks.push(Block::note(
        "B against A is a ratio of geometric means; the tables have arithmetic means of A and B.",
    ));
    blocks.extend(plots.legend.clone().map(Block::Figure));
    blocks.push(Block::Answers(answers));
    Section::new("answers", "What changed from A to B", blocks).with_short("What changed")
}

/// The row that a study's answer begins with: its first metric over all configurations, otherwise for the first one.
fn headline(study: &StudyComparison) -> Option<&Row> {
    let metric = study.metrics.first()?;
    let rows = || study.rows.iter().filter(|row| row.metric == *metric);
    rows().find(|row| row.configuration.is_none()).or_else(|| rows().next())
}

fn gravity(row: &Row) -> u8 {
    match (row.answer, row.better) {
        (Answer::Different, Some(false)) => 0,
        (Answer::Different, Some(true)) => 1,
        (Answer::Different, None) => 2,
        (Answer::Equivalent, _) => 3,
        (Answer::Undecided, _) => 4,
        (Answer::NotAssessable, _) => 5,
    }
}

fn answer(study: &StudyComparison, place: usize, plots: &Plots<'_>) -> Answered {
    let row = headline(study);
    let said = row.map_or_else(String::new, |row| format!("{} ", in_words(row)));
    Answered {
        name: study.name.as_str().into(),
        anchor: anchor(place),
        badge: row.map(Row::badge),
        number: row.map(number),
        text: format!("{said}{}", counts("", study.rows.iter())).into(),
        figure: row.and_then(plots.sides),
    }
}

fn anchor(place: usize) -> String {
    format!("study-{place}")
}

fn number(row: &Row) -> Number {
    let ratio = row.ratio.as_ref();
    let point = ratio.and_then(|ratio| ratio.point).map_or_else(|| "–".to_owned(), change::change);
    let what = format!("{}, {}", named(&row.metric).title, row.place());
    Number { point, interval: change::interval(ratio), what }
}

/// The answer of a row as a sentence.
fn in_words(row: &Row) -> String {
    let (title, place) = (named(&row.metric).title, row.place());
    match row.answer {
        Answer::Different => format!("Mean {title} over {place} changed."),
        Answer::Equivalent => format!("Mean {title} over {place} stayed the same within 5 %."),
        Answer::Undecided => {
            let way_out = row.rounds_needed.map_or_else(String::new, |needed| match row.assumed_log_sd {
                Some(_) => format!("; about {} in each run would decide it", count(needed, "more round")),
                None => format!("; about {} of each side would decide it", count(needed, "more run")),
            });
            format!("It is undecided whether mean {title} over {place} changed{way_out}.")
        }
        Answer::NotAssessable => {
            let why = row.why.as_ref().map(|why| why.text(&row.metric));
            let why = why.unwrap_or_else(|| "nothing was measured by both".to_owned());
            sentence(&format!("No answer: {why}"))
        }
    }
}

/// The number of these comparisons by answer: `3 comparisons: 1 worse, 2 undecided.`
fn counts<'a>(prefix: &str, rows: impl Iterator<Item = &'a Row>) -> String {
    let rows: Vec<&Row> = rows.collect();
    if rows.is_empty() {
        return "The runs have no comparable measurements.".to_owned();
    }
    let mut by_answer: Vec<(u8, &str, usize)> = Vec::new();
    for row in &rows {
        match by_answer.iter_mut().find(|(gravity, _, _)| *gravity == self::gravity(row)) {
            Some((_, _, count)) => *count += 1,
            None => by_answer.push((gravity(row), row.badge().word, 1)),
        }
    }
    by_answer.sort_unstable();
    let told: Vec<String> = by_answer.iter().map(|(_, word, count)| format!("{count} {word}")).collect();
    format!("{prefix}{}: {}.", count(rows.len(), "comparison"), told.join(", "))
}

fn differs(comparison: &Comparison) -> Section {
    let runs = vec![("A".into(), comparison.a.text().into()), ("B".into(), comparison.b.text().into())];
    let mut blocks = vec![Block::Facts(runs)];
    for (name, differences) in
        [("Around the runs", &comparison.surroundings), ("Set differently, as allowed", &comparison.knobs)]
    {
        if !differences.is_empty() {
            blocks.push(Block::Table(table_of(name, differences)));
        }
    }
    blocks.extend(comparison.remarks.iter().map(|remark| Block::remark(remark.text())));
    Section::new("differs", "What differs", blocks)
}

fn table_of(name: &str, differences: &[Difference]) -> Table {
    let mut table = Table::new(name, [name, "A", "B"].map(|heading| Column::Words(heading.into())).to_vec());
    let shown = |value: &str| Cell::of(if value.is_empty() { "nothing" } else { value });
    for Difference { what, a, b } in differences {
        table.row(vec![Cell::of(what.as_str()), shown(a), shown(b)]);
    }
    table
}

fn study(study: &StudyComparison, place: usize, plots: &Plots<'_>) -> Section {
    let left_out = study.left_out.iter().map(|lone| Block::remark(lone.configurations()));
    let metrics = study.metrics.iter().map(|metric| {
        let rows: Vec<&Row> = study.rows.iter().filter(|row| row.metric == *metric).collect();
        let named = named(metric);
        let (heading, direction) = (named.heading(), named.direction());
        let title = if direction.is_empty() { heading.clone() } else { format!("{heading} ({direction})") };
        Section::new("", title, vec![Block::Table(table(heading, metric, &rows, plots))])
    });
    let legend = Section::new(
        "",
        "How to read the tables",
        vec![Block::List(List::of(legend(study, plots.changes_legend)))],
    );
    let doubts = (!study.audits.is_empty()).then(|| {
        let items = study.audits.iter().map(doubt).collect();
        Section::new("", "What could not be trusted", vec![Block::List(List::of(items))])
    });
    Section::new(anchor(place), study.question.as_str(), left_out.collect())
        .with_kicker(format!("Study {}", study.name))
        .with_sections(metrics.chain([legend]).chain(doubts).collect())
}

fn table(name: String, metric: &str, rows: &[&Row], plots: &Plots<'_>) -> Table {
    let unit = named(metric).unit;
    let figures = ["A", "B", "B against A"].map(|heading| Column::Figures(heading.into()));
    let mut columns = vec![Column::Words("Configuration".into())];
    columns.extend(figures);
    columns.extend([Column::Drawings, Column::Words("Answer".into()), Column::Figures("n".into())]);
    let mut table = Table::new(name, columns);
    let mut drawings = (plots.changes)(rows).into_iter();
    for row in rows {
        let why = row.why.as_ref().map(|why| table.footnote(why.text(metric)));
        let qualifier = row.qualifier();
        let qualified = if qualifier.is_empty() { String::new() } else { format!(", {qualifier}") };
        table.row(vec![
            Cell::of(row.place()),
            Cell::of(plus_minus_text(&row.a, unit)),
            Cell::of(plus_minus_text(&row.b, unit)),
            Cell::of(change::with_interval(row.ratio.as_ref())),
            Cell::drawing(drawings.next().flatten()),
            Cell::of(format!("{}{qualified}", row.badge().word)).with_footnote(why),
            Cell::of(format!("{}+{}", row.n_a, row.n_b)),
        ]);
    }
    table
}

/// The meaning of the signs in the tables.
fn legend(study: &StudyComparison, drawings: &str) -> Vec<Item> {
    let means = study.rows.iter().flat_map(|row| [&row.a, &row.b]);
    let level = study.rows.iter().find_map(|row| row.ratio.as_ref()?.level).map(|level| {
        let share = match study.family {
            1 => String::new(),
            family => format!(": {family} comparisons share 5 % of error"),
        };
        format!("{} interval of the change{share}", exact_percent(level))
    });
    let further =
        study.rows.iter().find(|row| row.rounds_needed.is_some()).map(|row| match row.assumed_log_sd {
            Some(_) => (
                "+ rounds",
                "further rounds in each run that would decide it, if effect and scatter stay as they are",
            ),
            None => (
                "+ runs",
                "further runs of each side that would decide it, if effect and scatter stay as they are",
            ),
        });
    let (further, would_decide) = further.unzip();
    let signs = [
        ("±", Some("half the width of the 95 % t interval of the mean over n trials".to_owned())),
        ("( )", cut(means).map(str::to_owned)),
        ("[ ]", level),
        (further.unwrap_or_default(), would_decide.map(str::to_owned)),
        ("spread", assumed(study)),
        ("drawing", Some(drawings.to_owned()).filter(|drawings| !drawings.is_empty())),
    ];
    signs.into_iter().filter_map(|(sign, text)| Some(Item::labelled(sign, text?))).collect()
}

/// The assumed spreads between runs, by metric.
fn assumed(study: &StudyComparison) -> Option<String> {
    let spread = |metric: &String| {
        let row = study.rows.iter().find(|row| row.metric == *metric)?;
        Some(format!("{} {}", named(metric).title, exact_percent(row.assumed_log_sd.filter(|sd| *sd > 0.0)?)))
    };
    let spreads: Vec<String> = study.metrics.iter().filter_map(spread).collect();
    let assumed = format!("assumed standard deviation from run to run: {}", spreads.join(", "));
    (!spreads.is_empty()).then_some(assumed)
}

fn doubt(SideAudit { side, name, status, summary }: &SideAudit) -> Item {
    let badge = match status {
        Status::Fail => Badge::new(Tone::Bad, "fail"),
        Status::Warn | Status::NotAssessable | Status::Pass | Status::NotApplicable => {
            Badge::new(Tone::Warn, "warn")
        }
    };
    Item::of(Text::default().strong(name).plain(format!(" in {side}: {summary}"))).with_badge(badge)
}

/// The limits of the comparison, if there are any.
fn limits(rulings: &[Ruling]) -> Option<Section> {
    let items = rulings.iter().map(limit).collect();
    (!rulings.is_empty()).then(|| Section::new("limits", "Limits", vec![Block::List(List::of(items))]))
}

fn limit(ruling: &Ruling) -> Item {
    let beyond = ruling.broken.iter().map(|held| Item::of(format!("beyond the limit: {}", held.text())));
    let undecided = ruling.undecided.iter().map(|held| Item::of(format!("not decided: {}", held.text())));
    let unjudged = ruling.unjudged.iter().map(|unjudged| {
        let rows =
            if unjudged.rows.is_empty() { String::new() } else { format!(" ({})", unjudged.rows.join(", ")) };
        Item::of(format!("not judged: {}{rows}", unjudged.text(&ruling.gate.metric)))
    });
    let below: Vec<Item> = beyond.chain(undecided).chain(unjudged).collect();
    let below = if below.is_empty() { Vec::new() } else { vec![Block::List(List::of(below))] };
    Item::of(Text::default().code(ruling.gate.text.as_str()).plain(format!(": {}.", ruling.counts())))
        .with_badge(ruling.outcome.badge())
        .with_below(below)
}
