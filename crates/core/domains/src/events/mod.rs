//! Task control: SUSPEND, CHANGE TASK, and waits for event control areas.
//!
//! An event control area is a fullword that says by one bit whether its event has come. POST (interval control) gives
//! one out and sets it when its time has come; a program may set one of its own by moving X'40' to it. A task that
//! waits looks when its wait begins. A post of an area that was given out wakes only the tasks that wait for that area;
//! an area that programs post by hand is polled, since no call of the region shows the post.

mod commands;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use areas::Area;
use foldhash::HashMap;
use parking_lot::Mutex;
use smallvec::SmallVec;
use tokio::time;

pub(crate) use commands::HANDLERS;

use kernel::limits::HAND_POST_LOOK;
use kernel::region::Region;
use kernel::storage::{Arena, StorageAddress};

/// The first byte's bit that says that the event has come.
const POSTED: u8 = 0x40;
/// Bytes of an event control area.
const LENGTH: usize = 4;

/// An event control area that the region has given out.
pub struct Event {
    address: StorageAddress,
    area: Mutex<Area>,
    state: Mutex<State>,
}

struct State {
    /// The wakers of those that wait for it: mostly one task.
    waiting: SmallVec<[Waker; 1]>,
}

impl State {
    fn wake(&self) {
        self.waiting.iter().for_each(Waker::wake_by_ref);
    }
}

impl Event {
    fn new(arena: &Arena) -> Self {
        let area = arena.hold(&[0; LENGTH]);
        Self {
            address: StorageAddress::of(&area),
            area: Mutex::new(area),
            state: Mutex::new(State { waiting: SmallVec::new() }),
        }
    }

    /// Returns its address.
    pub fn address(&self) -> StorageAddress {
        self.address
    }

    /// Posts the event: the tasks that wait for it go on.
    pub fn post(&self) {
        self.area.lock().write(0, &[POSTED, 0, 0, 0]);
        self.state.lock().wake();
    }
}

/// The events of a region.
#[derive(Default)]
pub struct Events {
    /// The areas that are given out, by their addresses.
    given_out: Mutex<HashMap<StorageAddress, Arc<Event>>>,
}

impl Events {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Gives out an area whose event has not come, where all tasks see it.
    pub fn give_out(&self, arena: &Arena) -> Arc<Event> {
        let event = Arc::new(Event::new(arena));
        self.given_out.lock().insert(event.address, Arc::clone(&event));
        event
    }

    /// Takes the area back. Tasks that still wait for it look a last time.
    pub fn take_back(&self, event: &Event) {
        self.given_out.lock().remove(&event.address);
        event.state.lock().wake();
    }

    /// Waits until `is_posted` finds one of the areas posted.
    ///
    /// # Errors
    /// The outcome of the look.
    pub async fn wait<E>(
        &self,
        addresses: &[StorageAddress],
        is_posted: impl Fn() -> Result<bool, E>,
    ) -> Result<(), E> {
        if is_posted()? {
            return Ok(());
        }
        let mut waiter = Waiter::new(self, addresses);
        let hears_of_all = waiter.hears.len() == addresses.len();
        loop {
            let told = poll_fn(|context| {
                waiter.listen(context.waker());
                // A post between the look before and the place in the list is seen by this one.
                match is_posted() {
                    Ok(false) => Poll::Pending,
                    Ok(true) => Poll::Ready(Ok(())),
                    Err(error) => Poll::Ready(Err(error)),
                }
            });
            if hears_of_all {
                return told.await;
            }
            if let Ok(posted) = Box::pin(time::timeout(HAND_POST_LOOK, told)).await {
                return posted;
            }
        }
    }
}

/// A place in the lists of those areas that are given out. Dropped, it leaves them.
struct Waiter {
    hears: SmallVec<[Arc<Event>; 1]>,
    /// By what the lists know it.
    waker: Option<Waker>,
}

impl Waiter {
    fn new(events: &Events, addresses: &[StorageAddress]) -> Self {
        let given_out = events.given_out.lock();
        let mut hears = SmallVec::new();
        for event in addresses.iter().filter_map(|address| given_out.get(address)) {
            hears.push(Arc::clone(event));
        }
        Self { hears, waker: None }
    }

    /// A post wakes this waker from now on.
    fn listen(&mut self, waker: &Waker) {
        if self.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            return;
        }
        self.leave();
        for event in &self.hears {
            event.state.lock().waiting.push(waker.clone());
        }
        self.waker = Some(waker.clone());
    }

    fn leave(&mut self) {
        let Some(waker) = self.waker.take() else { return };
        for event in &self.hears {
            let waiting = &mut event.state.lock().waiting;
            if let Some(place) = waiting.iter().position(|other| other.will_wake(&waker)) {
                waiting.swap_remove(place);
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Returns true if the first byte of an area says that its event has come.
fn is_posted(first_byte: u8) -> bool {
    first_byte & POSTED != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(event: &Event) -> Result<bool, ()> {
        let mut bytes = [0; LENGTH];
        event.area.lock().read(0, &mut bytes);
        Ok(is_posted(bytes[0]))
    }

    #[tokio::test]
    async fn a_wait_ends_when_its_event_is_posted_and_not_before() {
        let (events, arena) = (Events::default(), Arena::default());
        let (event, other) = (events.give_out(&arena), events.give_out(&arena));
        let posts = async {
            other.post();
            tokio::task::yield_now().await;
            assert_eq!(posted(&event), Ok(false));
            event.post();
        };
        let area = [event.address()];
        let (waited, ()) = tokio::join!(events.wait(&area, || posted(&event)), posts);
        assert_eq!(waited, Ok(()));
        assert_eq!(events.wait(&area, || posted(&event)).await, Ok(()));
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_leaves_no_place_behind() {
        let (events, arena) = (Events::default(), Arena::default());
        let event = events.give_out(&arena);
        let area = [event.address()];
        let mut wait = Box::pin(events.wait(&area, || posted(&event)));
        assert!(first_poll(&mut wait).await.is_none());
        assert_eq!(event.state.lock().waiting.len(), 1);
        drop(wait);
        assert_eq!(event.state.lock().waiting.len(), 0);
        events.take_back(&event);
        assert!(events.given_out.lock().is_empty());
    }

    #[tokio::test]
    async fn an_area_that_is_posted_by_hand_is_looked_at_again() {
        let events = Events::default();
        let event = Event::new(&Arena::default());
        let by_hand = async {
            tokio::task::yield_now().await;
            event.area.lock().write(0, &[POSTED, 0, 0, 0]);
        };
        let area = [event.address()];
        let (waited, ()) = tokio::join!(events.wait(&area, || posted(&event)), by_hand);
        assert_eq!(waited, Ok(()));
    }

    /// Returns the output of a future that is ready at its first poll.
    async fn first_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        poll_fn(|context| {
            Poll::Ready(match std::pin::Pin::new(&mut *future).poll(context) {
                Poll::Ready(output) => Some(output),
                Poll::Pending => None,
            })
        })
        .await
    }
}
