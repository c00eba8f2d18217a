//! Requests that programs of the product answer: what they see of one, and their answer.

use std::sync::Arc;

use http::RequestHead;
use kernel::dispatcher::Context;
use kernel::exec::Flow;
use kernel::task::TaskControl;
use web::Answer;

use crate::alias::for_nobody;
use crate::exchange::Exchange;

/// A request that a task of the product's own works for.
pub struct Asked(Arc<Exchange>);

impl Asked {
    /// That of a task; `None` if it works for no request of HTTP.
    pub fn of(task: &TaskControl) -> Option<Self> {
        Exchange::of(task).filter(|exchange| exchange.is_http()).map(Self)
    }

    /// Its head.
    pub fn head(&self) -> &RequestHead {
        &self.0.head
    }

    /// Its body.
    pub fn body(&self) -> &[u8] {
        &self.0.body
    }

    /// Returns true if its client has gone.
    pub fn is_for_nobody(&self) -> bool {
        self.0.is_for_nobody()
    }

    /// Ends a task whose client has gone: what it has changed is backed out.
    pub fn give_up(&self, context: &Context<'_>) -> Flow {
        for_nobody(context, &self.0)
    }

    /// Keeps the answer, which goes out when the task has ended.
    pub fn answer(&self, answer: Answer) {
        self.0.answer().kept = Some(answer);
    }
}
