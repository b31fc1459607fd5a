//! What an acknowledged request survives under a server's settings.

use super::levels::ServerKind;
use model::{DurabilityClass, PromiseTable, RequestKind};

/// The class by the server's table of promises. Reads have nothing to lose and count as writes without a sync; a value
/// of which the table says nothing promises nothing.
pub(super) fn class<'v>(
    server: ServerKind,
    request: RequestKind,
    binary_log: bool,
    setting: impl Fn(&str) -> Option<&'v str>,
) -> DurabilityClass {
    if !request.writes() {
        return DurabilityClass::Process;
    }
    let of_log = |name: &str| match name {
        "log_bin" if binary_log => Some("binlog"),
        "sync_binlog" if binary_log => Some("1"),
        _ => None,
    };
    let stated = PromiseTable::of(server.name())
        .map(|table| table.class(|name| setting(name).or_else(|| of_log(name))));
    stated.and_then(Result::ok).unwrap_or(DurabilityClass::None)
}
