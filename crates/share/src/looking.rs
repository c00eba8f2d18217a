//! State of a record server, read by an observer that is no region.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use link::carrier::connect_unix;
use link::{Asked, Begin, Host, Link, Patience, Queue, Sessions, Timer, Vitals};

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
        let asking = link.request(session, &to_bytes(&Request::Status)).map_err(|why| not_there(&why))?;
        asking.await.map_err(|why| not_there(&why))
    };
    let reply = asked.await;
    link.cut("it has looked");
    match of_bytes::<Reply<'_>>(&reply?) {
        Some(Reply::Status(status)) => Ok(status),
        _ => Err(NotThere("it has not answered with its state".into())),
    }
}
