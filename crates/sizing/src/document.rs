//! A sizing in words: the knee, the curves, and a row for each volume.

use crate::Sizing;
use crate::curve::{Curve, Level, Rung, Standing, rule};
use crate::demand::{CapKind, arm_name};
use crate::offer::{Basis, Offer};
use model::figure::{figure, ratio, ratios};
use model::units::format_significant;
use page::quantity::named;
use page::{Badge, Block, Cell, Column, Document, Section, Table, Tone};

impl Standing {
    fn badge(self) -> Badge {
        match self {
            Self::Enough => Badge::new(Tone::Good, "suffices"),
            Self::TooTight => Badge::new(Tone::Bad, "too tight"),
            Self::Undecided => Badge::new(Tone::Faint, "undecided"),
        }
    }
}

impl CapKind {
    const fn words(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Bandwidth => "bandwidth",
        }
    }
}

impl Basis {
    /// What the figures of a row are, as a few words.
    fn words(&self) -> String {
        match self {
            Self::Measured { cap } => format!("measured at {cap}"),
            Self::Interpolated { between: (low, high) } => format!("interpolated between {low} and {high}"),
            Self::AsUncapped { above } => format!("as without a cap: above {above}"),
            Self::BelowLadder { lowest } => format!("not measured: below {lowest}"),
            Self::AboveLadder { highest } => format!("not measured: above {highest}"),
        }
    }
}

impl Sizing {
    /// The result in words.
    pub fn document(&self) -> Document {
        let conclusion = vec![Section::new("knee", "The knee", self.knees())];
        let curves = self.curves.iter().map(|curve| self.curve(curve));
        Document {
            title: format!("What {} asks of a volume", self.load).into(),
            lead: vec![self.wants().into()],
            conclusion,
            closing: Some(self.closing().into()),
            sections: curves.chain([self.volumes()]).collect(),
            footer: concat!("Syncline ", env!("CARGO_PKG_VERSION"), " · ratios paired by round").into(),
            ..Document::default()
        }
    }

    fn wants(&self) -> String {
        let demand = &self.demand;
        let of = |kind| arm_name(kind, demand.of_kind(kind));
        format!(
            "Without a cap the load does {} and {} at the disk below {}: {} reads and {} writes a second.",
            of(CapKind::Iops),
            of(CapKind::Bandwidth),
            self.place,
            format_significant(demand.reads_per_s),
            format_significant(demand.writes_per_s)
        )
    }

    fn knees(&self) -> Vec<Block> {
        let knee = |curve: &Curve| Block::paragraph(self.knee(curve));
        let undecided = self.curves.iter().filter_map(|curve| self.undecided(curve)).map(Block::remark);
        let rule = Block::note(format!(
            "The knee is the smallest cap from which on every measured one suffices: {}.",
            rule()
        ));
        let remarks = self.remarks.iter().map(|remark| Block::remark(remark.clone()));
        self.curves.iter().map(knee).chain([rule]).chain(undecided).chain(remarks).collect()
    }

    fn closing(&self) -> String {
        self.curves.iter().map(|curve| self.knee(curve)).collect::<Vec<_>>().join(" ")
    }

    /// `Knee of IOPS: 1500 IOPS, 1.19× what the load does without a cap.` Without one, those of single metrics.
    fn knee(&self, curve: &Curve) -> String {
        let words = curve.kind.words();
        let of_load = |rung: &Rung| {
            format!("{}, {} what the load does without a cap", rung.name, ratio(rung.cap / curve.demand))
        };
        if let Some(rung) = curve.at(curve.knee) {
            return format!("Knee of {words}: {}.", of_load(rung));
        }
        let none = format!("Knee of {words}: no measured cap is proven to suffice.");
        let alone = self.metrics.iter().zip(&curve.knees).filter_map(|(metric, knee)| {
            let rung = of_load(curve.at(*knee)?);
            Some(format!(" By {} alone it is {rung}.", named(metric).title))
        });
        std::iter::once(none).chain(alone).collect()
    }

    /// Why there is no knee, if even the largest cap is undecided.
    fn undecided(&self, curve: &Curve) -> Option<String> {
        let largest =
            curve.rungs.iter().rfind(|rung| rung.levels.iter().any(|level| level.interval.is_some()))?;
        let is_open = |(_, level): &(&String, &Level)| level.standing == Standing::Undecided;
        let (metric, level) = self.metrics.iter().zip(&largest.levels).find(is_open)?;
        Some(format!(
            "{}: the rounds differ too much to decide it under {}: the interval of its ratio is {}. A longer \
             runtime and more rounds narrow it.",
            named(metric).title,
            largest.name,
            ratios(level.interval?)
        ))
    }

    fn curve(&self, curve: &Curve) -> Section {
        let words = curve.kind.words();
        let mut columns = vec![Column::Words("cap".into()), Column::Figures("of the load".into())];
        columns.extend(self.metrics.iter().map(|metric| Column::Figures(named(metric).title.into())));
        columns.extend(["ratio to no cap", "outcome"].map(|heading| Column::Words(heading.into())));
        let mut table = Table::new(format!("The load under caps of {words}"), columns);
        for rung in &curve.rungs {
            let mut cells = vec![Cell::of(rung.name.clone()), Cell::of(ratio(rung.cap / curve.demand))];
            let levels = self.metrics.iter().zip(&rung.levels);
            cells.extend(levels.map(|(metric, level)| cell(metric, level.mean)));
            cells.extend([Cell::of(compared(rung)), Cell::badge(rung.standing.badge())]);
            table.row(cells);
        }
        let mut cells = vec![Cell::of("no cap"), Cell::default()];
        cells.extend(self.metrics.iter().zip(&self.uncapped).map(|(metric, mean)| cell(metric, *mean)));
        cells.extend([Cell::default(), Cell::default()]);
        table.row(cells);
        Section::new(words, format!("Caps of {words}"), vec![Block::Table(table)])
    }

    fn volumes(&self) -> Section {
        let mut columns = vec![Column::Words("volume".into())];
        columns.extend(["its IOPS", "its MiB/s", "$ a month"].map(|heading| Column::Figures(heading.into())));
        columns.extend(self.metrics.iter().map(|metric| Column::Figures(named(metric).title.into())));
        columns.push(Column::Words("figures are".into()));
        let mut table = Table::new("What volumes would give this load", columns);
        for offer in &self.offers {
            let note = table.footnote(source(offer));
            let number =
                |value: Option<f64>| Cell::of(value.map_or_else(|| "–".to_owned(), format_significant));
            let mib_per_s = offer.bytes_per_s.map(|bytes| bytes / 1_048_576.0);
            let mut cells = vec![
                Cell::of(offer.volume.clone()).with_footnote(Some(note)),
                number(offer.iops),
                number(mib_per_s),
                number(offer.usd_per_month),
            ];
            let figures = offer.figures.iter().copied().chain(std::iter::repeat(None));
            cells.extend(self.metrics.iter().zip(figures).map(|(metric, figure)| cell(metric, figure)));
            cells.push(Cell::of(offer.basis.words()));
            table.row(cells);
        }
        let limits = Block::note(format!(
            "Prices are of {} GiB, or of the volume's own size. A figure is what the load gave on this disk under the \
             volume's tighter limit. A volume adds the latency of its network, and no limit here makes this disk \
             slower than it is below its cap.",
            format_significant(self.volume_gib)
        ));
        Section::new("volumes", "Volumes", vec![Block::Table(table), limits])
    }
}

fn source(offer: &Offer) -> String {
    let price = offer.price_source.as_ref().map_or_else(String::new, |source| format!("; price: {source}"));
    format!("{}{price}; read on {}", offer.source, offer.read_on)
}

/// The ratios with their intervals.
fn compared(rung: &Rung) -> String {
    let of_level = |level: &Level| match (level.ratio, level.interval) {
        (Some(found), Some(interval)) => format!("{} ({})", ratio(found), ratios(interval)),
        (Some(found), None) => ratio(found),
        (None, _) => "–".to_owned(),
    };
    rung.levels.iter().map(of_level).collect::<Vec<_>>().join(", ")
}

fn cell(metric: &str, value: Option<f64>) -> Cell {
    Cell::of(value.map_or_else(|| "–".to_owned(), |value| figure(value, named(metric).unit)))
}
