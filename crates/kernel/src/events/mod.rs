//! Task control: SUSPEND, CHANGE TASK, and waits for event control areas.
//!
//! An event control area is a fullword that says by one bit whether its event has come. POST (interval control) gives
//! one out and sets it when its time has come; a program may set one of its own by moving X'40' to it. Whoever waits
//! looks when its wait begins. A post of an area that was given out wakes those that wait for that area, and nobody
//! else; an area that programs post by hand is looked at in intervals, since nothing tells when they do.

mod commands;

use std::sync::Arc;

use cobol::Area;
use parking_lot::Mutex;
use records::Map;
use tokio::sync::Notify;
use tokio::time;

pub(crate) use commands::HANDLERS;

use crate::limits::HAND_POST_LOOK;

/// The first byte's bit that says that the event has come.
const POSTED: u8 = 0x40;
/// Bytes of an event control area.
const LENGTH: usize = 4;

/// An event control area that the region has given out.
pub struct Event {
    address: usize,
    area: Mutex<Area>,
}

impl Event {
    fn new() -> Self {
        let area = Area::new(LENGTH);
        Self { address: area.address(), area: Mutex::new(area) }
    }

    /// Where it is.
    pub fn address(&self) -> usize {
        self.address
    }
}

/// The events of a region.
#[derive(Default)]
pub struct Events {
    /// Who waits for each area that is given out.
    given_out: Mutex<Map<usize, Vec<Arc<Notify>>>>,
}

impl Events {
    /// Gives out an area whose event has not come.
    pub fn give_out(&self) -> Arc<Event> {
        let event = Arc::new(Event::new());
        self.given_out.lock().insert(event.address, Vec::new());
        event
    }

    /// The area is nobody's any more. Who still waits for it looks a last time.
    pub fn take_back(&self, event: &Event) {
        for waiter in self.given_out.lock().remove(&event.address).into_iter().flatten() {
            waiter.notify_one();
        }
    }

    /// The event has come: whoever waits for it goes on.
    pub fn post(&self, event: &Event) {
        event.area.lock().write(0, &[POSTED, 0, 0, 0]);
        for waiter in self.given_out.lock().get(&event.address).into_iter().flatten() {
            waiter.notify_one();
        }
    }

    /// Waits until `is_posted` finds one of the areas posted.
    ///
    /// # Errors
    /// What looking came to.
    pub async fn wait<E>(
        &self,
        addresses: &[usize],
        is_posted: impl Fn() -> Result<bool, E>,
    ) -> Result<(), E> {
        if is_posted()? {
            return Ok(());
        }
        let waiter = Waiter::new(self, addresses);
        // A post between the look above and the place in the list is seen by the next look.
        while !is_posted()? {
            if waiter.hears_of_all {
                waiter.told.notified().await;
            } else {
                // Either way it is time to look.
                let _ = time::timeout(HAND_POST_LOOK, waiter.told.notified()).await;
            }
        }
        Ok(())
    }
}

/// A place in the lists of some areas. Dropped, it leaves them.
struct Waiter<'a> {
    events: &'a Events,
    addresses: &'a [usize],
    told: Arc<Notify>,
    /// All areas are given out: no event comes unnoticed.
    hears_of_all: bool,
}

impl<'a> Waiter<'a> {
    fn new(events: &'a Events, addresses: &'a [usize]) -> Self {
        let told = Arc::new(Notify::new());
        let mut given_out = events.given_out.lock();
        let mut heard = 0;
        for address in addresses {
            if let Some(waiting) = given_out.get_mut(address) {
                waiting.push(Arc::clone(&told));
                heard += 1;
            }
        }
        Self { events, addresses, told, hears_of_all: heard == addresses.len() }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut given_out = self.events.given_out.lock();
        for address in self.addresses {
            if let Some(waiting) = given_out.get_mut(address) {
                waiting.retain(|other| !Arc::ptr_eq(other, &self.told));
            }
        }
    }
}

/// Whether the first byte of an area says that its event has come.
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
        let events = Events::default();
        let (event, other) = (events.give_out(), events.give_out());
        let posts = async {
            events.post(&other);
            tokio::task::yield_now().await;
            assert_eq!(posted(&event), Ok(false));
            events.post(&event);
        };
        let area = [event.address()];
        let (waited, ()) = tokio::join!(events.wait(&area, || posted(&event)), posts);
        assert_eq!(waited, Ok(()));
        assert_eq!(events.wait(&area, || posted(&event)).await, Ok(()));
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_leaves_no_place_behind() {
        let events = Events::default();
        let event = events.give_out();
        let area = [event.address()];
        let mut wait = Box::pin(events.wait(&area, || posted(&event)));
        assert!(first_poll(&mut wait).await.is_none());
        assert_eq!(events.given_out.lock()[&event.address()].len(), 1);
        drop(wait);
        assert_eq!(events.given_out.lock()[&event.address()].len(), 0);
        events.take_back(&event);
        assert!(events.given_out.lock().is_empty());
    }

    #[tokio::test]
    async fn an_area_that_is_posted_by_hand_is_looked_at_again() {
        let events = Events::default();
        let event = Event::new();
        let by_hand = async {
            tokio::task::yield_now().await;
            event.area.lock().write(0, &[POSTED, 0, 0, 0]);
        };
        let area = [event.address()];
        let (waited, ()) = tokio::join!(events.wait(&area, || posted(&event)), by_hand);
        assert_eq!(waited, Ok(()));
    }

    /// What a future has come to at its first poll.
    async fn first_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        std::future::poll_fn(|context| {
            std::task::Poll::Ready(match std::pin::Pin::new(&mut *future).poll(context) {
                std::task::Poll::Ready(output) => Some(output),
                std::task::Poll::Pending => None,
            })
        })
        .await
    }
}
