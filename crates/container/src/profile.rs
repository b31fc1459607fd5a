//! The seccomp profile in the description that a runtime made of a container: `config.json` of the OCI runtime
//! specification (`linux.seccomp`, <https://github.com/opencontainers/runtime-spec/blob/main/config-linux.md#seccomp>).

use crate::access::Access;
use serde::Deserialize;

/// What a program needs that uses a ring.
const SYSTEM_CALLS: [&str; 3] = ["io_uring_setup", "io_uring_enter", "io_uring_register"];

/// Why a description cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a container's config.json: {why}")]
pub struct ConfigError {
    why: String,
}

#[derive(Deserialize)]
struct Config {
    linux: Option<Linux>,
}

#[derive(Deserialize)]
struct Linux {
    seccomp: Option<Profile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    default_action: String,
    syscalls: Option<Vec<Rule>>,
}

#[derive(Deserialize)]
struct Rule {
    names: Vec<String>,
    action: String,
    args: Option<Vec<serde_json::Value>>,
}

/// Whether the profile in a `config.json` lets a process use `io_uring`.
///
/// # Errors
/// [`ConfigError`], in one line.
pub fn io_uring_by_config(text: &str) -> Result<Access, ConfigError> {
    let config: Config =
        serde_json::from_str(text).map_err(|error| ConfigError { why: error.to_string() })?;
    let linux = config.linux.ok_or_else(|| ConfigError { why: "it has no linux".to_owned() })?;
    let Some(profile) = linux.seccomp else {
        return Ok(Access::Allowed("the container has no seccomp profile".to_owned()));
    };
    let found: Vec<Access> = SYSTEM_CALLS.iter().map(|call| profile.access(call)).collect();
    let denied = found.iter().find(|access| matches!(access, Access::Denied(_)));
    let open = found.iter().find(|access| matches!(access, Access::Open(_)));
    Ok(denied.or(open).cloned().unwrap_or_else(|| {
        Access::Allowed(
            "the container's seccomp profile allows the three system calls of io_uring".to_owned(),
        )
    }))
}

impl Profile {
    /// What holds for a system call: the rule that names it without arguments, or else the default.
    fn access(&self, call: &str) -> Access {
        let rules =
            || self.syscalls.iter().flatten().filter(|rule| rule.names.iter().any(|name| name == call));
        let has_arguments = |rule: &&Rule| rule.args.as_ref().is_some_and(|args| !args.is_empty());
        if let Some(rule) = rules().find(|rule| !has_arguments(rule)) {
            return by_action(call, &rule.action);
        }
        match rules().next() {
            Some(_) => {
                Access::Open(format!("the container's seccomp profile decides on {call} by its arguments"))
            }
            None => by_action(call, &self.default_action),
        }
    }
}

fn by_action(call: &str, action: &str) -> Access {
    match action {
        "SCMP_ACT_ALLOW" | "SCMP_ACT_LOG" => {
            Access::Allowed(format!("the container's seccomp profile allows {call}"))
        }
        "SCMP_ACT_ERRNO"
        | "SCMP_ACT_KILL"
        | "SCMP_ACT_KILL_PROCESS"
        | "SCMP_ACT_KILL_THREAD"
        | "SCMP_ACT_TRAP" => {
            Access::Denied(format!("the container's seccomp profile denies {call} ({action})"))
        }
        other => Access::Open(format!("the container's seccomp profile hands {call} on ({other})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn config(default: &str, rules: &Value) -> String {
        json!({ "linux": { "seccomp": { "defaultAction": default, "syscalls": rules } } }).to_string()
    }

    #[test]
    fn the_rule_that_names_a_call_counts_before_the_default() {
        type Is = fn(&Access) -> bool;
        let rule = |names: &[&str], action: &str| json!({ "names": names, "action": action });
        let (allow, errno) = ("SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO");
        let all = rule(&SYSTEM_CALLS, allow);
        let two = rule(&SYSTEM_CALLS[..2], allow);
        let by_arguments = json!({
            "names": SYSTEM_CALLS, "action": allow, "args": [{ "index": 0, "value": 1, "op": "SCMP_CMP_EQ" }],
        });
        let allowed: Is = |access| matches!(access, Access::Allowed(_));
        let denied: Is = |access| matches!(access, Access::Denied(_));
        let open: Is = |access| matches!(access, Access::Open(_));
        for (default, rules, is) in [
            (errno, json!([rule(&["read"], allow), all]), allowed),
            // What Docker 25 and containerd 2 have: a list without them.
            (errno, json!([rule(&["read"], allow)]), denied),
            (errno, json!([two]), denied),
            (allow, json!([rule(&["io_uring_setup"], errno)]), denied),
            (allow, Value::Null, allowed),
            (errno, json!([by_arguments]), open),
            ("SCMP_ACT_NOTIFY", json!([]), open),
        ] {
            let access = io_uring_by_config(&config(default, &rules)).unwrap();
            assert!(is(&access), "{default} {rules}: {access:?}");
        }
        assert!(allowed(&io_uring_by_config(r#"{"linux":{}}"#).unwrap()));
    }

    #[test]
    fn what_is_not_a_description_is_refused_in_one_line() {
        for text in ["", "{}", "[]", "{\"linux\":{\"seccomp\":{}}}", "{\"linux\":{\"seccomp\":[]}}"] {
            let why = io_uring_by_config(text).unwrap_err().to_string();
            assert!(!why.contains('\n'), "{why}");
        }
    }
}
