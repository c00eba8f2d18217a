//! The parts that all connections of a console share.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::guard::Names;
use crate::host::{Answered, Change, Host, Look, Refused, Terminals};
use crate::limits::{CHANGE_TIME, CHANGES_MAX, LOOK_TIME, LOOKS_MAX};
use crate::sessions::{Session, Sessions};

/// The other end of a connection.
pub(crate) struct Client {
    /// Its address.
    pub peer: SocketAddr,
    /// The fingerprint of the certificate that it has proved to be its own.
    pub certificate: Option<String>,
}

/// A console.
pub(crate) struct Desk<H: Host> {
    pub host: Arc<H>,
    pub terminals: Rc<dyn Terminals<H::User>>,
    pub sessions: Sessions<H::User>,
    pub names: Names,
    /// True if connections are encrypted.
    pub secure: bool,
    looks: Semaphore,
    changes: Semaphore,
}

impl<H: Host> Desk<H> {
    pub fn new(
        host: Arc<H>,
        terminals: Rc<dyn Terminals<H::User>>,
        sessions: Sessions<H::User>,
        (names, secure): (Names, bool),
    ) -> Self {
        let (looks, changes) = (Semaphore::new(LOOKS_MAX), Semaphore::new(CHANGES_MAX));
        Self { host, terminals, sessions, names, secure, looks, changes }
    }

    /// Returns true if the user of a session may still have one; the certificate of the sign-on still has to be the user's.
    pub fn may_have(&self, session: &Session<H::User>) -> bool {
        let is_owner = |certificate: &String| {
            self.host.owner(certificate).is_some_and(|owner| self.host.id(&owner) == session.name)
        };
        self.host.again(&session.user).is_some() && session.certificate.as_ref().is_none_or(is_owner)
    }

    /// Answers a question, in its turn.
    pub async fn look(&self, user: &H::User, look: Look) -> Answered {
        let user = self.host.again(user).ok_or(Refused::NotPermitted)?;
        // It is never closed.
        let _turn = self.looks.acquire().await;
        timeout(LOOK_TIME, self.host.look(user, look)).await.unwrap_or(Err(Refused::TooSlow))
    }

    /// Changes the region, in its turn.
    pub async fn change(&self, user: &H::User, change: Change) -> Answered {
        let user = self.host.again(user).ok_or(Refused::NotPermitted)?;
        let _turn = self.changes.acquire().await;
        timeout(CHANGE_TIME, self.host.change(user, change)).await.unwrap_or(Err(Refused::TooSlow))
    }
}
