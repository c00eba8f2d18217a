//! Child tasks: transactions that a task runs beside itself, and whose answers it fetches.
//!
//! States of a child, for its parent: *running* → *ended* (normally, or with an abend code) → *fetched* (its channel
//! is given once) → forgotten by FREE CHILD, or with its parent. A child outlives its parent unharmed.
//!
//! Invariant: a child works on a copy of the channel; its parent sees the changes when it fetches, never before.

mod commands;

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::sync::Notify;

pub(crate) use commands::HANDLERS;

use kernel::channels::Channel;
use kernel::raise::AbendCode;
use kernel::task::TaskPart;

/// The identifier of a child in its parent's program.
pub type Token = [u8; 16];

/// The end of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// RETURN, and its unit of work committed.
    Normal,
    /// An abend.
    Abend(AbendCode),
}

/// A child, as it and its parent share it.
pub struct Child {
    /// Its copy of the channel.
    channel: Option<Arc<Channel>>,
    ending: Mutex<Option<Ending>>,
    /// The reason for its abend, for the region's own code: no program sees it.
    reason: Mutex<Option<String>>,
    family: Arc<Notify>,
}

impl Child {
    /// A task that the region itself waits for.
    pub fn of_the_region() -> Arc<Self> {
        Arc::new(Self {
            channel: None,
            ending: Mutex::default(),
            reason: Mutex::default(),
            family: Arc::default(),
        })
    }

    /// Makes the part that its task holds for those that wait for it.
    pub fn family(self: &Arc<Self>) -> Family {
        Family { child: Arc::clone(self), ending: Ending::Abend(AbendCode::from(LOST)) }
    }

    /// Waits for its end.
    pub async fn end(&self) -> Ending {
        loop {
            let told = self.family.notified();
            if let Some(ending) = self.ending() {
                return ending;
            }
            told.await;
        }
    }

    /// Records the reason for its abend, before it has ended.
    fn explain(&self, reason: &str) {
        *self.reason.lock() = Some(reason.to_owned());
    }

    /// Returns the reason for its abend, if that is known.
    pub fn reason(&self) -> Option<String> {
        self.reason.lock().clone()
    }

    /// The child's task is over: its parent may fetch it.
    fn ended(&self, ending: Ending) {
        *self.ending.lock() = Some(ending);
        self.family.notify_waiters();
    }

    fn ending(&self) -> Option<Ending> {
        *self.ending.lock()
    }
}

/// The end of a child that never began.
const NOT_BEGUN: &str = "AKCS";
/// The end of a child that was lost when the region's own code failed.
const LOST: &str = "AEXZ";

/// A child's end as its task holds it, for those that wait. When it is dropped, the child has ended.
pub struct Family {
    child: Arc<Child>,
    ending: Ending,
}

impl TaskPart for Family {
    fn refused(&mut self) -> bool {
        self.ending = Ending::Abend(AbendCode::from(NOT_BEGUN));
        true
    }

    fn task_ends(&mut self, abend: Option<AbendCode>, reason: Option<&str>) {
        self.ending = abend.map_or(Ending::Normal, Ending::Abend);
        reason.into_iter().for_each(|reason| self.child.explain(reason));
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        self.child.ended(self.ending);
    }
}

/// A child as its parent keeps it.
struct Entry {
    token: Token,
    child: Arc<Child>,
    fetched: bool,
    channel_fetched: bool,
}

impl TaskPart for Children {}

/// The children of a task.
#[derive(Default)]
pub struct Children {
    entries: Vec<Entry>,
    last_number: u32,
    /// Told whenever one of them ends; most tasks have none.
    family: OnceLock<Arc<Notify>>,
}

/// The child or children that a parent waits for.
#[derive(Clone, Copy)]
enum Wanted {
    /// One child, by its token.
    Child(Token),
    /// Any that has not been fetched.
    Any,
}

/// The present state of the wanted child.
enum Found {
    /// An ended child, by its place.
    Ended(usize, Ending),
    /// It still runs.
    Running,
    /// There is none.
    Nothing,
}

impl Children {
    fn family(&self) -> &Arc<Notify> {
        self.family.get_or_init(Arc::default)
    }

    /// A child that is about to be attached. It belongs to the family only by [`Self::adopt`].
    fn conceive(&self, channel: Option<Arc<Channel>>) -> Arc<Child> {
        Arc::new(Child {
            channel,
            ending: Mutex::default(),
            reason: Mutex::default(),
            family: Arc::clone(self.family()),
        })
    }

    /// The child is attached: its token.
    fn adopt(&mut self, parent: u32, child: Arc<Child>) -> Token {
        self.last_number += 1;
        let mut token = *b"DFHCHILD\0\0\0\0\0\0\0\0";
        token[8..12].copy_from_slice(&parent.to_be_bytes());
        token[12..].copy_from_slice(&self.last_number.to_be_bytes());
        self.entries.push(Entry { token, child, fetched: false, channel_fetched: false });
        token
    }

    fn find(&self, wanted: Wanted) -> Found {
        let mut found = Found::Nothing;
        for (index, entry) in self.entries.iter().enumerate() {
            let is_wanted = match wanted {
                Wanted::Child(token) => entry.token == token,
                Wanted::Any => !entry.fetched,
            };
            match entry.child.ending().filter(|_| is_wanted) {
                Some(ending) => return Found::Ended(index, ending),
                None if is_wanted => found = Found::Running,
                None => {}
            }
        }
        found
    }

    /// Waits until what is wanted has ended, or there is no such child.
    async fn settled(&self, wanted: Wanted) {
        loop {
            let told = self.family().notified();
            tokio::pin!(told);
            // From here on no ending is missed, also one that comes before the first poll.
            told.as_mut().enable();
            if !matches!(self.find(wanted), Found::Running) {
                return;
            }
            told.await;
        }
    }

    /// FREE CHILD; false if there is none of that token.
    fn free(&mut self, token: Token) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.token != token);
        self.entries.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_gives_the_children_that_have_ended_and_were_not_fetched() {
        let mut children = Children::default();
        assert!(matches!(children.find(Wanted::Any), Found::Nothing));
        let (first, second) = (children.conceive(None), children.conceive(None));
        let token = children.adopt(7, Arc::clone(&first));
        children.adopt(7, Arc::clone(&second));
        assert!(matches!(children.find(Wanted::Any), Found::Running));
        second.ended(Ending::Normal);
        assert!(matches!(children.find(Wanted::Any), Found::Ended(1, Ending::Normal)));
        assert!(matches!(children.find(Wanted::Child(token)), Found::Running));
        children.entries[1].fetched = true;
        assert!(children.free(token) && !children.free(token));
        assert!(matches!(children.find(Wanted::Any), Found::Nothing));
    }

    #[tokio::test]
    async fn a_parent_that_waits_is_told_of_the_end() {
        let mut children = Children::default();
        let child = children.conceive(None);
        let token = children.adopt(1, Arc::clone(&child));
        let end = async { child.ended(Ending::Abend(AbendCode::from("ASRA"))) };
        tokio::join!(children.settled(Wanted::Child(token)), end);
    }
}
