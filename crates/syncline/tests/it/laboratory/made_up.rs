//! Made-up runs, as the program reads them.

use model::run::Run;
use std::fs;
use std::path::Path;

/// Writes a run as the files of its directory.
pub(crate) fn write_run(run: &Run, directory: &Path) {
    let sidecars = directory.join("sidecars");
    fs::create_dir_all(&sidecars).unwrap();
    fs::write(directory.join("plan.json"), serde_json::to_vec(&run.plan).unwrap()).unwrap();
    fs::write(directory.join("host.json"), serde_json::to_vec(&run.host).unwrap()).unwrap();
    let line = |record| serde_json::to_string(record).unwrap() + "\n";
    fs::write(directory.join("trials.jsonl"), run.records.iter().map(line).collect::<String>()).unwrap();
    for record in &run.records {
        let sidecar = serde_json::to_vec(&synthetic::sidecar(&record.key).unwrap()).unwrap();
        fs::write(sidecars.join(record.key.sidecar_name()), sidecar).unwrap();
    }
}
