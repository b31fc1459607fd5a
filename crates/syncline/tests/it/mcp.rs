//! `syncline mcp` with the official client of MCP in Python (`scripts/install-mcp-client`): its program is
//! `mcp_client.py` beside this file.

use crate::laboratory;

use laboratory::{Laboratory, observing, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

/// The client's python; `None`, with the reason printed, if it was not installed.
fn python() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let python = cache.join("syncline/mcp-client/venv/bin/python");
    if !python.exists() {
        skip::because("no client of MCP (make tools)");
        return None;
    }
    Some(python)
}

/// What the client saw in a scene, with the server at work in the laboratory.
fn scene(lab: &Laboratory, name: &str, options: &[&str]) -> Option<Value> {
    let client = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp_client.py");
    let mut command = Command::new(python()?);
    command.arg(client).args([name, env!("CARGO_BIN_EXE_syncline")]).arg(lab.path()).args(options);
    let output = command.env("XDG_CONFIG_HOME", lab.path().join("configuration")).output().unwrap();
    assert!(output.status.success(), "{name}: {}", text(&output));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// An audit may fail on a busy machine; it is still a result.
fn assert_measured(result: &Value) {
    assert_eq!(result["is_error"], false, "{result}");
    let structured = &result["structured"];
    assert!(matches!(structured["ending"].as_str(), Some("success" | "audit_failed")), "{structured}");
}

#[test]
fn a_client_lists_tools_measures_and_reads() {
    let lab = Laboratory::new();
    let Some(seen) = scene(&lab, "measure", &[]) else { return };
    let tools: Vec<&str> =
        seen["tools"].as_array().unwrap().iter().map(|tool| tool.as_str().unwrap()).collect();
    for tool in ["check", "run", "observe", "advise", "prove", "audit", "report"] {
        assert!(tools.contains(&tool), "{tools:?}");
    }
    assert_measured(&seen["run"]);
    let progress: Vec<f64> =
        seen["progress"].as_array().unwrap().iter().map(|step| step[0].as_f64().unwrap()).collect();
    assert!(progress.len() >= 2 && progress.windows(2).all(|pair| pair[0] < pair[1]), "{progress:?}");
    let studies = seen["run"]["structured"]["document"]["studies"].as_array().unwrap();
    assert_eq!(studies[0]["name"], "tiny");
    assert_measured(&seen["report"]);
    assert_eq!(seen["report"]["structured"]["document"]["run"], seen["run"]["structured"]["document"]["run"]);
    lab.assert_clean();
}

/// The progress of a tool, which increases.
fn steps(result: &Value) -> usize {
    let steps = result["progress"].as_array().unwrap();
    let done: Vec<f64> = steps.iter().map(|step| step[0].as_f64().unwrap()).collect();
    assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{result}");
    steps.len()
}

#[test]
fn every_tool_that_is_quick_runs_to_a_result() {
    let lab = Laboratory::new();
    let Some(seen) = scene(&lab, "tools", &[]) else { return };
    assert_measured(&seen["check"]);
    assert!(steps(&seen["check"]) >= 2, "{seen}");
    assert!(!seen["check"]["structured"]["document"]["studies"].as_array().unwrap().is_empty());
    for (tool, part) in [("audit", "studies"), ("advise", "advice")] {
        assert_measured(&seen[tool]);
        assert!(seen[tool]["structured"]["document"][part].is_array(), "{}", seen[tool]);
    }
    if observing::is_possible() {
        assert_measured(&seen["observe"]);
        assert!(steps(&seen["observe"]) >= 1, "{seen}");
    } else {
        assert_eq!(seen["observe"]["is_error"], true);
        assert!(!seen["observe"]["text"].as_str().unwrap().contains('\n'));
    }
    if cfg!(feature = "survive") {
        let survive = &seen["survive"];
        assert_eq!(survive["is_error"], false, "{survive}");
        let structured = &survive["structured"];
        if structured["document"]["no_crashes"].is_null() {
            assert_eq!((structured["ending"].as_str(), steps(survive)), (Some("success"), 2), "{survive}");
        } else {
            assert_eq!(structured["ending"], "undecided", "{survive}");
        }
    }
    lab.assert_clean();
}

#[test]
fn a_call_that_is_cancelled_leaves_nothing_and_goes_on() {
    let lab = Laboratory::new();
    let Some(seen) = scene(&lab, "cancel", &[]) else { return };
    // Measuring is free again only when the cancelled command has ended.
    assert_measured(&seen["resumed"]);
    let run = PathBuf::from(seen["resumed"]["structured"]["document"]["run"].as_str().unwrap());
    assert!(fs::read_to_string(run.join("trials.jsonl")).unwrap().lines().count() > 0);
    assert_eq!(seen["processes"], 0, "{seen}");
    lab.assert_clean();
}

#[test]
fn a_client_that_is_gone_leaves_nothing() {
    let lab = Laboratory::new();
    let Some(seen) = scene(&lab, "leave", &[]) else { return };
    assert_eq!(seen["processes"], 0, "{seen}");
    lab.assert_clean();
}

#[test]
fn a_call_ends_at_its_bounds() {
    let lab = Laboratory::new();
    let Some(seen) = scene(&lab, "bounds", &["--max-bytes", "1MiB"]) else { return };
    let result = &seen["result"];
    assert_eq!(result["is_error"], true, "{result}");
    assert!(result["text"].as_str().unwrap().contains("--max-bytes"), "{result}");
    lab.assert_clean();
}

#[test]
fn what_is_wrong_or_outside_is_one_line() {
    let lab = Laboratory::new();
    symlink("/", lab.path().join("link")).unwrap();
    let Some(seen) = scene(&lab, "refuse", &[]) else { return };
    let refused = seen["refused"].as_array().unwrap();
    assert!(refused.len() >= 8);
    for result in refused {
        assert_eq!(result["is_error"], true, "{result}");
        let told = result["text"].as_str().unwrap();
        assert!(!told.contains('\n') && !told.starts_with("error:") && !told.contains("Usage:"), "{result}");
    }
    assert!(!lab.path().join("syncline-runs").exists(), "nothing was measured");
}
