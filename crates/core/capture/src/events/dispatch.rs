//! CEPD: a task that emits what waits for one adapter, and ends.

use std::sync::Arc;

use domains::interval::known_user;
use kernel::catalog::SuppliedTransaction;
use kernel::dispatcher::{self, Attach, Context, Dispatcher, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::lines::often;
use kernel::name::{Name8, TransactionName};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::{StartCode, TaskPart};
use kernel::transactions::Supplied;
use policies::ep_adapter::{AdapterKind, AdapterUser};
use spec::cmd;

use super::adapter::Adapter;
use super::asking::command;
use super::event::Event;
use super::failure::{Failure, tell};
use super::{Events, send};

/// The TCB on which a task for system events is attached.
const QR: usize = 0;
/// The transaction and its program.
const NAME: &str = "CEPD";
const PROGRAM: &str = "DFHEPDS";

/// The transaction.
pub(crate) const TRANSACTIONS: &[SuppliedTransaction] =
    &[SuppliedTransaction { name: NAME, program: PROGRAM, supplied: Supplied::Internal, run: program }];

/// The adapter of a task. When the task is gone, however it ends, another one begins for what still waits; if it has not begun, what
/// waits is lost.
struct Worker {
    region: Arc<Region>,
    adapter: Arc<Adapter>,
    has_begun: bool,
}

impl TaskPart for Worker {}

impl Drop for Worker {
    fn drop(&mut self) {
        let (region, adapter) = (&self.region, &self.adapter);
        Events::of(region).counts.dispatchers_now.falls(1);
        if !self.has_begun {
            gives_up(region, adapter, "the task that would emit them was refused, or purged");
        } else if adapter.queue.is_left() {
            begin(region, adapter);
        }
    }
}

/// Begins a task that works off the queue of an adapter.
pub(super) fn begin(region: &Arc<Region>, adapter: &Arc<Adapter>) {
    let counts = &Events::of(region).counts;
    let own = adapter.adapter.transaction.as_str();
    let is_custom = matches!(adapter.adapter.kind, AdapterKind::Custom { .. });
    let transaction = if own.is_empty() || is_custom { NAME } else { own };
    // The user of an event is the custom program's, or that of the transaction which is started; queues are the region's.
    let who = match &adapter.adapter.user {
        AdapterUser::Named(name) => known_user(region, Name8::from(name.as_str())),
        _ => Some(User::region()),
    };
    let Some(who) = who else { return gives_up(region, adapter, "there is no such user") };
    let mut attach = Attach::new(TransactionName::from(transaction), StartCode::System, who);
    attach.program = Some(Name8::from(PROGRAM));
    // Nothing else that an adapter may wait for is to hold a region that ends.
    attach.finishes = matches!(
        adapter.adapter.kind,
        AdapterKind::TsQueue { .. } | AdapterKind::TdQueue { .. } | AdapterKind::LogStream { .. }
    );
    counts.dispatchers.more();
    counts.dispatchers_now.rises();
    let worker = Worker { region: Arc::clone(region), adapter: Arc::clone(adapter), has_begun: false };
    attach.kept.put(worker);
    if let Err(why) = dispatcher::attach(region, attach) {
        often!(error, target: "EP", "EPADAPTER {} has no task {transaction}: {why:?}", adapter.name);
    }
}

/// The same from anywhere: where a task is just let in or out, or a file is opened, none is attached.
pub(super) fn begin_elsewhere(region: &Arc<Region>, adapter: &Arc<Adapter>) {
    let own = (Arc::clone(region), Arc::clone(adapter));
    if !Dispatcher::of(region).on_tcb(QR, move || begin(&own.0, &own.1)) {
        gives_up(region, adapter, "the region has ended");
    }
}

fn gives_up(region: &Region, adapter: &Adapter, why: &str) {
    let lost = adapter.queue.give_up();
    let counts = &Events::of(region).counts;
    counts.waiting.falls(lost);
    counts.dispatch_config.add(lost);
    adapter.counts.deleted.add(lost);
    often!(error, target: "EP", "{lost} events of EPADAPTER {} are lost: {why}", adapter.name);
}

/// The program.
fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(worker) = context.kept.get_mut::<Worker>() else { return Ok(Flow::Return) };
        worker.has_begun = true;
        let adapter = Arc::clone(&worker.adapter);
        while let Some(event) = adapter.queue.take() {
            let region = Arc::clone(&context.region);
            Events::of(&region).counts.waiting.falls(1);
            match emitted(context, &adapter, &event).await {
                Ok(()) => adapter.counts.emitted.more(),
                Err(failure) => {
                    tell(&region, &adapter, &event, &failure);
                    if let Failure::Ended(raise) = failure {
                        return Err(raise);
                    }
                }
            }
        }
        Ok(Flow::Return)
    })
}

/// Emits an event and takes a syncpoint.
async fn emitted(context: &mut Context<'_>, adapter: &Adapter, event: &Event) -> Result<(), Failure> {
    let done = send::emit(context.task(), adapter, event).await;
    let end = if done.is_ok() { cmd::SYNCPOINT } else { cmd::SYNCPOINT_ROLLBACK };
    let keywords: &[spec::OptionId] = &[];
    let ended = match context.issue(&command(end, Vec::new(), keywords)?).await {
        Ok(_) => Ok(()),
        Err(abend) => Err(Failure::Ended(Raise::Abend(abend.code))),
    };
    done.and(ended)
}
