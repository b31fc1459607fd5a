//! A study file: a question, its factors and its comparisons. Text in, [`Study`] out.

use crate::{Observed, metric, suggestion};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toml::{Table, Value as Toml};

/// A study as written, levels still text: they get their types from the workload's parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// The question it answers.
    pub question: String,
    /// The workload its trials run.
    pub workload: String,
    /// The purpose of the study and how to read it: prose for `syncline studies`.
    pub about: String,
    /// Levels of the baseline; may be partial.
    pub baseline: BTreeMap<String, String>,
    /// Factors and their levels, in file order.
    pub factors: Vec<(String, Vec<String>)>,
    /// Named arms instead of factors: name and values.
    pub arms: Vec<BTreeMap<String, String>>,
    /// Parameters that do not vary.
    pub fixed: BTreeMap<String, String>,
    /// Combinations that are left out.
    pub exclude: Vec<BTreeMap<String, String>>,
    pub asks: Vec<Ask>,
    /// Full names of metrics that are shown beside those asked about.
    pub responses: Vec<String>,
    /// What was observed of a program whose load one of the arms repeats.
    pub observed: Option<Observed>,
    /// Changes that a profile makes.
    pub profiles: BTreeMap<String, Profile>,
}

/// What a profile changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Rounds that are analysed.
    pub rounds: Option<u32>,
    /// Rounds before them that are recorded but not analysed.
    pub warmup_rounds: Option<u32>,
    /// Minutes within which all rounds of the profile end, as its author states: what ends by a count can be timed only
    /// by running it.
    pub minutes: Option<u32>,
    /// Factors whose levels it replaces.
    pub factors: Vec<(String, Vec<String>)>,
    /// Parameters it fixes to other values.
    pub fixed: BTreeMap<String, String>,
    /// Combinations that are left out, in place of the study's.
    pub exclude: Option<Vec<BTreeMap<String, String>>>,
}

/// What can be asked of a factor: a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AskKind {
    /// Each level against the baseline, as a ratio; with `references` against the one of its durability class.
    Compare,
    /// The effect over the factor's whole range.
    Trend,
    /// If two arms (`between`) change places along the factor.
    Crossover,
    /// The smallest level within 5 % of the best.
    Knee,
    /// The level at which a metric passes `limit`.
    Threshold,
    /// The order of the levels.
    Rank,
    /// One figure for all levels, by an estimate that lets them differ.
    Across,
}

impl AskKind {
    /// Every kind with its name in a study file.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("compare", Self::Compare),
        ("trend", Self::Trend),
        ("crossover", Self::Crossover),
        ("knee", Self::Knee),
        ("threshold", Self::Threshold),
        ("rank", Self::Rank),
        ("across", Self::Across),
    ];
}

/// One thing asked of the records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub kind: AskKind,
    pub factor: String,
    /// For a crossover: the factor whose levels are the two arms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<String>,
    /// For a threshold: the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// For a threshold: the factor for each of whose levels it is reported. For a comparison: the factor at each of
    /// whose levels it is made, which in a plan is a comparison of its own with that level in [`Self::at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    /// For a threshold: the metric that explains its position, by its full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<String>,
    /// Levels of other factors at which it compares, in place of the baseline's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// For a comparison of arms that promise different things: a level for each durability class. Every other level is
    /// compared with the one of its own class, and these among each other, which is what each class costs. A level's
    /// class is the one that its trials declare, whatever it is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// Full names of the metrics.
    pub on: Vec<String>,
}

impl Ask {
    /// What is asked of a factor on these metrics, over all levels of the others.
    pub fn new<M: Into<String>>(
        kind: AskKind,
        factor: impl Into<String>,
        on: impl IntoIterator<Item = M>,
    ) -> Self {
        Self {
            kind,
            factor: factor.into(),
            between: None,
            limit: None,
            each: None,
            mechanism: None,
            at: BTreeMap::new(),
            references: Vec::new(),
            on: on.into_iter().map(Into::into).collect(),
        }
    }
}

/// What is wrong with a study file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("study {study}: {what}")]
pub struct StudyError {
    study: String,
    what: String,
}

/// The factor of a study of named arms: its levels are their names.
pub const ARM_FACTOR: &str = "arm";
const KEYS: &[&str] = &[
    "question",
    "workload",
    "about",
    "baseline",
    "factors",
    "arm",
    "fixed",
    "exclude",
    "ask",
    "responses",
    "observed",
    "profile",
];
const PROFILE_KEYS: &[&str] = &["rounds", "warmup_rounds", "minutes", "factors", "fixed", "exclude"];
/// A profile that takes longer than a week is a mistake.
const MINUTES_MAX: u32 = 7 * 24 * 60;
/// The most rounds of either kind, in a study file and on the command line. More are a mistake: no study ends that has
/// them.
pub const ROUNDS_MAX: u32 = 1000;

impl Study {
    /// Reads a study file; `name` is the file's name without its extension.
    pub fn parse(name: &str, text: &str) -> Result<Self, StudyError> {
        let error = |what: String| StudyError { study: name.to_owned(), what };
        let table: Table =
            text.parse().map_err(|toml: toml::de::Error| error(one_line(&toml.to_string())))?;
        let mut study = Self { name: name.to_owned(), ..Self::default() };
        for (key, value) in &table {
            study.read_key(key, value).map_err(error)?;
        }
        if study.workload.is_empty() {
            return Err(error("names no workload".to_owned()));
        }
        if study.factors.is_empty() == study.arms.is_empty() {
            return Err(error("needs either [factors] or [[arm]]s, not both".to_owned()));
        }
        study.check_observed().map_err(error)?;
        Ok(study)
    }

    fn read_key(&mut self, key: &str, value: &Toml) -> Result<(), String> {
        match key {
            "question" => self.question = text(key, value)?,
            "workload" => self.workload = text(key, value)?,
            "about" => self.about = text(key, value)?,
            "baseline" => self.baseline = pairs(key, value)?,
            "factors" => self.factors = levels(key, value)?,
            "fixed" => self.fixed = pairs(key, value)?,
            "arm" => {
                self.arms = tables(key, value)?.map(|arm| pairs(key, arm)).collect::<Result<_, _>>()?;
                if let Some(arm) = self.arms.iter().find(|arm| !arm.contains_key("name")) {
                    return Err(format!("an [[arm]] lacks a name: {arm:?}"));
                }
            }
            "exclude" => self.exclude = exclusions(key, value)?,
            "ask" => self.asks = tables(key, value)?.map(parse_ask).collect::<Result<_, _>>()?,
            "responses" => self.responses = metrics(key, value)?,
            "observed" => self.observed = Some(parse_observed(value)?),
            "profile" => {
                for (name, profile) in table(key, value)? {
                    self.profiles.insert(name.clone(), parse_profile(name, profile)?);
                }
            }
            unknown => return Err(suggestion::unknown("key", unknown, KEYS.iter().copied())),
        }
        Ok(())
    }

    /// An arm has to repeat what was observed.
    fn check_observed(&self) -> Result<(), String> {
        let arms = || self.arms.iter().filter_map(|arm| arm.get("name")).map(String::as_str);
        match &self.observed {
            Some(observed) if !arms().any(|arm| arm == observed.arm) => {
                Err(suggestion::unknown("arm in [observed]", &observed.arm, arms()))
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn parse_observed(value: &Toml) -> Result<Observed, String> {
    let mut observed = Observed { arm: String::new(), figures: BTreeMap::new(), rates_within: None };
    for (key, value) in table("observed", value)? {
        if key == ARM_FACTOR {
            observed.arm = text(key, value)?;
            continue;
        }
        let figure = value.as_float().or(value.as_integer().map(|number| number as f64));
        let figure = figure.filter(|figure| figure.is_finite() && *figure >= 0.0);
        let figure = figure.ok_or_else(|| format!("observed: {key} is not a number from 0 on"))?;
        observed.figures.insert(metric_name(key)?, figure);
    }
    Ok(observed)
}

fn exclusions(key: &str, value: &Toml) -> Result<Vec<BTreeMap<String, String>>, String> {
    tables(key, value)?.map(|pair| pairs(key, pair)).collect()
}

/// Metrics by their full names.
fn metrics(key: &str, value: &Toml) -> Result<Vec<String>, String> {
    scalars(key, value)?.iter().map(|name| metric_name(name)).collect()
}

fn metric_name(name: &str) -> Result<String, String> {
    metric::find(name).map(|metric| metric.name()).ok_or_else(|| {
        let names: Vec<String> = metric::all().map(|metric| metric.name()).collect();
        suggestion::unknown("metric", name, names.iter().map(String::as_str))
    })
}

fn parse_ask(value: &Toml) -> Result<Ask, String> {
    let table = table("ask", value)?;
    let mut asked = None;
    let (mut between, mut limit, mut references, mut on) = (None, None, Vec::new(), Vec::new());
    let (mut each, mut mechanism) = (None, None);
    let mut at = BTreeMap::new();
    for (key, value) in table {
        match key.as_str() {
            "between" => between = Some(text(key, value)?),
            "limit" => {
                limit = Some(
                    value
                        .as_float()
                        .or(value.as_integer().map(|n| n as f64))
                        .ok_or("ask: limit is not a number")?,
                );
            }
            "each" => each = Some(text(key, value)?),
            "mechanism" => mechanism = Some(metric_name(&text(key, value)?)?),
            "references" => references = scalars(key, value)?,
            "at" => at = pairs(key, value)?,
            "on" => on = metrics(key, value)?,
            kind => {
                let found = AskKind::NAMES.iter().find(|(name, _)| *name == kind);
                let Some((_, kind)) = found else {
                    let known = AskKind::NAMES.iter().map(|(name, _)| *name);
                    let known =
                        known.chain(["on", "between", "limit", "each", "mechanism", "references", "at"]);
                    return Err(suggestion::unknown("key in [[ask]]", kind, known));
                };
                if asked.replace((*kind, text(key, value)?)).is_some() {
                    return Err(format!(
                        "an [[ask]] asks two things, {key} the second: write an [[ask]] for each"
                    ));
                }
            }
        }
    }
    let (kind, factor) = asked.ok_or(
        "an [[ask]] asks nothing: give one of compare, trend, crossover, knee, threshold, rank, across",
    )?;
    if on.is_empty() {
        return Err(format!("the [[ask]] about {factor} names no metric: give on = [\"…\"]"));
    }
    if kind == AskKind::Crossover && between.is_none() {
        return Err(format!("the crossover along {factor} needs between = \"FACTOR\""));
    }
    if kind == AskKind::Threshold && limit.is_none() {
        return Err(format!("the threshold along {factor} needs limit = NUMBER"));
    }
    if !matches!(kind, AskKind::Threshold | AskKind::Compare) && each.is_some() {
        return Err(format!("each is for threshold and compare, not for what is asked about {factor}"));
    }
    if kind != AskKind::Threshold && mechanism.is_some() {
        return Err(format!("mechanism is for threshold, not for what is asked about {factor}"));
    }
    if kind != AskKind::Compare && !references.is_empty() {
        return Err(format!("references are for compare, not for what is asked about {factor}"));
    }
    Ok(Ask { kind, factor, between, limit, each, mechanism, at, references, on })
}

fn parse_profile(name: &str, value: &Toml) -> Result<Profile, String> {
    let mut profile = Profile::default();
    let count = |key: &str, value: &Toml, least: u32, most: u32| {
        let count = value.as_integer().and_then(|count| u32::try_from(count).ok());
        count
            .filter(|count| (least..=most).contains(count))
            .ok_or_else(|| format!("profile {name}: {key} is not a count from {least} to {most}"))
    };
    for (key, value) in table(name, value)? {
        match key.as_str() {
            "rounds" => profile.rounds = Some(count(key, value, 1, ROUNDS_MAX)?),
            "warmup_rounds" => profile.warmup_rounds = Some(count(key, value, 0, ROUNDS_MAX)?),
            "minutes" => profile.minutes = Some(count(key, value, 1, MINUTES_MAX)?),
            "factors" => profile.factors = levels(key, value)?,
            "fixed" => profile.fixed = pairs(key, value)?,
            "exclude" => profile.exclude = Some(exclusions(key, value)?),
            unknown => {
                return Err(suggestion::unknown(
                    &format!("key in profile {name}"),
                    unknown,
                    PROFILE_KEYS.iter().copied(),
                ));
            }
        }
    }
    Ok(profile)
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn scalar(key: &str, value: &Toml) -> Result<String, String> {
    match value {
        Toml::String(text) => Ok(text.clone()),
        Toml::Integer(number) => Ok(number.to_string()),
        Toml::Float(number) => Ok(number.to_string()),
        Toml::Boolean(flag) => Ok(flag.to_string()),
        Toml::Datetime(_) | Toml::Array(_) | Toml::Table(_) => {
            Err(format!("{key}: expected one value, found {}", value.type_str()))
        }
    }
}

fn text(key: &str, value: &Toml) -> Result<String, String> {
    value
        .as_str()
        .map(|text| text.trim().to_owned())
        .ok_or_else(|| format!("{key}: expected text, found {}", value.type_str()))
}

fn scalars(key: &str, value: &Toml) -> Result<Vec<String>, String> {
    let array =
        value.as_array().ok_or_else(|| format!("{key}: expected a list, found {}", value.type_str()))?;
    if array.is_empty() {
        return Err(format!("{key}: the list is empty"));
    }
    array.iter().map(|item| scalar(key, item)).collect()
}

fn table<'a>(key: &str, value: &'a Toml) -> Result<&'a Table, String> {
    value.as_table().ok_or_else(|| format!("{key}: expected a table, found {}", value.type_str()))
}

fn tables<'a>(key: &str, value: &'a Toml) -> Result<impl Iterator<Item = &'a Toml>, String> {
    value.as_array().map(|array| array.iter()).ok_or_else(|| format!("{key}: write it as [[{key}]]"))
}

fn pairs(key: &str, value: &Toml) -> Result<BTreeMap<String, String>, String> {
    table(key, value)?.iter().map(|(name, value)| Ok((name.clone(), scalar(name, value)?))).collect()
}

fn levels(key: &str, value: &Toml) -> Result<Vec<(String, Vec<String>)>, String> {
    table(key, value)?.iter().map(|(name, value)| Ok((name.clone(), scalars(name, value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = r#"
        question = "Does it?"
        workload = "commit"
        baseline = { mode = "buffered" }
        [factors]
        mode = ["buffered", "direct"]
        group_size = [1, 4]
        [fixed]
        record_size = "512B"
        [[ask]]
        compare = "mode"
        on = ["commits_per_s", "commit_latency_p50"]
        [profile.quick]
        rounds = 6
        factors.group_size = [1]
    "#;

    #[test]
    fn a_study_is_read_in_file_order() {
        let study = Study::parse("commit", STUDY).unwrap();
        assert_eq!(study.factors[0].0, "mode");
        assert_eq!(study.factors[1], ("group_size".to_owned(), vec!["1".to_owned(), "4".to_owned()]));
        assert_eq!(study.asks[0].on, ["commits_per_s", "commit_latency_p50_us"]);
        assert_eq!(study.profiles["quick"].rounds, Some(6));
    }

    #[test]
    fn what_was_observed_has_an_arm_that_repeats_it() {
        let study = |observed: &str| {
            let text = format!(
                "workload = \"device\"\n[[arm]]\nname = \"as_observed\"\nrw = \"read\"\n[observed]\n{observed}"
            );
            Study::parse("load", &text).map(|study| study.observed.unwrap()).map_err(|error| error.what)
        };
        let observed = study("arm = \"as_observed\"\niops = 300\nsync_latency_p50 = 2.5").unwrap();
        let figures = [("iops".to_owned(), 300.0), ("sync_latency_p50_us".to_owned(), 2.5)];
        assert_eq!((observed.arm.as_str(), observed.figures), ("as_observed", BTreeMap::from(figures)));
        for wrong in [
            "iops = 300",
            "arm = \"as_observd\"",
            "arm = \"as_observed\"\niops = -1",
            "arm = \"as_observed\"\niops = nan",
            "arm = \"as_observed\"\niosp = 1",
        ] {
            assert!(study(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_threshold_may_be_told_for_each_level_of_another_factor() {
        let ask = |text: &str| {
            let toml: Table = text.parse().unwrap();
            parse_ask(&Toml::Table(toml))
        };
        let threshold = "threshold = \"group_size\"\nlimit = 1\non = [\"commits_per_s\"]\neach = \"mode\"";
        let told = ask(&format!("{threshold}\nmechanism = \"commit_latency_p50\"")).unwrap();
        assert_eq!(told.each.as_deref(), Some("mode"));
        assert_eq!(told.mechanism.as_deref(), Some("commit_latency_p50_us"));
        let elsewhere =
            ask("across = \"mode\"\non = [\"commits_per_s\"]\neach = \"group_size\"").unwrap_err();
        assert_eq!(elsewhere, "each is for threshold and compare, not for what is asked about mode");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, message) in [
            ("question", "qestion", "did you mean \"question\"?"),
            ("compare", "compair", "did you mean \"compare\"?"),
            ("commit_latency_p50", "commit_latency_p5", "did you mean"),
            ("rounds = 6", "rounds = \"x\"", "profile quick: rounds is not a count from 1 to 1000"),
            ("rounds = 6", "rounds = 0", "profile quick: rounds is not a count from 1 to 1000"),
            (
                "rounds = 6",
                "warmup_rounds = 4000000000",
                "profile quick: warmup_rounds is not a count from 0",
            ),
            ("compare = \"mode\"", "compare = \"mode\"\nrank = \"mode\"", "asks two things"),
            ("[1, 4]", "[]", "group_size: the list is empty"),
            (
                "compare = \"mode\"",
                "rank = \"mode\"\nreferences = [\"direct\"]",
                "references are for compare",
            ),
            ("workload = \"commit\"", "", "names no workload"),
            ("[factors]", "[factors", "study commit: TOML parse error"),
        ] {
            let error = Study::parse("commit", &STUDY.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
            assert!(!error.contains('\n'));
        }
    }
}
