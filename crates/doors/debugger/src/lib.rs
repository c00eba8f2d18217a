//! Programs under an editor's debugger.
//!
//! Here live the Debug Adapter Protocol, where tasks rest, and recordings of what programs ask for. Out of scope: how a program rests and what it looks
//! like then (`kernel::debugging`).

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod recording;
mod session;
mod shown;
mod stops;
mod wire;

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use kernel::region::Region;
use ports::{CannotListen, Served};
use serde_json::json;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// An open port for an editor.
pub struct Debugging {
    /// The address on which it listens.
    pub address: SocketAddr,
    served: Served,
}

/// Opens a port. It is to be called within a `LocalSet`. Sources are named from `root`, the application's folder.
///
/// # Errors
/// The port cannot be had.
pub fn open(at: SocketAddr, region: &Arc<Region>, root: PathBuf) -> Result<Debugging, CannotListen> {
    let (listener, address) = ports::listen(at)?;
    let region = Arc::clone(region);
    let is_busy = Rc::new(Cell::new(false));
    let mut served = Served::default();
    served.serve(listener, move |stream, _| {
        serve(Arc::clone(&region), root.clone(), stream, Rc::clone(&is_busy))
    });
    Ok(Debugging { address, served })
}

impl Debugging {
    /// Stops serving; an editor that is there has a while to leave.
    pub async fn stop(&mut self, farewell: Duration) {
        self.served.stop(farewell).await;
    }
}

async fn serve(region: Arc<Region>, root: PathBuf, stream: TcpStream, is_busy: Rc<Cell<bool>>) {
    let outcome = match is_busy.replace(true) {
        true => return refuse(stream).await.unwrap_or_default(),
        false => session::serve(region, root, stream).await,
    };
    is_busy.set(false);
    if let Err(error) = outcome {
        tracing::warn!(target: "DB", "the debugger has gone: {error}");
    }
}

/// Answers the first request of a second editor.
async fn refuse(stream: TcpStream) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    if let Some(request) = wire::read(&mut stream).await? {
        let answer = json!({
            "type": "response", "seq": 1, "request_seq": request["seq"], "command": request["command"],
            "success": false, "message": "another debugger is connected to this region: end its session first",
        });
        wire::write(&mut stream, &answer).await?;
    }
    stream.shutdown().await
}
