//! How good the disk is, question by question, with what the grades mean below.

use crate::wording::{self, Rated};
use model::run::Run;
use page::Tone;
use page::terminal::Lines;
use ratings::Grade;
use verdict::Verdict;

/// Writes the ratings; nothing if the run asks none of the questions.
pub(super) fn section(page: &mut Lines, run: &Run, verdict: &Verdict) {
    let rated = wording::rated(run, verdict);
    if rated.is_empty() {
        return;
    }
    let width = |of: fn(&Rated) -> &str| rated.iter().map(|one| of(one).chars().count()).max().unwrap_or(0);
    let (grades, questions) = (width(|one| &one.grade), width(|one| one.question));
    for one in &rated {
        let label = format!("{:grades$}  {:questions$}", one.grade, one.question);
        let about = if one.about.is_empty() { String::new() } else { format!(": {}", one.about) };
        page.item(tone(one), &label, &format!("{}{about}", one.figure));
    }
    page.item(Tone::Faint, "", &format!("Grades: {}.", wording::limits(&rated)));
}

fn tone(rated: &Rated) -> Tone {
    match rated.worst {
        Some(Grade::Good) => Tone::Good,
        Some(Grade::Fair) => Tone::Warn,
        Some(Grade::Poor) => Tone::Bad,
        None => Tone::Faint,
    }
}
