//! A trial: it waits for a quiet device, verifies the caches and the files, and only then measures.

use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::subject::Subject;
use crate::{age, cache};
use disk::files::extent_facts;
use disk::kernel::block_device::BlockDevice;
use disk::kernel::scheduling::run_real_time;
use disk::quiesce::Quiescence;
use model::mechanism::Measured;
use model::trial::{FileFacts, Measurement, TrialSpec, WorkerReply};
use model::{FileSystem, Layout};
use std::thread;
use std::time::{Duration, Instant};

/// The time that the device has to become quiet before a trial, unless the trial sets another. A disk with other
/// tenants never becomes quiet; the record states that, and the run continues.
const QUIESCE_LIMIT: Duration = Duration::from_secs(3);

/// Waits until the device is idle; for a loop image, first the disk below it. Without time to wait, it only has
/// everything written out. No device here has to be idle for data in an object store. Returns seconds.
fn quiesce(site: &Site, spec: &TrialSpec, notes: &mut Vec<String>) -> Result<f64, Refusal> {
    if site.description().in_object_store {
        return Ok(0.0);
    }
    let host = (site.every_trial().filesystem != FileSystem::Host).then_some(spec.work_directory.as_path());
    let asked = spec.quiesce_max_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let limit = asked.unwrap_or(QUIESCE_LIMIT);
    let mut waited_s = 0.0;
    for directory in host.into_iter().chain([site.directory()]) {
        if limit.is_zero() {
            let started = Instant::now();
            disk::quiesce::write_out(directory).map_err(Refusal::failed)?;
            waited_s += started.elapsed().as_secs_f64();
            continue;
        }
        let device = BlockDevice::below(directory);
        let quiescence = disk::quiesce::quiesce(directory, &device, limit).map_err(Refusal::failed)?;
        if let Quiescence::Busy { why, .. } = &quiescence {
            notes.push(format!("the device did not go quiet before the trial: {why}"));
        }
        waited_s += quiescence.elapsed().as_secs_f64();
    }
    Ok(waited_s)
}

/// Runs the trial: waits for a quiet device, verifies the caches and the files, measures.
pub(crate) fn measure(spec: &TrialSpec, line: &TurnChannel) -> Result<WorkerReply, Refusal> {
    let subject = Subject::of_workload(&spec.workload)?;
    let site = Site::find(spec)?;
    if site.every_trial().realtime {
        run_real_time().map_err(Refusal::failed)?;
    }
    if spec.is_traced {
        line.set_traced();
    }
    let mut notes = Vec::new();
    let quiesce_s = quiesce(&site, spec, &mut notes)?;
    thread::sleep(site.every_trial().cooldown.into());
    let ages = age::reached(&site)?;

    let started = Instant::now();
    let cached_before = cache::prove(&site, spec, (subject.cache)(spec)?)?;
    let extents: Vec<_> = site.files().iter().map(|file| extent_facts(&site.path(file))).collect();
    let cache_s = started.elapsed().as_secs_f64();

    let outcome = (subject.measure)(&site, spec, spec.takes_turns.then_some(line))?;
    let mut after_ramp = outcome.cached_shares_after_ramp.into_iter().flatten();
    let files = site.files().iter().zip(extents).zip(cached_before).zip(ages).map(
        |(((file, extents), cached_share_before), age_s)| {
            let extents = extents.unwrap_or_else(|error| Measured::unsupported(error.to_string()));
            FileFacts {
                role: file.role.clone(),
                // An append log starts empty, whatever size it has grown to.
                size_bytes: if file.layout == Layout::Append { 0 } else { file.size_bytes },
                layout: file.layout.name().to_owned(),
                extents,
                age_s: Some(age_s),
                cached_share_before,
                cached_share_after_ramp: after_ramp.next(),
                cached_share_after: cache::share(&site.path(file)),
            }
        },
    );
    let files = files.chain(outcome.other_files).collect();
    notes.extend(outcome.notes);
    let mut measurement = Measurement {
        phases: outcome.phases,
        durability: outcome.durability,
        files,
        placement: site.placement(),
        quiesce_s,
        cache_s,
        aftermath_s: outcome.aftermath_s,
        buffers: outcome.buffers,
        steady_ramp: outcome.steady_ramp,
        server: outcome.server,
        notes,
        operation_log: outcome.operation_log,
        sidecar: Some(outcome.sidecar),
    };
    workload::phases::complete(&mut measurement, site.description());
    Ok(WorkerReply::Measured(Box::new(measurement)))
}
