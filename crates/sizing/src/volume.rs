//! Provisioned volumes with their limits and prices: shipped as data, or the user's own file.

use model::units::MIB;
use serde::Deserialize;

const VOLUMES: &str = include_str!("../volumes.toml");
/// More volumes than this are a mistake.
const VOLUMES_MAX: usize = 1000;
/// Larger figures are a mistake.
const FIGURE_MAX: f64 = 1e12;

/// A volume as a file describes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    pub name: String,
    /// Its size, if it has one size only, in GiB.
    pub gib: Option<f64>,
    /// Requests a second, whatever its size.
    pub iops: Option<f64>,
    /// Requests a second for each GiB, besides.
    pub iops_per_gib: Option<f64>,
    pub iops_max: Option<f64>,
    /// MiB a second, whatever its size.
    pub mib_per_s: Option<f64>,
    /// MiB a second for each GiB, besides.
    pub mib_per_s_per_gib: Option<f64>,
    pub mib_per_s_max: Option<f64>,
    /// US dollars a month for all of it.
    pub usd_per_month: Option<f64>,
    /// US dollars a month for each GiB.
    pub usd_per_gib: Option<f64>,
    /// US dollars a month for each request a second above some.
    pub usd_per_iops: Option<Above>,
    /// US dollars a month for each MiB/s above some.
    pub usd_per_mib_per_s: Option<Above>,
    /// Where the limits were read.
    pub source: String,
    /// Where the price was read.
    pub price_source: Option<String>,
    /// When: `2026-11-28`.
    pub read_on: String,
}

/// A price of what is above an amount.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Above {
    pub above: f64,
    pub usd: f64,
}

/// The volumes of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volumes {
    volume: Vec<Volume>,
}

/// What is wrong with a file of volumes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VolumeError {
    #[error("it is not a file of volumes: {0}")]
    NotVolumes(String),
    #[error("volume {name:?}: {what}")]
    Volume { name: String, what: &'static str },
    #[error("it has more than {VOLUMES_MAX} volumes")]
    TooMany,
}

impl Volumes {
    /// Those that are built in.
    pub fn built_in() -> Self {
        // A test reads the same text.
        Self::parse(VOLUMES).unwrap_or(Self { volume: Vec::new() })
    }

    /// Reads a file of `[[volume]]`s.
    ///
    /// # Errors
    /// [`VolumeError`], in one line.
    pub fn parse(text: &str) -> Result<Self, VolumeError> {
        let volumes: Self = toml::from_str(text).map_err(|error| {
            let words: Vec<&str> = error.message().split_whitespace().collect();
            VolumeError::NotVolumes(words.join(" "))
        })?;
        if volumes.volume.len() > VOLUMES_MAX {
            return Err(VolumeError::TooMany);
        }
        for volume in &volumes.volume {
            volume.check().map_err(|what| VolumeError::Volume { name: volume.name.clone(), what })?;
        }
        Ok(volumes)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Volume> {
        self.volume.iter()
    }
}

impl Volume {
    fn check(&self) -> Result<(), &'static str> {
        let prices = [self.usd_per_iops, self.usd_per_mib_per_s].into_iter().flatten();
        let numbers = [
            self.gib,
            self.iops,
            self.iops_per_gib,
            self.iops_max,
            self.mib_per_s,
            self.mib_per_s_per_gib,
            self.mib_per_s_max,
            self.usd_per_month,
            self.usd_per_gib,
        ];
        let numbers = numbers.into_iter().flatten().chain(prices.flat_map(|price| [price.above, price.usd]));
        if numbers.into_iter().any(|number| !(0.0..=FIGURE_MAX).contains(&number)) {
            return Err("a figure is not a number from 0 to 1e12");
        }
        if self.gib.is_some_and(|gib| gib <= 0.0) {
            return Err("it has no size");
        }
        if self.iops(1.0).is_none() && self.bytes_per_s(1.0).is_none() {
            return Err("it has neither iops nor mib_per_s above 0");
        }
        Ok(())
    }

    /// Its size, if `wanted_gib` are needed; `None` if it has one size, and that is too small.
    pub fn size_gib(&self, wanted_gib: f64) -> Option<f64> {
        match self.gib {
            Some(gib) => (gib >= wanted_gib).then_some(gib),
            None => Some(wanted_gib),
        }
    }

    /// Requests a second at this size; `None` if that is not stated.
    pub fn iops(&self, gib: f64) -> Option<f64> {
        limit(self.iops, self.iops_per_gib, self.iops_max, gib)
    }

    /// Bytes a second at this size; `None` if that is not stated.
    pub fn bytes_per_s(&self, gib: f64) -> Option<f64> {
        limit(self.mib_per_s, self.mib_per_s_per_gib, self.mib_per_s_max, gib).map(|most| most * MIB as f64)
    }

    /// US dollars a month at this size; `None` if no price is stated.
    pub fn usd_per_month(&self, gib: f64) -> Option<f64> {
        if let Some(all) = self.usd_per_month {
            return Some(all);
        }
        let beyond = |price: Option<Above>, amount: Option<f64>| match (price, amount) {
            (Some(price), Some(amount)) => (amount - price.above).max(0.0) * price.usd,
            (None | Some(_), _) => 0.0,
        };
        let mib_per_s = self.bytes_per_s(gib).map(|bytes| bytes / MIB as f64);
        let besides = beyond(self.usd_per_iops, self.iops(gib)) + beyond(self.usd_per_mib_per_s, mib_per_s);
        Some(self.usd_per_gib? * gib + besides)
    }
}

fn limit(base: Option<f64>, per_gib: Option<f64>, most: Option<f64>, gib: f64) -> Option<f64> {
    if base.is_none() && per_gib.is_none() {
        return None;
    }
    let limit = base.unwrap_or(0.0) + per_gib.unwrap_or(0.0) * gib;
    Some(most.map_or(limit, |most| limit.min(most))).filter(|limit| *limit > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_its_source() {
        let volumes = Volumes::parse(VOLUMES).unwrap();
        assert!(volumes.iter().count() >= 12);
        for volume in volumes.iter() {
            assert!(volume.source.starts_with("https://"), "{}", volume.name);
            let date: Vec<usize> = volume.read_on.split('-').map(str::len).collect();
            assert_eq!(date, [4, 2, 2], "{}", volume.name);
            let has_price = volume.usd_per_month(100.0).is_some();
            assert_eq!(has_price, volume.price_source.is_some(), "{}", volume.name);
        }
        assert_eq!(Volumes::built_in().iter().count(), volumes.iter().count());
    }

    #[test]
    fn a_price_is_of_the_size_and_of_what_is_above_the_included() {
        let volumes = Volumes::built_in();
        let find = |name: &str| volumes.iter().find(|volume| volume.name == name).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        // 500 × 0.08 + 3 000 × 0.005 + 125 × 0.04.
        close(find("AWS gp3, 6 000 IOPS, 250 MiB/s").usd_per_month(500.0).unwrap(), 60.0);
        close(find("AWS gp3, as it comes").usd_per_month(500.0).unwrap(), 40.0);
        let ssd = find("Google pd-ssd");
        close(ssd.iops(500.0).unwrap(), 15_000.0);
        close(ssd.iops(50_000.0).unwrap(), 100_000.0);
        let p30 = find("Azure P30 (Premium SSD, 1 TiB)");
        assert_eq!((p30.size_gib(500.0), p30.size_gib(1500.0)), (Some(1024.0), None));
    }

    #[test]
    fn a_file_of_ones_own_is_read_or_refused_in_one_line() {
        let own = "[[volume]]\nname = \"SAN\"\niops = 200\nsource = \"contract\"\nread_on = \"2026-01-01\"\n";
        assert_eq!(Volumes::parse(own).unwrap().iter().next().unwrap().iops(1.0), Some(200.0));
        for wrong in [
            "",
            "volume = 1",
            "[[volume]]\nname = \"x\"",
            &own.replace("200", "-1"),
            &own.replace("200", "nan"),
            &own.replace("200", "0"),
            &own.replace("iops", "iosp"),
        ] {
            let why = Volumes::parse(wrong).unwrap_err().to_string();
            assert!(!why.contains('\n'), "{why}");
        }
    }
}
