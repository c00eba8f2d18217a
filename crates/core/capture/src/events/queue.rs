//! Events that wait for their adapter.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Room;
use super::event::Event;

/// The queue of an adapter: its own, so that an adapter that does not come on holds no other.
#[derive(Default)]
pub(crate) struct Queue(Mutex<State>);

#[derive(Default)]
struct State {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// The most events that waited.
    peak: usize,
    /// A task works it off.
    is_worked_off: bool,
    /// Events that had no room since one had.
    dropped: u64,
}

/// The outcome of putting an event into a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It waits, and a worker is emptying the queue.
    Waits,
    /// It waits, and a task is to be begun, which works the queue off.
    Begins,
    /// There is no room for it. It is the first one for which there is none.
    NoRoomNow,
    /// There is no room for it either.
    NoRoom,
}

impl Queue {
    pub fn put(&self, event: Arc<Event>, room: Room) -> Put {
        let mut state = self.0.lock();
        if state.events.len() >= room.events || state.bytes + event.size() > room.bytes {
            state.dropped += 1;
            return if state.dropped == 1 { Put::NoRoomNow } else { Put::NoRoom };
        }
        state.dropped = 0;
        state.bytes += event.size();
        state.events.push_back(event);
        state.peak = state.peak.max(state.events.len());
        if std::mem::replace(&mut state.is_worked_off, true) { Put::Waits } else { Put::Begins }
    }

    /// The next event; `None`: there is none, and the queue is not worked off any more.
    pub fn take(&self) -> Option<Arc<Event>> {
        let mut state = self.0.lock();
        let event = state.events.pop_front();
        match &event {
            Some(event) => state.bytes -= event.size(),
            None => state.is_worked_off = false,
        }
        event
    }

    /// The task that worked it off is gone. Returns true if another one is to be begun.
    pub fn is_left(&self) -> bool {
        let mut state = self.0.lock();
        state.is_worked_off = !state.events.is_empty();
        state.is_worked_off
    }

    /// No worker could be started: takes the events that wait.
    pub fn give_up(&self) -> usize {
        let mut state = self.0.lock();
        let events = std::mem::take(&mut state.events);
        state.bytes = 0;
        state.is_worked_off = false;
        events.len()
    }

    /// Takes away what waits.
    pub fn clear(&self) -> usize {
        let mut state = self.0.lock();
        state.bytes = 0;
        std::mem::take(&mut state.events).len()
    }

    pub fn length(&self) -> usize {
        self.0.lock().events.len()
    }

    /// The bytes of what waits, and the most events that waited since the last reset.
    pub fn bytes_and_peak(&self, reset: bool) -> (usize, usize) {
        let mut state = self.0.lock();
        let peak = state.peak;
        if reset {
            state.peak = state.events.len();
        }
        (state.bytes, peak)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use kernel::name::Name8;
    use kernel::security::User;
    use policies::event_binding::{AdapterOf, EventBinding};

    use super::*;
    use crate::events::binding::Binding;
    use crate::events::event::EventPlace;

    fn event() -> Arc<Event> {
        let adapter = AdapterOf::Named(String::from("A"));
        let (events, captures) = (Vec::new(), Vec::new());
        let binding = EventBinding { user_tag: String::new(), schema: (1, 0), events, captures, adapter };
        Arc::new(Event {
            place: EventPlace::Command,
            binding: Arc::new(Binding::new(Name8::BLANK, "B", binding)),
            name: String::new(),
            capture: String::new(),
            applid: String::new(),
            transaction: String::new(),
            program: String::new(),
            user: User::region(),
            task: 1,
            response: 0,
            unit: Vec::new(),
            at: Timestamp::UNIX_EPOCH,
            abstime: 0,
            items: Vec::new(),
        })
    }

    #[test]
    fn a_queue_has_a_limit_and_is_worked_off_by_one() {
        const WAITING_MAX: usize = 10;
        let (queue, event) = (Queue::default(), event());
        let put = || queue.put(Arc::clone(&event), Room { events: WAITING_MAX, bytes: usize::MAX });
        assert_eq!((put(), put()), (Put::Begins, Put::Waits));
        (2..WAITING_MAX).for_each(|_| assert_eq!(put(), Put::Waits));
        assert_eq!((put(), put(), queue.length()), (Put::NoRoomNow, Put::NoRoom, WAITING_MAX));
        assert!(queue.take().is_some());
        assert_eq!(put(), Put::Waits);
        assert!(queue.is_left(), "another one is to begin");
        (0..WAITING_MAX).for_each(|_| assert!(queue.take().is_some()));
        assert!(queue.take().is_none() && !queue.is_left());
        assert_eq!(put(), Put::Begins);
        assert_eq!((queue.give_up(), queue.length()), (1, 0));
        assert_eq!(put(), Put::Begins, "what was given up is over");
        assert_eq!(queue.bytes_and_peak(true), (event.size(), WAITING_MAX));
        assert_eq!(queue.bytes_and_peak(false), (event.size(), 1));
        let room = Room { events: usize::MAX, bytes: 2 * event.size() };
        assert_eq!(queue.put(Arc::clone(&event), room), Put::Waits);
        assert_eq!(queue.put(Arc::clone(&event), room), Put::NoRoomNow, "its bytes have a limit, too");
    }
}
