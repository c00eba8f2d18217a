//! Emission of events: which adapter gets one, when, and in whose task.

use std::sync::Arc;

use coordinator::Refusing;
use kernel::lines::often;
use kernel::meters::Figure;
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::task::{Task, TaskPart};

use super::adapter::Adapter;
use super::capturing::counted;
use super::event::Event;
use super::failure::{Failure, tell};
use super::queue::Put;
use super::{Events, dispatch, format, send};
use crate::Capture;

/// Votes against a unit of work with a synchronous event that was not emitted.
const NOT_EMITTED: &str = "an event that was not emitted";

/// A task emits an event: its own commands are not captured.
#[derive(Default)]
pub(super) struct Emitting(pub bool);

impl TaskPart for Emitting {}

/// A captured event goes to the adapters of its binding.
pub(super) async fn pass_on(task: &mut Task, event: Event) -> Outcome {
    let (region, event) = (Arc::clone(&task.region), Arc::new(event));
    for name in adapters(Events::of(&region), &event) {
        to_adapter(task, &region, &name, &event).await?;
    }
    Ok(())
}

/// A system event goes to the adapters of its binding: it is of no unit of work, and no task waits for it.
pub(super) fn pass_on_of_region(region: &Arc<Region>, event: Event) {
    let (events, event) = (Events::of(region), Arc::new(event));
    for name in adapters(events, &event) {
        let Some(adapter) = events.adapter(&name) else {
            let capture = Capture::of(region);
            match capture.wants(&name) {
                true => capture.emit(&name, &format::line(&event)),
                false => is_unavailable(events, &event, &name),
            }
            continue;
        };
        if !adapter.is_enabled() {
            adapter.counts.disabled.more();
            is_unavailable(events, &event, &name);
        } else if adapter.adapter.synchronous {
            tell(
                region,
                &adapter,
                &event,
                &Failure::Config(String::from("system events are not emitted synchronously")),
            );
        } else {
            is_put(events, &adapter);
            enqueue(region, &adapter, Arc::clone(&event), dispatch::begin_elsewhere);
        }
    }
}

/// The names of the adapters that get an event.
fn adapters(events: &Events, event: &Event) -> Vec<String> {
    match event.binding.adapter() {
        (own, "") => vec![own.to_owned()],
        (_, set) => match events.set(set).filter(|set| set.is_enabled()) {
            Some(set) => set.adapters.clone(),
            None => {
                is_unavailable(events, event, set);
                Vec::new()
            }
        },
    }
}

/// Counts an event that an adapter gets.
fn is_put(events: &Events, adapter: &Adapter) {
    events.counts.put.more();
    adapter.counts.put.more();
    match adapter.adapter.is_urgent {
        _ if adapter.adapter.synchronous => {}
        true => events.counts.urgent.more(),
        false => events.counts.normal.more(),
    }
}

fn is_unavailable(events: &Events, event: &Event, name: &str) {
    events.counts.unavailable.more();
    often!(
        warn, target: "EP",
        "an event {} of EVENTBINDING {} is lost: EPADAPTER {name} is disabled, or not there", event.name, event.binding.name
    );
}

async fn to_adapter(task: &mut Task, region: &Arc<Region>, name: &str, event: &Arc<Event>) -> Outcome {
    let events = Events::of(region);
    let Some(adapter) = events.adapter(name) else {
        // A file of region.toml stands for an adapter of its name.
        if !Capture::of(region).passes_on(task, name, || format::line(event)) {
            is_unavailable(events, event, name);
        }
        return Ok(());
    };
    if !adapter.is_enabled() {
        adapter.counts.disabled.more();
        is_unavailable(events, event, name);
        return Ok(());
    }
    is_put(events, &adapter);
    if adapter.adapter.synchronous {
        return at_once(task, &adapter, event).await;
    }
    if adapter.adapter.transactional {
        at_commit(task, &adapter, event);
    } else {
        dispatch_event(region, &adapter, Arc::clone(event));
    }
    Ok(())
}

/// Emits an event in the task in which it was captured. If it cannot be emitted, the unit of work cannot be committed: that is the
/// promise of synchronous emission.
async fn at_once(task: &mut Task, adapter: &Arc<Adapter>, event: &Arc<Event>) -> Outcome {
    let region = Arc::clone(&task.region);
    let counts = &Events::of(&region).counts;
    counts.synchronous.more();
    counted(task, Figure::EventsSynchronous);
    task.kept.part::<Emitting>().0 = true;
    let eib = task.level().eib.copy();
    let emitted = send::emit(task, adapter, event).await;
    task.level_mut().eib.restore(&eib);
    task.kept.part::<Emitting>().0 = false;
    match emitted {
        Ok(()) => {
            adapter.counts.emitted.more();
            Ok(())
        }
        Err(Failure::Ended(raise)) => Err(raise),
        Err(failure) => {
            counts.synchronous_failed.more();
            tell(&region, adapter, event, &failure);
            task.work.enlist(Arc::new(Refusing(NOT_EMITTED)));
            Ok(())
        }
    }
}

/// An event that waits for the end of its unit of work: one that is not emitted is discarded.
struct Waiting {
    region: Arc<Region>,
    adapter: Arc<Adapter>,
    event: Option<Arc<Event>>,
    size: usize,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let counts = &Events::of(&self.region).counts;
        counts.transactional_waiting.falls(1);
        counts.transactional_bytes.falls(self.size);
        if self.event.is_some() {
            counts.discarded.more();
        }
    }
}

/// The unit of work in which a task has had transactional events last.
#[derive(Default)]
struct LastUnit(Option<u64>);

impl TaskPart for LastUnit {}

fn at_commit(task: &mut Task, adapter: &Arc<Adapter>, event: &Arc<Event>) {
    let region = Arc::clone(&task.region);
    let counts = &Events::of(&region).counts;
    counts.transactional.more();
    let (size, bytes, room) = (event.size(), &counts.transactional_bytes, Events::uncommitted_room(&region));
    let is_full = bytes.now() + size as u64 > room.bytes as u64;
    if is_full || counts.transactional_waiting.now() >= room.events as u64 {
        return has_no_room(&region, adapter);
    }
    counts.transactional_waiting.rises();
    bytes.rises_by(size);
    let unit = task.control.unit();
    if task.kept.part::<LastUnit>().0.replace(unit) != Some(unit) {
        task.work.at_commit(Box::new(|region| Events::of(region).counts.commits.more()));
        task.work.at_backout(Box::new(|region| Events::of(region).counts.backouts.more()));
    }
    let mut waiting = Waiting {
        region: Arc::clone(&region),
        adapter: Arc::clone(adapter),
        event: Some(Arc::clone(event)),
        size,
    };
    let stops = Events::of(&region).stops();
    task.work.at_commit(Box::new(move |region| {
        if Events::of(region).stops() == stops
            && let Some(event) = waiting.event.take()
        {
            dispatch_event(region, &waiting.adapter, event);
        }
    }));
}

fn has_no_room(region: &Region, adapter: &Adapter) {
    Events::of(region).counts.dispatch_other.more();
    adapter.counts.no_room.more();
    often!(error, target: "EP", "events of EPADAPTER {} are lost: as many wait as may", adapter.name);
}

/// Puts an event into the queue of its adapter, which a task works off.
fn dispatch_event(region: &Arc<Region>, adapter: &Arc<Adapter>, event: Arc<Event>) {
    enqueue(region, adapter, event, dispatch::begin);
}

/// Puts an event into the queue of its adapter. `begin`: begins the task that works it off.
fn enqueue(
    region: &Arc<Region>,
    adapter: &Arc<Adapter>,
    event: Arc<Event>,
    begin: impl FnOnce(&Arc<Region>, &Arc<Adapter>),
) {
    let (counts, room) = (&Events::of(region).counts, Events::queue_room(region));
    match adapter.queue.put(event, room) {
        Put::NoRoomNow => has_no_room(region, adapter),
        Put::NoRoom => {
            counts.dispatch_other.more();
            adapter.counts.no_room.more();
        }
        put => {
            counts.waiting.rises();
            if put == Put::Begins {
                begin(region, adapter);
            }
        }
    }
}
