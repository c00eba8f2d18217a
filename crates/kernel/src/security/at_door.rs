//! Passwords that a door is given, before there is a task.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;

use super::{Guesses, User, Users};
use crate::limits::PASSWORD_CHECKS_MAX;
use crate::name::Name8;
use crate::region::Region;

/// Checks take turns.
pub(crate) static CHECKS: Semaphore = Semaphore::const_new(PASSWORD_CHECKS_MAX);

/// The user, if the password is right. It takes a while by design, and more where passwords were wrong lately.
pub async fn check_at_door(region: &Region, user: Name8, password: String, from: IpAddr) -> Option<User> {
    let (users, id, address) = (Arc::clone(&Users::of(region).file), user.to_string(), Some(from));
    let guesses = Guesses::of(region);
    let Some(wait) = guesses.begin(user, address, Instant::now()) else {
        tracing::warn!(target: "XS", "{user} is refused from {from}: too many passwords were wrong lately");
        return None;
    };
    tokio::time::sleep(wait).await;
    // The permit goes with the check: one whose client has gone still costs what it costs.
    let permit = CHECKS.acquire().await;
    let check = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        users.sign_on(&id, &password)
    });
    match check.await {
        Ok(Ok(user)) => {
            guesses.was_right(user.id, address, Instant::now());
            Some(user)
        }
        Ok(Err(why)) => {
            guesses.was_wrong(user, address, Instant::now());
            tracing::warn!(target: "XS", "{user} is refused from {from}: {why:?}");
            None
        }
        Err(failure) => {
            tracing::error!(target: "XS", "the password of {user} could not be checked: {failure}");
            None
        }
    }
}
