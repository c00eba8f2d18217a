//! The socket of a record server.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use link::Patience;
use link::carrier::{is_same_user, unix};
use ports::{Clients, Limits, LocalPath, Served};
use tokio::net::UnixStream;

use crate::limits::REGIONS_MAX;
use crate::port::{NoPort, Port};
use crate::server::Server;

/// The socket's name in the folder.
const SOCKET: &str = "records";
/// The time for regions to end their sessions when the server ends.
const FAREWELL: Duration = Duration::from_secs(5);
/// The time between two looks at commits that are under way.
const LOOK: Duration = Duration::from_millis(5);

/// The socket of the server of a folder.
pub fn socket(folder: &Path) -> PathBuf {
    folder.join(SOCKET)
}

/// The path to a socket, for those who connect.
pub(crate) fn path_to(socket: &Path) -> io::Result<LocalPath> {
    let name = socket.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| io::Error::other("this is no name of a socket"))?;
    LocalPath::new(socket.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")), name)
}

/// The door of a record server. It lives on the server's thread.
pub struct Door {
    server: Server,
    served: Served,
    path: PathBuf,
}

impl Door {
    /// Opens the socket in a folder that no other process has. It must be called within a `LocalSet`.
    ///
    /// # Errors
    /// The socket cannot be made.
    pub fn open(folder: &Path, server: Server) -> io::Result<Self> {
        server.stamps_are_in(folder)?;
        let path = socket(folder);
        let listener = path_to(&path)?.listen()?.ok_or(io::ErrorKind::AddrInUse)?;
        let clients = Clients::new(Limits::new(REGIONS_MAX, REGIONS_MAX));
        let (mut served, serves) = (Served::default(), server.clone());
        served.serve(listener, move |stream: UnixStream, ()| {
            let (server, place) = (serves.clone(), clients.enter());
            async move {
                let Ok(_place) = place else {
                    return tracing::warn!(target: "RS", "a connection is refused: there are too many");
                };
                match is_same_user(&stream) {
                    Ok(true) => drop(server.serve(unix(stream), Patience::HERE).await),
                    _ => tracing::warn!(target: "RS", "a connection of another user is refused"),
                }
            }
        });
        Ok(Self { server, served, path })
    }

    /// Opens a port for regions of other machines, too: its address.
    ///
    /// # Errors
    /// See [`NoPort`].
    pub fn open_port(&mut self, port: Port) -> Result<SocketAddr, NoPort> {
        port.open(self.server.clone(), &mut self.served)
    }

    /// Ends all sessions in order: regions hear it, and what they have committed is done.
    pub async fn close(mut self) {
        self.served.close();
        self.server.close();
        self.served.stop(FAREWELL).await;
        while self.server.is_busy() {
            tokio::time::sleep(LOOK).await;
        }
        let _ = fs::remove_file(&self.path);
    }
}
