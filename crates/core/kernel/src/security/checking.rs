//! Checks of credentials: their turn, their delays, and the messages about them. Tasks and doors have the same.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use ::security::guesses::{Guesses, Refused};
use tokio::sync::Semaphore;
use tokio::task::JoinError;

use super::{Credentials, Secret, SignOnError, User, Users, Verified};
use crate::limits::PASSWORD_CHECKS_MAX;
use crate::lines::Site;
use crate::name::Name8;
use crate::region::Region;

/// Checks take turns.
static CHECKS: Semaphore = Semaphore::const_new(PASSWORD_CHECKS_MAX);

/// Result of a check: the user, or the reason of the refusal.
pub type SignOn = Result<Verified, SignOnError>;

/// Checks credentials off the TCB: it takes a while by design, and more where passwords were wrong lately. `may_tell` is asked
/// before a line is written to the log.
///
/// # Errors
/// The check itself failed.
pub async fn check(
    region: &Region,
    credentials: Credentials,
    may_tell: impl Fn() -> bool,
) -> Result<SignOn, JoinError> {
    let users = Arc::clone(&Users::of(region).file);
    let guesses: &Guesses = region.part();
    let (user, address) = (*credentials.user.as_bytes(), credentials.address);
    let teller = Teller { region, credentials: credentials.clone(), may_tell };
    let wait = match guesses.begin(user, address, Instant::now()) {
        Ok(wait) => wait,
        Err(Refused::TooMany) => {
            teller.refused("too many passwords were wrong lately");
            return Ok(Err(SignOnError::WrongPassword));
        }
        Err(Refused::Revoked) => {
            teller.refused("the user is revoked for now: too many passwords were wrong");
            return Ok(Err(SignOnError::Revoked));
        }
    };
    let wrong = guesses.wrong(user, address);
    tokio::time::sleep(wait).await;
    // The permit goes with the check: one whose task was purged, or whose client has gone, still costs what it costs.
    let permit = CHECKS.acquire().await;
    let check = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        users.sign_on(&credentials)
    });
    let checked = check.await.inspect_err(|failure| {
        let user = &teller.credentials.user;
        tracing::error!(target: "XS", "the password of {user} could not be checked: {failure}");
    })?;
    match &checked {
        Ok(_) | Err(SignOnError::Expired | SignOnError::NewRefused(_)) => guesses.was_right(user, address),
        Err(SignOnError::Silent) => {}
        Err(SignOnError::UnknownUser | SignOnError::WrongPassword | SignOnError::Revoked) => {
            if guesses.was_wrong(user, address, Instant::now()) {
                teller.refused("too many passwords were wrong in a row: the user is revoked for now");
            }
        }
    }
    if let Err(why) = &checked {
        teller.tell(&format!("{why:?}"));
    }
    Ok(checked.map(|mut verified| {
        verified.standing.wrong = wrong;
        verified
    }))
}

/// The user whom a door is shown a password of, if it is right.
pub async fn check_at_door(region: &Region, user: Name8, password: String, from: IpAddr) -> Option<User> {
    let credentials = Credentials {
        user,
        secret: Secret::typed(password),
        new: None,
        signs_on: true,
        address: Some(from),
        terminal: String::new(),
    };
    static LINES: Site = Site::new();
    check(region, credentials, || LINES.may_write(Instant::now()).0)
        .await
        .ok()?
        .ok()
        .map(|verified| verified.user)
}

/// Tells of a user who is not signed on.
struct Teller<'r, F> {
    region: &'r Region,
    credentials: Credentials,
    may_tell: F,
}

impl<F: Fn() -> bool> Teller<'_, F> {
    /// In the log.
    fn tell(&self, why: &str) {
        let Credentials { user, terminal, .. } = &self.credentials;
        let terminal = if terminal.is_empty() { String::new() } else { format!(" at terminal {terminal}") };
        if (self.may_tell)() {
            tracing::warn!(target: "XS", "{user} is refused{terminal}: {why}");
        }
    }

    /// Reports a refusal there, and to the audit: the users file did not see it.
    fn refused(&self, why: &str) {
        self.tell(why);
        Users::of(self.region).file.not_signed_on(&self.credentials, why);
    }
}
