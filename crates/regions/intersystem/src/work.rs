//! Connections of one thread: each TCB has one to each partner of which it has asked something, made when it first asks. Task,
//! connection and who waits live on one thread there, so that nothing is handed over. Until it is there, and if it cannot be made,
//! requests go through the partner's life.
//!
//! A unit of work goes on through the connection with which it has begun, even if its task has moved to another TCB.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use kernel::region::Region;
use link::{Ended, Link, Purpose};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use crate::asker::Takes;
use crate::build::Numbers;
use crate::conversation::{IsHere, Line, carry};
use crate::dial::dial;
use crate::life::{Stage, next_number};
use crate::limits::RELEASE_TIME;
use crate::partner::Partner;
use crate::systems::Systems;

thread_local! {
    /// The connections of this thread, by the numbers of their partners' lives. `None`: it is not there, or not yet.
    static WORK: RefCell<HashMap<u64, Option<Line>>> = RefCell::default();
}

/// The way to a partner for a task of this thread. `None`: the link is not there.
pub(crate) fn line(region: &Arc<Region>, partner: &Arc<Partner>) -> Option<Line> {
    let life = partner.line()?;
    match WORK.with_borrow(|work| work.get(&life.number).cloned()) {
        Some(Some(own)) if !own.is_over() => Some(own),
        Some(_) => Some(life),
        None => {
            make(region, partner, &life);
            Some(life)
        }
    }
}

fn is_now(life: u64, line: Option<Line>) {
    WORK.with_borrow_mut(|work| work.insert(life, line));
}

/// Makes the connection of this thread.
fn make(region: &Arc<Region>, partner: &Arc<Partner>, life: &Line) {
    is_now(life.number, None);
    let (region, partner, life) = (Arc::clone(region), Arc::clone(partner), life.clone());
    drop(tokio::task::spawn_local(async move {
        tokio::select! {
            biased;
            _ = life.life.over() => {}
            () = have(&region, &partner, &life) => {
                life.life.over().await;
            }
        }
        WORK.with_borrow_mut(|work| work.remove(&life.number));
    }));
}

/// Has the connection until it ends.
async fn have(region: &Arc<Region>, partner: &Arc<Partner>, life: &Line) {
    let Some(own) = Systems::of(region).own() else { return };
    match dial(region, &own, partner, Purpose::Work).await {
        Ok((link, _)) => {
            let numbers = Arc::new(Numbers::new(Systems::of(region).build(), link.partner()));
            drop(tokio::task::spawn_local(hold(link, numbers, Arc::clone(partner), life.clone())));
        }
        Err(why) => {
            tracing::info!(target: "IS", "{partner}: a thread has no connection of its own, and asks through the link: {why}");
        }
    }
}

async fn hold(link: Link, numbers: Arc<Numbers>, partner: Arc<Partner>, life: Line) {
    let (to, mut requests) = unbounded_channel();
    let takes = Takes::of(link.partner());
    let line = Line { number: next_number(), to, numbers, takes, life: Arc::clone(&life.life) };
    let is_here = IsHere::new(&line, &link);
    is_now(life.number, Some(line));
    let ended = loop {
        tokio::select! {
            biased;
            ended = link.ended() => break Ok(ended),
            stage = life.life.over() => break Err(stage),
            Some(request) = requests.recv() => drop(tokio::task::spawn_local(carry(link.clone(), request))),
        }
    };
    drop((is_here, requests));
    if !life.is_over() {
        is_now(life.number, None);
    }
    match ended {
        // The partner ends its life, too.
        Ok(Ended::Closed) => {}
        Ok(why) => {
            tracing::warn!(target: "IS", "{partner}: a connection of a thread: {why}");
            life.life.is_broken();
        }
        Err(Stage::Released) => {
            link.close();
            if timeout(RELEASE_TIME, link.ended()).await.is_err() {
                link.cut("it was released, and has not ended in time");
            }
        }
        Err(_) => link.cut("the link is lost"),
    }
}
