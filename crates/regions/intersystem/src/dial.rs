//! Making the link to a partner.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::Users;
use link::{Begin, Hello, Link, Patience, Purpose, Timer};
use operation::system::AllSessions;
use tokio::time::timeout;

use crate::build::{Build, Numbers};
use crate::hello::hello;
use crate::limits::DIAL_TIME;
use crate::partner::{Partner, Sort};
use crate::place;
use crate::systems::{Own, Systems};

/// Makes a link to a partner, on this thread.
///
/// # Errors
/// There is none, and why.
pub(crate) async fn dial(
    region: &Arc<Region>,
    own: &Own,
    partner: &Arc<Partner>,
    purpose: Purpose,
) -> Result<(Link, Option<SocketAddr>), String> {
    let setup = Systems::of(region).setup();
    let no_time = || format!("it has not answered within {} s", DIAL_TIME.as_secs());
    let (halves, patience, certificate, address) = match partner.sort {
        Sort::Connection => {
            let folder = setup.folder.as_ref().ok_or("`folder` of [links] in region.toml is missing")?;
            let path = place::path(folder, partner.applid);
            let path = path.map_err(|error| format!("{}: {error}", folder.display()))?;
            let connected = timeout(DIAL_TIME, link::carrier::connect_unix(path.as_ref())).await;
            let halves = connected.map_err(|_| no_time())?;
            let halves = halves.map_err(|error| format!("it is not there: {error}"))?;
            (halves, Patience::HERE, None, None)
        }
        Sort::Ipconn => {
            let identity = setup.identity.as_ref();
            let identity = identity.ok_or("certificate, key and authorities of [links] are missing")?;
            let port = partner.definition.number("PORT").and_then(|port| u16::try_from(port).ok());
            let port = port.ok_or("PORT(NO): it connects to this region")?;
            let connected = timeout(DIAL_TIME, identity.connect(partner.text("HOST"), port)).await;
            let connected = connected.map_err(|_| no_time())?.map_err(|error| error.to_string())?;
            (connected.halves, Patience::ELSEWHERE, Some(connected.certificate), Some(connected.address))
        }
    };
    let host = (own.host)(region, partner);
    let (source, sink) = halves;
    let begin = Begin { source, sink, host, clock: Rc::new(Timer::default()), patience };
    let ours = hello(region, own.run, partner, purpose);
    let judge = |theirs: &Hello| judge(region, own, partner, theirs, certificate.as_deref());
    let link = Link::connect(begin, &ours, judge).await.map_err(|ended| ended.to_string())?;
    if purpose == Purpose::Life {
        note(Systems::of(region).build(), partner, link.partner());
    }
    Ok((link, address))
}

/// Looks at what a partner says of itself, on a link that either side has made.
///
/// # Errors
/// It is not the one that the definition means, and why.
pub(crate) fn judge(
    region: &Region,
    own: &Own,
    partner: &Partner,
    theirs: &Hello,
    certificate: Option<&str>,
) -> Result<(), String> {
    let is = |name: Name8, text: &str| Name8::from(text) == name;
    if !is(partner.applid, &theirs.applid) {
        return Err(format!("{} is there, not {}", theirs.applid, partner.applid));
    }
    let network = partner.text("NETWORKID");
    if !network.is_empty() && network != theirs.network {
        return Err(format!("{} is of network {:?}, not {network}", theirs.applid, theirs.network));
    }
    let user = match partner.sort {
        Sort::Connection => user_here(region, partner)?,
        Sort::Ipconn => Some(user_of_certificate(own, partner, certificate.unwrap_or_default())?),
    };
    partner.state.lock().link_user = user;
    Ok(())
}

/// The link user of a region on this machine: USERID of SESSIONS, else the region itself.
fn user_here(region: &Region, partner: &Partner) -> Result<Option<Name8>, String> {
    let name = kernel::name::Name::from(partner.definition.name.as_str());
    let sessions = AllSessions::of(region).of_connection(name);
    let sessions = sessions.ok_or_else(|| format!("no SESSIONS definition names CONNECTION({name})"))?;
    let Some(user) = sessions.user else { return Ok(None) };
    let is_known = Users::of(region).file.user(&user.to_string()).is_some();
    is_known.then_some(Some(user)).ok_or_else(|| format!("USERID({user}) of its SESSIONS is no user"))
}

/// The link user of a region on another machine: whose certificate it has shown. It must be SECURITYNAME of the definition, or
/// be named like the partner: else each region with a certificate could call itself this one.
fn user_of_certificate(own: &Own, partner: &Partner, certificate: &str) -> Result<Name8, String> {
    let named = partner.text("SECURITYNAME");
    let expected = if named.is_empty() { partner.applid } else { Name8::from(named) };
    match own.certificates.user(certificate) {
        Some(user) if user == expected => Ok(user),
        Some(_) => Err(format!("the certificate that {} has shown is another user's", partner.applid)),
        None => {
            Err(format!("the certificate that {} has shown is no user's ({certificate})", partner.applid))
        }
    }
}

/// Notes what a partner has said of itself, and tells what an operator should know.
pub(crate) fn note(ours: &Arc<Build>, partner: &Partner, theirs: &Hello) {
    let before = partner.state.lock().log.replace(theirs.log);
    if before.is_some_and(|before| before != theirs.log) {
        tracing::warn!(
            target: "IS",
            "{partner}: it has a new log: it was started without what was in doubt before, or restored from a backup"
        );
    }
    let unknown = Numbers::new(ours, theirs).unknown();
    if unknown > 0 {
        tracing::info!(
            target: "IS",
            "{partner}: it is of another build ({}): {unknown} commands and options of it are not known here",
            theirs.build
        );
    }
}
