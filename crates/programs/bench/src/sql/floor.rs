//! axum with tokio-postgres: one client whose statements are pipelined, prepared once, and a private PostgreSQL of its own. On a
//! thread of this process.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use ::sql::server::{Private, Server};
use ::sql::{ListenPlace, Session, Settings};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_postgres::{Client, NoTls, Statement};

use crate::inputs::{DIRECT_ANSWER, DIRECT_MESSAGE, contacts_script};
use crate::processes;

/// The server, until it goes out of scope.
pub(super) struct Floor {
    /// The port on which it listens.
    pub port: u16,
    postgresql: u32,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Floor {
    /// Starts both servers, PostgreSQL in this empty folder; the table is filled as the region's is.
    pub fn start(folder: &Path) -> Result<Self, String> {
        let through = folder.parent().map(Path::to_owned);
        let private = Private { through, is_tied: true, ..Private::new(folder) };
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("an event loop");
            runtime.block_on(async {
                match Running::start(&private).await {
                    Ok(running) => {
                        let _ = tell.send(Ok((running.port, running.server.pid())));
                        running.serve(stopped).await;
                    }
                    Err(why) => drop(tell.send(Err(why))),
                }
            });
        });
        let (port, postgresql) = told.recv().map_err(|_| "the floor's thread has ended")??;
        Ok(Self { port, postgresql, stop: Some(stop), thread: Some(thread) })
    }

    /// The processes of its PostgreSQL.
    pub fn servers(&self) -> Vec<u32> {
        [vec![self.postgresql], processes::descendants(self.postgresql)].concat()
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

struct Running {
    server: Server,
    listener: TcpListener,
    port: u16,
    contacts: Arc<Contacts>,
}

/// The session and statement of the handler.
struct Contacts {
    client: Client,
    select: Statement,
}

impl Running {
    async fn start(private: &Private) -> Result<Self, String> {
        let server = Server::start(private).await.map_err(|error| error.to_string())?;
        let address = server.address();
        let mut session =
            Session::connect(&address, &Settings::default()).await.map_err(|error| error.to_string())?;
        session.script(contacts_script()).await.map_err(|failure| failure.to_string())?;
        session.close().await;
        let ListenPlace::Socket { folder, port } = &address.place else {
            return Err(String::from("a private server has a socket"));
        };
        let mut config = tokio_postgres::Config::new();
        config.host_path(folder).port(*port).user(&address.user).dbname(&address.database);
        let (client, connection) = config.connect(NoTls).await.map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        let select = client.prepare("SELECT NAME FROM CONTACT WHERE ID = $1").await;
        let select = select.map_err(|error| error.to_string())?;
        let failed = |error: std::io::Error| error.to_string();
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { server, listener, port, contacts: Arc::new(Contacts { client, select }) })
    }

    async fn serve(self, stopped: oneshot::Receiver<()>) {
        let app = Router::new().route("/select", post(find)).with_state(self.contacts);
        // Delayed packets would cost it time, not processor time; the clients wait for each answer.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let serving = axum::serve(listener, app);
        tokio::select! {
            _ = serving => {}
            _ = stopped => {}
        }
        let _ = self.server.stop().await;
    }
}

/// Answers with the key and what the SELECT finds, as the COBOL programs do.
async fn find(State(contacts): State<Arc<Contacts>>, body: String) -> Result<String, StatusCode> {
    let id: i32 = body.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    let row = contacts.client.query_one(&contacts.select, &[&id]).await;
    let row = row.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let name: &str = row.get(0);
    Ok(format!("{body}{name:rest$}", rest = DIRECT_ANSWER - DIRECT_MESSAGE))
}
