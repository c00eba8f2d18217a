//! A port that is listened on: on one TCB or on several, each with a listening socket of its own.

use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kernel::name::TransactionName;
use kernel::programs::Concurrency;
use kernel::region::Region;
use rustix::io::Errno as System;
use rustix::net::sockopt::{set_socket_reuseaddr, set_socket_reuseport};
use rustix::net::{SocketFlags, SocketType, acceptfrom_with, getsockname, socket_with};
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::task::coop::consume_budget;

use crate::address::{Family, of_system};
use crate::errno::Errno;
use crate::socket::{Direction, Drained, Socket};

const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// How long accepting rests when the system has no descriptor or memory for another client.
const REST: Duration = Duration::from_millis(100);

/// Opens `count` listening sockets on one port, and tells which: port 0 is any free one.
///
/// # Errors
/// Why the port cannot be had.
pub fn open(at: SocketAddr, backlog: i32, count: usize) -> Result<(Vec<Arc<Socket>>, SocketAddr), Errno> {
    let family = Family::of_address(&at).system();
    // Sockets of this user may share a port, but not with those of another region.
    if at.port() != 0 {
        let probe = socket_with(family, SocketType::STREAM, FLAGS, None)?;
        set_socket_reuseaddr(&probe, true)?;
        rustix::net::bind(&probe, &at)?;
    }
    let mut address = at;
    let mut sockets = Vec::with_capacity(count);
    for _ in 0..count {
        let fd = socket_with(family, SocketType::STREAM, FLAGS, None)?;
        set_socket_reuseaddr(&fd, true)?;
        set_socket_reuseport(&fd, true)?;
        rustix::net::bind(&fd, &address)?;
        rustix::net::listen(&fd, backlog)?;
        address = of_system(getsockname(&fd)?)?;
        sockets.push(Socket::new(fd));
    }
    Ok((sockets, address))
}

type Accepted = (OwnedFd, Option<rustix::net::SocketAddrAny>);

/// The next client of a port, and where it is. What the system refuses is told in the name of `who`.
pub async fn next(listening: &Socket, who: TransactionName) -> (Arc<Socket>, SocketAddr) {
    loop {
        // However many come at once, those that are here are served meanwhile.
        consume_budget().await;
        let accepted: Result<Accepted, Errno> = when_ready(listening, |fd| acceptfrom_with(fd, FLAGS)).await;
        match accepted {
            Ok((fd, Some(peer))) => {
                if let Ok(address) = of_system(peer) {
                    return (Socket::new(fd), address);
                }
            }
            // The client has gone already.
            Ok((_, None)) | Err(Errno::CONNABORTED | Errno::INTR) => {}
            Err(errno) => {
                tracing::error!(target: "SO", "{who}: no client can be accepted now, ERRNO {}", errno.0);
                tokio::time::sleep(REST).await;
            }
        }
    }
}

/// Does something with a socket as soon as it can be.
///
/// # Errors
/// What the system refuses.
pub async fn when_ready<T: Drained>(
    socket: &Socket,
    mut operation: impl FnMut(BorrowedFd<'_>) -> Result<T, System>,
) -> Result<T, Errno> {
    loop {
        if let Some(result) = socket.attempt(Direction::Read, &mut operation) {
            return result;
        }
        socket.registered(Direction::Read)?.news(Direction::Read).await?;
    }
}

/// The TCBs on which clients are accepted whose programs run like this.
pub fn tcbs(region: &Region, concurrency: Option<Concurrency>) -> Vec<usize> {
    match (concurrency, region.dispatcher().tcb_count()) {
        (Some(Concurrency::Quasirent), _) | (_, 1) => vec![0],
        (_, count) => (1..count).collect(),
    }
}

/// That the region ends: told to tasks which wait for clients.
#[derive(Default)]
pub struct Closing {
    closed: AtomicBool,
    told: Notify,
}

impl Closing {
    /// Tells it, to those that wait now and to those that come later.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.told.notify_waiters();
    }

    /// Whether it was told.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Waits until it is told.
    pub async fn closed(&self) {
        let told = self.told.notified();
        tokio::pin!(told);
        // From here on it is not missed.
        told.as_mut().enable();
        if !self.is_closed() {
            told.await;
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

    /// One on each of some TCBs.
    pub async fn on<A: Future<Output = ()> + 'static>(
        &mut self,
        region: &Region,
        tcbs: Vec<usize>,
        sockets: Vec<Arc<Socket>>,
        acceptor: impl Fn(Arc<Socket>) -> A + Clone + Send + 'static,
    ) {
        for (place, (tcb, socket)) in tcbs.iter().zip(sockets).enumerate() {
            let (own, others) = (acceptor.clone(), acceptor.clone());
            let another = tcbs[(place + 1) % tcbs.len()];
            let stuck = region.dispatcher().stuck(*tcb);
            let second = socket.second();
            self.spawned(region, *tcb, move || own(socket)).await;
            if let (true, Ok(second)) = (another != *tcb, second) {
                self.spawned(region, another, move || stand_in(stuck, move || others(Arc::clone(&second))))
                    .await;
            }
        }
    }

    /// One on a TCB, made there.
    async fn spawned<A: Future<Output = ()> + 'static>(
        &mut self,
        region: &Region,
        tcb: usize,
        make: impl FnOnce() -> A + Send + 'static,
    ) {
        let (sender, handle) = oneshot::channel();
        region.dispatcher().on_tcb(tcb, move || {
            let spawned = tokio::task::spawn_local(make());
            // Nobody waits for it: who wanted it has ended meanwhile.
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
