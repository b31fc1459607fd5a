//! Where trials take place: Syncline's work directory, loop images, memory groups. Removed at the end, whatever
//! happens; what a killed run left is removed at the next start.

use crate::failure::Failure;
use crate::output::tell;
use crate::servers::is_driven;
use disk::cgroup::{self, CapError, IoGroup, MemoryGroup};
use disk::files::{FileError, require_space};
use disk::filesystem;
use disk::kernel::executable;
use disk::work_directory::WorkDirectory;
use lab::premises::{Premises, Resources};
use lab::space::{space_needed_bytes, total_bytes};
use lab::worker::WorkerCommand;
use model::plan::StudyPlan;
use model::trial::ServerSource;
use model::{CapReach, Configuration, Description, FileSystem, IoCap};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Limits for the group that is made to find out whether one can be made: any do.
const IO_PROBE: IoCap =
    IoCap { reads_per_s: Some(1000), writes_per_s: None, read_bytes_per_s: None, written_bytes_per_s: None };

/// Everything a run owns outside its run directory.
pub(crate) struct DiskPremises {
    work: WorkDirectory,
    /// Those in other places, by what the studies call these.
    others: BTreeMap<String, WorkDirectory>,
    image_bytes: BTreeMap<FileSystem, u64>,
    groups: Vec<MemoryGroup>,
    io_groups: Vec<IoGroup>,
    groups_made: u32,
    server: Option<ServerSource>,
}

impl DiskPremises {
    /// Clears away what killed runs left below `parent`, checks that there is room, makes a work directory. `sharers`
    /// processes do the same at the same time, this one included.
    pub(crate) fn open(parent: &Path, studies: &[StudyPlan], sharers: u32) -> Result<Self, Failure> {
        // Some file systems do not show a lock to other hosts: there the directory of another rank would look
        // abandoned.
        let of_all_hosts = sharers == 1;
        clear(parent, of_all_hosts)?;
        // Groups hold nothing but limits and counters: leftovers are harmless, so failing to look for them is too.
        let _ = cgroup::remove_abandoned();
        if described(studies).any(|description| description.filesystem != FileSystem::Host) {
            disk::kernel::scheduling::private_mounts().map_err(|error| {
                Failure::Runtime(format!(
                    "{error}: other file systems than the directory's own need root; leave them out with --vary \
                     filesystem=host"
                ))
            })?;
        }
        require_caps(studies)?;
        require_io_caps(parent, studies)?;
        let image_bytes = space_needed_bytes(studies);
        require_file_systems(studies, &image_bytes)?;
        let room = total_bytes(&image_bytes).saturating_mul(u64::from(sharers));
        require_space(parent, room).map_err(|error| no_room(&error, studies))?;
        let work = WorkDirectory::create(parent).map_err(Failure::runtime)?;
        let others = other_directories(studies, of_all_hosts)?;
        Ok(Self {
            work,
            others,
            image_bytes,
            groups: Vec::new(),
            io_groups: Vec::new(),
            groups_made: 0,
            server: None,
        })
    }

    /// Trials that drive a server get it from there.
    pub(crate) fn serve(&mut self, server: Option<ServerSource>) {
        self.server = server;
    }

    /// Removes everything. Dropping does the same but cannot tell what went wrong. Objects that are left are paid for,
    /// which is an error; a directory that is left is a remark, because the next start below the same directory removes
    /// it.
    pub(crate) fn close(self) -> Result<(), Failure> {
        let objects = trial::remove_prepared_objects(self.work.path()).map(drop).map_err(|error| {
            Failure::Runtime(format!(
                "objects that this run prepared are left behind: {error}; delete them by hand"
            ))
        });
        self.others.into_values().chain([self.work]).for_each(remove);
        objects
    }

    /// Below the work directory, probes with Syncline's own files find out what the disk can do.
    pub(crate) fn directory(&self) -> &Path {
        self.work.path()
    }
}

/// Removes a work directory. What was measured in it does not depend on that: one that stays is a remark.
pub(crate) fn remove(work: WorkDirectory) {
    let path = work.path().display().to_string();
    if let Err(why) = work.remove() {
        tell(format!(
            "{path} is left behind: {why}; the next start with the same --dir removes it, or remove it by hand"
        ));
    }
}

/// Removes what killed runs left below a directory: of all hosts, or of this one.
pub(crate) fn clear(parent: &Path, of_all_hosts: bool) -> Result<(), Failure> {
    let cleared = if of_all_hosts {
        WorkDirectory::clean_abandoned_after(parent, remove_objects)
    } else {
        WorkDirectory::clean_abandoned_of_this_host_after(parent, remove_objects)
    };
    let cleared = cleared.map_err(Failure::runtime)?;
    for abandoned in cleared.removed {
        tell(format!("removed the files of a killed run: {}", abandoned.display()));
    }
    for (abandoned, why) in cleared.left {
        let abandoned = abandoned.display();
        tell(format!("did not remove {abandoned}, which looks like a killed run's directory: {why}"));
    }
    Ok(())
}

/// Removes the objects that a killed run left in stores, which its directory notes.
fn remove_objects(abandoned: &Path) {
    match trial::remove_prepared_objects(abandoned) {
        Ok(0) => {}
        Ok(_) => tell(format!("removed the objects of a killed run: {}", abandoned.display())),
        Err(error) => {
            tell(format!("the objects of a killed run are left behind: {error}; delete them by hand"));
        }
    }
}

/// A work directory in each other place that some configuration names.
fn other_directories(
    studies: &[StudyPlan],
    of_all_hosts: bool,
) -> Result<BTreeMap<String, WorkDirectory>, Failure> {
    let named: BTreeSet<&String> =
        described(studies).filter_map(|description| description.room.other_directory.as_ref()).collect();
    let make = |place: &String| {
        clear(Path::new(place), of_all_hosts)?;
        Ok((place.clone(), WorkDirectory::create(Path::new(place)).map_err(Failure::runtime)?))
    };
    named.into_iter().map(make).collect()
}

/// Whether direct I/O works for files below a directory, or why not: probed with a file in a directory that Syncline
/// creates.
pub(crate) fn direct_support(parent: &Path) -> Result<Result<(), String>, Failure> {
    let work = WorkDirectory::create(parent).map_err(Failure::runtime)?;
    let direct = disk::files::direct_support(work.path()).map(drop);
    remove(work);
    Ok(direct)
}

/// Bytes that these studies take at most, together.
pub(crate) fn room_needed_bytes(studies: &[StudyPlan]) -> u64 {
    total_bytes(&space_needed_bytes(studies))
}

/// What a run without room can do, by the parameters that its files and stores follow from.
fn no_room(error: &FileError, studies: &[StudyPlan]) -> Failure {
    let mut names: Vec<&str> =
        described(studies).flat_map(|description| &description.room.sizes).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    Failure::Runtime(match error {
        FileError::NoSpace { .. } if !names.is_empty() => format!("{error}, or lower {}", names.join(", ")),
        other => other.to_string(),
    })
}

/// A cap that cannot be made, or that caps nothing, is reported before the first trial.
pub(crate) fn require_caps(studies: &[StudyPlan]) -> Result<(), Failure> {
    let caps: BTreeSet<u64> =
        described(studies).filter_map(|description| description.memory_cap_bytes).collect();
    for cap in &caps {
        cgroup::check_cap(*cap).map_err(Failure::usage)?;
    }
    if !caps.is_empty() {
        cgroup::cap_method().map_err(Failure::runtime)?;
    }
    Ok(())
}

/// Limits of I/O that cannot be made, or that would limit nothing of a load, are reported before the first trial.
fn require_io_caps(directory: &Path, studies: &[StudyPlan]) -> Result<(), Failure> {
    let configurations =
        studies.iter().flat_map(|study| study.configurations.iter().zip(&study.descriptions));
    let mut capped = configurations.filter(|(_, description)| description.io_cap.is_some()).peekable();
    if capped.peek().is_none() {
        return Ok(());
    }
    let groups = require_io_groups(directory)?;
    capped.try_for_each(|(values, description)| groups.require(values, description))
}

/// What groups with limits of I/O are here.
pub(crate) struct IoGroups {
    /// A process is in one group only, which would have to limit memory too.
    excludes_memory_group: bool,
}

/// Makes a group with limits of I/O on the disk below a directory, and removes it.
pub(crate) fn require_io_groups(directory: &Path) -> Result<IoGroups, Failure> {
    // A directory that is not there has no disk either, and is what is to be mended.
    require_space(directory, 0).map_err(Failure::runtime)?;
    let id = format!("probe-io-{}", std::process::id());
    let probe = IoGroup::create(&id, directory, &IO_PROBE).map_err(Failure::runtime)?;
    let excludes_memory_group = probe.excludes_memory_group();
    probe.remove().map_err(Failure::runtime)?;
    Ok(IoGroups { excludes_memory_group })
}

impl IoGroups {
    /// Whether a limit would reach the load of a configuration.
    pub(crate) fn require(&self, values: &Configuration, description: &Description) -> Result<(), Failure> {
        if is_driven(values) {
            let why = "io_cap: the processes of a server are not in the control group";
            return Err(Failure::Usage(why.to_owned()));
        }
        if self.excludes_memory_group && description.memory_cap_bytes.is_some() {
            return Err(Failure::Usage("io_cap and memory_cap together need cgroup v1".to_owned()));
        }
        match description.cap_reach() {
            CapReach::Nothing(why) => {
                Err(Failure::Usage(format!("io_cap limits nothing of this load: {why}")))
            }
            CapReach::Everything | CapReach::Part(_) => Ok(()),
        }
    }
}

/// A file system of their own that trials cannot have is refused once: `mkfs.xfs` was missed by 21 trials, one after
/// another.
fn require_file_systems(
    studies: &[StudyPlan],
    image_bytes: &BTreeMap<FileSystem, u64>,
) -> Result<(), Failure> {
    let wanted: BTreeSet<FileSystem> = described(studies).map(|description| description.filesystem).collect();
    for filesystem in wanted {
        let FileSystem::Fresh(fresh) = filesystem else { continue };
        let size_bytes = image_bytes.get(&filesystem).copied().unwrap_or(0);
        filesystem::require_possible(fresh, size_bytes).map_err(|error| {
            Failure::Runtime(format!("{error}; or leave it out with --vary filesystem=host"))
        })?;
    }
    Ok(())
}

/// What the configurations of these studies are.
fn described(studies: &[StudyPlan]) -> impl Iterator<Item = &Description> {
    studies.iter().flat_map(|study| &study.descriptions)
}

impl Premises for DiskPremises {
    fn work_directory(&self) -> &Path {
        self.work.path()
    }

    fn allocate(&mut self, description: &Description, values: &Configuration) -> Result<Resources, String> {
        let worker = |program: String| vec![program, "worker".to_owned()];
        let mut command = worker(executable::OWN.to_owned());
        let mut memory_group = None;
        if let Some(cap_bytes) = description.memory_cap_bytes {
            self.groups_made += 1;
            match MemoryGroup::create(&format!("{}-{}", self.work.id(), self.groups_made), cap_bytes) {
                Ok(group) => {
                    memory_group = Some(group.path().to_owned());
                    self.groups.push(group);
                }
                Err(CapError::OnlySystemdRun { .. }) => {
                    command = [cgroup::systemd_run_prefix(cap_bytes), worker(executable::of_this_process())]
                        .concat();
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        let mut io_group = None;
        if let Some(cap) = &description.io_cap {
            self.groups_made += 1;
            let id = format!("{}-{}", self.work.id(), self.groups_made);
            let group = IoGroup::create(&id, self.work.path(), cap).map_err(|error| error.to_string())?;
            io_group = Some(group.path().to_owned());
            self.io_groups.push(group);
        }
        Ok(Resources {
            worker: WorkerCommand { command, cpu: values.count("cpu").ok().map(|cpu| cpu as usize) },
            memory_group,
            io_group,
            image_bytes: self.image_bytes.get(&description.filesystem).copied().unwrap_or(0),
            other_work_directory: description
                .room
                .other_directory
                .as_ref()
                .and_then(|place| self.others.get(place))
                .map(|other| other.path().to_owned()),
            server: self.server.clone().filter(|_| is_driven(values)),
        })
    }

    fn release(&mut self, resources: &Resources) -> Option<String> {
        // Dropping a group removes it; one whose last process is still ending is removed at the next start.
        self.io_groups.retain(|group| Some(group.path()) != resources.io_group.as_deref());
        let path = resources.memory_group.as_deref()?;
        let place = self.groups.iter().position(|group| group.path() == path)?;
        let group = self.groups.swap_remove(place);
        let out_of_memory = group.processes_killed().value().is_some_and(|processes| *processes > 0);
        out_of_memory
            .then(|| "the trial needs more memory than memory_cap allows: raise memory_cap".to_owned())
    }
}
