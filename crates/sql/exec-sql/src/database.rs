//! A region's database for those who are no region: made, and its private server started, as a region would.

use std::time::{Duration, Instant};

use sql::server::{CannotStart, Private, Server, plain};
use sql::{Address, Session};
use tokio::time::sleep;

use crate::home::{self, NotMade};
use crate::scripts;
use crate::settings::{Engine, ServerPlace, Settings};

/// A database.
pub(crate) struct Database {
    pub(crate) address: Address,
    /// A private server that runs only for the caller that has opened it, unless a region comes to it.
    server: Option<Server>,
}

impl Database {
    /// That of a server ([`Settings::at`]), with what a region would make in it.
    pub(crate) async fn open(settings: &Settings) -> Result<Self, NotMade> {
        if let Engine::Region { .. } = settings.engine {
            return Err(NotMade::Own);
        }
        let database = match settings.place.clone() {
            ServerPlace::At(address) => {
                home::prepare(&address, settings).await?;
                Self { address, server: None }
            }
            ServerPlace::Private(private) => {
                // It ends with this process, however that ends; a region that has come to it starts it again.
                let private = Private { is_tied: true, ..*private };
                let server = Server::start(&private).await?;
                Self { address: server.address(), server: Some(server).filter(|server| !server.is_adopted()) }
            }
        };
        match scripts::run(&database.address, settings).await {
            Ok(()) => Ok(database),
            Err(why) => {
                database.close().await?;
                Err(why.into())
            }
        }
    }

    /// Returns the address for the server's owner; `None` if this process did not start a private server of its own.
    pub(crate) fn owner(&self) -> Option<Address> {
        self.server.as_ref().map(Server::owner)
    }

    /// Stops a server that has no other users.
    pub(crate) async fn close(self) -> Result<(), CannotStart> {
        let Self { server: Some(server), .. } = self else { return Ok(()) };
        stop_if_alone(server).await
    }
}

/// Stops a server that was started for this process alone, unless another one uses it by now.
pub(crate) async fn stop_if_alone(server: Server) -> Result<(), CannotStart> {
    // No other process adopts it between the look and its end.
    let _turn = server.turn().await?;
    if !is_alone(&server.owner()).await {
        return Ok(());
    }
    server.stop().await.map_err(|error| CannotStart::Io { path: "postgres".into(), error })
}

/// Time that a closed session takes to go, at most: one that is there for longer is another client's.
const SESSION_END: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// Returns true if no other client has a session. The server hears of the end of our own a moment later.
async fn is_alone(address: &Address) -> bool {
    const OTHERS: &str = "SELECT 1 FROM pg_stat_activity \
                          WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1";
    let Ok(mut session) = Session::connect(address, &plain()).await else { return true };
    let deadline = Instant::now() + SESSION_END;
    let is_alone = loop {
        match session.script(OTHERS).await {
            Ok(answer) if answer.rows.is_empty() => break true,
            Ok(_) if Instant::now() < deadline => sleep(LOOK).await,
            _ => break false,
        }
    };
    session.close().await;
    is_alone
}
