//! The first hour of five kinds of users: their scripts run against the built program, with one round.

use crate::laboratory::{Laboratory, text};
#[cfg(feature = "object-store")]
use crate::scan_s3::gateway::Gateway;
use std::env;
use std::path::Path;
use std::process::Command;

/// A walk ends with every command done and every line on its screen, and leaves nothing behind.
#[track_caller]
fn walk(script: &str) {
    walk_with(script, []);
}

/// The same with further variables in its environment.
#[track_caller]
fn walk_with(script: &str, environment: impl IntoIterator<Item = (&'static str, String)>) {
    // A server of PostgreSQL's runs as another user, who has to come there.
    let lab = Laboratory::open_to_all();
    let program = Path::new(env!("CARGO_BIN_EXE_syncline"));
    let others = env::var_os("PATH").unwrap_or_default();
    let path = [program.parent().unwrap().to_owned()].into_iter().chain(env::split_paths(&others));
    let output =
        Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/walks").join(script))
            .arg(lab.disk())
            .env("PATH", env::join_paths(path).unwrap())
            .env("ROUNDS", "1")
            .env("PAIRS", "6")
            .env("STUDY", lab.path().join("tiny.toml"))
            .env("XDG_CONFIG_HOME", lab.path().join("configuration"))
            .envs(environment)
            .current_dir(lab.path())
            .output()
            .unwrap();
    assert!(output.status.success(), "{script}: {}", text(&output));
    lab.assert_clean();
}

/// The proof that it plans has a server.
#[cfg(feature = "postgresql")]
#[test]
fn a_database_administrator() {
    walk("dba.sh");
}

#[test]
fn a_site_reliability_engineer() {
    walk("sre.sh");
}

#[test]
fn an_engine_developer() {
    walk("engine-developer.sh");
}

#[test]
fn a_user_of_fio() {
    walk("fio-user.sh");
}

#[test]
fn a_machine_learning_engineer() {
    walk("ml-engineer.sh");
}

/// `run --for data-loader` refused every bucket, because its study varies hints to the page cache.
#[cfg(feature = "object-store")]
#[test]
fn a_machine_learning_engineer_with_a_bucket() {
    let Some(gateway) = Gateway::start() else { return };
    let train = gateway.bucket().join("train");
    std::fs::create_dir(&train).unwrap();
    for shard in 1..=16 {
        std::fs::write(train.join(format!("shard-{shard}")), vec![shard; 1 << 20]).unwrap();
    }
    let target = [("TARGET", "s3://data/train".to_owned())];
    walk_with("ml-engineer-s3.sh", Gateway::environment(gateway.address()).into_iter().chain(target));
}
