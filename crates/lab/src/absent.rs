//! What a study varies or fixes and its subject does not have: an object has no page cache. Pure.

use model::{Configuration, Schema};
use std::collections::BTreeMap;

/// Parameters of a study that its subject does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotThere {
    pub parameters: Vec<String>,
    /// Why, as a clause.
    pub because: &'static str,
}

impl NotThere {
    /// `page_cache, open: an object store has no local page cache and no files to open`.
    pub fn text(&self) -> String {
        format!("{}: {}", self.parameters.join(", "), self.because)
    }
}

/// Takes them out of a study's factors and fixed parameters, so that they have their defaults. `given` has the values
/// that the user gives, which name the subject.
pub(crate) fn take_out(
    schema: &Schema,
    factors: &mut Vec<(String, Vec<String>)>,
    fixed: &mut BTreeMap<String, String>,
    given: &[(String, String)],
) -> Vec<NotThere> {
    let mut values: Configuration = schema.defaults();
    for (name, level) in fixed.iter().chain(given.iter().map(|(name, level)| (name, level))) {
        // What does not parse is an error of the plan.
        if let Ok(value) = schema.parameter(name).and_then(|parameter| parameter.parse(level)) {
            values.0.insert(name.clone(), value);
        }
    }
    let mut found = Vec::new();
    for rule in schema.definitions.absent.iter().filter(|rule| (rule.holds)(&values)) {
        let is_absent = |name: &str| rule.parameters.contains(&name);
        let of_factors = factors.iter().map(|(name, _)| name).filter(|name| is_absent(name));
        let of_fixed = fixed.keys().filter(|name| is_absent(name));
        let parameters: Vec<String> = of_factors.chain(of_fixed).cloned().collect();
        factors.retain(|(name, _)| !is_absent(name));
        fixed.retain(|name, _| !is_absent(name));
        if !parameters.is_empty() {
            found.push(NotThere { parameters, because: rule.because });
        }
    }
    found
}
