//! The requests of interval control that wait for their time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use spec::cond;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::channels::Channel;
use crate::dispatcher::Attach;
use crate::events::Event;
use crate::limits::INTERVAL_REQUESTS_MAX;
use crate::name::{Name8, TerminalName, TransactionName};
use crate::raise::{Outcome, RaiseCondition};
use crate::region::Region;
use crate::security::User;
use crate::task::StartCode;
use crate::terminals::input;

/// RESP2 of INVREQ for a request identifier that is pending already.
const REQUEST_IN_USE: i32 = 22;

/// What START has left for RETRIEVE.
#[derive(Clone, Debug, Default)]
pub struct StartData {
    /// FROM.
    pub data: Option<Vec<u8>>,
    /// RTRANSID.
    pub transaction: Option<TransactionName>,
    /// RTERMID.
    pub terminal: Option<TerminalName>,
    /// QUEUE.
    pub queue: Option<Name8>,
}

impl StartData {
    /// Whether there is nothing to retrieve.
    pub fn is_empty(&self) -> bool {
        self.data.is_none() && self.transaction.is_none() && self.terminal.is_none() && self.queue.is_none()
    }
}

/// A START.
pub struct Start {
    /// The transaction.
    pub transaction: TransactionName,
    /// The terminal, with TERMID.
    pub terminal: Option<TerminalName>,
    /// What RETRIEVE gives.
    pub data: StartData,
    /// START CHANNEL.
    pub channel: Option<Arc<Channel>>,
    /// On whose behalf.
    pub user: Arc<User>,
}

/// A pending request, as INQUIRE REQID sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The request identifier.
    pub request: Name8,
    /// The transaction; `None`: a DELAY or a POST.
    pub transaction: Option<TransactionName>,
    /// The terminal.
    pub terminal: Option<TerminalName>,
}

enum Request {
    Start { transaction: TransactionName, terminal: Option<TerminalName>, timer: AbortHandle },
    Delay { cancel: oneshot::Sender<()> },
    Post { event: Arc<Event>, timer: AbortHandle },
}

/// The interval control of a region.
#[derive(Default)]
pub struct IntervalControl {
    pending: Mutex<BTreeMap<Name8, Request>>,
    last_number: AtomicU32,
}

impl IntervalControl {
    /// A request identifier of the region's own: no application's begins like this.
    pub fn new_request(&self) -> Name8 {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        Name8::from(format!("DF{number:06X}").as_str())
    }

    /// Starts a task when its time has come. Called on a TCB's thread, whose timer it is.
    ///
    /// # Errors
    /// IOERR where the request identifier is in use, INVREQ where too many wait.
    pub fn start(&self, region: &Arc<Region>, request: Name8, start: Start, after: Duration) -> Outcome {
        let mut pending = self.pending.lock();
        if pending.contains_key(&request) {
            return Err(cond::IOERR.raise(0));
        }
        if pending.len() >= INTERVAL_REQUESTS_MAX {
            return Err(cond::INVREQ.raise(0));
        }
        if after.is_zero() {
            drop(pending);
            fire(region, start);
            return Ok(());
        }
        let (transaction, terminal, region) = (start.transaction, start.terminal, Arc::clone(region));
        let timer = tokio::spawn(async move {
            tokio::time::sleep(after).await;
            region.interval.pending.lock().remove(&request);
            fire(&region, start);
        });
        pending.insert(request, Request::Start { transaction, terminal, timer: timer.abort_handle() });
        Ok(())
    }

    /// Names a DELAY, for CANCEL: what ends it.
    ///
    /// # Errors
    /// INVREQ where the request identifier is in use.
    pub fn name_delay(&self, request: Name8) -> Outcome<oneshot::Receiver<()>> {
        let mut pending = self.pending.lock();
        if pending.contains_key(&request) {
            return Err(cond::INVREQ.raise(REQUEST_IN_USE));
        }
        let (cancel, cancelled) = oneshot::channel();
        pending.insert(request, Request::Delay { cancel });
        Ok(cancelled)
    }

    /// The DELAY is over.
    pub fn forget_delay(&self, request: Name8) {
        self.pending.lock().remove(&request);
    }

    /// Posts an event when its time has come. Called on a TCB's thread, whose timer it is.
    ///
    /// # Errors
    /// INVREQ where the request identifier is in use, or too many wait.
    pub fn post(&self, region: &Arc<Region>, request: Name8, event: &Arc<Event>, after: Duration) -> Outcome {
        let mut pending = self.pending.lock();
        if pending.contains_key(&request) || pending.len() >= INTERVAL_REQUESTS_MAX {
            return Err(cond::INVREQ.raise(REQUEST_IN_USE));
        }
        let (due, region) = (Arc::clone(event), Arc::clone(region));
        let timer = tokio::spawn(async move {
            tokio::time::sleep(after).await;
            region.interval.pending.lock().remove(&request);
            region.events.post(&due);
        });
        let (event, timer) = (Arc::clone(event), timer.abort_handle());
        pending.insert(request, Request::Post { event, timer });
        Ok(())
    }

    /// Nobody wants the event any more. A request that has since got the same name stays.
    pub fn withdraw(&self, request: Name8, event: &Arc<Event>) {
        let mut pending = self.pending.lock();
        if let Some(Request::Post { event: posted, timer }) = pending.get(&request)
            && Arc::ptr_eq(posted, event)
        {
            timer.abort();
            pending.remove(&request);
        }
    }

    /// Takes a request back: a START comes to nothing, a DELAY and a POST are over at once. False if none of that name
    /// is pending, or if it starts another transaction than `transaction`.
    pub fn cancel(&self, region: &Region, request: Name8, transaction: Option<TransactionName>) -> bool {
        let mut pending = self.pending.lock();
        if let (Some(wanted), Some(Request::Start { transaction, .. })) = (transaction, pending.get(&request))
            && wanted != *transaction
        {
            return false;
        }
        let cancelled = pending.remove(&request);
        drop(pending);
        match cancelled {
            None => false,
            Some(Request::Start { timer, .. }) => {
                timer.abort();
                true
            }
            Some(Request::Delay { cancel }) => {
                // A delay that has just ended needs no cancelling.
                let _ = cancel.send(());
                true
            }
            Some(Request::Post { event, timer }) => {
                timer.abort();
                region.events.post(&event);
                true
            }
        }
    }

    /// What is pending, by request identifier.
    pub fn list(&self) -> Vec<Pending> {
        let pending = self.pending.lock();
        pending
            .iter()
            .map(|(request, what)| match what {
                Request::Start { transaction, terminal, .. } => {
                    Pending { request: *request, transaction: Some(*transaction), terminal: *terminal }
                }
                Request::Delay { .. } | Request::Post { .. } => {
                    Pending { request: *request, transaction: None, terminal: None }
                }
            })
            .collect()
    }
}

/// Attaches a started task; at a terminal, when that is free.
fn fire(region: &Arc<Region>, start: Start) {
    // A channel is no data in the sense of the start code.
    let code = if start.data.is_empty() { StartCode::Start } else { StartCode::StartWithData };
    let mut attach = Attach::new(start.transaction, code, start.user);
    attach.channel = start.channel;
    attach.start_data = Some(start.data);
    match start.terminal {
        None => {
            if let Err(error) = region.attach(attach) {
                tracing::warn!(target: "IC", "started transaction {} was not attached: {error:?}", start.transaction);
            }
        }
        Some(terminal) => match region.terminals.get(terminal) {
            Some(terminal) => input::start_at(region, &terminal, attach),
            None => {
                tracing::warn!(target: "IC", "transaction {}: terminal {terminal} is gone", start.transaction);
            }
        },
    }
}
