//! Proofs as they are on the disk: a design and its stages, from which everything else follows.

mod directory;

pub(crate) use directory::{ProofDirectory, is_proof};

use crate::analysis::judge;
use crate::failure::Failure;
use advice::Advice;
use directory::proofs_in;
use lab::run_directory::RunFiles;
use model::plan::{Plan, StudyPlan};
use model::printable;
use model::study::ARM_FACTOR;
use proof::{Judged, Proof, Stage};
use std::path::Path;

/// The stages of a proof so far, with what each showed.
pub(crate) struct Stages {
    pub(crate) done: Vec<(Stage, Vec<Judged>)>,
    /// The stage that is missing.
    pub(crate) next: Option<Stage>,
    /// Seconds of all their trials.
    pub(crate) spent_s: f64,
}

impl Stages {
    /// What all of them showed.
    pub(crate) fn judged(&self) -> Vec<Judged> {
        self.done.iter().flat_map(|(_, judged)| judged.iter().cloned()).collect()
    }
}

/// Reads the stages that a proof has.
pub(crate) fn stages_of(directory: &ProofDirectory) -> Result<Stages, Failure> {
    let (mut done, mut spent_s) = (Vec::new(), 0.0);
    let mut next = proof::next(directory.design(), &done);
    while let Some(stage) = next.take_if(|stage| directory.has_stage(stage.kind)) {
        let path = directory.stage(stage.kind);
        let files = RunFiles::open(&path).map_err(Failure::runtime)?;
        let run = files.run().map_err(Failure::runtime)?;
        require_same(&path, &stage, &run.plan)?;
        spent_s += run.records.iter().map(|record| record.wall_s + record.prepare_s).sum::<f64>();
        let judged = proof::judge(&stage, &run, &judge(&files, &run));
        done.push((stage, judged));
        next = proof::next(directory.design(), &done);
    }
    Ok(Stages { done, next, spent_s })
}

/// A stage's run holds the arms that follow from the design and the stages before: else one of them was changed.
fn require_same(path: &Path, stage: &Stage, plan: &Plan) -> Result<(), Failure> {
    let of_plan = |plan: &StudyPlan| {
        let names = plan.configurations.iter().filter_map(|values| values.text(ARM_FACTOR).ok());
        (plan.name.clone(), names.collect::<Vec<String>>())
    };
    let of_stage = |study: &proof::StageStudy| {
        (study.name.clone(), study.arms.iter().map(|arm| arm.name.clone()).collect::<Vec<String>>())
    };
    let planned: Vec<_> = plan.studies.iter().map(of_plan).collect();
    if planned == stage.studies.iter().map(of_stage).collect::<Vec<_>>() {
        return Ok(());
    }
    Err(Failure::Runtime(format!(
        "{}: it does not have the servers that follow from the proof's design: one of them was changed, or another \
         version of Syncline made them",
        path.display()
    )))
}

/// What a proof comes to so far.
pub(crate) fn concluded(directory: &ProofDirectory) -> Result<Proof, Failure> {
    let Stages { done, next, .. } = stages_of(directory)?;
    let proof = proof::conclude(directory.design(), &done, next.is_none());
    let next_command = next.map(|_| {
        let path = directory.path().display().to_string();
        let budget_s = directory.design().budget_s.ceil();
        format!("syncline prove --resume {} --budget {budget_s:.0}s", printable(&path))
    });
    Ok(Proof { next_command, ..proof })
}

/// The latest proof in the directory of a run, if it has one that can be read.
pub(crate) fn latest_in(run: &Path) -> Option<Proof> {
    let proofs = proofs_in(run);
    let opened = proofs.iter().filter_map(|path| ProofDirectory::open(path).ok());
    let latest = opened.max_by(|a, b| a.design().created_at.cmp(&b.design().created_at))?;
    concluded(&latest).ok()
}

/// The advice of a run with what the latest proof beside its records decided of it.
pub(crate) fn settled(files: &RunFiles, advice: Vec<Advice>) -> Vec<Advice> {
    match latest_in(files.path()) {
        Some(proof) => proof.settled(advice),
        None => advice,
    }
}
