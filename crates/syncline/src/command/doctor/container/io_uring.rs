//! Whether the process may have a ring.

use crate::command::doctor::check::{Check, Sign, check};
use ::container::{Access, Look, io_uring};

/// Whether this process could have a ring, or why not; `None` of another process.
pub(super) type Tried<'a> = Option<Result<(), &'a str>>;

pub(super) fn of_rings(look: &Look, tried: Tried<'_>) -> Vec<Check> {
    let found = match access(look, tried) {
        Access::Allowed(why) => check(
            Sign::Good,
            format!("io_uring is allowed: {why}"),
            "io_method = io_uring of PostgreSQL 18 can start if the program was built with liburing; neither that nor \
             a security module (SELinux, AppArmor) is checked",
        ),
        Access::Denied(why) => check(
            Sign::Bad,
            format!("io_uring is denied: {why}"),
            "io_method = io_uring ends with \"could not setup io_uring queue\": keep io_method = worker, or run the \
             container with a seccomp profile that also allows io_uring_setup, io_uring_enter and io_uring_register",
        ),
        Access::Open(why) => check(
            Sign::Unchecked,
            format!("io_uring is not checked: {why}"),
            "syncline doctor --container self tries it, in the container or in a pod with the same securityContext",
        ),
    };
    let privileges = match look.status.no_new_privileges {
        Some(true) => Some(check(
            Sign::Good,
            "no new privileges (NoNewPrivs)",
            "it cannot gain privileges by a setuid program; io_uring needs none",
        )),
        Some(false) | None => None,
    };
    [found].into_iter().chain(privileges).collect()
}

/// What was tried, or else what was seen.
pub(super) fn access(look: &Look, tried: Tried<'_>) -> Access {
    match tried {
        Some(Ok(())) => Access::Allowed("this process made a ring".to_owned()),
        Some(Err(why)) => Access::Denied(why.to_owned()),
        None => io_uring(look),
    }
}
