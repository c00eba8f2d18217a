//! Acceptors of front doors that live on TCBs: a client is accepted where its task runs.

use std::sync::Arc;

use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;

use super::Dispatcher;
use crate::programs::Concurrency;

impl Dispatcher {
    /// The TCBs on which clients are accepted whose programs run like this.
    pub fn acceptor_tcbs(&self, concurrency: Option<Concurrency>) -> Vec<usize> {
        match (concurrency, self.tcb_count()) {
            (Some(Concurrency::Quasirent), _) | (_, 1) => vec![0],
            (_, count) => (1..count).collect(),
        }
    }
}

/// Acceptors, wherever they run; dropped, they end.
#[derive(Default)]
pub struct Acceptors(Vec<AbortHandle>);

impl Drop for Acceptors {
    fn drop(&mut self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}

impl Acceptors {
    /// One on this TCB.
    pub fn here(&mut self, acceptor: impl Future<Output = ()> + 'static) {
        self.0.push(tokio::task::spawn_local(acceptor).abort_handle());
    }

    /// One on each of some TCBs, with what it listens on. While a TCB is stuck, another one accepts in its place, on what
    /// `second` makes of the same.
    pub async fn on<L: Send + Sync + 'static, A: Future<Output = ()> + 'static>(
        &mut self,
        dispatcher: &Dispatcher,
        tcbs: Vec<usize>,
        listening: Vec<Arc<L>>,
        second: impl Fn(&L) -> Option<Arc<L>>,
        acceptor: impl Fn(Arc<L>) -> A + Clone + Send + 'static,
    ) {
        for (place, (tcb, listening)) in tcbs.iter().zip(listening).enumerate() {
            let (own, others) = (acceptor.clone(), acceptor.clone());
            let another = tcbs[(place + 1) % tcbs.len()];
            let stuck = dispatcher.stuck(*tcb);
            let second = second(&listening);
            self.spawned(dispatcher, *tcb, move || own(listening)).await;
            if let (true, Some(second)) = (another != *tcb, second) {
                let stands_in = move || stand_in(stuck, move || others(Arc::clone(&second)));
                self.spawned(dispatcher, another, stands_in).await;
            }
        }
    }

    /// One on a TCB, made there.
    async fn spawned<A: Future<Output = ()> + 'static>(
        &mut self,
        dispatcher: &Dispatcher,
        tcb: usize,
        make: impl FnOnce() -> A + Send + 'static,
    ) {
        let (sender, handle) = oneshot::channel();
        dispatcher.on_tcb(tcb, move || {
            let spawned = tokio::task::spawn_local(make());
            // No task waits for it: the one that wanted it has ended meanwhile.
            if let Err(unwanted) = sender.send(spawned.abort_handle()) {
                unwanted.abort();
            }
        });
        self.0.extend(handle.await.ok());
    }
}

/// Accepts what comes to another TCB's socket for as long as that TCB is stuck. A listener's clients that have not said by
/// then what they want are let go.
async fn stand_in<A: Future<Output = ()>>(mut stuck: watch::Receiver<bool>, acceptor: impl Fn() -> A) {
    while stuck.wait_for(|stuck| *stuck).await.is_ok() {
        let back = stuck.wait_for(|stuck| !*stuck);
        tokio::select! {
            () = acceptor() => return,
            _ = back => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn another_tcb_accepts_while_one_is_stuck_and_no_longer() {
        let (stuck, seen) = watch::channel(false);
        let (begun, ended) = (Cell::new(0), Cell::new(0));
        struct Ends<'a>(&'a Cell<u32>);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let mut stand_in = pin!(stand_in(seen, || {
            begun.set(begun.get() + 1);
            let ends = Ends(&ended);
            async move {
                let _ends = ends;
                std::future::pending().await
            }
        }));
        let mut poll = || {
            assert!(stand_in.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            (begun.get(), ended.get())
        };
        assert_eq!(poll(), (0, 0));
        for times in 1..=2 {
            stuck.send_replace(true);
            assert_eq!(poll(), (times, times - 1));
            stuck.send_replace(false);
            assert_eq!(poll(), (times, times));
        }
    }
}
