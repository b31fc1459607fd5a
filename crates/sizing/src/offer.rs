//! What a volume would give a load: what was measured at its caps, or between two measured ones.

use crate::curve::{Curve, Rung};
use crate::demand::CapKind;
use crate::volume::{Volume, Volumes};
use serde::Serialize;

/// Caps that differ by less are the same.
const SAME: f64 = 0.02;

/// A volume and what it would give.
#[derive(Clone, Debug, Serialize)]
pub struct Offer {
    pub volume: String,
    pub gib: f64,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    /// Its tighter limit for this load; `None` if it has none.
    pub limited_by: Option<CapKind>,
    pub basis: Basis,
    /// By metric; none if the basis gives none.
    pub figures: Vec<Option<f64>>,
    pub usd_per_month: Option<f64>,
    pub source: String,
    pub price_source: Option<String>,
    pub read_on: String,
}

/// What the figures of a volume rest on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Measured at this cap.
    Measured { cap: String },
    /// Between these two caps, linear in the logarithms of cap and figure.
    Interpolated { between: (String, String) },
    /// The load without a cap: the volume's cap is above the largest one, which suffices.
    AsUncapped { above: String },
    /// Not known: below the smallest cap that was measured.
    BelowLadder { lowest: String },
    /// Not known: above the largest cap that was measured, which is not proven to suffice.
    AboveLadder { highest: String },
}

/// What each volume that is large enough would give, the cheapest first and those without a price last.
pub fn offers(volumes: &Volumes, gib: f64, curves: &[Curve], uncapped: &[Option<f64>]) -> Vec<Offer> {
    let mut offers: Vec<Offer> =
        volumes.iter().filter_map(|volume| offer(volume, gib, curves, uncapped)).collect();
    offers.sort_by(|a, b| {
        let price = |offer: &Offer| offer.usd_per_month.unwrap_or(f64::INFINITY);
        price(a).total_cmp(&price(b))
    });
    offers
}

fn offer(volume: &Volume, wanted_gib: f64, curves: &[Curve], uncapped: &[Option<f64>]) -> Option<Offer> {
    let gib = volume.size_gib(wanted_gib)?;
    let (iops, bytes_per_s) = (volume.iops(gib), volume.bytes_per_s(gib));
    let of_kind = |curve: &Curve| match curve.kind {
        CapKind::Iops => iops,
        CapKind::Bandwidth => bytes_per_s,
    };
    // The limit that lets through the smaller part of what the load asks for binds first.
    let limits = curves.iter().filter_map(|curve| Some((curve, of_kind(curve)?)));
    let (curve, cap) =
        limits.min_by(|(a, cap_a), (b, cap_b)| (cap_a / a.demand).total_cmp(&(cap_b / b.demand)))?;
    let (basis, figures) = at(curve, cap, uncapped)?;
    let limited_by = (!matches!(basis, Basis::AsUncapped { .. })).then_some(curve.kind);
    Some(Offer {
        volume: volume.name.clone(),
        gib,
        iops,
        bytes_per_s,
        limited_by,
        basis,
        figures,
        usd_per_month: volume.usd_per_month(gib),
        source: volume.source.clone(),
        price_source: volume.price_source.clone(),
        read_on: volume.read_on.clone(),
    })
}

/// The load at a cap of a curve; `None` if the curve has no rung.
fn at(curve: &Curve, cap: f64, uncapped: &[Option<f64>]) -> Option<(Basis, Vec<Option<f64>>)> {
    let (first, last) = (curve.rungs.first()?, curve.rungs.last()?);
    let means = |rung: &Rung| -> Vec<Option<f64>> { rung.levels.iter().map(|level| level.mean).collect() };
    let is_same = |rung: &&Rung| (cap / rung.cap).ln().abs() <= SAME;
    if let Some(rung) = curve.rungs.iter().find(is_same) {
        return Some((Basis::Measured { cap: rung.name.clone() }, means(rung)));
    }
    if cap < first.cap {
        return Some((Basis::BelowLadder { lowest: first.name.clone() }, Vec::new()));
    }
    if cap > last.cap {
        return Some(if last.seems_enough() {
            (Basis::AsUncapped { above: last.name.clone() }, uncapped.to_vec())
        } else {
            (Basis::AboveLadder { highest: last.name.clone() }, Vec::new())
        });
    }
    let (low, high) = curve.rungs.iter().zip(curve.rungs.iter().skip(1)).find(|(_, high)| cap <= high.cap)?;
    let share = (cap / low.cap).ln() / (high.cap / low.cap).ln();
    let between = |(low, high): (Option<f64>, Option<f64>)| {
        Some((low?.ln() * (1.0 - share) + high?.ln() * share).exp())
    };
    let interpolated = means(low).into_iter().zip(means(high)).map(between).collect();
    let basis = Basis::Interpolated { between: (low.name.clone(), high.name.clone()) };
    Some((basis, interpolated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Level, Standing};

    /// A load of 1 000 IOPS of 4 KiB, whose throughput is its cap.
    fn curves() -> Vec<Curve> {
        let rung = |cap: f64, demand: f64| Rung {
            name: format!("{cap}"),
            cap,
            levels: vec![Level {
                mean: Some(1000.0 * (cap / demand).min(1.0)),
                ratio: Some(1.0),
                ..Level::default()
            }],
            standing: Standing::Undecided,
        };
        let curve = |kind, demand: f64| Curve {
            kind,
            demand,
            rungs: [0.25, 0.5, 1.0, 2.0].map(|multiple| rung(multiple * demand, demand)).into(),
            knee: None,
            knees: Vec::new(),
        };
        vec![curve(CapKind::Iops, 1000.0), curve(CapKind::Bandwidth, 4_096_000.0)]
    }

    fn of(volume: &str) -> Offer {
        let text = format!("[[volume]]\nname = \"x\"\nsource = \"s\"\nread_on = \"d\"\n{volume}");
        offers(&Volumes::parse(&text).unwrap(), 100.0, &curves(), &[Some(1000.0)]).remove(0)
    }

    #[test]
    fn a_figure_says_what_it_rests_on() {
        let measured = of("iops = 500");
        assert_eq!(measured.basis, Basis::Measured { cap: "500".to_owned() });
        assert!((measured.figures[0].unwrap() - 500.0).abs() < 1e-6);
        let between = of("iops = 707.1");
        assert!(matches!(between.basis, Basis::Interpolated { .. }));
        assert!((between.figures[0].unwrap() - 707.1).abs() < 0.1, "{:?}", between.figures);
        let plenty = of("iops = 9000");
        assert!(matches!(plenty.basis, Basis::AsUncapped { .. }));
        assert_eq!((plenty.figures[0], plenty.limited_by), (Some(1000.0), None));
        let little = of("iops = 100");
        assert_eq!((little.figures.len(), little.limited_by), (0, Some(CapKind::Iops)));
    }

    #[test]
    fn the_limit_binds_that_lets_through_less_of_the_load() {
        assert_eq!(of("iops = 600\nmib_per_s = 1").limited_by, Some(CapKind::Bandwidth));
        assert_eq!(of("iops = 600\nmib_per_s = 100").limited_by, Some(CapKind::Iops));
    }

    #[test]
    fn a_volume_that_is_too_small_is_left_out() {
        let text = "[[volume]]\nname = \"x\"\ngib = 10\niops = 1\nsource = \"s\"\nread_on = \"d\"";
        assert!(offers(&Volumes::parse(text).unwrap(), 100.0, &curves(), &[None]).is_empty());
    }
}
