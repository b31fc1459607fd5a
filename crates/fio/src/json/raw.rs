//! fio's report as it is in the file. Unknown keys are skipped without being held; lists and maps are bounded.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// Most jobs of a report: fio itself runs at most 4096.
pub(super) const JOBS_MAX: usize = 10_000;
/// Most options of a job or a percentile list.
pub(super) const ENTRIES_MAX: usize = 512;
/// Most bins of a histogram: fio's has 29 × 64.
pub(super) const BINS_MAX: usize = 1 << 16;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Report {
    #[serde(rename = "fio version")]
    pub(super) version: Option<String>,
    pub(super) timestamp: Option<u64>,
    #[serde(rename = "global options")]
    pub(super) global_options: Options,
    #[serde(alias = "client_stats", deserialize_with = "list")]
    pub(super) jobs: Option<Vec<Job>>,
    #[serde(deserialize_with = "list")]
    pub(super) disk_util: Option<Vec<Disk>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Job {
    pub(super) jobname: Option<String>,
    pub(super) hostname: Option<String>,
    pub(super) groupid: Option<u64>,
    pub(super) error: Option<i64>,
    #[serde(rename = "job options")]
    pub(super) options: Options,
    pub(super) read: Option<Box<Direction>>,
    pub(super) write: Option<Box<Direction>>,
    pub(super) trim: Option<Box<Direction>>,
    pub(super) sync: Option<Box<Direction>>,
    pub(super) usr_cpu: Option<f64>,
    pub(super) sys_cpu: Option<f64>,
    pub(super) majf: Option<u64>,
    pub(super) minf: Option<u64>,
    pub(super) ctx: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Direction {
    pub(super) io_bytes: Option<u64>,
    pub(super) io_kbytes: Option<u64>,
    pub(super) bw_bytes: Option<f64>,
    pub(super) bw: Option<f64>,
    pub(super) iops: Option<f64>,
    pub(super) runtime: Option<u64>,
    pub(super) total_ios: Option<u64>,
    pub(super) short_ios: Option<u64>,
    pub(super) drop_ios: Option<u64>,
    pub(super) slat_ns: Option<Latency>,
    pub(super) clat_ns: Option<Latency>,
    pub(super) lat_ns: Option<Latency>,
    pub(super) slat: Option<Latency>,
    pub(super) clat: Option<Latency>,
    pub(super) lat: Option<Latency>,
    pub(super) iops_mean: Option<f64>,
    pub(super) iops_stddev: Option<f64>,
    pub(super) iops_samples: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Latency {
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) mean: Option<f64>,
    pub(super) stddev: Option<f64>,
    #[serde(rename = "N")]
    pub(super) operations: Option<u64>,
    pub(super) percentile: Percentiles,
    pub(super) bins: Bins,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Disk {
    pub(super) name: Option<String>,
    pub(super) read_ios: Option<u64>,
    pub(super) write_ios: Option<u64>,
    pub(super) util: Option<f64>,
}

/// Options, whose values are text; a client/server report wraps them in a list of one.
#[derive(Default)]
pub(super) struct Options(pub(super) BTreeMap<String, String>);

/// Percent → value. fio 2.x fills its list up with zeros.
#[derive(Default)]
pub(super) struct Percentiles(pub(super) Vec<(f64, f64)>);

/// Value → count.
#[derive(Default)]
pub(super) struct Bins(pub(super) Vec<(u64, u64)>);

fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Vec<T>>, D::Error> {
    struct List<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Option<Vec<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = list.next_element()? {
                if items.len() == JOBS_MAX {
                    return Err(A::Error::custom(format_args!("a list of more than {JOBS_MAX}")));
                }
                items.push(item);
            }
            Ok(Some(items))
        }
    }
    deserializer.deserialize_seq(List(std::marker::PhantomData))
}

/// Implements `Deserialize` for a bounded map: `null` and absence are the empty one.
macro_rules! bounded_map {
    ($type:ident, $max:expr, |$map:ident, $result:ident, $key:ident| $insert:expr) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Entries;
                impl<'de> Visitor<'de> for Entries {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a map")
                    }

                    fn visit_unit<E: Error>(self) -> Result<$type, E> {
                        Ok($type::default())
                    }

                    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<$type, A::Error> {
                        let first = list.next_element()?.unwrap_or_default();
                        while list.next_element::<IgnoredAny>()?.is_some() {}
                        Ok(first)
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut $map: A) -> Result<$type, A::Error> {
                        let mut $result = $type::default();
                        while let Some($key) = $map.next_key::<String>()? {
                            if $result.0.len() == $max {
                                return Err(A::Error::custom(format_args!("a map of more than {}", $max)));
                            }
                            $insert;
                        }
                        Ok($result)
                    }
                }
                deserializer.deserialize_any(Entries)
            }
        }
    };
}

bounded_map!(Options, ENTRIES_MAX, |map, result, key| {
    let value = map.next_value::<Text>()?.0;
    result.0.insert(key, value)
});
bounded_map!(Percentiles, ENTRIES_MAX, |map, result, key| {
    let value = map.next_value::<Option<f64>>()?;
    let percent = key.parse::<f64>().ok().filter(|percent| *percent > 0.0 && *percent <= 100.0);
    if let (Some(percent), Some(value)) = (percent, value) {
        result.0.push((percent, value));
    }
});
bounded_map!(Bins, BINS_MAX, |map, result, key| {
    let count = map.next_value::<Option<u64>>()?;
    if let (Ok(value), Some(count)) = (key.parse::<u64>(), count) {
        result.0.push((value, count));
    }
});

/// An option's value: text, though some writers give numbers and switches.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl Visitor<'_> for Scalar {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an option's value")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<Text, E> {
                Ok(Text(count.to_string()))
            }

            fn visit_i64<E: Error>(self, count: i64) -> Result<Text, E> {
                Ok(Text(count.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }

            fn visit_bool<E: Error>(self, flag: bool) -> Result<Text, E> {
                Ok(Text(u8::from(flag).to_string()))
            }

            fn visit_unit<E: Error>(self) -> Result<Text, E> {
                Ok(Text(String::new()))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}
