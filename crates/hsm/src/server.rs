//! The cable: who may connect, and how many.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::behaviour::Behaviour;
use crate::connection;
use crate::module::Module;
use crate::statistics::{Statistics, processor_time};

/// Connections at a time, as devices of this kind have.
pub const CONNECTIONS_MAX: usize = 64;

/// What a server is made of.
pub struct Setup {
    /// The device.
    pub module: Module,
    /// How it behaves.
    pub behaviour: Behaviour,
    /// Connections at a time.
    pub connections_max: usize,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) module: Module,
    pub(crate) behaviour: RefCell<Behaviour>,
    pub(crate) statistics: RefCell<Statistics>,
}

/// Serves all connections of a listener until a future is ready; then ends them and says what was counted. It must run
/// within a `LocalSet`.
pub async fn serve(
    listener: TcpListener,
    setup: Setup,
    until: impl Future<Output = ()>,
) -> io::Result<Statistics> {
    let shared = Rc::new(Shared {
        module: setup.module,
        behaviour: RefCell::new(setup.behaviour),
        statistics: RefCell::default(),
    });
    let processor = processor_time();
    let mut connections = JoinSet::new();
    tokio::pin!(until);
    loop {
        tokio::select! {
            () = &mut until => break,
            Some(_) = connections.join_next() => (),
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) if connections.len() >= setup.connections_max => {
                    tracing::warn!(%peer, "refused: all {} connections are in use", setup.connections_max);
                    shared.statistics.borrow_mut().refused += 1;
                    refuse(stream, &shared.module).await;
                }
                Ok((stream, peer)) => {
                    tracing::debug!(%peer, "connected");
                    connections.spawn_local(connection::run(stream, Rc::clone(&shared)));
                }
                Err(error) if is_of_one_connection(&error) => tracing::warn!("not accepted: {error}"),
                Err(error) => return Err(error),
            },
        }
    }
    connections.shutdown().await;
    let mut statistics = shared.statistics.take();
    statistics.processor = processor_time().saturating_sub(processor);
    Ok(statistics)
}

/// Says why, as far as the client's buffer takes it at once, and hangs up.
async fn refuse(mut stream: TcpStream, module: &Module) {
    // A new connection's buffer is empty; a client that has gone already needs no answer.
    let _ = stream.write_all(&connection::framed(&module.refusal())).await;
}

/// Whether an error ends one connection that was about to come, and not the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}
