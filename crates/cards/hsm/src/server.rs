//! The cable: connections, and their limit.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use ports::{Clients, Ending, Limits};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::behaviour::Behaviour;
use crate::connection::{self, Shared};
use crate::module::Module;
use crate::statistics::{Statistics, processor_time};

/// Connections at a time, as devices of this kind have.
pub const CONNECTIONS_MAX: usize = 64;

/// The parts of a server.
pub struct Setup {
    /// The device.
    pub module: Module,
    /// Its behaviour.
    pub behaviour: Behaviour,
    /// Connections at a time.
    pub connections_max: usize,
}

/// Serves all connections of a listener until a future is ready; then ends them and returns the counts. It must run
/// within a `LocalSet`.
pub async fn serve(listener: TcpListener, setup: Setup, until: impl Future<Output = ()>) -> Statistics {
    let shared = Rc::new(Shared {
        module: setup.module,
        behaviour: RefCell::new(setup.behaviour),
        statistics: RefCell::default(),
    });
    let processor = processor_time();
    let clients = Clients::new(Limits::new(setup.connections_max, setup.connections_max));
    let ending = Ending::default();
    let client = |stream, peer: SocketAddr| {
        let (shared, clients) = (Rc::clone(&shared), Arc::clone(&clients));
        async move {
            match clients.enter() {
                Ok(_place) => {
                    tracing::debug!(%peer, "connected");
                    connection::run(stream, shared).await;
                }
                Err(why) => {
                    tracing::warn!(%peer, "refused: {why}");
                    shared.statistics.borrow_mut().refused += 1;
                    refuse(stream, &shared.module).await;
                }
            }
        }
    };
    let asked = async {
        until.await;
        ending.stop();
    };
    tokio::join!(ports::serve(listener, &ending, client), asked);
    let mut statistics = shared.statistics.take();
    statistics.processor = processor_time().saturating_sub(processor);
    statistics
}

/// Says why, as far as the client's buffer takes it at once, and hangs up.
async fn refuse(mut stream: TcpStream, module: &Module) {
    // A new connection's buffer is empty; a client that has gone already needs no answer.
    let _ = stream.write_all(&connection::framed(&module.refusal())).await;
}
