//! An observation in words.

use crate::class::Class;
use crate::missing::MissingTracepoint;
use crate::observation::{
    AgainstRun, ClassFigures, DeviceFigures, DiskFigure, Explanation, FileFigures, Latency, NotSeen,
    Observation, Part, SizeFigures, Spike, SpikeFigures, Writer,
};
use model::figure::{count, exact_percent, figure, interval, percent, round, round_figure};
use model::metric::Unit;
use model::traced::Segment;
use page::{Block, Cell, Column, Document, Item, List, Section, Table, capitalised};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Files that have a line.
const FILES_MAX: usize = 10;
/// Sizes in a cell.
const SIZES_MAX: usize = 2;
/// Spikes that have a line.
const SPIKES_MAX: usize = 20;
/// A part of a spike that is named.
const SPIKE_SHARE_MIN: f64 = 0.05;
/// A share that has a row.
const SHARE_MIN: f64 = 0.005;
const NONE: &str = "—";

impl Observation {
    /// The observation in words.
    pub fn document(&self) -> Document {
        let mut sections = vec![self.operations()];
        sections.extend(self.of_files());
        sections.extend(self.waterfall());
        sections.extend(self.spikes.as_ref().map(|spikes| self.of_spikes(spikes)));
        sections.extend(self.of_devices());
        sections.extend(self.against.as_ref().map(|run| self.beside(run)));
        let mut remarks = self.not_seen.remarks();
        if self.not_seen.lost_records > 0 {
            remarks.insert(0, Block::remark(self.lost()));
        }
        if !remarks.is_empty() {
            sections.push(Section::new("not-seen", "What was not seen", remarks));
        }
        Document {
            title: format!("Operations of {}", self.target).into(),
            lead: vec![self.lead().into()],
            sections,
            closing: Some(self.conclusion().into()),
            footer: concat!("Syncline ", env!("CARGO_PKG_VERSION")).into(),
            ..Document::default()
        }
    }

    /// The result in a few sentences.
    pub fn conclusion(&self) -> String {
        let mut sentences = Vec::new();
        let rate = |class: Class| {
            let of = self.class(class)?;
            Some(format!("{} {}/s", round(of.operations_per_s), class.plural()))
        };
        let rates: Vec<String> = Class::ALL.into_iter().filter_map(rate).collect();
        if rates.is_empty() {
            return format!("In {} s nothing was read, written or synced.", round(self.duration_s));
        }
        sentences.push(format!("{}.", rates.join(", ")));
        if let Some(syncs) = self.class(Class::Sync).filter(|of| of.operations > 0) {
            let latency = syncs.latency.as_ref().map_or(0.0, |latency| latency.mean_us);
            sentences.push(format!(
                "A sync takes {} on average; at least one is under way in {} of the time.",
                time(latency),
                percent(syncs.busy_share)
            ));
        }
        sentences.extend(self.explanations.iter().rev().find_map(Explanation::sentence));
        sentences.join(" ")
    }

    fn lead(&self) -> String {
        let databases: Vec<String> =
            self.databases.iter().map(|(name, root)| format!("{name} in {root}")).collect();
        let databases = match databases.as_slice() {
            [] => "no database that Syncline knows by its files".to_owned(),
            some => some.join(", "),
        };
        let processes = match self.processes {
            1 => "1 process".to_owned(),
            more => format!("{more} processes"),
        };
        format!("{} s, {processes}: {databases}.", round(self.duration_s))
    }

    fn operations(&self) -> Section {
        let columns = vec![
            Column::Words("operation".into()),
            Column::Figures("per s".into()),
            Column::Figures("bandwidth".into()),
            Column::Words("sizes".into()),
            Column::Figures("sequential".into()),
            Column::Figures("in flight".into()),
            Column::Figures("at most".into()),
            Column::Figures("p50 µs".into()),
            Column::Figures("p99 µs".into()),
            Column::Figures("max µs".into()),
        ];
        let mut table = Table::new("operations", columns);
        for of in &self.classes {
            table.row(of.cells());
        }
        let mut blocks = vec![Block::Table(table)];
        if self.classes.is_empty() {
            blocks = vec![Block::paragraph(self.conclusion())];
        }
        let depths: Vec<String> = self.classes.iter().filter_map(ClassFigures::depths).collect();
        if !depths.is_empty() {
            blocks.push(Block::note(format!(
                "In flight is rate × mean latency (Little's law). Counted over the time: {}.",
                depths.join(", ")
            )));
        }
        blocks.extend(self.between_syncs().map(Block::paragraph));
        let failed: u64 = self.classes.iter().map(|of| of.failed).sum();
        if failed > 0 {
            blocks.push(Block::remark(format!(
                "{} failed and are not among the figures.",
                count(failed as usize, "call")
            )));
        }
        Section::new("operations", "System calls", blocks)
    }

    fn between_syncs(&self) -> Option<String> {
        let syncs = &self.syncs;
        let mut sentences = Vec::new();
        if let (Some(bytes), Some(writes)) = (syncs.log_bytes_between_mean, syncs.log_writes_between_mean) {
            sentences.push(format!(
                "From one sync of a log to the next, {} in {} writes are written to it on average.",
                figure(bytes, Unit::Bytes),
                round(writes)
            ));
        } else if let Some(bytes) = syncs.bytes_between_mean {
            sentences.push(format!(
                "From one sync of a file to the next, {} are written to it on average.",
                figure(bytes, Unit::Bytes)
            ));
        }
        if syncs.durable_writes_per_s > 0.0 {
            sentences.push(format!(
                "{} writes/s are durable when they return (O_DSYNC or RWF_DSYNC), without a sync.",
                round(syncs.durable_writes_per_s)
            ));
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    fn of_files(&self) -> Option<Section> {
        if self.roles.is_empty() {
            return None;
        }
        let figures = ["reads/s", "read", "writes/s", "written", "syncs/s"];
        let figures = figures.into_iter().map(|heading| Column::Figures(heading.into()));
        let columns = [Column::Words("files".into()), Column::Figures("number".into())];
        let mut table = Table::new("files by role", columns.into_iter().chain(figures).collect());
        for of in &self.roles {
            let name = match of.database.as_str() {
                "" => "other files".to_owned(),
                database => format!("{database}: {}", of.role.word()),
            };
            table.row(vec![
                Cell::of(name),
                Cell::of(of.files.to_string()),
                Cell::of(round(of.reads_per_s)),
                Cell::of(round_figure(of.bytes_read_per_s, Unit::BytesPerSecond)),
                Cell::of(round(of.writes_per_s)),
                Cell::of(round_figure(of.bytes_written_per_s, Unit::BytesPerSecond)),
                Cell::of(round(of.syncs_per_s)),
            ]);
        }
        let columns = vec![
            Column::Words("file".into()),
            Column::Words("role".into()),
            Column::Figures("reads".into()),
            Column::Figures("writes".into()),
            Column::Figures("written".into()),
            Column::Figures("syncs".into()),
        ];
        let mut files = Table::new("files with most operations", columns);
        for of in self.files.iter().take(FILES_MAX) {
            files.row(self.file(of));
        }
        Some(Section::new("files", "Files", vec![Block::Table(table), Block::Table(files)]))
    }

    /// A path below the directory of its database is as short as its reader knows it.
    fn short<'a>(&self, path: &'a str) -> &'a str {
        let mut roots = self.databases.iter().map(|(_, root)| root);
        roots.find_map(|root| path.strip_prefix(root)?.strip_prefix('/')).unwrap_or(path)
    }

    fn file(&self, of: &FileFigures) -> Vec<Cell> {
        let how = if of.direct { " (direct)" } else { "" };
        vec![
            Cell::of(format!("{}{how}", self.short(&of.path))),
            Cell::of(if of.database.is_empty() { NONE } else { of.role.word() }),
            Cell::of(of.reads.to_string()),
            Cell::of(of.writes.to_string()),
            Cell::of(round_figure(of.bytes_written as f64, Unit::Bytes)),
            Cell::of(of.syncs.to_string()),
        ]
    }

    /// Reads and syncs side by side, mean and tail.
    fn waterfall(&self) -> Option<Section> {
        if self.explanations.is_empty() {
            return None;
        }
        let mut columns = vec![Column::Words("time is spent on".into())];
        let mut rows: BTreeMap<Segment, Vec<Cell>> = BTreeMap::new();
        for (place, of) in self.explanations.iter().enumerate() {
            let name = of.class.singular();
            columns.push(Column::Figures(format!("{name}, mean µs").into()));
            columns.push(Column::Figures("share".into()));
            columns.push(Column::Figures("slowest 1 % µs".into()));
            columns.push(Column::Figures("share".into()));
            for (offset, parts) in [(0, &of.parts), (2, &of.slowest_parts)] {
                for part in parts.iter().filter(|part| part.share >= SHARE_MIN) {
                    let row = rows.entry(part.segment).or_insert_with(|| vec![Cell::of(part.segment.name())]);
                    row.resize(1 + 4 * self.explanations.len(), Cell::of(NONE));
                    row[1 + 4 * place + offset] = Cell::of(round(part.mean_us));
                    row[2 + 4 * place + offset] = Cell::of(percent(part.share));
                }
            }
        }
        let mut table = Table::new("what the time is spent on", columns);
        for row in rows.into_values() {
            table.row(row);
        }
        let mut whole = vec![Cell::of("whole")];
        for of in &self.explanations {
            for mean_us in [of.mean_us, of.slowest_mean_us] {
                whole.extend([Cell::of(round(mean_us)), Cell::of(NONE)]);
            }
        }
        table.row(whole);
        let explained = self.explanations.iter().map(|of| {
            let class = of.class;
            let what = if of.operations == 1 { class.singular() } else { class.plural() };
            format!("{} {what} and the slowest {}", of.operations, of.slowest_operations)
        });
        let note = format!(
            "From the kernel's events of {}. Parts below {} are left out.",
            explained.collect::<Vec<_>>().join(", "),
            exact_percent(SHARE_MIN)
        );
        Some(Section::new("waterfall", "Where the time goes", vec![Block::Table(table), Block::note(note)]))
    }

    fn of_spikes(&self, spikes: &SpikeFigures) -> Section {
        let threshold = time(spikes.threshold_us);
        let seen = spikes.seen as usize;
        let mut blocks = vec![Block::paragraph(match seen {
            0 => format!("No operation took {threshold} or longer."),
            _ => format!("{} took {threshold} or longer.", count(seen, "operation")),
        })];
        let mut slowest: Vec<&Spike> = spikes.slowest.iter().collect();
        slowest.sort_by(|one, other| other.latency_us.total_cmp(&one.latency_us));
        slowest.truncate(SPIKES_MAX);
        slowest.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
        if slowest.len() < seen {
            blocks.push(Block::note(format!("The slowest {}, in their order:", slowest.len())));
        }
        let items =
            slowest.iter().map(|spike| Item::labelled(spike.label(), spike.cause(self.short(&spike.path))));
        blocks.push(Block::List(List::of(items.collect())));
        Section::new("spikes", "Spikes", blocks)
    }

    fn of_devices(&self) -> Option<Section> {
        if self.devices.is_empty() {
            return None;
        }
        let columns = vec![
            Column::Words("disk".into()),
            Column::Words("requests".into()),
            Column::Figures("per s".into()),
            Column::Figures("bandwidth".into()),
            Column::Words("sizes".into()),
            Column::Figures("sequential".into()),
            Column::Figures("in flight".into()),
            Column::Figures("busy".into()),
            Column::Figures("p50 µs".into()),
            Column::Figures("p99 µs".into()),
            Column::Figures("max µs".into()),
        ];
        let mut table = Table::new("requests of the disks", columns).with_keys(2);
        for of in &self.devices {
            table.row(of.cells());
        }
        let note = "All requests of the disk, also of other programs, from the driver to their completion.";
        Some(Section::new("devices", "The disk", vec![Block::Table(table), Block::note(note)]))
    }

    /// What the database does beside what the disk can do.
    fn beside(&self, run: &AgainstRun) -> Section {
        let disk = |of: &DiskFigure, unit: Unit| {
            let mean = round_figure(of.mean, unit);
            match of.interval {
                Some(bounds) => format!("{mean} ({})", interval(bounds, of.mean, unit)),
                None => mean,
            }
        };
        let mut sentences = vec![match self.class(Class::Sync).filter(|of| of.operations > 0) {
            Some(syncs) => format!(
                "The database syncs {}/s. At least one sync is under way in {} of the time; on average {} are.",
                round(syncs.operations_per_s),
                percent(syncs.busy_share),
                round(syncs.depth_by_littles_law)
            ),
            None => "The database did not sync.".to_owned(),
        }];
        let mut measured = format!(
            "The disk commits {}, one write and sync after another",
            disk(&run.commits_per_s, Unit::PerSecond)
        );
        if let Some(p99) = &run.commit_latency_p99_us {
            let _ = write!(measured, "; 99 of 100 take at most {}", disk(p99, Unit::Microseconds));
        }
        sentences.push(format!("{measured}."));
        sentences.extend(self.twice_as_fast());
        let note = format!("The disk by {}, which measured {}.", run.run, run.place);
        Section::new(
            "disk",
            "Beside the disk",
            vec![Block::paragraph(sentences.join(" ")), Block::note(note)],
        )
    }

    /// A device that is twice as fast halves its own part, and what waits behind it at most.
    fn twice_as_fast(&self) -> Option<String> {
        let sync = self.explanations.iter().find(|of| of.class == Class::Sync)?;
        let is_device = |part: &&Part| part.segment.stage.is_device();
        let share: f64 = sync.parts.iter().filter(is_device).map(|part| part.share).sum();
        Some(format!(
            "{} of a sync is the device: twice as fast, it would save at most {}.",
            percent(share),
            time(sync.mean_us * share / 2.0)
        ))
    }

    fn lost(&self) -> String {
        format!(
            "The rings had no room for {}: the rates are too low. This machine has too little CPU time to read them.",
            count(self.not_seen.lost_records as usize, "record")
        )
    }
}

impl ClassFigures {
    fn cells(&self) -> Vec<Cell> {
        let [p50, p99, max] = latency(self.latency.as_ref());
        let is_sync = self.class == Class::Sync;
        let bandwidth = round_figure(self.bytes_per_s, Unit::BytesPerSecond);
        vec![
            Cell::of(self.class.plural()),
            Cell::of(round(self.operations_per_s)),
            Cell::of(if is_sync { NONE.to_owned() } else { bandwidth }),
            Cell::of(if is_sync { NONE.to_owned() } else { sizes(&self.sizes) }),
            Cell::of(share(self.sequential_share)),
            Cell::of(round(self.depth_by_littles_law)),
            Cell::of(self.depth_max.to_string()),
            Cell::of(p50),
            Cell::of(p99),
            Cell::of(max),
        ]
    }

    fn depths(&self) -> Option<String> {
        (self.operations > 0).then(|| format!("{} {}", self.class.plural(), round(self.depth_counted)))
    }
}

impl DeviceFigures {
    fn cells(&self) -> Vec<Cell> {
        let [p50, p99, max] = latency(self.latency.as_ref());
        let has_bytes = self.bytes_per_s > 0.0;
        let or_none = |text: String| if has_bytes { text } else { NONE.to_owned() };
        vec![
            Cell::of(self.disk.as_str()),
            Cell::of(self.requests.as_str()),
            Cell::of(round(self.requests_per_s)),
            Cell::of(or_none(round_figure(self.bytes_per_s, Unit::BytesPerSecond))),
            Cell::of(or_none(sizes(&self.sizes))),
            Cell::of(share(self.sequential_share)),
            Cell::of(round(self.depth_by_littles_law)),
            Cell::of(percent(self.busy_share)),
            Cell::of(p50),
            Cell::of(p99),
            Cell::of(max),
        ]
    }
}

impl Explanation {
    /// The biggest part of the mean.
    fn sentence(&self) -> Option<String> {
        let biggest = |parts: &[Part]| {
            let biggest = parts.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
            Some(format!("{} ({})", biggest.segment.name(), percent(biggest.share)))
        };
        let (mean, slowest) = (biggest(&self.parts)?, biggest(&self.slowest_parts)?);
        Some(format!(
            "Most of the time of a {}: {mean}. For the slowest {}: {slowest}.",
            self.class.singular(),
            exact_percent(0.01)
        ))
    }
}

impl Spike {
    fn label(&self) -> String {
        format!("{} s", round(self.at_s))
    }

    fn cause(&self, path: &str) -> String {
        let who = if self.name.is_empty() { "process".to_owned() } else { self.name.clone() };
        let latency = time(self.latency_us);
        let mut text = format!("{} of {path} by {who} ({}): {latency}", self.class.singular(), self.process);
        let mut parts: Vec<&Part> = self.parts.iter().filter(|part| part.share >= SPIKE_SHARE_MIN).collect();
        parts.sort_by(|one, other| other.share.total_cmp(&one.share));
        let parts: Vec<String> =
            parts.iter().map(|part| format!("{} {}", part.segment.name(), percent(part.share))).collect();
        if !parts.is_empty() {
            text = format!("{text}; {}", parts.join(", "));
        }
        let other = |writer: &Writer| {
            let name = if writer.name.is_empty() { "thread" } else { writer.name.as_str() };
            let bytes = round_figure(writer.bytes as f64, Unit::Bytes);
            format!("{name} ({}) {} of {bytes}", writer.thread, count(writer.requests as usize, "request"))
        };
        let others: Vec<String> = self.others.iter().map(other).collect();
        if others.is_empty() {
            text
        } else {
            format!("{text}. Meanwhile others wrote: {}", others.join(", "))
        }
    }
}

impl NotSeen {
    fn remarks(&self) -> Vec<Block> {
        let mut remarks = Vec::new();
        let mut add = |number: u64, noun: &str, rest: &str| {
            if number > 0 {
                remarks.push(capitalised(&format!("{} {rest}", count(number as usize, noun))));
            }
        };
        add(
            self.unnamed_calls,
            "call",
            "on descriptors that were closed before Syncline could look them up.",
        );
        add(
            self.outside_calls,
            "call",
            "of processes outside this container, which Syncline cannot look up.",
        );
        add(self.operations_on_other_files, "operation", "on files that have no name here.");
        add(
            self.submitted_requests,
            "request",
            "through io_submit, of which the kernel tells neither size nor end: the disk's requests above have them.",
        );
        add(self.unexplained, "operation", "of which not all events were kept: their time is not explained.");
        if self.unfinished > 0 {
            remarks.push(format!(
                "{} had not ended at the end, the longest after {}.",
                count(self.unfinished as usize, "operation"),
                time(self.unfinished_longest_us)
            ));
        }
        for MissingTracepoint { tracepoint, reason, lost } in &self.missing_tracepoints {
            remarks.push(format!("Not recorded: {tracepoint}: {reason}; {}.", lost.words()));
        }
        remarks.into_iter().map(Block::remark).collect()
    }
}

/// A time in the unit that keeps it short.
fn time(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", round(us / 1e6)),
        _ if us >= 1e4 => format!("{} ms", round(us / 1e3)),
        _ => round_figure(us, Unit::Microseconds),
    }
}

fn sizes(sizes: &[SizeFigures]) -> String {
    let one = |of: &SizeFigures| {
        let bytes = figure(of.bytes as f64, Unit::Bytes);
        if of.share < 0.995 { format!("{bytes} {:.0} %", of.share * 100.0) } else { bytes }
    };
    let shown: Vec<String> =
        sizes.iter().take(SIZES_MAX).filter(|of| of.share >= SHARE_MIN).map(one).collect();
    shown.join(", ")
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| NONE.to_owned(), percent)
}

fn latency(latency: Option<&Latency>) -> [String; 3] {
    let figure = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), round);
    [
        figure(latency.and_then(|of| of.p50_us)),
        figure(latency.and_then(|of| of.p99_us)),
        figure(latency.map(|of| of.max_us)),
    ]
}
