//! Users and profiles, read again: those who are signed on get what they may do now.

use std::sync::Arc;

use super::Terminals;
use crate::region::Region;
use crate::security::{self, NotRebuilt, Users};

/// Reads the profiles again, and the users who are signed on at terminals: one who was removed or revoked is signed off.
/// The number of profiles. It reads files: not for a TCB.
///
/// # Errors
/// The profiles before stay; the log says why.
pub fn rebuild_security(region: &Region) -> Result<usize, NotRebuilt> {
    let rebuilt = security::rebuild(region);
    let users = Users::of(region);
    for terminal in Terminals::of(region).list() {
        let before = terminal.user();
        if before.is_default {
            continue;
        }
        let now = users.file.again(&before).map_or_else(
            || {
                users.file.signed_off(&before, &terminal.name.to_string());
                tracing::warn!(target: "XS", "{} is signed off at {}: no such user any more", before.id, terminal.name);
                Arc::clone(&users.default)
            },
            Arc::new,
        );
        // Another user may have signed on there meanwhile.
        if Arc::ptr_eq(&terminal.user(), &before) {
            terminal.set_user(now);
        }
    }
    rebuilt
}
