//! A proof: what it comes to, the bundle, then each change with what the disk predicted and what the server proved.

use super::WIDTH_MIN;
use crate::wording::proof as words;
use page::Tone;
use page::terminal::Lines;
use proof::{Claim, Outcome, Proof, Standing};

/// Renders a proof for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn proof(proof: &Proof, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    page.heading(&words::title(proof));
    page.line(&words::ending(proof));
    page.gap();
    body(&mut page, proof);
    page.gap();
    if let Some(floor) = words::floor(proof) {
        page.line(&floor);
        page.line(words::CHECKED);
    }
    for note in words::notes(proof) {
        page.item(Tone::Warn, "note", note);
    }
    if !proof.design.left_out.is_empty() {
        let names = proof.design.left_out.join(", ");
        page.item(
            Tone::Warn,
            "note",
            &format!(
                "No {} of the proof has these settings of your file: {names}.",
                proof.design.database.instance
            ),
        );
    }
    page.finish()
}

/// The same in a few lines, for the report of the run whose advice was proven.
pub fn proof_beside(proof: &Proof, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    page.gap();
    page.heading(&format!("Proof: {}", words::title(proof)));
    page.line(&words::ending(proof));
    body(&mut page, proof);
    page.finish()
}

fn body(page: &mut Lines, proof: &Proof) {
    for claim in proof.bundle.iter().chain(&proof.mended).chain(&proof.servers) {
        self::claim(page, &words::subject(proof, claim), claim);
    }
    // A bundle of one change is that change.
    let is_taken_apart = proof.settings.len() > 1 || proof.bundle.is_none();
    for standing in &proof.settings {
        if is_taken_apart {
            claim(page, &words::change(standing), &standing.claim);
        } else {
            page.under("", &words::change(standing));
        }
        predicted(page, standing);
    }
    if !proof.candidates.is_empty() {
        page.gap();
        page.heading("Candidates");
        for standing in &proof.candidates {
            claim(page, &words::change(standing), &standing.claim);
        }
    }
}

fn claim(page: &mut Lines, subject: &str, claim: &Claim) {
    let label = format!("{:9}", words::word(&claim.outcome));
    page.item(tone(&claim.outcome), &label, subject);
    match words::disagreement(claim) {
        None => page.under("", &words::claim(claim)),
        Some(beginning) => {
            page.under("", beginning);
            for (effect, sentence) in words::effects(claim) {
                page.under(&format!("{effect:9}"), &sentence);
            }
        }
    }
    for scope in words::scope(claim) {
        page.under("", &scope);
    }
}

fn predicted(page: &mut Lines, standing: &Standing) {
    if let Some(found) = &standing.predicted {
        page.under("", &words::predicted(found));
    }
}

fn tone(outcome: &Outcome) -> Tone {
    match outcome {
        Outcome::Proven | Outcome::Harmless => Tone::Good,
        Outcome::Refuted => Tone::Bad,
        Outcome::Undecided { .. } => Tone::Warn,
    }
}
