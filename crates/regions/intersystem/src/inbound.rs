//! Links that partners make.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use kernel::dispatcher::Dispatcher;
use kernel::lines::often;
use kernel::region::Region;
use link::carrier::{Halves, is_for_work, unix};
use link::{Begin, Ended, Hello, Link, Patience, Purpose, Timer};
use parking_lot::Mutex;
use tokio::net::UnixStream;
use tokio::sync::watch;

use crate::dial::{judge, note};
use crate::hello::hello;
use crate::host::RegionHost;
use crate::limits::{INBOUND_MAX, INBOUND_PER_PARTNER_MAX};
use crate::partner::{Partner, Sort};
use crate::systems::{Own, Systems};

/// The end that this region wants for a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// None: it stays.
    No,
    /// In order.
    Closes,
    /// At once, and why.
    Cut(&'static str),
}

/// A link that a partner has made, wherever it lives.
struct Inbound {
    number: u64,
    partner: Arc<Partner>,
    purpose: Purpose,
    end: watch::Sender<End>,
}

impl Inbound {
    /// Ends it like this, on its own thread. One that is to be cut does not end in order any more.
    fn wants(&self, end: End) {
        self.end.send_if_modified(|now| {
            let may_change = !matches!(now, End::Cut(_));
            if may_change {
                *now = end;
            }
            may_change
        });
    }
}

/// The links that partners have made.
#[derive(Default)]
pub(crate) struct AllInbound {
    all: Mutex<Vec<Inbound>>,
    last: AtomicU64,
}

impl AllInbound {
    /// Releases the links that a partner has made.
    pub fn release(&self, partner: &Partner) {
        let all = self.all.lock();
        let its = all.iter().filter(|one| std::ptr::eq(&*one.partner, partner));
        its.for_each(|one| one.wants(End::Closes));
    }

    /// Returns true if there is any.
    pub fn is_some(&self) -> bool {
        !self.all.lock().is_empty()
    }

    /// Ends the links of partners of a sort, or of all, at once.
    pub fn cut(&self, sort: Option<Sort>, why: &'static str) {
        let all = self.all.lock();
        let those = all.iter().filter(|one| sort.is_none_or(|sort| one.partner.sort == sort));
        those.for_each(|one| one.wants(End::Cut(why)));
    }

    /// Returns an error if a partner may not have one more: too many are there, or one of its threads comes without its life.
    fn may_enter(&self, partner: &Partner, purpose: Purpose) -> Result<(), String> {
        let all = self.all.lock();
        let its = || all.iter().filter(|one| std::ptr::eq(&*one.partner, partner));
        if its().count() >= INBOUND_PER_PARTNER_MAX {
            return Err(format!("{partner} has {INBOUND_PER_PARTNER_MAX} connections already"));
        }
        if purpose == Purpose::Work && !its().any(|one| one.purpose == Purpose::Life) {
            return Err(format!("{partner}: a connection for its threads comes before its link"));
        }
        Ok(())
    }

    fn enters(&self, partner: &Arc<Partner>, purpose: Purpose) -> (u64, watch::Receiver<End>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let (end, wanted) = watch::channel(End::No);
        self.all.lock().push(Inbound { number, partner: Arc::clone(partner), purpose, end });
        (number, wanted)
    }

    /// A link has ended. If a partner's life is lost, so are the connections of its threads.
    fn leaves(&self, number: u64, in_order: bool) {
        let mut all = self.all.lock();
        let Some(place) = all.iter().position(|one| one.number == number) else { return };
        let gone = all.swap_remove(place);
        let its = || all.iter().filter(|one| Arc::ptr_eq(&one.partner, &gone.partner));
        let lives = its().any(|one| one.purpose == Purpose::Life);
        if gone.purpose == Purpose::Life && !in_order && !lives {
            its().for_each(|one| one.wants(End::Cut("the partner's link is lost")));
        }
    }
}

/// Everything that the door knows, and links on all threads.
pub(crate) struct Local {
    pub region: Arc<Region>,
    pub own: Own,
    /// The links that partners have made.
    pub inbound: AllInbound,
    /// Connections of this machine, those that have said nothing yet among them.
    arrived: AtomicUsize,
    /// The TCB that gets the next one.
    next_tcb: AtomicUsize,
}

/// A connection of this machine that counts.
pub(crate) struct Arrived(Arc<Local>);

impl Drop for Arrived {
    fn drop(&mut self) {
        self.0.arrived.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Local {
    /// The door of a region, to which no partner has come yet.
    pub fn new(region: &Arc<Region>, own: Own) -> Self {
        let (arrived, next_tcb) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { region: Arc::clone(region), own, inbound: AllInbound::default(), arrived, next_tcb }
    }

    /// One more connection of this machine. `None`: there are too many.
    pub fn arrives(self: &Arc<Self>) -> Option<Arrived> {
        let arrived = Arrived(Arc::clone(self));
        (self.arrived.fetch_add(1, Ordering::Relaxed) < INBOUND_MAX).then_some(arrived)
    }

    /// Serves a connection of this machine: one of a thread of the partner on a TCB, where its tasks run, too.
    pub async fn serve_here(self: &Arc<Self>, stream: UnixStream, arrived: Arrived) {
        let local = Arc::clone(self);
        if !is_for_work(&stream).await {
            serve(local, unix(stream), Sort::Connection, None).await;
            return drop(arrived);
        }
        let Ok(stream) = stream.into_std() else { return };
        let dispatcher = Dispatcher::of(&self.region);
        let tcbs = dispatcher.acceptor_tcbs(None);
        let next = self.next_tcb.fetch_add(1, Ordering::Relaxed) % tcbs.len();
        dispatcher.on_tcb(tcbs[next], move || {
            drop(tokio::task::spawn_local(async move {
                match UnixStream::from_std(stream) {
                    Ok(stream) => serve(local, unix(stream), Sort::Connection, None).await,
                    Err(error) => tracing::warn!(target: "IS", "a link is not taken: {error}"),
                }
                drop(arrived);
            }));
        });
    }
}

/// Serves a link that a partner has made, until it ends.
pub(crate) async fn serve(local: Arc<Local>, halves: Halves, sort: Sort, certificate: Option<String>) {
    let host = Rc::new(RegionHost::new(&local.region));
    let patience = if sort == Sort::Connection { Patience::HERE } else { Patience::ELSEWHERE };
    let (source, sink) = halves;
    let begin =
        Begin { source, sink, host: Rc::clone(&host) as _, clock: Rc::new(Timer::default()), patience };
    let ours = |theirs: &Hello| {
        let partner = wanted(&local, sort, theirs)?;
        judge(&local.region, &local.own, &partner, theirs, certificate.as_deref())?;
        local.inbound.may_enter(&partner, theirs.purpose)?;
        let _ = host.partner.set(Arc::clone(&partner));
        host.mirrors.begin(Systems::of(&local.region).build(), theirs);
        let ours = hello(&local.region, local.own.run, &partner, theirs.purpose);
        partner.received.may_be(ours.takes);
        Ok(ours)
    };
    match Link::accept(begin, ours).await {
        Err(Ended::Unwanted(why)) => often!(warn, target: "IS", "a link is refused: {why}"),
        Err(why) => often!(info, target: "IS", "a link has not come about: {why}"),
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
    let purpose = link.partner().purpose;
    if purpose == Purpose::Life {
        note(Systems::of(&local.region).build(), partner, link.partner());
    }
    let (number, mut wanted) = local.inbound.enters(partner, purpose);
    partner.change(|state| {
        // Who is asked for a link wants one, too.
        state.wanted |= purpose == Purpose::Life;
        state.inbound += 1;
    });
    let ended = loop {
        tokio::select! {
            biased;
            ended = link.ended() => break ended,
            Ok(()) = wanted.changed() => match *wanted.borrow_and_update() {
                End::No => {}
                End::Closes => link.close(),
                End::Cut(why) => link.cut(why),
            },
        }
    };
    local.inbound.leaves(number, ended == Ended::Closed);
    partner.change(|state| {
        state.inbound -= 1;
        // The partner has released it in order: the link of this region goes, too.
        if ended == Ended::Closed && state.inbound == 0 && std::mem::take(&mut state.wanted) {
            tracing::info!(target: "IS", "{partner} is released by the partner");
        }
    });
}
