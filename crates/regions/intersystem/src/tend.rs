//! Tending the link to one partner: it is made, made again after a loss, and released.

use std::sync::Arc;

use link::limits::BEAT;
use link::{Ended, Link, Purpose};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::asker::Takes;
use crate::build::Numbers;
use crate::conversation::{Line, Request, carry};
use crate::dial::dial;
use crate::inbound::Local;
use crate::life::{Life, Stage, next_number};
use crate::limits::{ASKED_EVERY, RELEASE_TIME, REST_FIRST, REST_LAST};
use crate::partner::{Partner, Sort, Status};
use crate::routing::link_is_lost;
use crate::shipping::{Away, impose};
use crate::systems::Systems;

/// Tends the link until the definition is gone.
pub(crate) async fn tend(local: Arc<Local>, partner: Arc<Partner>) {
    let mut rest = REST_FIRST;
    while !partner.state.lock().is_gone {
        if !may_dial(&local, &partner) {
            rest = REST_FIRST;
            idle(&local, &partner).await;
            continue;
        }
        partner.is_now(Status::Obtaining);
        match dial(&local.region, &local.own, &partner, Purpose::Life).await {
            Ok((link, address)) => {
                partner.acquired(&local.region, &link, address);
                tracing::info!(target: "IS", "{partner} is acquired");
                rest = REST_FIRST;
                hold(&local, &partner, &link).await;
            }
            Err(why) => {
                partner.has_no_link(&why);
                let changed = partner.changed.notified();
                tokio::select! { () = sleep(rest) => {}, () = changed => {} }
                rest = (rest * 2).min(REST_LAST);
            }
        }
    }
    local.inbound.release(&partner);
}

/// Returns true if the link is wanted, and this region can make it.
fn may_dial(local: &Local, partner: &Partner) -> bool {
    let systems = Systems::of(&local.region);
    let is_there = match partner.sort {
        Sort::Connection => systems.irc_is_open(),
        Sort::Ipconn => systems.setup().identity.is_some() && partner.definition.number("PORT").is_some(),
    };
    let state = partner.state.lock();
    is_there && systems.setup().isc && state.wanted && state.in_service
}

/// Waits until something changes. A partner that this region cannot connect to is acquired while its own link is there.
async fn idle(local: &Local, partner: &Partner) {
    let changed = partner.changed.notified();
    let wanted = {
        let mut state = partner.state.lock();
        let is_passive = partner.sort == Sort::Ipconn && partner.definition.number("PORT").is_none();
        let wanted = state.wanted && state.in_service && is_passive;
        state.status = if wanted && state.inbound > 0 { Status::Acquired } else { Status::Released };
        wanted
    };
    if !wanted {
        local.inbound.release(partner);
    }
    changed.await;
}

/// The link is there: tasks may ask, and what was left in doubt is settled.
fn begin(local: &Local, partner: &Arc<Partner>, link: &Link, life: &Arc<Life>) -> UnboundedReceiver<Request> {
    let (to, requests) = unbounded_channel();
    let numbers = Arc::new(Numbers::new(Systems::of(&local.region).build(), link.partner()));
    let takes = Takes::of(link.partner());
    partner.line_is(Some(Line { number: next_number(), to, numbers, takes, life: Arc::clone(life) }));
    let coordinator = Arc::clone(&local.region.coordinator);
    let away = Away::of(&local.region, partner.applid);
    coordinator.introduce(Arc::<Away>::clone(&away));
    let (region, tended) = (Arc::clone(&local.region), Arc::clone(partner));
    drop(tokio::task::spawn_local(async move {
        impose(&region, &tended).await;
        // A partner that cannot hear it now hears it from the region later.
        let _ = coordinator.resynchronise(&*away).await;
    }));
    requests
}

/// Waits until the link ends, or is no longer wanted.
async fn hold(local: &Local, partner: &Arc<Partner>, link: &Link) {
    let life = Arc::new(Life::new());
    let mut requests = begin(local, partner, link, &life);
    let mut asks = interval(ASKED_EVERY);
    asks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let ended = loop {
        tokio::select! {
            biased;
            ended = link.ended() => break Some(ended),
            Some(request) = requests.recv() => {
                drop(tokio::task::spawn_local(carry(link.clone(), request)));
            }
            () = life.broken() => link.cut("a connection of one of its threads is lost"),
            // A router that chooses among regions looks at it.
            () = sleep(BEAT) => partner.state.lock().vitals = link.vitals(),
            _ = asks.tick() => {
                let cannot_ask = partner.state.lock().inbound == 0;
                if cannot_ask {
                    local.region.coordinator.introduce(Away::of(&local.region, partner.applid));
                }
            }
            () = partner.changed.notified() => {
                if std::mem::take(&mut partner.state.lock().breaks) {
                    link.cut("an operator has broken it off");
                    continue;
                }
                if !may_dial(local, partner) {
                    break None;
                }
            }
        }
    };
    partner.line_is(None);
    life.ends(if matches!(ended, None | Some(Ended::Closed)) { Stage::Released } else { Stage::Lost });
    drop(requests);
    link_is_lost(&local.region, partner.applid);
    match ended {
        Some(Ended::Closed) => {
            tracing::info!(target: "IS", "{partner} is released by the partner");
            partner.state.lock().wanted = false;
        }
        Some(why) => tracing::warn!(target: "IS", "{partner}: {why}"),
        None => {
            partner.is_now(Status::Freeing);
            link.close();
            if timeout(RELEASE_TIME, link.ended()).await.is_err() {
                link.cut("it was released, and has not ended in time");
            }
            tracing::info!(target: "IS", "{partner} is released");
        }
    }
    partner.sessions.close();
}
