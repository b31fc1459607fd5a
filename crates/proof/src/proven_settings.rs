//! A proof as the settings file that its database loads: each setting with its proof in the comment above it. What is
//! not proven, or proven worse, stands as a comment.

use crate::{FileLine, JudgedSetting, Proof, ProofOutcome};
use settings::Writer;

/// The file's text; `None` if no change was asked about.
pub fn proven_settings(proof: &Proof) -> Option<String> {
    proof.settings.first()?;
    let mut file = Writer::new(proof.design.database.syntax);
    file.comment(&format!("{}, {}.", proof.title(), proof.design.created_at));
    file.comment(&proof.conclusion());
    for claim in proof.bundle.iter().chain(&proof.mended) {
        let subject = proof.subject(claim);
        file.comment(&format!("{}: {subject}. {}", claim.outcome.badge().word, claim.text()));
    }
    if let Some(floor) = proof.floor() {
        file.comment(&floor);
    }
    for note in proof.notes() {
        file.comment(note);
    }
    file.opening();
    let database = proof.design.database;
    let mut settings: Vec<&JudgedSetting> = proof.settings.iter().collect();
    settings.sort_by_key(|standing| !database.is_first_in_file(&standing.name));
    for standing in settings {
        file.gap();
        setting(&mut file, standing);
    }
    Some(file.closed())
}

fn setting(file: &mut Writer, standing: &JudgedSetting) {
    let claim = &standing.claim;
    let word = match claim.outcome {
        ProofOutcome::Undecided { .. } => "not proven",
        ProofOutcome::Proven | ProofOutcome::Harmless | ProofOutcome::Refuted => claim.outcome.badge().word,
    };
    file.comment(&format!("{word}: {}", claim.text()));
    for scope in claim.scopes() {
        file.comment(&scope);
    }
    if let Some(predicted) = &standing.predicted {
        file.comment(&predicted.text());
    }
    let is_good = matches!(claim.outcome, ProofOutcome::Proven | ProofOutcome::Harmless);
    if is_good && standing.line == FileLine::Comment {
        file.comment("The settings that it was measured among are not proven together, so it is left out.");
    }
    if let Some(among) = standing.among() {
        file.comment(&among);
    }
    match standing.line {
        FileLine::Active => file.setting(&standing.name, &standing.value),
        FileLine::Comment => file.setting_as_comment(&standing.name, &standing.value),
    }
}
