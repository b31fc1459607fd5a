//! The families of latencies that traced trials have.

use model::traced::{TracedFamily, TracedPhase};

/// A phase, and a family in it.
pub(super) type Place<'a> = (&'a str, &'a str);

/// Those with a traced operation, in the order of the phases.
pub(super) fn found<'a>(phases: impl IntoIterator<Item = &'a TracedPhase>) -> Vec<Place<'a>> {
    let mut found: Vec<Place<'_>> = Vec::new();
    for phase in phases {
        for family in &phase.families {
            let place = (phase.name.as_str(), family.family.as_str());
            if family.all.operations > 0 && !found.contains(&place) {
                found.push(place);
            }
        }
    }
    found
}

/// Whether a metric is about a family: `commit_latency_p99_us` is about `commit_latency`, and so is `commits_per_s`.
pub(super) fn is_about(metric: &str, family: &str) -> bool {
    let prefixes = [format!("{family}_"), format!("{}s_", family.trim_end_matches("_latency"))];
    prefixes.iter().any(|prefix| metric.starts_with(prefix))
}

/// What some phases have there.
pub(super) fn at<'a>(
    phases: impl IntoIterator<Item = &'a TracedPhase>,
    (phase, family): Place<'_>,
) -> impl Iterator<Item = &'a TracedFamily> {
    let phases = phases.into_iter().filter(move |traced| traced.name == phase);
    phases.flat_map(move |traced| traced.families.iter().filter(move |traced| traced.family == family))
}
