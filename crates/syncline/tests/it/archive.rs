//! What `make dist` makes, packed here from the binary under test by the same script: the archive is unpacked, also as
//! Homebrew does it, the Debian package installed in a container, the wheel by pip, and each of the programs run. What
//! the workflow of a release does with the packages runs here too, up to the upload. Nix reads the flake.

use crate::ci_example;
use crate::laboratory::{self, Laboratory};

use model::trial::TrialOutcome;
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

const BINARY: &str = env!("CARGO_BIN_EXE_syncline");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn succeeded(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// What a packed binary is installed from.
struct Packages {
    archive: PathBuf,
    bill: PathBuf,
    formula: PathBuf,
    debian: PathBuf,
    wheel: PathBuf,
}

/// Packs the binary below `output`.
fn pack(output: &Path) -> Packages {
    fs::create_dir_all(output.parent().unwrap()).unwrap();
    let mut script = Command::new(root().join("scripts/dist"));
    // At another place: where it was called from is in no archive. The time is given, for a commit may come in between.
    script
        .arg(BINARY)
        .arg(output)
        .current_dir(output.parent().unwrap())
        .env("SOURCE_DATE_EPOCH", "1700000000");
    if let Some(directory) = option_env!("ROCKSDB_LIB_DIR") {
        script.env("ROCKSDB_LIB_DIR", directory);
    }
    for (feature, is_on) in [
        ("postgresql", cfg!(feature = "postgresql")),
        ("rocksdb", cfg!(feature = "rocksdb")),
        ("object-store", cfg!(feature = "object-store")),
    ] {
        if is_on {
            script.args(["--features", feature]);
        }
    }
    let printed = succeeded(&mut script);
    let paths: Vec<PathBuf> = printed.lines().map(PathBuf::from).collect();
    let [archive, bill, formula, debian, wheel] =
        paths.try_into().expect("an archive, a bill of materials, a formula, a Debian package and a wheel");
    Packages { archive, bill, formula, debian, wheel }
}

/// The binary, packed once for every test: that takes a while.
fn packages() -> &'static Packages {
    static PACKAGES: LazyLock<Packages> =
        LazyLock::new(|| pack(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages/one")));
    &PACKAGES
}

/// Runs the study of two rounds by this program in the laboratory.
fn measures(lab: &Laboratory, command: &mut Command) {
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", laboratory::text(&output));
    let records = lab.records();
    assert!(
        !records.is_empty() && records.iter().all(|record| record.outcome == TrialOutcome::Ok),
        "{records:?}"
    );
    lab.assert_clean();
}

#[test]
fn the_archive_unpacks_to_a_program_that_runs_with_all_that_goes_with_it() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Packages { archive, .. } = packages();
    let beside = archive.parent().unwrap();
    let version = succeeded(Command::new(BINARY).arg("--version"));
    let name = archive.file_name().unwrap().to_str().unwrap().strip_suffix(".tar.gz").unwrap();
    let number = version.trim_end().strip_prefix("syncline ").unwrap();
    assert!(name.starts_with(&format!("syncline-{number}-")) && name.contains("linux"), "{name}");

    let sum = fs::read_to_string(beside.join(format!("{name}.tar.gz.sha256"))).unwrap();
    assert!(sum.ends_with(&format!("  {name}.tar.gz\n")), "{sum}");
    succeeded(
        Command::new("sha256sum")
            .arg("--check")
            .arg("-")
            .stdin(fs::File::open(beside.join(format!("{name}.tar.gz.sha256"))).unwrap())
            .current_dir(beside),
    );

    succeeded(Command::new("tar").args(["-xzf"]).arg(archive).current_dir(directory.path()));
    let unpacked = directory.path().join(name);
    let program = unpacked.join("syncline");
    assert_eq!(succeeded(Command::new(&program).arg("--version")), version);
    assert!(
        fs::metadata(&program).unwrap().len() < fs::metadata(BINARY).unwrap().len(),
        "it is not stripped"
    );
    // The studies are in the binary, not beside it.
    let studies = succeeded(Command::new(&program).args(["studies", "--format", "json"]).current_dir("/"));
    let studies: serde_json::Value = serde_json::from_str(&studies).unwrap();
    assert!(studies.as_array().unwrap().iter().any(|study| study["name"] == "wal-layout"), "{studies}");
    for file in ["README.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "docs/README.md"] {
        assert_eq!(fs::read(unpacked.join(file)).unwrap(), fs::read(root().join(file)).unwrap(), "{file}");
    }
    for (file, holds) in [
        ("completions/syncline.bash", "complete -o bashdefault -F _syncline"),
        ("completions/_syncline", "#compdef syncline"),
        ("completions/syncline.fish", "--command syncline"),
        ("man/syncline.1", ".TH syncline 1"),
        ("man/syncline-run.1", "\\-\\-budget"),
        ("man/syncline-compare.1", "\\-\\-fail\\-if"),
        ("THIRD-PARTY-LICENSES.txt", "\nclap v"),
        ("THIRD-PARTY-LICENSES.txt", "Plotly"),
        ("THIRD-PARTY-LICENSES.txt", "Permission is hereby granted"),
    ] {
        let text = fs::read_to_string(unpacked.join(file)).unwrap();
        assert!(text.contains(holds), "{file} has no {holds}");
    }
}

/// The same bytes whenever and wherever it is packed; names in order, everything below one directory, nobody's.
#[test]
fn from_one_binary_comes_one_archive() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (packages, again) = (packages(), pack(&directory.path().join("other")));
    for (one, other) in [
        (&packages.archive, &again.archive),
        (&packages.bill, &again.bill),
        (&packages.formula, &again.formula),
        (&packages.debian, &again.debian),
        (&packages.wheel, &again.wheel),
    ] {
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{one:?} and {other:?} differ");
    }
    // Other tests write beside the packages.
    let linked = |name: &str, packages: &Packages| {
        let folder = directory.path().join(name);
        fs::create_dir(&folder).unwrap();
        let Packages { archive, bill, formula, debian, wheel } = packages;
        for file in [archive, bill, formula, debian, wheel] {
            symlink(file, folder.join(file.file_name().unwrap())).unwrap();
        }
        folder
    };
    let same = compare(&linked("one", packages), &linked("again", &again));
    assert!(same.status.success(), "{}", laboratory::text(&same));
    let one = &packages.archive;

    let listing =
        succeeded(Command::new("tar").args(["--list", "--verbose", "--numeric-owner", "-zf"]).arg(one));
    let mut times = BTreeSet::new();
    let mut names = Vec::new();
    for line in listing.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [mode, owner, _, day, minute, name] = fields[..] else { panic!("{line}") };
        assert_eq!(owner, "0/0", "{line}");
        assert!(matches!(mode, "drwxr-xr-x" | "-rwxr-xr-x" | "-rw-r--r--"), "{line}");
        times.insert((day, minute));
        names.push(name);
    }
    assert_eq!(times.len(), 1, "{times:?}");
    let top = names[0];
    assert!(top.ends_with('/') && names.iter().all(|name| name.starts_with(top)), "{listing}");
    assert!(names.len() > 30, "{listing}");
}

fn compare(one: &Path, other: &Path) -> Output {
    Command::new(root().join("scripts/dist-compare")).args([one, other]).output().unwrap()
}

/// Two builds of which one has a date in its text, another program, and a file more.
#[test]
fn what_differs_between_two_builds_is_named() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let pack = |build: &str, version: &str, more: Option<&str>| {
        let folder = directory.path().join(build);
        let package = folder.join("tree/syncline-1");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("README.md"), format!("Syncline {version}\n")).unwrap();
        let mut program = fs::read("/bin/sh").unwrap();
        let note =
            program.windows(4).position(|bytes| bytes == b"GNU\0").expect("it has a note of its linker");
        program[note + 5] ^= u8::from(more.is_some());
        fs::write(package.join("syncline"), program).unwrap();
        fs::set_permissions(package.join("syncline"), Permissions::from_mode(0o755)).unwrap();
        if let Some(more) = more {
            fs::write(package.join(more), "").unwrap();
        }
        let mut tar = Command::new("tar");
        tar.args(["--create", "--gzip", "--sort=name", "--mtime=@0", "--owner=0", "--group=0"]);
        let archive = folder.join("syncline-1.tar.gz");
        tar.args(["--mode=u+rwX,go+rX,go-w", "--file"]).arg(&archive).arg("--directory");
        succeeded(tar.arg(folder.join("tree")).arg("syncline-1"));
        fs::remove_dir_all(folder.join("tree")).unwrap();
        folder
    };
    let (one, same, other) =
        (pack("one", "1", None), pack("same", "1", None), pack("other", "2", Some("notes.txt")));
    fs::write(other.join("extra.whl"), "").unwrap();
    let equal = compare(&one, &same);
    assert_eq!(equal.status.code(), Some(0), "{}", laboratory::text(&equal));
    let differing = compare(&one, &other);
    assert_eq!(differing.status.code(), Some(1), "{}", laboratory::text(&differing));
    let told = String::from_utf8(differing.stdout).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    let [extra, readme, more, program] = lines[..] else { panic!("{told}") };
    assert!(extra.starts_with("extra.whl: only in "), "{extra}");
    assert!(more.starts_with("syncline-1.tar.gz/syncline-1/notes.txt: only in"), "{more}");
    assert!(readme.contains("README.md: 11 and 11 bytes, the first difference at byte 9"), "{readme}");
    assert!(program.contains("/syncline: sections .note."), "{program}");
    let absent = compare(&directory.path().join("absent"), &other);
    assert_eq!(absent.status.code(), Some(2), "{}", laboratory::text(&absent));
}

/// By the schema of CycloneDX itself; and what is in it is what the binary was compiled from.
#[test]
fn the_bill_of_materials_names_every_crate_with_its_checksum() {
    let Packages { bill, .. } = packages();
    let bill_text = fs::read_to_string(bill).unwrap();
    let found: serde_json::Value = serde_json::from_str(&bill_text).unwrap();
    let components = found["components"].as_array().unwrap();
    let named = |name: &str| components.iter().filter(|component| component["name"] == name).count();
    assert_eq!((named("clap"), named("syncline-store")), (1, 1));
    assert_eq!(named("rocksdb") > 0, cfg!(feature = "rocksdb"));
    for component in components {
        let name = component["name"].as_str().unwrap();
        let is_of_others =
            component["purl"].as_str().unwrap().starts_with("pkg:cargo/") && !name.starts_with("syncline-");
        assert_eq!(component["hashes"].is_array(), is_of_others, "{component}");
    }
    let references: BTreeSet<&str> =
        components.iter().map(|component| component["bom-ref"].as_str().unwrap()).collect();
    for dependency in found["dependencies"].as_array().unwrap() {
        for on in dependency["dependsOn"].as_array().unwrap() {
            assert!(references.contains(on.as_str().unwrap()), "{dependency}");
        }
    }

    let Some(python) = ci_example::python() else { return };
    let validate = "import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(wrong) if wrong else 0)";
    succeeded(Command::new(&python).args(["-c", validate]).arg(bill));
    let broken = bill.with_extension("broken");
    fs::write(&broken, bill_text.replace("\"bomFormat\"", "\"format\"")).unwrap();
    assert!(!Command::new(&python).args(["-c", validate]).arg(&broken).output().unwrap().status.success());
}

/// Ruby runs the formula as Homebrew would, by as much of Homebrew as the formula uses (`homebrew.rb`).
#[test]
fn the_formula_installs_a_program_that_measures() {
    if Command::new("ruby").arg("--version").output().is_err() {
        skip::because("no ruby here (make tools)");
        return;
    }
    let lab = Laboratory::new();
    let Packages { archive, formula, .. } = packages();
    let homebrew = root().join("crates/syncline/tests/it/homebrew.rb");
    let prefix = lab.path().join("prefix");
    let install = |archive: &Path| {
        let mut command = Command::new("ruby");
        command.arg(&homebrew).arg(formula).arg(archive).arg(&prefix);
        command
    };
    let other = lab.path().join("other.tar.gz");
    fs::write(&other, "other bytes").unwrap();
    let refused = install(&other).output().unwrap();
    assert!(!refused.status.success() && !prefix.exists(), "{}", laboratory::text(&refused));
    succeeded(&mut install(archive));
    assert!(prefix.join("share/man/man1/syncline-run.1").exists());
    measures(&lab, Command::new(prefix.join("bin/syncline")).args(RUN).current_dir(lab.path()));
}

/// Nix evaluates the flake with a nixpkgs of three functions, which hand back what they were called with.
#[test]
fn the_flake_builds_this_version_of_the_program() {
    let lab = Laboratory::new();
    let expression = format!(
        r#"let
          flake = import {root}/flake.nix;
          licenses = {{ mit = "mit"; asl20 = "asl20"; }};
          pkgs = {{ lib.licenses = licenses; rustPlatform.buildRustPackage = package: package; }};
          nixpkgs = {{
            lib.genAttrs = names: make: builtins.listToAttrs (map (name: {{ inherit name; value = make name; }}) names);
            legacyPackages = {{ x86_64-linux = pkgs; aarch64-linux = pkgs; }};
          }};
          made = (flake.outputs {{ self = "source"; inherit nixpkgs; }}).packages;
        in builtins.mapAttrs (_: all: {{
          inherit (all.default) version pname;
          locked = builtins.pathExists all.default.cargoLock.lockFile;
          member = builtins.pathExists (./. + "/${{all.default.buildAndTestSubdir}}/Cargo.toml");
        }}) made"#,
        root = root().canonicalize().unwrap().display()
    );
    let mut nix = Command::new("nix-instantiate");
    nix.args(["--eval", "--strict", "--json", "--expr", &expression]).current_dir(root());
    // It keeps a store in a folder of its own, and builds nothing.
    nix.env("NIX_STORE_DIR", lab.path().join("store")).env("NIX_STATE_DIR", lab.path().join("state"));
    nix.env("NIX_LOG_DIR", lab.path().join("log")).env("HOME", lab.path());
    if Command::new("nix-instantiate").arg("--version").output().is_err() {
        skip::because("no nix-instantiate here (make tools)");
        return;
    }
    let found: serde_json::Value = serde_json::from_str(&succeeded(&mut nix)).unwrap();
    let version = succeeded(Command::new(BINARY).arg("--version"));
    for system in ["x86_64-linux", "aarch64-linux"] {
        let package = &found[system];
        assert_eq!(package["version"], version.trim_end().strip_prefix("syncline ").unwrap());
        assert_eq!((&package["locked"], &package["member"]), (&true.into(), &true.into()));
    }
}

/// In an environment of its own, as `pip install syncline` would.
#[test]
fn the_wheel_installs_a_program_that_measures() {
    let lab = Laboratory::new();
    let Packages { wheel, .. } = packages();
    let environment = lab.path().join("environment");
    succeeded(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let offline = ["install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"];
    succeeded(Command::new(environment.join("bin/pip")).args(offline).arg(wheel));
    let version = succeeded(Command::new(BINARY).arg("--version"));
    let python = environment.join("bin/python");
    assert_eq!(succeeded(Command::new(&python).args(["-m", "syncline", "--version"])), version);
    let mut command = Command::new(environment.join("bin/syncline"));
    measures(&lab, command.args(RUN).current_dir(lab.path()));
}

/// `syncline run tiny.toml` of a laboratory.
const RUN: [&str; 6] = ["run", "tiny.toml", "--dir", "disk", "--out", "run"];

/// The container file installs the Debian package in it.
#[test]
fn the_container_runs_the_debian_package_and_measures() {
    let base = Command::new(root().join("scripts/install-container-base")).output().unwrap();
    assert!(base.status.success(), "{}", laboratory::text(&base));
    if base.stdout.is_empty() {
        skip::because(String::from_utf8_lossy(&base.stderr).trim());
        return;
    }
    let base = String::from_utf8(base.stdout).unwrap();
    let lab = Laboratory::new();
    let Packages { debian, .. } = packages();
    let listing = succeeded(Command::new("dpkg-deb").arg("--contents").arg(debian));
    let unit = "./usr/lib/systemd/system/syncline-watch.service";
    for path in ["./usr/bin/syncline", "./usr/share/man/man1/syncline-run.1.gz", "completions/syncline", unit]
    {
        assert!(listing.contains(path), "{path} is not in\n{listing}");
    }
    let buildah = |arguments: &[&str]| {
        // Without a daemon, and in no folder that other containers use.
        let store = lab.path().join("containers");
        let mut command = Command::new("buildah");
        command.arg("--root").arg(store.join("root")).arg("--runroot").arg(store.join("run"));
        command.args(["--storage-driver", "vfs"]).args(arguments).current_dir(lab.path());
        command
    };
    let container = succeeded(&mut buildah(&["from", "scratch"]));
    succeeded(&mut buildah(&["add", "--quiet", container.trim(), base.trim(), "/"]));
    succeeded(&mut buildah(&["commit", "--quiet", "--rm", container.trim(), "localhost/base"]));
    let file = root().join("Containerfile").display().to_string();
    let build = ["build", "--quiet", "--isolation=chroot", "--build-arg=BASE=localhost/base"];
    let named = ["--tag", "syncline", "--file", &file];
    succeeded(buildah(&build).args(named).arg(debian.parent().unwrap()));

    let container =
        succeeded(&mut buildah(&["from", "--security-opt=seccomp=unconfined", "localhost/syncline"]));
    let volume = format!("{}:/data", lab.path().display());
    let mut command =
        buildah(&["run", "--isolation=chroot", "--volume", &volume, container.trim(), "--", "syncline"]);
    measures(&lab, command.args(RUN));
    succeeded(&mut buildah(&["rm", "--all"]));
    succeeded(&mut buildah(&["rmi", "--all", "--force"]));
}

/// The shell commands of a step of `.github/workflows/release.yml`, by the step's name.
fn step(python: &Path, name: &str) -> String {
    let print = "import sys, yaml; jobs = yaml.safe_load(open(sys.argv[1]))['jobs']; \
        print(*[step['run'] for job in jobs.values() for step in job['steps'] if step.get('name') == sys.argv[2]])";
    let workflow = root().join(".github/workflows/release.yml");
    let commands = succeeded(Command::new(python).args(["-c", print]).arg(workflow).arg(name));
    assert!(!commands.trim().is_empty(), "no step is called {name}");
    commands
}

/// The two last steps of the workflow run as its runner runs them; `gh` is a program that writes down its arguments.
#[test]
fn a_release_uploads_every_package_with_the_notes_of_its_version() {
    let Some(python) = ci_example::python() else { return };
    let lab = Laboratory::new();
    let Packages { archive, bill, formula, debian, wheel } = packages();
    let sum = archive.with_extension("gz.sha256");
    let dist = lab.path().join("target/dist");
    fs::create_dir_all(&dist).unwrap();
    let files = [archive, &sum, bill, formula, debian, wheel];
    for file in files {
        symlink(file, dist.join(file.file_name().unwrap())).unwrap();
    }
    for file in ["scripts", "CHANGELOG.md", "Cargo.toml"] {
        symlink(root().join(file), lab.path().join(file)).unwrap();
    }
    let programs = lab.path().join("programs");
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("gh"), "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$RUNNER_TEMP/arguments\"\n").unwrap();
    fs::set_permissions(programs.join("gh"), Permissions::from_mode(0o755)).unwrap();

    let version = succeeded(Command::new(BINARY).arg("--version"));
    let tag = version.trim_end().replace("syncline ", "v");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let shell = |name: &str, tag: &str| {
        let mut shell = Command::new("bash");
        shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"]).arg(step(&python, name));
        shell.current_dir(lab.path()).env("RUNNER_TEMP", lab.path()).env("PATH", &path).env("TAG", tag);
        shell
    };
    succeeded(&mut shell("the archive's program measures", &tag));
    let wrong = shell("release", "v0.0.1").output().unwrap();
    assert!(
        !wrong.status.success() && !lab.path().join("arguments").exists(),
        "{}",
        laboratory::text(&wrong)
    );
    succeeded(&mut shell("release", &tag));

    let arguments = fs::read_to_string(lab.path().join("arguments")).unwrap();
    let arguments: BTreeSet<&str> = arguments.lines().collect();
    assert!(arguments.contains(&*tag), "{arguments:?}");
    for file in files {
        let name = format!("target/dist/{}", file.file_name().unwrap().to_str().unwrap());
        assert!(arguments.contains(&*name), "{name} is not in {arguments:?}");
    }
    let notes = fs::read_to_string(lab.path().join("notes.md")).unwrap();
    let headings = notes.lines().filter(|line| line.starts_with('#'));
    assert!(headings.clone().all(|line| line.starts_with("### ")) && headings.count() > 0, "{notes}");
}

#[test]
fn actionlint_accepts_the_workflows() {
    let Some(actionlint) = ci_example::cached("actionlint-v1.7.12/actionlint") else { return };
    let workflows = root().join(".github/workflows");
    for workflow in fs::read_dir(workflows)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .chain([root().join(ci_example::PATH)])
    {
        succeeded(
            Command::new(&actionlint)
                .args(["-shellcheck=", "-ignore", "label \"bare-metal\" is unknown"])
                .arg(workflow),
        );
    }
}

/// `make test`, killed in the middle of debootstrap, left a mounted proc below the cache folder, and `rm` went into it.
#[test]
fn a_container_base_whose_making_is_killed_leaves_no_mount() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root runs debootstrap");
        return;
    }
    let lab = Laboratory::new();
    let (programs, cache) = (lab.path().join("programs"), lab.path().join("cache"));
    fs::create_dir(&programs).unwrap();
    // Its last argument but for the mirror is the tree, as the script calls it.
    let debootstrap = "#!/bin/sh\nfor tree in \"$@\"; do :; done\nmkdir -p \"$tree/proc\"\nmount -t proc none \"$tree/proc\" || exit 1\ntouch \"$tree/../mounted\"\nsleep 600\n";
    fs::write(programs.join("debootstrap"), debootstrap).unwrap();
    fs::set_permissions(programs.join("debootstrap"), Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut script = Command::new(root().join("scripts/install-container-base"));
    script.env("PATH", path).env("XDG_CACHE_HOME", &cache).stdout(Stdio::null()).process_group(0);
    let mut script = script.spawn().unwrap();
    let is_mounted = || {
        let works = fs::read_dir(cache.join("syncline")).into_iter().flatten().flatten();
        works.into_iter().any(|entry| entry.path().join("mounted").exists())
    };
    while !is_mounted() {
        assert!(script.try_wait().unwrap().is_none(), "it ended");
        // The script unshares its mounts in a directory whose name it makes up.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let below: Vec<&str> =
        mounts.lines().filter(|line| line.contains(&*lab.path().display().to_string())).collect();
    let group = rustix::process::Pid::from_child(&script);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    script.wait().unwrap();
    for mount in below.iter().filter_map(|line| line.split(' ').nth(4)) {
        let _ = Command::new("umount").args(["--lazy", mount]).status();
    }
    assert!(below.is_empty(), "{below:?}");
}
