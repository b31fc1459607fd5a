//! Which trials run alone although their workload could take turns: a difference between two ways of measuring must not
//! be taken for one between two arms. Pure.

use model::plan::StudyPlan;
use std::collections::BTreeMap;

/// The configurations that could take turns and are compared, directly or through others, with one that cannot.
pub(crate) fn serial(study: &StudyPlan) -> Vec<usize> {
    let mut group: Vec<usize> = (0..study.configurations.len()).collect();
    let asked = study.asks.iter().flat_map(|ask| std::iter::once(&ask.factor).chain(&ask.between));
    for factor in asked {
        // Configurations that differ in this factor alone are compared with each other.
        let mut alike: BTreeMap<String, usize> = BTreeMap::new();
        for (index, values) in study.configurations.iter().enumerate() {
            let others =
                study.factors.iter().map(|factor| factor.name.as_str()).filter(|name| name != factor);
            let first = *alike.entry(values.label(others)).or_insert(index);
            join(&mut group, first, index);
        }
    }
    let can =
        |index: usize| study.description(index).is_some_and(|description| description.turns.interleavable);
    let kept_apart: Vec<usize> =
        (0..group.len()).filter(|index| !can(*index)).map(|index| group[index]).collect();
    (0..group.len()).filter(|index| can(*index) && kept_apart.contains(&group[*index])).collect()
}

/// Makes the groups of two configurations one.
fn join(group: &mut [usize], one: usize, other: usize) {
    let (kept, gone) = (group[one], group[other]);
    for of in group.iter_mut().filter(|of| **of == gone) {
        *of = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::description::Interleaving;
    use model::plan::{Factor, Turns};
    use model::study::{Ask, AskKind};
    use model::{Configuration, Description, Value};

    /// Reads and writes, each buffered and direct; buffered writes cannot take turns.
    fn study(asked: &[&str]) -> StudyPlan {
        let named = |text: &str| Value::Name(text.to_owned());
        let factor = |name: &str, levels: &[&str]| Factor {
            name: name.to_owned(),
            levels: levels.iter().map(|level| named(level)).collect(),
        };
        let factors = vec![factor("rw", &["read", "write"]), factor("mode", &["buffered", "direct"])];
        let mut configurations = Vec::new();
        for rw in ["read", "write"] {
            for mode in ["buffered", "direct"] {
                let values = [("rw", rw), ("mode", mode)];
                let values = values.map(|(name, level)| (name.to_owned(), named(level)));
                configurations.push(Configuration(values.into_iter().collect()));
            }
        }
        let interleavable = [true, true, false, true];
        let describe = |can| Description { turns: Interleaving::of(can), ..Description::default() };
        let ask = |factor: &&str| Ask::new::<String>(AskKind::Compare, *factor, []);
        StudyPlan {
            name: "device".to_owned(),
            workload: "device".to_owned(),
            profile: "quick".to_owned(),
            factors,
            descriptions: interleavable.map(describe).to_vec(),
            configurations,
            asks: asked.iter().map(ask).collect(),
            rounds: 6,
            turns: Turns::Auto,
            ..StudyPlan::default()
        }
    }

    #[test]
    fn what_is_compared_with_a_trial_that_runs_alone_runs_alone() {
        assert_eq!(serial(&study(&["mode"])), [3], "direct reads are compared with buffered ones, which can");
        assert_eq!(serial(&study(&["mode", "rw"])), [0, 1, 3]);
        assert!(serial(&study(&[])).is_empty());
    }
}
