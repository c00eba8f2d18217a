//! Task control: SUSPEND, CHANGE TASK, and waits for event control areas.
//!
//! An event control area is a fullword that says by one bit whether its event has come. POST (interval control) gives
//! one out and sets it when its time has come; a program may set one itself. Whoever waits looks when its wait begins,
//! and again whenever an area of this region is posted.

mod commands;

use std::sync::Arc;

use cobol::Area;
use parking_lot::Mutex;
use tokio::sync::Notify;

pub(crate) use commands::HANDLERS;

/// The first byte's bit that says that the event has come.
const POSTED: u8 = 0x40;
/// Bytes of an event control area.
const LENGTH: usize = 4;

/// An event control area that the region has given out.
pub struct Event {
    area: Mutex<Area>,
}

impl Event {
    /// One whose event has not come.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { area: Mutex::new(Area::new(LENGTH)) })
    }

    /// Where it is.
    pub fn address(&self) -> usize {
        self.area.lock().address()
    }
}

/// The events of a region.
#[derive(Default)]
pub struct Events {
    posted: Notify,
}

impl Events {
    /// The event has come: whoever waits for it goes on.
    pub fn post(&self, event: &Event) {
        event.area.lock().write(0, &[POSTED, 0, 0, 0]);
        self.posted.notify_waiters();
    }

    /// Waits until `is_posted` finds an area posted.
    ///
    /// # Errors
    /// What looking came to.
    pub async fn wait<E>(&self, is_posted: impl Fn() -> Result<bool, E>) -> Result<(), E> {
        loop {
            let told = self.posted.notified();
            tokio::pin!(told);
            // From here on no post is missed, also one that comes before the first poll.
            told.as_mut().enable();
            if is_posted()? {
                return Ok(());
            }
            told.await;
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

    #[tokio::test]
    async fn a_wait_ends_when_its_event_is_posted_and_not_before() {
        let (events, event, other) = (Events::default(), Event::new(), Event::new());
        let seen = || {
            let mut bytes = [0; LENGTH];
            event.area.lock().read(0, &mut bytes);
            Ok::<_, ()>(is_posted(bytes[0]))
        };
        assert_eq!(seen(), Ok(false));
        let posts = async {
            events.post(&other);
            tokio::task::yield_now().await;
            assert_eq!(seen(), Ok(false));
            events.post(&event);
        };
        let (waited, ()) = tokio::join!(events.wait(seen), posts);
        assert_eq!(waited, Ok(()));
        assert_eq!(events.wait(seen).await, Ok(()));
    }
}
