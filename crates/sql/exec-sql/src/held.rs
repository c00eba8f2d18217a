//! The tables of a region that runs, as they were at one moment: for a backup of records and tables that belong together.
//!
//! ```text
//! hold ─► units of work at their end come to it, others wait ─► a snapshot of each private server ─► [the moment of the records]
//!      ─► go_on: units of work end again ─► dump: what the tables were in the snapshots
//! ```
//!
//! A thread of its own has the sessions, so that the maker of the backup may block.

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Weak};
use std::thread;

use coordinator::{Participant, Still};
use kernel::region::Region;
use sql::server::{CannotDump, Moment, Private, Server};
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep, timeout};

use crate::database::stop_if_alone;
use crate::home::participant;
use crate::limits::{HOLD, HOLD_LOOK};
use crate::region::Attachment;
use crate::settings::{ServerPlace, Settings};

/// The tables, held. Dropping it lets everything go.
pub struct Held {
    orders: Sender<Order>,
    servers: Vec<String>,
}

enum Order {
    GoOn,
    Dump { server: usize, out: Box<dyn Write + Send>, done: SyncSender<Result<(), String>> },
}

/// A private server, and its moment.
struct Dumped {
    private: Private,
    server: Server,
    moment: Moment,
}

impl Held {
    /// Holds the tables of a region: no unit of work with changes there ends before [`Self::go_on`], at most for a limited time.
    /// Blocks the calling thread.
    ///
    /// # Errors
    /// The reason that they cannot be held, in words.
    pub fn of(region: &Arc<Region>) -> Result<Self, String> {
        let (orders, receiver) = channel();
        let (ready, held) = sync_channel(1);
        let region = Arc::downgrade(region);
        let run = move || match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(hold(&region, &ready, &receiver)),
            Err(error) => drop(ready.send(Err(error.to_string()))),
        };
        let spawned = thread::Builder::new().name(String::from("sql backup")).spawn(run);
        spawned.map_err(|error| error.to_string())?;
        let servers = held.recv().map_err(|_| String::from("the tables cannot be held"))??;
        Ok(Self { orders, servers })
    }

    /// Returns the folders of the servers, by their names in the state.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Lets units of work end again: the moment of the records has come.
    pub fn go_on(&self) {
        // A thread that has ended holds nothing.
        let _ = self.orders.send(Order::GoOn);
    }

    /// Writes what the tables of a server were at the moment. Blocks the calling thread.
    ///
    /// # Errors
    /// In words.
    pub fn dump(&self, server: usize, out: Box<dyn Write + Send>) -> Result<(), String> {
        let (done, dumped) = sync_channel(1);
        let gone = || String::from("the tables are not held any more");
        self.orders.send(Order::Dump { server, out, done }).map_err(|_| gone())?;
        dumped.recv().map_err(|_| gone())?
    }
}

async fn hold(
    region: &Weak<Region>,
    ready: &SyncSender<Result<Vec<String>, String>>,
    orders: &Receiver<Order>,
) {
    let taken = match region.upgrade() {
        Some(region) => take(&region).await,
        None => Err(String::from("the region has ended")),
    };
    let (still, servers) = match taken {
        Ok(taken) => taken,
        Err(why) => return drop(ready.send(Err(why))),
    };
    let names = servers.iter().map(|dumped| folder(&dumped.private)).collect();
    let mut still = Some(still);
    if ready.send(Ok(names)).is_ok() {
        let until = std::time::Instant::now() + HOLD;
        loop {
            // No unit of work waits for a backup that has come to a standstill.
            let left = until.saturating_duration_since(std::time::Instant::now());
            let order = match &still {
                Some(_) => match orders.recv_timeout(left) {
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => break,
                    order => order.ok(),
                },
                None => orders.recv().ok(),
            };
            match order {
                Some(Order::GoOn) => drop(still.take()),
                Some(Order::Dump { server, mut out, done }) => {
                    let Dumped { private, server, moment } = &servers[server];
                    let dumped = moment.dump(server, private, &mut *out);
                    let flushed = dumped.and_then(|()| out.flush().map_err(CannotDump::Write));
                    let _ = done.send(flushed.map_err(|why| format!("{}: {why}", private.folder.display())));
                }
                None => break,
            }
        }
    }
    drop(still);
    let_go(servers).await;
}

/// Takes the moment, as soon as nothing is in doubt.
async fn take(region: &Arc<Region>) -> Result<(Still, Vec<Dumped>), String> {
    let attachment = Attachment::of(region);
    let settings = attachment.settings().ok_or("the region has no servers yet")?;
    let deadline = Instant::now() + HOLD;
    let mut servers = Vec::new();
    for own in attachment.private_that_were_there() {
        let started = Server::start(&own).await.map_err(|why| why.to_string());
        servers.push((own, started?));
    }
    loop {
        let still = timeout(HOLD, region.coordinator.still()).await;
        let still = still.map_err(|_| {
            String::from("a unit of work does not come to its end: some server does not answer")
        })?;
        let doubtful = doubtful(region, settings).await?;
        let mut moments = Vec::new();
        for (_, server) in &servers {
            match Moment::of(server).await {
                Ok(moment) => moments.push(moment),
                Err(CannotDump::InDoubt) => break,
                Err(why) => return Err(why.to_string()),
            }
        }
        if doubtful.is_none() && moments.len() == servers.len() {
            let taken = servers.into_iter().zip(moments);
            let taken = taken.map(|((private, server), moment)| Dumped { private, server, moment });
            return Ok((still, taken.collect()));
        }
        drop(still);
        let at = doubtful.unwrap_or_else(|| folder(&servers[moments.len()].0));
        for moment in moments {
            moment.close().await;
        }
        if Instant::now() > deadline {
            return Err(format!(
                "a unit of work is in doubt at {at}, so that its records and tables do not agree yet: CEMT INQUIRE UOW names it; back \
                 up when it has ended"
            ));
        }
        sleep(HOLD_LOOK).await;
    }
}

/// Resolves what can be resolved; the server at which something is in doubt all the same.
async fn doubtful(region: &Arc<Region>, settings: &Settings) -> Result<Option<String>, String> {
    for line in Attachment::of(region).lines() {
        let link = line.connection.link();
        if let Some(link) = &link {
            region.coordinator.resynchronise(&*link.participant).await;
        }
        let name = link.map_or_else(
            || participant(region, settings, &line.name),
            |link| link.participant.name().to_owned(),
        );
        if region.coordinator.waits_for(&name).map_err(|error| error.to_string())? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

async fn let_go(servers: Vec<Dumped>) {
    for Dumped { server, moment, .. } in servers {
        moment.close().await;
        if !server.is_adopted()
            && let Err(why) = stop_if_alone(server).await
        {
            tracing::warn!(target: "DB", "the private PostgreSQL that was started for a backup does not stop: {why}");
        }
    }
}

/// The name of a server's folder in the state.
fn folder(private: &Private) -> String {
    private.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Attachment {
    /// Returns the private servers that have been used, in this run of the region or before.
    fn private_that_were_there(&self) -> Vec<Private> {
        let Some(settings) = self.settings() else { return Vec::new() };
        let lines = self.lines().filter(|line| line.was_there(settings));
        let places = lines.map(|line| settings.at(&line.name).place);
        places
            .filter_map(|place| match place {
                ServerPlace::Private(private) if private.folder.join("data").exists() => {
                    // One that is started for the backup alone ends with it, however the region ends.
                    Some(Private { is_tied: true, ..*private })
                }
                _ => None,
            })
            .collect()
    }
}
