//! State of a record server, read by an observer that is no region.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use link::carrier::connect_unix;
use link::{Asked, Begin, Host, Link, Patience, Queue, Sessions, Timer, Vitals};
use records::Error;

use crate::door::{path_to, socket};
use crate::hello;
use crate::protocol::{Reply, Request, of_bytes, to_bytes};
use crate::remote::NotThere;
use crate::status::Status;

/// The observer: the server sends it no requests.
struct Looks;

impl Host for Looks {
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }

    fn asked(&self, asked: Asked, _: &[u8]) {
        asked.fail("this side only looks");
    }
}

/// The state of the record server of a folder. It must be called where tasks of this thread can be spawned.
///
/// # Errors
/// The server is not there, or does not answer.
pub async fn status(folder: &Path) -> Result<Status, NotThere> {
    let reply = asks(folder, &Request::Status).await?;
    match of_bytes::<Reply<'_>>(&reply) {
        Some(Reply::Status(status)) => Ok(status),
        _ => Err(NotThere("it has not answered with its state".into())),
    }
}

/// Deletes a table that regions share, with all its records; false if there is none. It must be called where tasks of this thread
/// can be spawned.
///
/// # Errors
/// The server is not there, or the table's reason to stay: a region has it open, or a unit of work in doubt has changed it.
pub async fn drop_table(folder: &Path, name: &str) -> Result<Result<bool, Error>, NotThere> {
    let reply = asks(folder, &Request::DropTable { name }).await?;
    match of_bytes::<Reply<'_>>(&reply) {
        Some(Reply::Is(was_there)) => Ok(Ok(was_there)),
        Some(Reply::Failed(failure)) => Ok(Err(failure.error())),
        _ => Err(NotThere("it has not answered".into())),
    }
}

/// Has the server of a folder copy all that is committed into a file, while regions work: the number of records. It must be called
/// where tasks of this thread can be spawned.
///
/// # Errors
/// The server is not there, or cannot make a backup.
pub async fn backup(folder: &Path, file: &str) -> Result<Result<u64, Error>, NotThere> {
    let reply = asks(folder, &Request::Backup { file }).await?;
    match of_bytes::<Reply<'_>>(&reply) {
        Some(Reply::Number(records)) => Ok(Ok(records)),
        Some(Reply::Failed(failure)) => Ok(Err(failure.error())),
        _ => Err(NotThere("it has not answered".into())),
    }
}

/// Has the server of a folder encrypt the records with the key in a file from now on, while regions work. It must be called where
/// tasks of this thread can be spawned.
///
/// # Errors
/// The server is not there, or cannot have the key.
pub async fn rotate(folder: &Path, key_file: &str) -> Result<Result<(), Error>, NotThere> {
    let reply = asks(folder, &Request::Rotate { key_file }).await?;
    match of_bytes::<Reply<'_>>(&reply) {
        Some(Reply::Done) => Ok(Ok(())),
        Some(Reply::Failed(failure)) => Ok(Err(failure.error())),
        _ => Err(NotThere("it has not answered".into())),
    }
}

/// Asks the server of a folder once.
async fn asks(folder: &Path, request: &Request<'_>) -> Result<Vec<u8>, NotThere> {
    let not_there = |why: &dyn std::fmt::Display| NotThere(why.to_string());
    let path = path_to(&socket(folder)).map_err(|why| not_there(&why))?;
    let (source, sink) = connect_unix(path.as_ref()).await.map_err(|why| not_there(&why))?;
    let (host, clock, patience) = (Rc::new(Looks), Rc::new(Timer::default()), Patience::HERE);
    let begin = Begin { source, sink, host, clock, patience };
    let ours = hello::of_one_who_looks();
    let link = Link::connect(begin, &ours, hello::check).await.map_err(|why| not_there(&why))?;
    let sessions = Sessions::new(1, Queue::default());
    sessions.open(1);
    let asked = async {
        let session = sessions.allocate(Duration::ZERO, true).await.map_err(|why| not_there(&why))?;
        let asking = link.request(session, &to_bytes(request)).map_err(|why| not_there(&why))?;
        asking.await.map_err(|why| not_there(&why))
    };
    let reply = asked.await;
    link.cut("it has looked");
    reply
}
