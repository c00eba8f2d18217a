//! A TCB: a thread and its event loop.

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::LocalOptions;
use tokio::sync::oneshot;

use super::cobol::Spares;
use super::contain::contained;
use super::levels::{first_program, stay};
use super::placement::Inside;
use super::thread::{self, Tcb};
use super::work::{Visit, Work};
use super::{Admitted, end};
use crate::dispatcher::Dispatcher;
use crate::limits::{BESIDE_MAX, TCB_STACK};
use crate::monitoring::{self, dispatched};
use crate::region::Region;
use crate::transactions::Supplied;

/// Distance of the timer that a TCB's event loop always has ahead.
const PULSE: Duration = Duration::from_millis(500);

impl Tcb {
    /// Runs a new task. On this TCB's thread.
    pub fn run(self: &Rc<Self>, admitted: Box<Admitted>) {
        // Boxed: what is spawned is moved several times before it runs.
        drop(tokio::task::spawn_local(Box::pin(run_task(Rc::clone(self), admitted))));
    }
}

/// Starts a TCB's thread. It ends after [`Work::Stop`], when its tasks have.
///
/// # Errors
/// The operating system's.
pub fn start(
    index: usize,
    mut inside: Inside,
    region: oneshot::Receiver<Arc<Region>>,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    let (ready, started) = std::sync::mpsc::sync_channel(1);
    let meter = Arc::clone(&inside.meter);
    let builder = std::thread::Builder::new().name(meter.name.clone()).stack_size(TCB_STACK);
    let thread = builder.spawn(move || {
        meter.started();
        let (idles, wakes, counted) = (Arc::clone(&meter), Arc::clone(&meter), Arc::clone(&meter));
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().on_thread_park(move || idles.idles()).on_thread_unpark(move || wakes.wakes());
        let runtime = match runtime.build_local(LocalOptions::default()) {
            Ok(runtime) => runtime,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let _ = ready.send(Ok(()));
        runtime.block_on(async move {
            let Ok(region) = region.await else { return };
            if index == 0 && !native::windows().are_there() {
                tracing::info!(
                    target: "SM",
                    "the system refuses a reservation of addresses (ulimit -v, vm.overcommit_memory): each task has memory of its own",
                );
            }
            let tcb = Rc::new(Tcb { index, region, meter, kept: Box::new(Spares::default()) });
            thread::is_of(&tcb);
            drop(tokio::task::spawn_local(pulse()));
            while let Some(work) = inside.next().await {
                match work {
                    Work::Task(admitted) => tcb.run(admitted),
                    Work::Do(what) => what(),
                    Work::Visit(visit) => drop(tokio::task::spawn_local(run_visit(Rc::clone(&tcb), visit))),
                    Work::Stop => break,
                }
            }
        });
        runtime.shutdown_timeout(BESIDE_MAX);
        counted.stops();
    })?;
    started.recv().map_err(|_| std::io::Error::other("the TCB's thread ended before it was ready"))??;
    Ok(thread)
}

/// The event loop wakes itself, by a system call, for a timer that is due before all others. Nearly every timer here is a
/// limit of seconds that is taken back at once: one that is always nearer spares them that.
async fn pulse() {
    loop {
        tokio::time::sleep(PULSE).await;
    }
}

async fn run_task(tcb: Rc<Tcb>, admitted: Box<Admitted>) {
    let region = Arc::clone(&tcb.region);
    let control = Arc::clone(&admitted.control);
    let ended = {
        let whole = pin!(async {
            let (task, ended) = first_program(&tcb, admitted).await;
            end::end_task(&tcb, task, ended).await;
        });
        let whole = pin!(contained(whole));
        tcb.meter.traces_begin(control.number, control.transaction.name);
        dispatched(tcb.place(true), &control, whole).await
    };
    if let Err(panic) = ended
        && let Err(again) = contained(pin!(end::lost(&region, &control, &panic))).await
    {
        again.tell(control.number, control.transaction.name);
    }
    tcb.meter.ended(control.transaction.supplied != Supplied::No, control.waits());
    monitoring::task_ended(&region, &tcb.meter, &control);
    control.span_ends();
    Dispatcher::of(&region).ended(&region, tcb.index, &control);
}

async fn run_visit(tcb: Rc<Tcb>, visit: Visit) {
    let control = Arc::clone(&visit.task.control);
    let stayed = {
        let stay = stay(&tcb);
        let mut level = (stay.runs)(&stay, visit.task, visit.program, None);
        // It is measured before it goes back: its own TCB may run it in the next moment.
        dispatched(tcb.place(false), &control, level.as_mut()).await
    };
    // The task's own TCB has stopped only if the region has.
    let _ = visit.back.send(stayed);
}
