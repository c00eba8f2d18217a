//! Links that partners make.

use std::rc::Rc;
use std::sync::Arc;

use link::carrier::Halves;
use link::{Begin, Ended, Hello, Link, Patience, Timer};

use crate::dial::{judge, note};
use crate::door::Local;
use crate::hello::hello;
use crate::host::RegionHost;
use crate::partner::{Partner, Sort};
use crate::systems::Systems;

/// Serves a link that a partner has made, until it ends.
pub(crate) async fn serve(local: Rc<Local>, halves: Halves, sort: Sort, certificate: Option<String>) {
    let host = Rc::new(RegionHost::new(&local.region));
    let patience = if sort == Sort::Connection { Patience::HERE } else { Patience::ELSEWHERE };
    let (source, sink) = halves;
    let begin =
        Begin { source, sink, host: Rc::clone(&host) as _, clock: Rc::new(Timer::default()), patience };
    let ours = |theirs: &Hello| {
        let partner = wanted(&local, sort, theirs)?;
        judge(&local, &partner, theirs, certificate.as_deref())?;
        let _ = host.partner.set(Arc::clone(&partner));
        host.mirrors.begin(theirs);
        Ok(hello(&local.region, local.run, &partner))
    };
    match Link::accept(begin, ours).await {
        Err(Ended::Unwanted(why)) => tracing::warn!(target: "IS", "a link is refused: {why}"),
        Err(why) => tracing::info!(target: "IS", "a link has not come about: {why}"),
        Ok(link) => {
            if let Some(partner) = host.partner.get() {
                hold(&local, partner, &link).await;
                host.end();
            }
        }
    }
}

/// The partner who makes a link.
fn wanted(local: &Local, sort: Sort, theirs: &Hello) -> Result<Arc<Partner>, String> {
    let systems = Systems::of(&local.region);
    let partner = systems.region_of(sort, &theirs.applid).ok_or_else(|| {
        let attribute = if sort == Sort::Connection { "CONNECTION has NETNAME" } else { "IPCONN has APPLID" };
        format!("no {attribute}({})", theirs.applid)
    })?;
    let in_service = partner.state.lock().in_service;
    if in_service { Ok(partner) } else { Err(format!("{partner} is out of service")) }
}

async fn hold(local: &Local, partner: &Arc<Partner>, link: &Link) {
    note(partner, link.partner());
    local.inbound.borrow_mut().push((Arc::clone(partner), link.clone()));
    // Who is asked for a link wants one, too.
    partner.change(|state| (state.wanted, state.inbound) = (true, state.inbound + 1));
    let ended = link.ended().await;
    local.inbound.borrow_mut().retain(|(_, other)| !other.is(link));
    partner.change(|state| {
        state.inbound -= 1;
        // The partner has released it in order: the link of this region goes, too.
        if ended == Ended::Closed && state.inbound == 0 && std::mem::take(&mut state.wanted) {
            tracing::info!(target: "IS", "{partner} is released by the partner");
        }
    });
}
