//! The files of `examples/kubernetes/`: against the schemas of the Kubernetes API, the chart rendered by Helm's own
//! engine, both where `scripts/install-kubernetes-tools` has run.

use crate::ci_example::cached;
use crate::laboratory::{root, text};
use model::metric;
use preflight::Limits;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Versions of the API: the oldest in which everything that is used is stable, and a new one.
const VERSIONS: [&str; 2] = ["1.31", "1.37"];

fn examples() -> PathBuf {
    root().join("examples/kubernetes").canonicalize().unwrap()
}

/// What the script prints: the documents, each valid; `None`, with the reason recorded, without its tools.
fn documents(arguments: &[&str]) -> Option<Vec<Value>> {
    let python = cached("kubernetes-tools/venv/bin/python")?;
    let script = root().join("crates/syncline/tests/it/preflight_kubernetes.py");
    let output = Command::new(python).arg(script).arg(VERSIONS.join(",")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn manifests() -> Option<Vec<Value>> {
    documents(&["manifest", examples().join("preflight.yaml").to_str().unwrap()])
}

fn chart(values: &Value) -> Option<Vec<Value>> {
    documents(&["chart", examples().join("chart").to_str().unwrap(), &values.to_string()])
}

fn of_kind<'a>(documents: &'a [Value], kind: &str) -> Vec<&'a Value> {
    documents.iter().filter(|document| document["kind"] == kind).collect()
}

/// Options of a command, from its help.
fn options(command: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_syncline")).args([command, "--help"]).output().unwrap();
    let help = text(&output);
    let words = help.split(|letter: char| letter != '-' && !letter.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

/// A Job that a cluster with the restricted Pod Security Standard admits, whose command is one of this program's.
#[track_caller]
fn assert_job(job: &Value) {
    let pod = &job["spec"]["template"]["spec"];
    let (of_pod, container) = (&pod["securityContext"], &pod["containers"][0]);
    assert_eq!(of_pod["runAsNonRoot"], true);
    assert!(of_pod["runAsUser"].as_u64().unwrap() > 0 && of_pod["fsGroup"] == of_pod["runAsUser"]);
    assert_eq!(of_pod["seccompProfile"]["type"], "RuntimeDefault");
    let context = &container["securityContext"];
    assert_eq!(context["readOnlyRootFilesystem"], true);
    assert_eq!(context["allowPrivilegeEscalation"], false);
    assert_eq!(context["capabilities"]["drop"], json!(["ALL"]));
    assert_eq!(pod["automountServiceAccountToken"], false);
    // The rule of failed pods needs it.
    assert_eq!(pod["restartPolicy"], "Never");
    let codes = &job["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"];
    assert_eq!((&codes["containerName"], &codes["values"]), (&container["name"], &json!([2, 3, 99])));
    let arguments: Vec<&str> =
        container["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(arguments[..2], ["--no-defaults", "preflight"]);
    let known = options("preflight");
    for argument in &arguments[2..] {
        let (option, value) = argument.split_once('=').unwrap();
        assert!(known.contains(option), "no option {option}");
        // Every file is below a mount.
        let mounts = container["volumeMounts"].as_array().unwrap();
        let mut places = mounts.iter().map(|mount| mount["mountPath"].as_str().unwrap()).chain(["/dev"]);
        assert!(!value.starts_with('/') || places.any(|place| value.starts_with(place)), "{argument}");
    }
    let volumes = pod["volumes"].as_array().unwrap();
    for mount in container["volumeMounts"].as_array().unwrap() {
        assert!(volumes.iter().any(|volume| volume["name"] == mount["name"]), "{mount}");
    }
}

/// The limits of a ConfigMap can be read, and the usual studies have their metrics.
#[track_caller]
fn assert_limits(map: &Value) -> usize {
    let schemas = ["commit", "device"].map(|workload| workload::schema(workload).unwrap());
    let families = metric::FAMILIES
        .iter()
        .filter(|family| schemas.iter().any(|schema| schema.metrics.contains(&family.name)));
    let metrics: Vec<String> = families.flat_map(metric::of_family).map(|metric| metric.name()).collect();
    let limits = Limits::parse(map["data"]["limits.toml"].as_str().unwrap()).unwrap();
    limits.on(&metrics, "the usual studies").unwrap().len()
}

#[test]
fn the_job_is_valid_unprivileged_and_judges_by_its_map() {
    let Some(documents) = manifests() else { return };
    let [map, claim, job] = &documents[..] else { panic!("{documents:?}") };
    assert_job(job);
    assert_eq!(assert_limits(map), 3);
    let shipped = fs::read_to_string(examples().join("limits.toml")).unwrap();
    assert_eq!(map["data"]["limits.toml"].as_str().unwrap(), shipped);
    let volumes = &job["spec"]["template"]["spec"]["volumes"];
    assert_eq!(volumes[0]["persistentVolumeClaim"]["claimName"], claim["metadata"]["name"]);
    assert_eq!(volumes[1]["configMap"]["name"], map["metadata"]["name"]);
}

#[test]
fn the_chart_has_a_job_for_each_class_and_each_claim() {
    let values = json!({
        "storageClasses": [{ "name": "fast.example.com" }, { "name": "slow", "size": "1Ti" }],
        "claims": ["pgdata-0"],
        "limits": ["commit_latency_p99 <= 10ms", "commits_per_s >= 500"],
        "budget": "3m",
        "arguments": ["--fix=runtime=10s"],
        "tolerations": [{ "key": "database", "operator": "Exists" }],
    });
    let Some(documents) = chart(&values) else { return };
    let (jobs, claims) = (of_kind(&documents, "Job"), of_kind(&documents, "PersistentVolumeClaim"));
    assert_eq!((jobs.len(), claims.len(), documents.len()), (3, 2, 6));
    let names: BTreeSet<&str> = jobs.iter().map(|job| job["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let maps = of_kind(&documents, "ConfigMap");
    assert_eq!(assert_limits(maps[0]), 2);
    for job in &jobs {
        assert_job(job);
        let pod = &job["spec"]["template"]["spec"];
        let arguments = pod["containers"][0]["args"].as_array().unwrap();
        assert!(arguments.contains(&"--budget=3m".into()) && arguments.contains(&"--fix=runtime=10s".into()));
        assert_eq!(pod["volumes"][1]["configMap"]["name"], maps[0]["metadata"]["name"]);
    }
    let used: BTreeSet<&str> = jobs
        .iter()
        .map(|job| job.pointer("/spec/template/spec/volumes/0/persistentVolumeClaim/claimName").unwrap())
        .map(|name| name.as_str().unwrap())
        .collect();
    let made = claims.iter().map(|claim| claim["metadata"]["name"].as_str().unwrap());
    assert_eq!(used, made.chain(["pgdata-0"]).collect());
    assert_eq!(claims[1]["spec"]["resources"]["requests"]["storage"], "1Ti");
}

#[test]
fn the_chart_without_values_has_its_limits_and_no_job() {
    let Some(documents) = chart(&json!({})) else { return };
    assert_eq!(of_kind(&documents, "Job").len(), 0);
    assert_eq!(assert_limits(of_kind(&documents, "ConfigMap")[0]), 3);
}
