//! Serving the clients of a port on one thread, and the orderly end of that.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::{JoinError, JoinHandle, JoinSet, yield_now};
use tokio::time::timeout;

use crate::closing::Closing;
use crate::limits::{ACCEPT_REST, LEFT_MAX};

/// A source of clients.
pub trait Listens {
    /// A client's connection.
    type Stream;
    /// The client's address.
    type Peer;

    /// The next client.
    fn next(&self) -> impl Future<Output = io::Result<(Self::Stream, Self::Peer)>>;

    /// A client that still waits when the port closes, and whom [`Self::next`] does not take: that of a port which other regions share,
    /// where none of them takes it.
    fn last(&self) -> impl Future<Output = Option<(Self::Stream, Self::Peer)>> {
        std::future::ready(None)
    }
}

impl Listens for TcpListener {
    type Stream = TcpStream;
    type Peer = SocketAddr;

    async fn next(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.accept().await?;
        // Answers are sent whole: to wait for more would only delay them.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }
}

impl Listens for UnixListener {
    type Stream = UnixStream;
    type Peer = ();

    async fn next(&self) -> io::Result<(UnixStream, ())> {
        self.accept().await.map(|(stream, _)| (stream, ()))
    }
}

/// The end of a door, in two steps.
#[derive(Default)]
pub struct Ending {
    closed: Closing,
    stopped: Closing,
}

impl Ending {
    /// Stops accepting; connections go on.
    pub fn close(&self) {
        self.closed.close();
    }

    /// Connections that are left are dropped.
    pub fn stop(&self) {
        self.closed.close();
        self.stopped.close();
    }
}

/// Serves each client in a future of its own, on this thread: until the door is closed and no connection is left, or it is
/// stopped. Clients that wait to be accepted when it is closed have come before that, and are served, [`LEFT_MAX`] at most: one that
/// comes again and again does not keep the port from closing. It must run within a `LocalSet`; when it is dropped, so are all
/// connections.
pub async fn serve<L, C>(listener: L, ending: &Ending, mut connection: impl FnMut(L::Stream, L::Peer) -> C)
where
    L: Listens,
    C: Future<Output: 'static> + 'static,
{
    let mut connections = JoinSet::new();
    let mut left = LEFT_MAX;
    {
        // The end of a connection does not begin it again: it may wait for its turn.
        let mut accepting = std::pin::pin!(listener.next());
        loop {
            let next = tokio::select! {
                () = ending.closed.closed() => break,
                Some(ended) = connections.join_next() => {
                    failed(ended.err());
                    continue;
                }
                next = &mut accepting => next,
            };
            match next {
                Ok((stream, peer)) => {
                    connections.spawn_local(connection(stream, peer));
                }
                Err(error) if is_of_one_client(&error) => {
                    tracing::debug!(%error, "a client has gone already")
                }
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted now");
                    tokio::time::sleep(ACCEPT_REST).await;
                }
            }
            accepting.set(listener.next());
        }
        // The event loop tells of those that have come meanwhile. The system would reset the connections of all that wait to be
        // accepted when the port closes.
        yield_now().await;
        while left > 0
            && let Some(Ok((stream, peer))) = poll_fn(|context| now(accepting.as_mut().poll(context))).await
        {
            connections.spawn_local(connection(stream, peer));
            accepting.set(listener.next());
            left -= 1;
            yield_now().await;
        }
    }
    while left > 0
        && let Some((stream, peer)) = listener.last().await
    {
        connections.spawn_local(connection(stream, peer));
        left -= 1;
        yield_now().await;
    }
    drop(listener);
    loop {
        tokio::select! {
            () = ending.stopped.closed() => break,
            ended = connections.join_next() => match ended {
                Some(ended) => failed(ended.err()),
                None => break,
            },
        }
    }
    connections.shutdown().await;
}

/// The outcome of a future that is asked once.
fn now<T>(asked: Poll<T>) -> Poll<Option<T>> {
    match asked {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending => Poll::Ready(None),
    }
}

/// A connection that panics takes nothing else along.
fn failed(error: Option<JoinError>) {
    if let Some(error) = error {
        tracing::error!(%error, "a connection's future failed");
    }
}

/// Returns true if an error ends one connection that was about to come, and tells nothing about the listener.
fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

/// The ports that a door serves on this thread.
#[derive(Default)]
pub struct Served {
    ending: Rc<Ending>,
    ports: Vec<JoinHandle<()>>,
}

impl Served {
    /// Serves one more port: see [`serve`].
    pub fn serve<L, C>(&mut self, listener: L, connection: impl FnMut(L::Stream, L::Peer) -> C + 'static)
    where
        L: Listens + 'static,
        C: Future<Output: 'static> + 'static,
    {
        let ending = Rc::clone(&self.ending);
        let port = async move { serve(listener, &ending, connection).await };
        self.ports.push(tokio::task::spawn_local(port));
    }

    /// Stops accepting; connections go on.
    pub fn close(&self) {
        self.ending.close();
    }

    /// Waits until connections have ended by themselves, but no longer than `farewell`: those that are left are
    /// dropped. After it nothing holds the resources that they used.
    pub async fn stop(&mut self, farewell: Duration) {
        self.close();
        let mut ports = std::mem::take(&mut self.ports);
        let all = async {
            while let Some(port) = ports.last_mut() {
                failed(port.await.err());
                ports.pop();
            }
        };
        if timeout(farewell, all).await.is_err() {
            self.ending.stop();
            for port in ports {
                failed(port.await.err());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::task::LocalSet;

    use super::*;

    /// A door that echoes bytes, each client until it leaves.
    async fn echoing(served: &mut Served) -> SocketAddr {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (listener, address) = crate::listen(any).expect("a free port");
        served.serve(listener, |mut stream, _| async move {
            let mut byte = [0];
            while stream.read_exact(&mut byte).await.is_ok() && stream.write_all(&byte).await.is_ok() {}
        });
        address
    }

    async fn echoes(stream: &mut TcpStream) -> bool {
        let mut byte = [0];
        stream.write_all(b"x").await.is_ok() && matches!(stream.read(&mut byte).await, Ok(1))
    }

    #[tokio::test]
    async fn a_closed_door_takes_no_clients_and_lets_those_within_go_on() {
        let test = async {
            let mut served = Served::default();
            let address = echoing(&mut served).await;
            let mut client = TcpStream::connect(address).await.expect("a connection");
            assert!(echoes(&mut client).await);
            served.close();
            while TcpStream::connect(address).await.is_ok() {
                yield_now().await;
            }
            assert!(echoes(&mut client).await);
            drop(client);
            served.stop(Duration::MAX).await;
        };
        LocalSet::new().run_until(test).await;
    }

    #[tokio::test]
    async fn a_client_that_has_come_before_the_door_closes_is_served() {
        let test = async {
            for _ in 0..20 {
                let mut served = Served::default();
                let address = echoing(&mut served).await;
                // This thread serves, too: no client is accepted meanwhile.
                let mut clients = Vec::new();
                for _ in 0..3 {
                    clients.push(std::net::TcpStream::connect(address).expect("a connection"));
                }
                served.close();
                for client in clients {
                    client.set_nonblocking(true).expect("a socket");
                    let mut client = TcpStream::from_std(client).expect("an event loop");
                    assert!(echoes(&mut client).await);
                }
                served.stop(Duration::MAX).await;
            }
        };
        LocalSet::new().run_until(test).await;
    }

    /// A queue that a client joins again as soon as it is let go.
    struct Endless;

    impl Listens for Endless {
        type Stream = ();
        type Peer = ();

        async fn next(&self) -> io::Result<((), ())> {
            std::future::pending().await
        }

        async fn last(&self) -> Option<((), ())> {
            Some(((), ()))
        }
    }

    #[tokio::test]
    async fn a_client_that_comes_again_without_end_does_not_keep_a_door_from_closing() {
        let test = async {
            let (served, others) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
            let (ending, counted) = (Ending::default(), Rc::clone(&served));
            ending.close();
            let turns = Rc::clone(&others);
            tokio::task::spawn_local(async move {
                loop {
                    turns.set(turns.get() + 1);
                    yield_now().await;
                }
            });
            serve(Endless, &ending, move |(), ()| {
                counted.set(counted.get() + 1);
                async {}
            })
            .await;
            assert_eq!(served.get(), LEFT_MAX);
            assert!(others.get() >= served.get(), "others have their turns meanwhile: {}", others.get());
        };
        LocalSet::new().run_until(test).await;
    }

    #[tokio::test]
    async fn a_stopped_door_drops_whoever_stays() {
        let test = async {
            let mut served = Served::default();
            let address = echoing(&mut served).await;
            let mut client = TcpStream::connect(address).await.expect("a connection");
            assert!(echoes(&mut client).await);
            served.stop(Duration::ZERO).await;
            assert!(!echoes(&mut client).await);
        };
        LocalSet::new().run_until(test).await;
    }
}
