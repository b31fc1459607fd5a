//! The release archive that `make dist` makes, packed here from the binary under test by the same script.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BINARY: &str = env!("CARGO_BIN_EXE_syncline");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn succeeded(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// Packs the binary below `output`; the path of the archive.
fn pack(output: &Path) -> PathBuf {
    let mut script = Command::new(root().join("scripts/dist"));
    // At another place: where it was called from is in no archive. The time is given, for a commit may come in between.
    script
        .arg(BINARY)
        .arg(output)
        .current_dir(output.parent().unwrap())
        .env("SOURCE_DATE_EPOCH", "1700000000");
    let archive = succeeded(&mut script);
    PathBuf::from(archive.trim_end())
}

#[test]
fn the_archive_unpacks_to_a_program_that_runs_with_all_that_goes_with_it() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let archive = pack(&directory.path().join("one"));
    let version = succeeded(Command::new(BINARY).arg("--version"));
    let name = archive.file_name().unwrap().to_str().unwrap().strip_suffix(".tar.gz").unwrap();
    let number = version.trim_end().strip_prefix("syncline ").unwrap();
    assert!(name.starts_with(&format!("syncline-{number}-")) && name.contains("linux"), "{name}");

    let sum = fs::read_to_string(directory.path().join("one").join(format!("{name}.tar.gz.sha256"))).unwrap();
    assert!(sum.ends_with(&format!("  {name}.tar.gz\n")), "{sum}");
    succeeded(
        Command::new("sha256sum")
            .arg("--check")
            .arg("-")
            .stdin(
                fs::File::open(directory.path().join("one").join(format!("{name}.tar.gz.sha256"))).unwrap(),
            )
            .current_dir(directory.path().join("one")),
    );

    succeeded(Command::new("tar").args(["-xzf"]).arg(&archive).current_dir(directory.path()));
    let unpacked = directory.path().join(name);
    let program = unpacked.join("syncline");
    assert_eq!(succeeded(Command::new(&program).arg("--version")), version);
    assert!(
        fs::metadata(&program).unwrap().len() < fs::metadata(BINARY).unwrap().len(),
        "it is not stripped"
    );
    // The studies are in the binary, not beside it.
    assert!(succeeded(Command::new(&program).arg("studies").current_dir("/")).contains("wal-layout"));
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
    let (one, other) = (pack(&directory.path().join("one")), pack(&directory.path().join("other")));
    assert!(fs::read(&one).unwrap() == fs::read(&other).unwrap(), "two archives of one binary differ");

    let listing =
        succeeded(Command::new("tar").args(["--list", "--verbose", "--numeric-owner", "-zf"]).arg(&one));
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
