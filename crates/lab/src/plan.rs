//! From a study as written to a plan: every level typed, every combination listed. Pure.

use crate::absent::{NotThere, take_out};
use crate::asks;
use crate::repeats::{Distinct, without_repeats};
use model::plan::{Factor, StudyPlan, Turns};
use model::study::{Ask, AskKind, Profile, Study};
use model::{Configuration, Description, LevelError, Schema, Value, file_name, suggestion};
use std::collections::{BTreeMap, BTreeSet};

/// The profile that is taken if none is named: an answer in a minute or two.
const PROFILE_DEFAULT: &str = "quick";
/// The number of rounds if neither the study nor the command line gives one.
const ROUNDS_DEFAULT: u32 = 10;
/// Rounds that are recorded and not analysed, if the study does not give their number.
const WARMUP_ROUNDS_DEFAULT: u32 = 1;
/// More trials a round than this is a mistake, not a study.
const CONFIGURATIONS_MAX: usize = 4096;

/// What the command line changes in a study.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The profile to take.
    pub profile: Option<String>,
    /// Factors given other levels, or made of parameters that were fixed.
    pub vary: Vec<(String, Vec<String>)>,
    /// Parameters given one value.
    pub fix: Vec<(String, String)>,
    /// Rounds that are analysed.
    pub rounds: Option<u32>,
    /// CPU to pin workers to.
    pub cpu: Option<u32>,
    /// Whether the trials of a round take turns.
    pub turns: Turns,
}

/// A plan that cannot be made: one sentence that names the study and what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("study {study}: {what}")]
pub struct PlanError {
    pub study: String,
    /// What is wrong, as a clause.
    pub what: String,
}

/// Resolves a study against its workload's parameters.
pub fn resolve(study: &Study, schema: &Schema, overrides: &Overrides) -> Result<StudyPlan, PlanError> {
    resolve_study(study, schema, overrides).map_err(|what| PlanError { study: study.name.clone(), what })
}

/// What the study varies or fixes and the subject that the user names does not have.
pub fn not_there(study: &Study, schema: &Schema, overrides: &Overrides) -> Vec<NotThere> {
    let profile = choose_profile(study, overrides.profile.as_deref());
    profile
        .map_or_else(|_| Vec::new(), |(_, profile)| Design::of(study, &profile).take_out(schema, overrides))
}

fn resolve_study(study: &Study, schema: &Schema, overrides: &Overrides) -> Result<StudyPlan, String> {
    if let Some(objection) = file_name::objection(&study.name) {
        return Err(format!("its name {objection}: rename the file"));
    }
    let (profile_name, profile) = choose_profile(study, overrides.profile.as_deref())?;
    let mut design = Design::of(study, &profile);
    let not_there = design.take_out(schema, overrides);
    let round_s_stated = stated_round_s(&profile, &design, overrides);
    let fix =
        overrides.fix.iter().cloned().chain(overrides.cpu.map(|cpu| ("cpu".to_owned(), cpu.to_string())));
    design.apply(&overrides.vary, &fix.collect());

    if let Some(first) = not_there.first()
        && study.arms.is_empty()
        && design.factors.iter().all(|(_, levels)| levels.len() < 2)
    {
        return Err(format!(
            "{}, so the study has nothing to compare: vary another parameter",
            first.because
        ));
    }

    let fixed = typed(schema, &design.fixed)?;
    let (factors, combinations) =
        if study.arms.is_empty() { grid(schema, &design.factors)? } else { arms(schema, study, &design)? };
    check_fix(study, &overrides.fix, &factors)?;
    let exclude = profile.exclude.as_ref().unwrap_or(&study.exclude);
    let (configurations, mut excluded) = keep_sensible(schema, exclude, &fixed, combinations)?;
    check_baseline(schema, study)?;
    let usual = baseline(schema, study, &factors)?;
    let distinct = without_repeats(schema, factors, &usual, configurations, &overrides.vary)?;
    let Distinct { factors, configurations, repeats } = distinct;
    let descriptions = described(schema, &configurations)?;
    let baseline = baseline(schema, study, &factors)?;
    excluded.extend(repeats);
    excluded.extend(not_there.iter().map(NotThere::text));
    let duplicate = configurations
        .iter()
        .position(|values| baseline.0.iter().all(|(name, level)| values.get(name) == Some(level)))
        .ok_or_else(|| format!("no configuration has the baseline's levels ({baseline})"))?;
    for ask in &study.asks {
        check_ask(study, schema, ask)?;
    }
    let asks = study.asks.iter().filter(|ask| keeps_meaning(ask, &factors));
    let asks = asks.map(|ask| settled(schema, ask)).collect::<Result<Vec<Ask>, String>>()?;
    let asks = asks.into_iter().flat_map(|ask| at_each_level(ask, &factors));
    let asks = asks.filter(|ask| is_there(ask, &factors));
    let mut asks: Vec<Ask> = each_once(asks, &baseline);
    let varied: Vec<&str> = overrides.vary.iter().map(|(name, _)| name.as_str()).collect();
    asks.extend(asks::of_varied(study, &varied, &factors, &asks));
    Ok(StudyPlan {
        name: study.name.clone(),
        question: study.question.clone(),
        workload: study.workload.clone(),
        profile: profile_name,
        blocks: None,
        alone: Vec::new(),
        fresh_placement: factors
            .iter()
            .any(|factor| schema.definitions.placement.contains(&factor.name.as_str())),
        factors,
        configurations,
        descriptions,
        baseline,
        duplicate,
        asks,
        responses: study.asks.iter().flat_map(|ask| &ask.on).chain(&study.responses).cloned().collect(),
        observed: study.observed.clone(),
        warmup_rounds: profile.warmup_rounds.unwrap_or(WARMUP_ROUNDS_DEFAULT),
        rounds: overrides.rounds.or(profile.rounds).unwrap_or(ROUNDS_DEFAULT),
        round_s_stated,
        looks: Vec::new(),
        turns: overrides.turns,
        excluded,
        traced: 0,
    })
}

/// How long a round takes at most by the statement of its profile. It holds for fewer levels too, but not for others or
/// other values.
fn stated_round_s(profile: &Profile, design: &Design, overrides: &Overrides) -> Option<f64> {
    let levels =
        |name: &String| design.factors.iter().find(|(factor, _)| factor == name).map(|(_, levels)| levels);
    let is_narrowed = |(name, kept): &(String, Vec<String>)| {
        levels(name).is_some_and(|levels| kept.iter().all(|level| levels.contains(level)))
    };
    let is_stated = overrides.fix.is_empty() && overrides.vary.iter().all(is_narrowed);
    let rounds =
        profile.warmup_rounds.unwrap_or(WARMUP_ROUNDS_DEFAULT) + profile.rounds.unwrap_or(ROUNDS_DEFAULT);
    profile.minutes.filter(|_| is_stated).map(|minutes| f64::from(minutes) * 60.0 / f64::from(rounds))
}

/// What each configuration is.
fn described(schema: &Schema, configurations: &[Configuration]) -> Result<Vec<Description>, String> {
    let described = configurations.iter().map(schema.describe).collect::<Result<_, LevelError>>();
    described.map_err(|error| error.to_string())
}

/// Gives a study other configurations, and describes those.
pub fn replace(
    plan: &mut StudyPlan,
    schema: &Schema,
    configurations: Vec<Configuration>,
) -> Result<(), PlanError> {
    let described = described(schema, &configurations);
    plan.descriptions = described.map_err(|what| PlanError { study: plan.name.clone(), what })?;
    plan.configurations = configurations;
    Ok(())
}

/// Factors and fixed parameters while overrides are applied: what is fixed is not a factor, and the other way round.
struct Design {
    factors: Vec<(String, Vec<String>)>,
    fixed: BTreeMap<String, String>,
}

impl Design {
    /// The study's with its profile's.
    fn of(study: &Study, profile: &Profile) -> Self {
        let mut design = Self { factors: study.factors.clone(), fixed: study.fixed.clone() };
        design.apply(&profile.factors, &profile.fixed);
        design
    }

    /// Takes out what the subject does not have. What the user gives comes later and stands.
    fn take_out(&mut self, schema: &Schema, overrides: &Overrides) -> Vec<NotThere> {
        take_out(schema, &mut self.factors, &mut self.fixed, &overrides.fix)
    }

    fn apply(&mut self, vary: &[(String, Vec<String>)], fix: &BTreeMap<String, String>) {
        for (name, levels) in vary {
            self.fixed.remove(name);
            match self.factors.iter_mut().find(|(factor, _)| factor == name) {
                Some((_, old)) => old.clone_from(levels),
                None => self.factors.push((name.clone(), levels.clone())),
            }
        }
        for (name, level) in fix {
            // A factor that is fixed stays a factor of one level, so that tables still show it.
            match self.factors.iter_mut().find(|(factor, _)| factor == name) {
                Some((_, levels)) => *levels = vec![level.clone()],
                None => drop(self.fixed.insert(name.clone(), level.clone())),
            }
        }
    }
}

fn choose_profile(study: &Study, wanted: Option<&str>) -> Result<(String, Profile), String> {
    let name = wanted.unwrap_or(PROFILE_DEFAULT);
    match study.profiles.get(name) {
        Some(profile) => Ok((name.to_owned(), profile.clone())),
        None if name == PROFILE_DEFAULT => Ok((name.to_owned(), Profile::default())),
        None => Err(suggestion::unknown("profile", name, study.profiles.keys().map(String::as_str))),
    }
}

fn typed(schema: &Schema, values: &BTreeMap<String, String>) -> Result<Configuration, String> {
    let pairs = values.iter().map(|(name, level)| Ok((name.clone(), schema.parameter(name)?.parse(level)?)));
    pairs.collect::<Result<_, String>>().map(Configuration)
}

type Combinations = (Vec<Factor>, Vec<Configuration>);

fn grid(schema: &Schema, factors: &[(String, Vec<String>)]) -> Result<Combinations, String> {
    let mut typed_factors = Vec::new();
    let mut combinations = vec![Configuration::default()];
    for (name, levels) in factors {
        let parameter = schema.parameter(name)?;
        let mut values: Vec<Value> = Vec::new();
        for level in levels {
            let value = parameter.parse(level)?;
            if values.contains(&value) {
                return Err(format!("factor {name} has the level {value} twice"));
            }
            values.push(value);
        }
        let grown = combinations.len() * values.len();
        if grown > CONFIGURATIONS_MAX {
            return Err(format!(
                "{grown} configurations are more than {CONFIGURATIONS_MAX}: vary fewer levels"
            ));
        }
        combinations = combinations
            .iter()
            .flat_map(|values_so_far| values.iter().map(move |value| with(values_so_far, name, value)))
            .collect();
        typed_factors.push(Factor { name: name.clone(), levels: values });
    }
    Ok((typed_factors, combinations))
}

fn with(values: &Configuration, name: &str, value: &Value) -> Configuration {
    let mut values = values.clone();
    values.0.insert(name.to_owned(), value.clone());
    values
}

fn arms(schema: &Schema, study: &Study, design: &Design) -> Result<Combinations, String> {
    let mut names = Vec::new();
    let mut configurations = Vec::new();
    let (chosen, rest): (Vec<_>, Vec<_>) =
        design.factors.iter().cloned().partition(|(name, _)| name == "arm");
    let chosen: Option<Vec<String>> = chosen.into_iter().next().map(|(_, names)| names);
    let all = || study.arms.iter().filter_map(|arm| arm.get("name").map(String::as_str));
    for name in chosen.iter().flatten() {
        if !all().any(|known| known == name) {
            return Err(suggestion::unknown("arm", name, all()));
        }
    }
    for arm in &study.arms {
        let mut values = arm.clone();
        let name = values.remove("name").unwrap_or_default();
        if chosen.as_ref().is_some_and(|chosen| !chosen.contains(&name)) {
            continue;
        }
        let name = Value::Name(name);
        configurations.push(with(&typed(schema, &values)?, "arm", &name));
        names.push(name);
    }
    let (mut factors, crossed) = grid(schema, &rest)?;
    factors.insert(0, Factor { name: "arm".to_owned(), levels: names });
    let combinations = configurations
        .iter()
        .flat_map(|arm| crossed.iter().map(move |values| Configuration(merge(&arm.0, &values.0))))
        .collect();
    Ok((factors, combinations))
}

/// An arm's own value counts before a fixed one, so what every arm has of its own cannot be fixed.
fn check_fix(study: &Study, fix: &[(String, String)], factors: &[Factor]) -> Result<(), String> {
    let named = |name: &str| factors.iter().find(|factor| factor.name == name);
    let is_chosen = |arm: &&BTreeMap<String, String>| {
        let name = arm.get("name").cloned().unwrap_or_default();
        named("arm").is_some_and(|factor| factor.levels.contains(&Value::Name(name)))
    };
    let arms: Vec<_> = study.arms.iter().filter(is_chosen).collect();
    let without_effect = |(name, _): &&(String, String)| {
        !arms.is_empty() && named(name).is_none() && arms.iter().all(|arm| arm.contains_key(name))
    };
    match fix.iter().find(without_effect) {
        Some((name, level)) => Err(format!(
            "{name} = {level} would change nothing, because each arm has its own {name}: choose among the levels of arm"
        )),
        None => Ok(()),
    }
}

fn merge(under: &BTreeMap<String, Value>, over: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    under.iter().chain(over).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The combinations that the study wants and the workload accepts. A grid may have others; an arm is written by hand,
/// so one that is refused in all combinations is a mistake.
fn keep_sensible(
    schema: &Schema,
    exclude: &[BTreeMap<String, String>],
    fixed: &Configuration,
    combinations: Vec<Configuration>,
) -> Result<(Vec<Configuration>, Vec<String>), String> {
    let excluded_levels = |pairs: &BTreeMap<String, String>| {
        let level =
            |(name, level): (&String, &String)| Ok((name.clone(), settled_level(schema, name, level)?));
        pairs.iter().map(level).collect::<Result<_, String>>().map(Configuration)
    };
    let exclusions: Vec<Configuration> = exclude.iter().map(excluded_levels).collect::<Result<_, _>>()?;
    let defaults = schema.defaults();
    let (mut kept, mut excluded, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for levels in combinations {
        let label = levels.to_string();
        let values = Configuration(merge(&merge(&defaults.0, &fixed.0), &levels.0));
        let unwanted = exclusions
            .iter()
            .find(|pairs| pairs.0.iter().all(|(name, level)| values.get(name) == Some(level)));
        if let Some(pairs) = unwanted {
            excluded.push(format!("{label}: the study leaves out {pairs}"));
            continue;
        }
        match (schema.check)(&values) {
            Ok(()) => kept.push(values),
            Err(why) => {
                excluded.push(format!("{label}: {why}"));
                refused.push((levels.get("arm").cloned(), why));
            }
        }
    }
    let is_lost = |arm: &Option<Value>| {
        !kept.iter().any(|values: &Configuration| arm.is_none() || values.get("arm") == arm.as_ref())
    };
    match refused.into_iter().find(|(arm, _)| is_lost(arm)) {
        Some((Some(arm), why)) => {
            Err(format!("arm {arm}: {why}; change it, or name the other arms as the levels of arm"))
        }
        Some((None, why)) => Err(why),
        None if kept.is_empty() => Err("every configuration is excluded".to_owned()),
        None => Ok((kept, excluded)),
    }
}

/// The study itself has the baseline's levels, by some profile if not by its factors: a level that none has would
/// silently be another one.
fn check_baseline(schema: &Schema, study: &Study) -> Result<(), String> {
    for (name, level) in &study.baseline {
        let of_profiles = study.profiles.values().flat_map(|profile| &profile.factors);
        let of_factor = study.factors.iter().chain(of_profiles).filter(|(factor, _)| factor == name);
        let of_arms = study.arms.iter().filter_map(|arm| arm.get("name").filter(|_| name == "arm"));
        let levels: BTreeSet<&str> =
            of_factor.flat_map(|(_, levels)| levels).chain(of_arms).map(String::as_str).collect();
        let value = settled_level(schema, name, level)?;
        let mut known = levels.iter().map(|known| settled_level(schema, name, known));
        if !levels.is_empty() && !known.any(|known| known.as_ref() == Ok(&value)) {
            return Err(suggestion::unknown(&format!("level of {name} in the baseline"), level, levels));
        }
    }
    Ok(())
}

fn baseline(schema: &Schema, study: &Study, factors: &[Factor]) -> Result<Configuration, String> {
    let mut baseline = Configuration::default();
    for (name, level) in &study.baseline {
        let value = settled_level(schema, name, level)?;
        // If the command line removed the baseline's level, the factor's first level takes its place.
        let factor = factors.iter().find(|factor| &factor.name == name);
        let value = match factor {
            Some(factor) if !factor.levels.contains(&value) => factor.levels[0].clone(),
            _ => value,
        };
        if factor.is_some() {
            baseline.0.insert(name.clone(), value);
        }
    }
    Ok(baseline)
}

/// A level as a value; an arm's is its name.
fn settled_level(schema: &Schema, name: &str, level: &str) -> Result<Value, String> {
    if name == "arm" { Ok(Value::Name(level.to_owned())) } else { schema.parameter(name)?.parse(level) }
}

/// An ask about a factor that the command line reduced to one level has nothing to compare.
fn keeps_meaning(ask: &Ask, factors: &[Factor]) -> bool {
    let varies = |name: &str| factors.iter().any(|factor| factor.name == name && factor.levels.len() > 1);
    varies(&ask.factor) && ask.between.as_deref().is_none_or(varies)
}

/// The same ask, with its own levels (`at`) written as values.
fn settled(schema: &Schema, ask: &Ask) -> Result<Ask, String> {
    let written = |(name, level): (&String, &String)| {
        Ok((name.clone(), settled_level(schema, name, level)?.to_string()))
    };
    Ok(Ask { at: ask.at.iter().map(written).collect::<Result<_, String>>()?, ..ask.clone() })
}

/// A comparison at each level of another factor is as many asks; at a single level it is the comparison over all.
fn at_each_level(mut ask: Ask, factors: &[Factor]) -> Vec<Ask> {
    let Some(name) = ask.each.take_if(|_| ask.kind == AskKind::Compare) else { return vec![ask] };
    let levels = factors.iter().filter(|factor| factor.name == name).flat_map(|factor| &factor.levels);
    let levels: Vec<String> = levels.map(ToString::to_string).collect();
    let at = |level: String| {
        let mut one = ask.clone();
        one.at.insert(name.clone(), level);
        one
    };
    if levels.len() > 1 { levels.into_iter().map(at).collect() } else { Vec::new() }
}

/// Each question once: if the baseline equals the levels of an ask, the study may have the same ask without them.
fn each_once(asks: impl Iterator<Item = Ask>, baseline: &Configuration) -> Vec<Ask> {
    let mut kept: Vec<Ask> = Vec::new();
    for mut ask in asks {
        ask.at.retain(|name, level| baseline.get(name).is_none_or(|value| value.to_string() != *level));
        let bare = |other: &Ask| Ask { on: Vec::new(), ..other.clone() };
        let asked: Vec<String> = kept
            .iter()
            .filter(|other| bare(other) == bare(&ask))
            .flat_map(|other| other.on.clone())
            .collect();
        ask.on.retain(|metric| !asked.contains(metric));
        if !ask.on.is_empty() {
            kept.push(ask);
        }
    }
    kept
}

/// Whether this plan has the ask's own levels: a profile or the command line may leave them out.
fn is_there(ask: &Ask, factors: &[Factor]) -> bool {
    ask.at.iter().all(|(name, level)| {
        let factor = factors.iter().find(|factor| &factor.name == name);
        factor.is_some_and(|factor| factor.levels.iter().any(|value| &value.to_string() == level))
    })
}

fn check_ask(study: &Study, schema: &Schema, ask: &Ask) -> Result<(), String> {
    let named = [Some(&ask.factor), ask.between.as_ref(), ask.each.as_ref()];
    for name in named.into_iter().flatten().chain(ask.at.keys()) {
        if name == "arm" && !study.arms.is_empty() {
            continue;
        }
        schema.parameter(name)?;
        // A profile may have a factor of its own: without that profile the ask has nothing to compare.
        let of_profiles = study.profiles.values().flat_map(|profile| &profile.factors);
        if !study.factors.iter().chain(of_profiles).any(|(factor, _)| factor == name) {
            return Err(format!("an [[ask]] names {name}, which is not a factor of the study"));
        }
    }
    check_references(study, ask)?;
    let needs_numbers =
        matches!(ask.kind, AskKind::Trend | AskKind::Crossover | AskKind::Knee | AskKind::Threshold);
    let levels = study.factors.iter().find(|(factor, _)| *factor == ask.factor).map(|(_, levels)| levels);
    let is_number = |level: &&String| {
        schema
            .parameter(&ask.factor)
            .is_ok_and(|parameter| parameter.parse(level).is_ok_and(|value| value.number().is_some()))
    };
    // A level such as `none` has no place on the axis; the others must make one.
    let numbers = levels.into_iter().flatten().filter(is_number).count();
    if needs_numbers && numbers < 2 {
        return Err(format!("an [[ask]] needs numeric levels of {}, but its levels are names", ask.factor));
    }
    Ok(())
}

/// References are levels of the study, each once. One that a profile or the command line leaves out is missed when the
/// records are read: its class may have no other arm.
fn check_references(study: &Study, ask: &Ask) -> Result<(), String> {
    let of_factor = study.factors.iter().filter(|(factor, _)| *factor == ask.factor);
    let of_arms = study.arms.iter().filter_map(|arm| arm.get("name").filter(|_| ask.factor == "arm"));
    let levels: Vec<&str> =
        of_factor.flat_map(|(_, levels)| levels).chain(of_arms).map(String::as_str).collect();
    for (place, reference) in ask.references.iter().enumerate() {
        if !levels.contains(&reference.as_str()) {
            return Err(suggestion::unknown("reference in [[ask]]", reference, levels.iter().copied()));
        }
        if ask.references[..place].contains(reference) {
            return Err(format!("the [[ask]] about {} has the reference {reference} twice", ask.factor));
        }
    }
    Ok(())
}
