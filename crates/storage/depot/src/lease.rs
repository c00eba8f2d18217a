//! The lease: a row that says who may write, in which term, and until when.
//!
//! Each change looks at the row, in its own transaction, for its term: the one who takes the lease raises the term, so that what the former
//! holder still has under way cannot be committed any more. The holder raises it as well when a session of its own was lost: what
//! the server still makes of that session is void, before it is asked for once more over another one.

use std::time::Duration;

use sql::{Failure, Session};
use tokio::time::Instant;

use crate::limits::{MARGIN, RETRY};
use crate::text::{quoted, to_number};
use crate::{CannotOpen, Holder};

/// The lease as this process has it.
#[derive(Debug)]
pub(crate) struct Held {
    pub term: u64,
    /// From then on another one may have it.
    pub ends: Instant,
}

/// The result of a look at the row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// It is still ours, in this term.
    Ours(u64),
    /// Another one has it, with this name; an empty name if it was given back.
    Others(String),
}

/// The time at which a lease ends that was renewed by something sent at `sent`: before the database thinks so.
pub(crate) fn ends(sent: Instant, lease: Duration) -> Instant {
    sent + lease - lease / MARGIN
}

fn until(lease: Duration) -> String {
    format!("clock_timestamp() + interval '{} milliseconds'", lease.as_millis())
}

/// A statement that looks at the row behind a change, in its transaction, and renews the lease. It fails with a division by zero where the term is
/// another one.
pub(crate) fn fence(term: u64, lease: Duration, sets: &str) -> String {
    format!(
        "WITH held AS (UPDATE lease SET until = {}{sets} WHERE one = 1 AND term = {term} RETURNING 1) \
         SELECT 1 / count(*) FROM held",
        until(lease)
    )
}

/// The same for a read, which changes nothing.
pub(crate) fn look(term: u64) -> String {
    format!("SELECT 1 / count(*) FROM lease WHERE one = 1 AND term = {term}")
}

/// The SQLSTATE of a fence that was not passed.
pub(crate) const FENCED: &[u8; 5] = b"22012";

/// A statement that gives the lease back.
pub(crate) fn give_back(holder: &Holder) -> String {
    format!(
        "UPDATE lease SET holder = '', place = '', until = '-infinity' WHERE one = 1 AND holder = '{}'",
        holder.name()
    )
}

/// Takes the lease if it is free, or only an earlier run in the same folder.
async fn try_take(session: &mut Session, holder: &Holder, lease: Duration) -> Result<Option<Held>, Failure> {
    let sent = Instant::now();
    let answer = session
        .script(format!(
            "UPDATE lease SET term = term + 1, holder = '{}', place = {}, until = {} WHERE one = 1 \
             AND (until <= clock_timestamp() OR split_part(holder, '/', 1) = '{}') RETURNING term",
            holder.name(),
            quoted(&holder.place),
            until(lease),
            holder.folder
        ))
        .await?;
    let term = answer.rows.row(0).next().flatten().and_then(|term| to_number(term).ok());
    Ok(term.map(|term| Held { term, ends: ends(sent, lease) }))
}

/// Takes the lease, and waits for it as long as another one has it, or until `is_given_up`.
pub(crate) async fn take(
    session: &mut Session,
    holder: &Holder,
    lease: Duration,
    is_given_up: impl Fn() -> bool,
) -> Result<Option<Held>, CannotOpen> {
    let mut is_said = false;
    loop {
        if let Some(held) = try_take(session, holder, lease).await? {
            if is_said {
                tracing::info!(target: "RM", "the lease of the records is here now");
            }
            return Ok(Some(held));
        }
        if is_given_up() {
            return Ok(None);
        }
        if !is_said {
            let whose = session.script("SELECT place, until::text FROM lease").await?;
            let mut row = whose
                .rows
                .row(0)
                .map(|value| String::from_utf8_lossy(value.unwrap_or_default()).into_owned());
            let (place, until) = (row.next().unwrap_or_default(), row.next().unwrap_or_default());
            tracing::warn!(
                target: "RM",
                "the records are served by {place}, whose lease runs until {until} and may be renewed: this server waits for it"
            );
            is_said = true;
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Looks who has the lease.
pub(crate) async fn find(session: &mut Session, holder: &Holder) -> Result<Found, Failure> {
    let answer = session.script("SELECT term, holder, place FROM lease").await?;
    let mut row = answer.rows.row(0).map(Option::unwrap_or_default);
    let (term, name, place) = (row.next(), row.next(), row.next());
    Ok(match term.and_then(|term| to_number(term).ok()) {
        Some(term) if name == Some(holder.name().as_bytes()) => Found::Ours(term),
        _ => Found::Others(String::from_utf8_lossy(place.unwrap_or_default()).into_owned()),
    })
}

/// Begins another term of a lease that is still ours: nothing that was sent in an earlier one is carried out any more.
pub(crate) async fn begin_term(session: &mut Session, holder: &Holder) -> Result<Found, Failure> {
    session
        .script(format!("UPDATE lease SET term = term + 1 WHERE one = 1 AND holder = '{}'", holder.name()))
        .await?;
    find(session, holder).await
}
