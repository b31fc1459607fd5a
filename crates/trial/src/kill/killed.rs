//! The process that is killed: it appends, and publishes its acknowledgements in memory that outlives it.

use super::acknowledgements::Acknowledgements;
use super::settings::{options, parameters};
use crate::engine_team::EngineTeam;
use crate::entries_file;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::Store;
use model::trial::{TrialSpec, WorkerReply};
use std::thread;
use workload::append::{self, Keyed, Published, Raw, SIZE_PARAMETER};

/// Appends until it is killed. It keeps any data that is in its own memory or an engine's memory until then.
pub(crate) fn acknowledge(spec: &TrialSpec) -> Result<WorkerReply, Refusal> {
    let site = Site::find(spec)?;
    let parameters = parameters(spec)?;
    let acknowledgements = Acknowledgements::open(spec)?;
    let progress = acknowledgements.progress();
    match parameters.store() {
        append::Store::File(durability) => {
            for file in site.files().iter().filter(|file| !file.layout.is_reusable()) {
                disk::files::recreate(&site.path(file), file.layout, file.size_bytes)
                    .map_err(Refusal::failed)?;
            }
            let team =
                entries_file::team(&site, &parameters, vec![entries_file::setup(&site, spec, &parameters)?]);
            // Without the copies into a buffer, whose time is not measured here.
            let raw = |progress| Published::new(Raw::new(parameters.clone(), durability), progress);
            let raw = progress.map(raw);
            let written = team.run(raw.collect())?;
            wait_for_the_kill(&written)
        }
        append::Store::Engine { name, level } => {
            let store = Store::fresh(&site)?;
            let mut payload = vec![0; parameters.payload_bytes()];
            parameters.fill(spec.seed, &mut payload);
            let opened = store.open(name, &options(&store, name, level)?, SIZE_PARAMETER)?;
            let team = EngineTeam {
                site: &site,
                store: &store,
                engine: &opened.engine,
                payload: &payload,
                first_cpu: None,
                size_parameter: SIZE_PARAMETER,
                turns: None,
            };
            let keyed = (0..).zip(progress).map(|(thread, progress)| {
                Published::new(Keyed::new(&parameters, thread, spec.seed), progress)
            });
            let written = team.run(keyed.collect())?;
            wait_for_the_kill(&(written, opened))
        }
    }
}

/// Waits after everything that there is room for has been written. `held` stays as it is until the process is killed,
/// either by its parent or together with it (`die_with_parent`).
fn wait_for_the_kill<T>(held: &T) -> ! {
    loop {
        std::hint::black_box(held);
        thread::park();
    }
}
