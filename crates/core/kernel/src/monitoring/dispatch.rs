//! The one place through which every dispatch of every task goes.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::others::record_exception;
use crate::control::TaskControl;
use crate::meters::{Meter, Performance};
use crate::ticks as clock;

/// Place where a task is dispatched.
pub(crate) struct DispatchPlace<'a> {
    /// The TCB's counters.
    pub meter: &'a Meter,
    /// True if it is an open TCB.
    pub open: bool,
    /// True if the task is at home there: it ends when its work does. Else it goes back.
    pub home: bool,
}

/// Runs a task's work on a TCB, and measures it if the task is monitored.
pub(crate) async fn dispatched<F: Future + ?Sized>(
    place: DispatchPlace<'_>,
    control: &TaskControl,
    mut work: Pin<&mut F>,
) -> F::Output {
    let mut alarm = None;
    poll_fn(|context| {
        place.meter.dispatches(control.number);
        let polled = control.dispatch(|| match control.performance() {
            None => work.as_mut().poll(context),
            Some(performance) => measured(&place, control, performance, &mut alarm, work.as_mut(), context),
        });
        place.meter.dispatched(polled.is_pending());
        if place.meter.has_sums() {
            let processor = place.meter.worked();
            control.has_worked(processor);
            let waits_for = if polled.is_pending() { control.waits_for() } else { None };
            place.meter.traces_dispatch(control.number, waits_for, processor);
        }
        polled
    })
    .await
}

fn measured<F: Future + ?Sized>(
    place: &DispatchPlace<'_>,
    control: &TaskControl,
    performance: &Performance,
    alarm: &mut Option<Alarm>,
    work: Pin<&mut F>,
    context: &mut Context<'_>,
) -> Poll<F::Output> {
    if alarm.as_ref().is_none_or(|alarm| !alarm.wakes(context.waker())) {
        *alarm = Some(Alarm::new(context.waker()));
    }
    let Some(alarm) = alarm else { return work.poll(context) };
    let begun = performance.dispatched(alarm.bell.rung.swap(0, Ordering::Relaxed), place.open);
    let polled = work.poll(&mut Context::from_waker(&alarm.waker));
    let exception = match polled {
        Poll::Pending => performance.suspended(begun, place.open, control.wait_in_hand()),
        Poll::Ready(_) => performance.left(begun, place.open, place.home),
    };
    if let Some(exception) = exception {
        record_exception(control, performance, &exception);
    }
    polled
}

/// A waker that notes when it was rung first.
struct Alarm {
    bell: Arc<Bell>,
    waker: Waker,
}

struct Bell {
    /// When the task could have been dispatched; 0: not yet.
    rung: AtomicU64,
    inner: Waker,
}

impl Alarm {
    fn new(inner: &Waker) -> Self {
        let bell = Arc::new(Bell { rung: AtomicU64::new(0), inner: inner.clone() });
        Self { waker: Waker::from(Arc::clone(&bell)), bell }
    }

    fn wakes(&self, inner: &Waker) -> bool {
        self.bell.inner.will_wake(inner)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let _ = self.rung.compare_exchange(0, clock::now(), Ordering::Relaxed, Ordering::Relaxed);
        self.inner.wake_by_ref();
    }
}
