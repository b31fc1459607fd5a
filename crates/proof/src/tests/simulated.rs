//! Whole proofs by the real verdict: how often they are wrong, and whether planted truths come out.

use super::made_up::{UNKNOWN, changes, design, has, proven};
use crate::{
    Agreement, Claim, Doubt, Ending, FileLine, Load, Plans, Proof, ProofOutcome, Server, Stage, StageKind,
    Work, Workers,
};
use crate::{Asked, Design, conclude, next};
use model::server::Pinned;
use model::{Access, Script, TableScan};

/// The seeds are fixed, so that these tests pass always or never.
const PROOFS: u64 = 200;

/// Every claim of a proof.
fn claims(proof: &Proof) -> impl Iterator<Item = &Claim> {
    let settings = proof.settings.iter().chain(&proof.candidates).map(|found| &found.claim);
    proof.bundle.iter().chain(&proof.mended).chain(&proof.servers).chain(settings)
}

fn claims_a_difference(proof: &Proof) -> bool {
    claims(proof).any(|claim| matches!(claim.outcome, ProofOutcome::Proven | ProofOutcome::Refuted))
}

fn false_claims(design: &Design, scatter: f64) -> f64 {
    let wrong = |seed: &u64| claims_a_difference(&proven(design, scatter, *seed, &|_, _| 1.0).0);
    (1..=PROOFS).filter(wrong).count() as f64 / PROOFS as f64
}

#[test]
fn of_200_proofs_of_changes_that_do_nothing_at_most_5_per_cent_claim_something() {
    let asked = changes(&[("seq_page_cost", "0.5"), ("random_page_cost", "1.1")]);
    let rate = false_claims(&design(Asked::Changes(asked)), 0.02);
    println!("false claims: {:.1} %", 100.0 * rate);
    assert!(rate <= 0.05, "{rate}");
}

/// Three of the changes share a load, and so do the other two.
#[test]
fn of_200_proofs_of_five_changes_that_do_nothing_at_most_5_per_cent_claim_something() {
    let asked = changes(&[
        ("max_wal_size", "4GB"),
        ("wal_compression", "pglz"),
        ("seq_page_cost", "0.5"),
        ("random_page_cost", "1.1"),
        ("effective_cache_size", "8GB"),
    ]);
    let rate = false_claims(&design(Asked::Changes(asked)), 0.02);
    println!("false claims: {:.1} %", 100.0 * rate);
    assert!(rate <= 0.05, "{rate}");
}

#[test]
fn of_200_races_of_candidates_that_do_nothing_at_most_5_per_cent_claim_something() {
    let asked = changes(&[("random_page_cost", "1.1"), ("random_page_cost", "2.0")]);
    let rate = false_claims(&design(Asked::Race(asked)), 0.02);
    println!("false claims: {:.1} %", 100.0 * rate);
    assert!(rate <= 0.05, "{rate}");
}

#[test]
fn a_change_that_does_nothing_is_harmless_when_data_suffice() {
    let comment = design(Asked::Changes(Vec::new()));
    let (proof, stages) = proven(&comment, 0.01, 3, &|_, _| 1.0);
    assert_eq!(stages[0].studies[0].arms[0].server, stages[0].studies[0].arms[1].server);
    assert_eq!(proof.bundle.unwrap().outcome, ProofOutcome::Harmless);
    assert_eq!(proof.ending, Ending::Proven);
}

fn scan(load: Load) -> Option<TableScan> {
    match load.work {
        Work::Transactions(script) => script.scan(),
        Work::Store(_) | Work::Requests(_) => None,
    }
}

/// One change helps commits, one harms cold scans, one does nothing.
fn planted(server: &Server, load: Load) -> f64 {
    let helps =
        has(server, "wal_sync_method", "open_datasync") && load.work == Work::Transactions(Script::Insert);
    let harms = has(server, "io_method", "sync") && scan(load).is_some();
    (if helps { 1.2 } else { 1.0 }) * (if harms { 0.8 } else { 1.0 })
}

/// Two changes act in commits and two in scans; one of each pair harms.
#[test]
fn loads_that_show_several_changes_are_taken_apart_and_the_rest_is_proven_again() {
    let truth = |server: &Server, load: Load| {
        let commits = load.work == Work::Transactions(Script::Insert);
        let helps = if has(server, "wal_sync_method", "open_datasync") && commits { 1.3 } else { 1.0 };
        let harms = if has(server, "commit_delay", "50") && commits { 0.9 } else { 1.0 };
        let worse = if has(server, "io_method", "sync") && scan(load).is_some() { 0.8 } else { 1.0 };
        helps * harms * worse
    };
    let asked = changes(&[
        ("wal_sync_method", "open_datasync"),
        ("commit_delay", "50"),
        ("io_method", "sync"),
        ("io_workers", "8"),
        ("random_page_cost", "1.1"),
    ]);
    let (proof, stages) = proven(&design(Asked::Changes(asked)), 0.01, 1, &truth);
    let kinds: Vec<StageKind> = stages.iter().map(|stage| stage.kind).collect();
    assert_eq!(kinds, [StageKind::Bundle, StageKind::Settings, StageKind::Mended]);
    let loads = |stage: &Stage| -> Vec<Load> { stage.studies.iter().map(|study| study.loads[0]).collect() };
    let (insert, queries) = (Load::of(Script::Insert, 1), Load::of(Script::Queries, 1));
    assert!(scan(loads(&stages[1])[0]).is_some(), "what is worse is taken apart first");
    assert!(loads(&stages[1]).contains(&insert) && loads(&stages[2]).contains(&insert));
    let single = [queries, Load::of(Script::SimpleUpdate, 8), Load::of(Script::Insert, 8)];
    for load in single {
        assert!(loads(&stages[0]).contains(&load) && !loads(&stages[1]).contains(&load), "{load}");
        assert!(!loads(&stages[2]).contains(&load), "{load}: the bundle has shown it");
    }
    let outcomes: Vec<&ProofOutcome> = proof.settings.iter().map(|setting| &setting.claim.outcome).collect();
    let expected = [
        &ProofOutcome::Proven,
        &ProofOutcome::Refuted,
        &ProofOutcome::Refuted,
        &ProofOutcome::Harmless,
        &ProofOutcome::Harmless,
    ];
    assert_eq!(outcomes, expected);
    for (name, count) in [("wal_sync_method", 3), ("commit_delay", 3), ("io_method", 6), ("io_workers", 4)] {
        let setting = proof.settings.iter().find(|setting| setting.name == name).unwrap();
        assert_eq!(setting.claim.by_load.len(), count, "{name} has every load of its own");
    }
    let mended = proof.mended.as_ref().unwrap();
    assert_eq!(mended.outcome, ProofOutcome::Proven);
    let measured = mended.by_load.iter().filter(|judged| judged.stage == StageKind::Mended).count();
    // insert-8 shows commit_delay alone: what is left of the bundle does nothing there.
    assert_eq!((measured, mended.by_load.len()), (2 + 4, 2 + 4 + 2));
}

/// No load shows two of the changes: the bundle is each of them, and the rest of it is known without a trial.
#[test]
fn planted_effects_come_out_of_the_bundle_if_each_load_shows_one_change() {
    let asked =
        changes(&[("wal_sync_method", "open_datasync"), ("io_method", "sync"), ("random_page_cost", "2.0")]);
    let (proof, stages) = proven(&design(Asked::Changes(asked)), 0.01, 1, &planted);
    let kinds: Vec<StageKind> = stages.iter().map(|stage| stage.kind).collect();
    assert_eq!(kinds, [StageKind::Bundle]);
    assert!(proof.is_complete);
    let outcomes: Vec<&ProofOutcome> = proof.settings.iter().map(|setting| &setting.claim.outcome).collect();
    assert_eq!(outcomes, [&ProofOutcome::Proven, &ProofOutcome::Refuted, &ProofOutcome::Harmless]);
    let lines: Vec<FileLine> = proof.settings.iter().map(|setting| setting.line).collect();
    assert_eq!(lines, [FileLine::Active, FileLine::Comment, FileLine::Active]);
    assert_eq!(proof.bundle.as_ref().unwrap().outcome, ProofOutcome::Refuted, "it loses in scans");
    assert_eq!(proof.mended.as_ref().unwrap().outcome, ProofOutcome::Proven);
    assert_eq!(proof.ending, Ending::Refuted, "a change that was asked about is worse");
    let ratio = proof.settings[0].claim.decisive().unwrap().ratio.unwrap();
    assert!(ratio.low < 1.2 && 1.2 < ratio.high && ratio.level > 0.99, "{ratio:?}");
    assert_eq!(proof.settings[1].now.as_deref(), Some("worker"));
}

/// All changes together hold, and one of them is a comment: the others were never measured without it.
#[test]
fn a_line_that_was_measured_only_among_comments_names_them() {
    let asked = [("wal_sync_method", "open_datasync"), ("temp_buffers", "64MB"), ("random_page_cost", "2.0")];
    let (proof, _) = proven(&design(Asked::Changes(changes(&asked))), 0.01, 1, &planted);
    let found: Vec<(FileLine, Vec<&str>)> = proof
        .settings
        .iter()
        .map(|setting| (setting.line, setting.measured_among.iter().map(String::as_str).collect()))
        .collect();
    let among = (FileLine::Active, vec!["temp_buffers"]);
    assert_eq!(found, [among.clone(), (FileLine::Comment, vec![]), among]);
    let refuted = [("wal_sync_method", "open_datasync"), ("io_method", "sync")];
    let (proof, stages) = proven(&design(Asked::Changes(changes(&refuted))), 0.01, 1, &planted);
    assert_eq!(proof.settings[0].line, FileLine::Active);
    assert!(
        proof.settings[0].measured_among.is_empty(),
        "what is refuted does not act where it was measured"
    );
    assert_eq!(stages.len(), 1);
}

#[test]
fn a_race_drops_what_is_worse_and_proves_what_it_picks_on_fresh_rounds() {
    let asked = changes(&[
        ("wal_sync_method", "open_datasync"),
        ("wal_sync_method", "open_sync"),
        ("io_method", "sync"),
    ]);
    let (proof, stages) = proven(&design(Asked::Race(asked)), 0.01, 1, &planted);
    let kinds: Vec<StageKind> = stages.iter().map(|stage| stage.kind).collect();
    assert_eq!(kinds, [StageKind::Heat(1), StageKind::Heat(2), StageKind::Bundle]);
    let second: Vec<&str> = stages[1].changes.iter().map(|change| change.value.as_str()).collect();
    assert_eq!(second, ["open_datasync", "open_sync"], "io_method = sync was dropped");
    assert_eq!(proof.candidates[2].claim.outcome, ProofOutcome::Refuted);
    assert_eq!(proof.settings.len(), 1);
    assert_eq!(proof.settings[0].value, "open_datasync");
    assert_eq!(proof.settings[0].claim.outcome, ProofOutcome::Proven);
    assert_eq!(proof.settings[0].claim.decisive().unwrap().stage, StageKind::Bundle);
    assert_eq!(proof.ending, Ending::Proven);
}

/// The page had an empty table of what is proven, and was about "the best of 2 candidates", of which none was picked.
#[test]
fn a_race_that_picks_nothing_has_no_section_about_what_it_picked() {
    let worse = |server: &Server, _: Load| {
        let is_base = !has(server, "io_method", "sync") && !has(server, "wal_sync_method", "open_sync");
        if is_base { 1.0 } else { 0.7 }
    };
    let asked = changes(&[("wal_sync_method", "open_sync"), ("io_method", "sync")]);
    let (proof, _) = proven(&design(Asked::Race(asked)), 0.01, 1, &worse);
    assert!(proof.bundle.is_none() && proof.settings.is_empty());
    let document = proof.document(&crate::Plots::NONE);
    let anchors: Vec<&str> = document.sections.iter().map(|section| section.anchor.as_str()).collect();
    assert_eq!(anchors.first(), Some(&"candidates"), "{anchors:?}");
    assert!(!anchors.contains(&"loads"), "{anchors:?}");
    assert!(proof.title().starts_with("2 candidates"), "{}", proof.title());
}

/// `io_method = sync` was "1.68× proven": a bitmap scan of one size, where other kinds of scans showed 1.01 to 1.22.
#[test]
fn a_setting_that_helps_one_kind_of_scan_has_no_ratio_for_all_of_them() {
    let one_kind = |server: &Server, load: Load| {
        let is_bitmap = scan(load).is_some_and(|scan| scan.access == Access::Bitmap);
        if is_bitmap && has(server, "io_method", "sync") { 1.3 } else { 1.0 }
    };
    let asked = Asked::Changes(changes(&[("io_method", "sync")]));
    let (proof, _) = proven(&design(asked), 0.01, 1, &one_kind);
    let claim = &proof.settings[0].claim;
    assert_eq!((&claim.outcome, claim.agreement), (&ProofOutcome::Proven, Agreement::Mixed));
    assert_eq!(claim.ratio(), None);
    assert_eq!(claim.by_load.len(), Script::SCANS.len());
    for judged in &claim.by_load {
        let is_bitmap = scan(judged.load).is_some_and(|scan| scan.access == Access::Bitmap);
        let expected = if is_bitmap { ProofOutcome::Proven } else { ProofOutcome::Harmless };
        assert_eq!(judged.outcome, expected, "{}", judged.load);
        assert_eq!((judged.scope.workers, judged.scope.scan), (Workers::Clients(1), scan(judged.load)));
        let found = judged.scope.circumstances.as_ref().unwrap();
        assert_eq!((&found.shared_buffers[..], found.pinned), ("64MB", Pinned::Nothing));
    }
}

/// Opposite effects are refuted, and say both.
#[test]
fn a_setting_that_helps_some_scans_and_harms_others_has_no_ratio() {
    let opposite = |server: &Server, load: Load| match scan(load).map(|scan| scan.access) {
        Some(Access::Bitmap) if has(server, "io_method", "sync") => 1.3,
        Some(Access::Sequential) if has(server, "io_method", "sync") => 0.8,
        Some(_) | None => 1.0,
    };
    let asked = Asked::Changes(changes(&[("io_method", "sync")]));
    let (proof, _) = proven(&design(asked), 0.01, 1, &opposite);
    let claim = proof.bundle.unwrap();
    assert_eq!((&claim.outcome, claim.agreement), (&ProofOutcome::Refuted, Agreement::Mixed));
    assert_eq!(claim.ratio(), None);
}

/// A proof gave its time to five kinds of scans although the sixth had refuted the change.
#[test]
fn no_further_round_goes_to_a_change_that_another_load_has_refuted() {
    let truth = |server: &Server, load: Load| {
        let is_refuted = load == Load::of(Script::SequentialScan, 1) && has(server, "io_method", "sync");
        if is_refuted { 0.5 } else { 1.0 }
    };
    let rounds = |name: &str, value: &str| {
        let asked = Asked::Changes(changes(&[(name, value)]));
        let (proof, _) = proven(&design(asked), 0.06, 1, &truth);
        let claim = proof.bundle.unwrap();
        (claim.outcome.clone(), claim.by_load.iter().map(|judged| judged.rounds).collect::<Vec<_>>())
    };
    assert_eq!(rounds("io_method", "sync"), (ProofOutcome::Refuted, vec![6; 6]));
    assert!(rounds("io_method", "io_uring").1.contains(&18), "nothing is refuted");
}

/// The largest of several proven ratios is not the claim's.
#[test]
fn loads_that_all_gain_have_a_ratio_each() {
    let asked = Asked::Changes(changes(&[("commit_delay", "50")]));
    let helps = |server: &Server, _: Load| if has(server, "commit_delay", "50") { 1.2 } else { 1.0 };
    let (proof, _) = proven(&design(asked), 0.01, 1, &helps);
    let claim = proof.bundle.unwrap();
    assert_eq!((&claim.outcome, claim.agreement), (&ProofOutcome::Proven, Agreement::SameDirection));
    assert_eq!(claim.ratio(), None);
    let nothing = |_: &Server, _: Load| 1.0;
    let asked = Asked::Changes(changes(&[("commit_delay", "50")]));
    let (proof, _) = proven(&design(asked), 0.01, 1, &nothing);
    let claim = proof.bundle.unwrap();
    assert_eq!(claim.agreement, Agreement::Equal);
    assert_eq!(claim.ratio(), claim.decisive().unwrap().ratio);
}

#[test]
fn an_undecided_bundle_is_not_taken_apart_and_says_what_it_could_have_seen() {
    let asked = changes(&[("io_workers", "8"), ("effective_io_concurrency", "64")]);
    let (proof, stages) = proven(&design(Asked::Changes(asked)), 0.2, 1, &|_, _| 1.0);
    assert_eq!(stages.len(), 1);
    let ProofOutcome::Undecided { doubt, smallest_effect } = &proof.bundle.as_ref().unwrap().outcome else {
        panic!("{:?}", proof.bundle)
    };
    assert!(matches!(doubt, Doubt::Scatter { .. }));
    assert!(smallest_effect.unwrap() > 1.1, "{smallest_effect:?}");
    let bundle = proof.bundle.as_ref().unwrap();
    assert_eq!((bundle.agreement, bundle.ratio()), (Agreement::Undecided, None), "each load has its own");
    let of_setting = &proof.settings[0].claim.outcome;
    assert!(matches!(of_setting, ProofOutcome::Undecided { doubt: Doubt::BundleUndecided, .. }));
    assert_eq!(proof.ending, Ending::Undecided);
    assert!(proof.settings.iter().all(|setting| setting.line == FileLine::Comment));
}

#[test]
fn a_setting_that_no_load_shows_is_not_proven_by_the_others() {
    let asked = changes(&[("temp_buffers", "64MB"), ("random_page_cost", "1.1")]);
    let (proof, _) = proven(&design(Asked::Changes(asked)), 0.01, 1, &|_, _| 1.0);
    let outcome = &proof.settings[0].claim.outcome;
    assert!(matches!(outcome, ProofOutcome::Undecided { doubt: Doubt::NoLoad, .. }), "{outcome:?}");
    assert_eq!(proof.settings[1].claim.outcome, ProofOutcome::Harmless);
    assert_eq!(proof.ending, Ending::Undecided);
}

/// `work_mem` alone ended harmless, under transactions that do not sort.
#[test]
fn a_question_that_no_load_answers_is_not_measured() {
    for (name, value) in [("work_mem", "1GB"), ("enable_hashjoin", "off"), ("temp_buffers", "64MB")] {
        let design = design(Asked::Changes(changes(&[(name, value)])));
        assert!(design.require_load().is_err(), "{name}");
        assert!(next(&design, &[]).is_none(), "{name}");
        let proof = conclude(&design, &[], true);
        for claim in proof.bundle.iter().chain(proof.settings.iter().map(|setting| &setting.claim)) {
            assert!(
                matches!(claim.outcome, ProofOutcome::Undecided { doubt: Doubt::NoLoad, .. }),
                "{claim:?}"
            );
        }
        let mut named = design;
        named.under = vec![Load::of(Script::Queries, 1)];
        assert!(named.require_load().is_ok() && next(&named, &[]).is_some());
    }
}

/// A server that was not started with a setting proves nothing about it.
#[test]
fn what_was_not_applied_is_undecided_and_what_was_in_force_is_told() {
    let asked = changes(&[("max_wal_size", "4GB"), ("random_page_cost", "1.1")]);
    let mut design = design(Asked::Changes(asked));
    design.under = vec![Load::of(Script::Queries, 1)];
    let (proof, _) = proven(&design, 0.01, 1, &|_, _| 1.0);
    let of_setting = |place: usize| &proof.settings[place].claim;
    let outcome = &of_setting(0).outcome;
    let ProofOutcome::Undecided { doubt: Doubt::NotApplied { name, .. }, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!((name.as_str(), proof.settings[0].line), ("max_wal_size", FileLine::Comment));
    let judged = of_setting(1).decisive().unwrap();
    assert_eq!(judged.in_force.iter().next().unwrap(), (&"random_page_cost".to_owned(), &"1.1".to_owned()));
    assert_eq!(judged.plans, Some(Plans { changed: 1, of: 2 }));
    assert_eq!(
        (of_setting(1).outcome.clone(), proof.settings[1].line),
        (ProofOutcome::Harmless, FileLine::Active)
    );
}

#[test]
fn what_the_server_refuses_is_undecided_with_its_words() {
    let mut design = design(Asked::Changes(changes(&[(UNKNOWN, "1")])));
    design.under = vec![Load::of(Script::TpcbLike, 8)];
    let (proof, _) = proven(&design, 0.01, 1, &|_, _| 1.0);
    let outcome = proof.bundle.unwrap().outcome;
    let ProofOutcome::Undecided { doubt: Doubt::TrialsFailed(why), .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(why.contains("no setting of that name"), "{why}");
    assert_eq!(proof.settings[0].line, FileLine::Comment);
}
