//! The report as a document: a table for each server.

use crate::crash::End;
use crate::fate::Fate;
use crate::price::{CLIENTS, Price};
use crate::report::{Report, Standing, SubjectReport};
use crate::tally::Tally;
use model::DurabilityClass;
use model::figure::{count, exact_percent, round};
use page::{Badge, Block, Cell, Column, Document, Item, List, Section, Spread, Table, Text, Tone};

/// Distinct failures of a promise that have a line.
const FAILURES_MAX: usize = 3;
const ENDS: [End; 2] = [End::Kill, End::PowerLoss];

impl End {
    const fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill -9",
            Self::PowerLoss => "power loss",
        }
    }
}

impl SubjectReport {
    const fn tally(&self, end: End) -> &Tally {
        match end {
            End::Kill => &self.kill,
            End::PowerLoss => &self.power_loss,
        }
    }
}

impl Standing {
    const fn badge(self) -> Badge {
        match self {
            Self::NotBroken => Badge::new(Tone::Good, "not broken"),
            Self::Broken => Badge::new(Tone::Bad, "broken"),
            Self::NothingPromised => Badge::new(Tone::Plain, "nothing promised"),
            Self::NotChecked => Badge::new(Tone::Faint, "not checked"),
        }
    }
}

impl Report {
    /// The report in words.
    pub fn document(&self) -> Document {
        let mut servers: Vec<&str> = self.subjects.iter().map(|of| of.server.as_str()).collect();
        servers.dedup();
        let of_server = |server: &&str| {
            let of: Vec<&SubjectReport> = self.subjects.iter().filter(|of| of.server == **server).collect();
            section(&of)
        };
        let mut sections: Vec<Section> = servers.iter().map(of_server).collect();
        let absent = self.absent.iter().map(|(server, why)| Item::labelled(server.as_str(), why.as_str()));
        let absent: Vec<Item> = absent.collect();
        if !absent.is_empty() {
            sections.push(Section::new("absent", "Not tried", vec![Block::List(List::of(absent))]));
        }
        if self.no_crashes.is_none() {
            sections.push(Section::new("how", "How it was tried", self.how()));
        }
        Document {
            title: "What an acknowledged write survives, and what that costs".into(),
            lead: std::iter::once(self.places()).chain(self.ended()).map(Text::from).collect(),
            closing: self.ended().map(Text::from),
            sections,
            footer: concat!("Syncline ", env!("CARGO_PKG_VERSION")).into(),
            ..Document::default()
        }
    }

    /// Where it was measured and where it was crashed.
    fn places(&self) -> String {
        let crashes = match &self.no_crashes {
            Some(why) => format!("Crashes: none; {why}."),
            None => format!("Crashes: on {} on a disk in memory.", self.file_system),
        };
        if self.subjects.iter().all(|of| of.prices.is_empty()) {
            return crashes;
        }
        format!("Prices: {}. {crashes}", self.place)
    }

    /// Why something is missing.
    fn ended(&self) -> Option<String> {
        let ended = self.ended.as_ref()?;
        let left = match ended.promises_left {
            0 => String::new(),
            left => format!(" Not begun: {}.", count(left, "promise")),
        };
        Some(format!("Ended early: {}. The table has what is known.{left}", ended.why))
    }

    /// What counts without a loss show.
    fn bound(&self) -> Option<String> {
        let tallies = self.subjects.iter().flat_map(|of| [&of.kill, &of.power_loss]);
        let tally =
            tallies.filter(|tally| tally.kept > 0 && tally.broken() == 0).max_by_key(|tally| tally.kept)?;
        Some(format!(
            "{} of {} means with 95 % confidence that at most {} of such crashes lose something. It does not mean never.",
            tally.kept,
            tally.crashes,
            exact_percent(tally.broken_share_at_most)
        ))
    }

    fn how(&self) -> Vec<Block> {
        let mut items = vec![
            "A commit counts as acknowledged if its writer had the answer before the crash. Commits insert and update \
             rows: one row in three of four, up to 50 in the others if the server has transactions. Checkpoints run \
             meanwhile if the server can be asked for them. Nothing is deleted."
                .to_owned(),
            "A power loss keeps what was flushed and, in three of four cuts, a random part of the rest, in any order, \
             torn at 512 bytes or 4 KiB. In two of three the power fails again up to 250 ms after the restart."
                .to_owned(),
        ];
        if self.creates {
            items.push(
                "Each crash created the table, or the stream, after the start. That was acknowledged too and can be lost."
                    .to_owned(),
            );
        }
        if self.subjects.iter().any(|of| of.deduplicates) {
            items.push(
                "Once if repeated: after the restart each client repeats its last acknowledged commit, as if its answer \
                 had been lost. The commit must be there once."
                    .to_owned(),
            );
        }
        items.extend(self.bound());
        items.push(format!(
            "The seeds begin at {}. A seed repeats the moment and the cut of a crash; the server's own threads are not \
             repeatable.",
            self.seed
        ));
        items.push(
            "A drive that acknowledges a flush before it is done loses more than this disk.".to_owned(),
        );
        vec![Block::List(List::of(items.into_iter().map(Item::of).collect()))]
    }
}

fn section(of: &[&SubjectReport]) -> Section {
    let title = of.first().map_or("", |of| of.title.as_str());
    let mut columns = vec![Column::Words("settings".into()), Column::Words("survives, as stated".into())];
    let crashed: Vec<End> = ENDS.into_iter().filter(|end| of.iter().any(|of| is_shown(of, *end))).collect();
    columns.extend(crashed.iter().map(|end| Column::Figures(format!("kept, {}", end.name()).into())));
    // The screen of a phone has the first columns: what was stated and what was seen.
    columns.extend(["the promise", "worst loss seen"].map(|heading| Column::Words(heading.into())));
    let priced = of.iter().any(|of| !of.prices.is_empty());
    if priced {
        for clients in CLIENTS {
            columns.push(Column::Figures(format!("commits/s by {clients}").into()));
            columns.push(Column::Figures("p99 µs".into()));
        }
    }
    let mut table = Table::new(format!("{title}: promises"), columns);
    for of in of {
        let mut cells = vec![Cell::of(settings(of)), Cell::of(promised(of))];
        cells.extend(crashed.iter().map(|end| Cell::of(kept(of.tally(*end)))));
        cells.push(Cell::badge(of.standing().badge()));
        cells.push(Cell::of(lost(of)));
        if priced {
            for clients in CLIENTS {
                let price = of.prices.iter().find(|price| price.clients == clients);
                cells.push(price.map_or_else(|| Cell::of("—"), commits));
                cells
                    .push(Cell::of(price.map_or("—".to_owned(), |price| round(price.commit_latency_p99_us))));
            }
        }
        table.row(cells);
    }
    let mut blocks = Vec::new();
    if let Some(first) = of.first().filter(|first| !first.version.is_empty()) {
        blocks.push(Block::paragraph(first.version.as_str()));
    }
    blocks.push(Block::Table(table));
    let mut sources: Vec<&str> = of.iter().map(|of| of.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    blocks.push(Block::note(format!("Promises as stated in {}.", sources.join(", "))));
    let failures: Vec<Item> = of.iter().flat_map(|of| failures(of)).collect();
    if !failures.is_empty() {
        blocks.push(Block::List(List::of(failures)));
    }
    Section::new(of.first().map_or("", |of| of.server.as_str()), title, blocks)
}

/// Whether crashes of this kind were requested, or are known nevertheless.
fn is_shown(of: &SubjectReport, end: End) -> bool {
    of.is_asked(end) || of.tally(end).crashes > 0
}

fn settings(of: &SubjectReport) -> String {
    let first = of.settings.first().map(|(name, value)| format!("{name} = {value}")).unwrap_or_default();
    if of.is_default { first + " (default)" } else { first }
}

fn promised(of: &SubjectReport) -> String {
    let survived = match (of.class, of.recovers) {
        (DurabilityClass::Power, _) => "power loss",
        (DurabilityClass::Process, true) => "kill -9; restarts",
        (DurabilityClass::Process, false) => "kill -9",
        (DurabilityClass::None, true) => "restarts",
        (DurabilityClass::None, false) => "nothing",
    };
    if of.deduplicates { format!("{survived}; once if repeated") } else { survived.to_owned() }
}

fn kept(tally: &Tally) -> String {
    match tally {
        Tally { crashes: 0, .. } => "not checked".to_owned(),
        Tally { kept, crashes, .. } => format!("{kept} of {crashes}"),
    }
}

/// What the worst crash lost.
fn lost(of: &SubjectReport) -> String {
    let both = [&of.kill, &of.power_loss];
    let sum = |of: fn(&Tally) -> usize| both.map(of).iter().sum::<usize>();
    let mut parts = Vec::new();
    let commits = both.map(|tally| tally.lost_commits_max).into_iter().max().unwrap_or_default();
    if commits > 0 {
        let over = both.map(|tally| tally.lost_over_ms_max).into_iter().fold(0.0, f64::max);
        parts.push(format!("{} over {} ms", count(commits as usize, "commit"), round(over)));
    }
    for (number, what) in [
        (sum(|tally| tally.table_is_gone), "table or stream gone"),
        (sum(|tally| tally.doubled), "repeated commit there twice"),
        (sum(|tally| tally.torn), "inconsistent"),
        (sum(|tally| tally.does_not_start), "no start or no rows"),
        (sum(|tally| tally.does_not_mount), "file system does not mount"),
        (sum(|tally| tally.complains), "errors in its log"),
    ] {
        if number > 0 {
            parts.push(format!("{what} in {number}"));
        }
    }
    match (parts.is_empty(), sum(|tally| tally.crashes)) {
        (false, _) => parts.join(", "),
        (true, 0) => "—".to_owned(),
        (true, _) => "nothing".to_owned(),
    }
}

fn commits(price: &Price) -> Cell {
    let spread = price.commits_per_s_interval.map(|(low, high)| {
        if low > 0.0 {
            Spread::HalfWidth(round((high - low) / 2.0))
        } else {
            Spread::Bounds(format!("({}–{})", round(low), round(high)))
        }
    });
    Cell { spread, ..Cell::of(round(price.commits_per_s)) }
}

/// What a server said where it did not start, each text once, and why crashes were not tried.
fn failures(of: &SubjectReport) -> Vec<Item> {
    let mut found: Vec<(String, u64, End)> = Vec::new();
    for crash in &of.crashes {
        let why = match &crash.fate {
            Fate::DoesNotStart { why } | Fate::DoesNotMount { why } | Fate::Unreadable { why } => why,
            Fate::Kept | Fate::Lost(_) => continue,
        };
        if !found.iter().any(|(known, ..)| known == why) {
            found.push((why.clone(), crash.seed, crash.end));
        }
    }
    found.truncate(FAILURES_MAX);
    let item = |(why, seed, end): (String, u64, End)| {
        let end = end.name();
        Item::labelled(settings(of), format!("{end}, seed {seed}: {why}"))
    };
    let mut items: Vec<Item> = found.into_iter().map(item).collect();
    items.extend(
        of.not_tried.as_ref().map(|why| Item::labelled(settings(of), format!("{}: {why}", unfinished(of)))),
    );
    items
}

/// Whether a series that ended early had begun.
fn unfinished(of: &SubjectReport) -> &'static str {
    if of.crashes.is_empty() { "not tried" } else { "ended early" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Ended;
    use server::Promise;

    fn subject(only: Option<End>, interval: Option<(f64, f64)>) -> SubjectReport {
        let promise = Promise::new(DurabilityClass::Power, "https://example.org", &[("sync", "on")]);
        let price = |clients| Price {
            clients,
            commits_per_s: 100.0,
            commits_per_s_interval: interval,
            commit_latency_p99_us: 300.0,
            rounds: 6,
        };
        let prices = if interval.is_some() { CLIENTS.map(price).to_vec() } else { Vec::new() };
        SubjectReport { only, prices, ..SubjectReport::new("valkey", "Valkey", &promise, Vec::new()) }
    }

    fn table(of: &SubjectReport) -> Table {
        let table = |block| if let Block::Table(table) = block { Some(table) } else { None };
        section(&[of]).blocks.into_iter().find_map(table).expect("a section has its table")
    }

    #[test]
    fn a_table_has_the_crashes_that_were_requested_and_the_prices_that_were_measured() {
        for (of, columns) in [
            (subject(None, None), 6),
            (subject(Some(End::PowerLoss), None), 5),
            (subject(None, Some((90.0, 110.0))), 10),
        ] {
            let table = table(&of);
            assert_eq!(table.columns.len(), columns, "{of:?}");
            assert!(table.rows.iter().all(|row| row.cells.len() == columns), "{of:?}");
        }
    }

    #[test]
    fn an_interval_that_reached_zero_has_its_bounds() {
        let spread = |interval| table(&subject(None, Some(interval))).rows[0].cells[6].spread.clone();
        assert_eq!(spread((90.0, 110.0)), Some(Spread::HalfWidth(round(10.0))));
        assert!(matches!(spread((0.0, 210.0)), Some(Spread::Bounds(_))));
    }

    #[test]
    fn a_report_that_ended_early_ends_with_the_reason() {
        let mut report = Report {
            place: "/".to_owned(),
            file_system: "ext4".to_owned(),
            creates: false,
            seed: 1,
            no_crashes: None,
            ended: None,
            subjects: vec![subject(None, None)],
            absent: Vec::new(),
        };
        let whole = report.document();
        assert_eq!((whole.lead.len(), whole.closing), (1, None));
        report.ended = Some(Ended { why: "busy".to_owned(), is_interrupted: false, promises_left: 2 });
        let ended = report.document();
        assert_eq!((ended.lead.len(), ended.closing.as_ref()), (2, ended.lead.last()));
    }
}
