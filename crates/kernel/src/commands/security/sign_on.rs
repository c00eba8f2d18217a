//! Checks of credentials on behalf of a task: their turn, how long they must wait, and what is told of them.

use std::sync::Arc;
use std::time::Instant;

use ::security::guesses::{Guesses, Refused};
use spec::cond;
use tokio::sync::Semaphore;

use crate::limits::PASSWORD_CHECKS_MAX;
use crate::raise::{Outcome, RaiseCondition};
use crate::security::{Credentials, SignOnError, Users, Verified};
use crate::task::{Task, WaitKind};

/// RESP2 where whoever knows the users does not answer.
pub(crate) const MANAGER_SILENT: i32 = 29;

/// Checks take turns.
static CHECKS: Semaphore = Semaphore::const_new(PASSWORD_CHECKS_MAX);

/// Checks credentials off the TCB: it takes a while by design.
///
/// # Errors
/// The abend of a task that was purged meanwhile; INVREQ if the check itself failed.
pub(crate) async fn check(task: &Task, credentials: Credentials) -> Outcome<Result<Verified, SignOnError>> {
    let users = Arc::clone(&Users::of(&task.region).file);
    let guesses: &Guesses = task.region.part();
    let (user, address) = (*credentials.user.as_bytes(), credentials.address);
    let teller = Teller { task, credentials: credentials.clone() };
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
    let checking = async {
        tokio::time::sleep(wait).await;
        // The permit goes with the check: one whose task was purged still costs what it costs.
        let permit = CHECKS.acquire().await;
        let check = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            users.sign_on(&credentials)
        });
        check.await
    };
    let checked = task.wait(WaitKind::TCB, checking).await?.map_err(|failure| {
        tracing::error!(target: "XS", "the password of {} could not be checked: {failure}", teller.credentials.user);
        cond::INVREQ.raise(MANAGER_SILENT)
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

/// Tells of somebody who is not signed on.
struct Teller<'t> {
    task: &'t Task,
    credentials: Credentials,
}

impl Teller<'_> {
    /// In the log.
    fn tell(&self, why: &str) {
        let Credentials { user, terminal, .. } = &self.credentials;
        let terminal = if terminal.is_empty() { String::new() } else { format!(" at terminal {terminal}") };
        if self.task.may_write_line() {
            tracing::warn!(target: "XS", "{user} is refused{terminal}: {why}");
        }
    }

    /// There, and to whoever keeps an account of it: the users did not hear of it.
    fn refused(&self, why: &str) {
        self.tell(why);
        Users::of(&self.task.region).file.not_signed_on(&self.credentials, why);
    }
}
