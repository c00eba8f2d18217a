//! A wait of a unit of work for a lock.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use records::{Answer, Error, Result};

/// A wait for a lock, which its session can end at once.
#[derive(Clone)]
pub(super) struct Wait(Rc<RefCell<Option<Waiting>>>);

type Waiting = Answer<'static, Result<()>>;

impl Wait {
    pub fn new(waiting: Waiting) -> Self {
        Self(Rc::new(RefCell::new(Some(waiting))))
    }

    /// Returns true if both are the same wait.
    pub fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Ends it. It leaves nothing behind, not even a lock that was granted meanwhile and that no session has heard of.
    pub fn end(&self) {
        let waiting = self.0.borrow_mut().take();
        drop(waiting);
    }

    pub async fn ends(&self) -> Result<()> {
        poll_fn(|context| match &mut *self.0.borrow_mut() {
            Some(waiting) => Pin::new(waiting).poll(context),
            None => Poll::Ready(Err(Error::Cancelled)),
        })
        .await
    }
}
