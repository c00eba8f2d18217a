//! Identity of a client: by its certificate, or by user and password.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::RequestHead;
use kernel::region::Region;
use kernel::security::{User, check_at_door};
use ports::fingerprint;
use web::{Answer, Peer};

use crate::basic::Basic;
use crate::region::Web;
use crate::service::{Authenticate, Service};

/// For how long a certificate is taken as that of a user without a look at the users.
const KNOWN_FOR: Duration = Duration::from_secs(60);
/// Certificates that are remembered at most; above it all are looked up again.
const KNOWN_MAX: usize = 1_024;

/// Whose certificates a door has seen lately: requests of kept connections do not ask again and again.
#[derive(Default)]
pub(crate) struct Seen(RefCell<HashMap<Vec<u8>, Known>>);

/// Whose a certificate is, and since when that is known.
type Known = (Arc<User>, Instant);

impl Seen {
    /// The user of the certificate that a client has shown.
    pub fn user(&self, region: &Region, peer: &Peer) -> Option<Arc<User>> {
        let certificate = peer.certificate()?;
        let mut seen = self.0.borrow_mut();
        if let Some((user, at)) = seen.get(certificate)
            && at.elapsed() < KNOWN_FOR
        {
            return Some(Arc::clone(user));
        }
        // One without a user is not remembered: it may be registered at another door of the service.
        let user = Arc::new(Web::of(region).certificates()?.user(&fingerprint(certificate))?);
        if seen.len() >= KNOWN_MAX {
            seen.clear();
        }
        seen.insert(certificate.to_vec(), (Arc::clone(&user), Instant::now()));
        Some(user)
    }

    /// From now on a client's certificate is a user's.
    fn register(&self, region: &Region, peer: &Peer, user: &Arc<User>) {
        let (Some(certificate), Some(certificates)) = (peer.certificate(), Web::of(region).certificates())
        else {
            return;
        };
        match certificates.register(&fingerprint(certificate), user.id) {
            Ok(()) => {
                drop(self.0.borrow_mut().insert(certificate.to_vec(), (Arc::clone(user), Instant::now())))
            }
            Err(why) => {
                tracing::error!(target: "XS", "a certificate is not registered for {}: {why}", user.id)
            }
        }
    }
}

/// Identity of a client, as far as its head and its certificate prove it.
///
/// # Errors
/// The answer to a client that has not proved one.
pub(crate) fn identified(
    region: &Region,
    service: &Service,
    seen: &Seen,
    head: &RequestHead,
    peer: &Peer,
) -> Result<(), Answer> {
    let asked = service.said.authenticate;
    let is_known = || asked.takes_certificates() && seen.user(region, peer).is_some();
    match asked {
        Authenticate::No => Ok(()),
        _ if is_known() => Ok(()),
        Authenticate::Certificate => Err(unknown_certificate()),
        _ if Basic::of(head).is_some() => Ok(()),
        _ => Err(who_is_it(region, service)),
    }
}

/// The user that a client has proved to be; `None` where that is not asked.
///
/// # Errors
/// The answer to a client that has not proved one.
pub(crate) async fn authenticated(
    region: &Region,
    service: &Service,
    seen: &Seen,
    head: &RequestHead,
    peer: &Peer,
) -> Result<Option<Arc<User>>, Answer> {
    let asked = service.said.authenticate;
    if asked.takes_certificates()
        && let Some(user) = seen.user(region, peer)
    {
        return Ok(Some(user));
    }
    match asked {
        Authenticate::No => return Ok(None),
        Authenticate::Certificate => return Err(unknown_certificate()),
        _ => {}
    }
    let basic = Basic::of(head).filter(|_| asked.takes_basic());
    let Some(Basic { user, password }) = basic else { return Err(who_is_it(region, service)) };
    let checked = check_at_door(region, user, password, peer.client.ip()).await;
    let user = Arc::new(checked.ok_or_else(|| who_is_it(region, service))?);
    if asked.registers() {
        seen.register(region, peer, &user);
    }
    Ok(Some(user))
}

fn unknown_certificate() -> Answer {
    Answer::text(403, "this certificate is no user's")
}

/// That a client is to say who it is.
fn who_is_it(region: &Region, service: &Service) -> Answer {
    let applid = region.options.applid;
    let realm = service.said.realm.clone().unwrap_or_else(|| format!("CICS application {applid}"));
    let mut answer = Answer::text(401, "who is it?");
    // A realm that is no header's value is left out with the header.
    let _ = answer.fields.push("WWW-Authenticate", format!("Basic realm=\"{realm}\""));
    answer
}
