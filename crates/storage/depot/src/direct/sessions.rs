//! The thread of the sessions: those that read, those of units of work, and the place of the region.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use records::Error;
use sql::{Failure, Session};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Mutex, oneshot};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep, timeout};

use super::calls::{Plain, Queues, Told};
use super::doubt;
use super::known::Known;
use super::limits::{ANSWER, PATIENCE, READERS, RETRY, UNITS};
use super::shared::{Shared, quiet, refused, rows};
use super::tables::{self, FORMAT, TABLES, VERSION};
use super::worker::Workers;
use crate::limits::RENEWED_AFTER;
use crate::text::{quoted, to_number};
use crate::thread::{connect, is_passing};
use crate::{CannotOpen, Options, lease, schema};

/// The receiver of the word that the engine is open.
pub(super) type Ready = oneshot::Sender<Result<(), CannotOpen>>;

/// Runs the thread until no caller is left, or `ends` is dropped.
pub(super) async fn run(
    options: Options,
    known: Arc<Known>,
    queues: Queues,
    ready: Ready,
    ends: oneshot::Receiver<()>,
) {
    let shared = Rc::new(Shared::new(options, known));
    let numbers = match open(&shared, &ready).await {
        Ok(numbers) => numbers,
        Err(error) => return drop(ready.send(Err(error))),
    };
    if ready.send(Ok(())).is_err() {
        return give_back(&shared).await;
    }
    let renews = spawn_local(renew(Rc::clone(&shared)));
    let reads = Rc::new(Mutex::new(queues.reads));
    let mut lanes: Vec<_> =
        (0..READERS).map(|_| spawn_local(serve(Rc::clone(&shared), Rc::clone(&reads)))).collect();
    lanes.push(spawn_local(serve(Rc::clone(&shared), Rc::new(Mutex::new(queues.orders)))));
    let workers = Workers::new(Rc::clone(&shared), numbers);
    tokio::select! {
        () = workers.serve(queues.takes) => {}
        _ = ends => {}
    }
    shared.known.ends("the record engine has ended".to_owned());
    workers.end().await;
    for lane in lanes {
        let _ = timeout(PATIENCE, lane).await;
    }
    renews.abort();
    give_back(&shared).await;
}

/// Makes the tables, takes the place of the region, and reads what there is. The numbers of the last commits of the region's sessions.
async fn open(shared: &Rc<Shared>, ready: &Ready) -> Result<Vec<u64>, CannotOpen> {
    let (begun, options) = (Instant::now(), &shared.options);
    let mut session = loop {
        match connect(options, &shared.settings).await {
            Ok(session) => break session,
            Err(error) if !is_passing(&error) || begun.elapsed() > PATIENCE => return Err(error.into()),
            Err(_) if ready.is_closed() => return Err(CannotOpen::Thread("it is abandoned".to_owned())),
            Err(_) => sleep(RETRY).await,
        }
    };
    schema::make(&mut session, &options.schema, (FORMAT, TABLES)).await?;
    take_place(shared, &mut session, ready).await?;
    // What an earlier run has not committed by now it commits no more: the numbers are not those that it expects.
    let applid = quoted(&shared.known.applid);
    let slots: Vec<_> = (0..UNITS).map(|slot| format!("({applid}, {slot}, 0)")).collect();
    let text = format!(
        "INSERT INTO slots VALUES {} ON CONFLICT (applid, slot) DO UPDATE SET number = slots.number + 2 RETURNING slot, number",
        slots.join(", ")
    );
    let answer = session.script(text).await?;
    let mut numbers = vec![0; UNITS];
    for row in rows(&answer) {
        let number = |at: usize| row.get(at).and_then(Option::as_deref).and_then(|text| to_number(text).ok());
        if let (Some(slot), Some(number)) = (number(0), number(1))
            && let Some(place) = numbers.get_mut(slot as usize)
        {
            *place = number;
        }
    }
    let run = &options.holder.run;
    let others = format!("DELETE FROM claims WHERE applid = {applid} AND run <> '{run}'");
    let left = format!("UPDATE doubts SET attended = false WHERE applid = {applid} AND attended");
    session.script(format!("{others}; {left}; {}", doubt::clean(&shared.known.applid))).await?;
    let failed = |error: Error| CannotOpen::Thread(error.to_string());
    let taken = rows(&session.script(tables::MORE_NUMBERS).await?);
    let end = taken.first().map_or(Ok(0), |row| tables::number(row, 0)).map_err(failed)?;
    shared.known.numbers_end(end).map_err(failed)?;
    shared.refresh(&mut session).await.map_err(failed)?;
    session.close().await;
    Ok(numbers)
}

/// Takes the place of the region, and waits for it as long as another run may have it.
async fn take_place(shared: &Shared, session: &mut Session, ready: &Ready) -> Result<(), CannotOpen> {
    let (options, applid) = (&shared.options, &shared.known.applid);
    let begun = Instant::now();
    loop {
        let text = tables::take_place(applid, &options.holder, options.lease);
        if !session.script(text).await?.rows.is_empty() {
            return Ok(());
        }
        if ready.is_closed() || begun.elapsed() > options.lease + PATIENCE {
            let whose = format!("SELECT place FROM regions WHERE applid = {}", quoted(applid));
            let place = rows(&session.script(whose).await?);
            let place = place.first().and_then(|row| row.first().cloned().flatten()).unwrap_or_default();
            return Err(CannotOpen::InUse(applid.clone(), String::from_utf8_lossy(&place).into_owned()));
        }
        sleep(RETRY).await;
    }
}

/// The region is gone: another run of it need not wait.
async fn give_back(shared: &Shared) {
    let Ok(Ok(mut session)) = timeout(ANSWER, connect(&shared.options, &shared.settings)).await else {
        return;
    };
    let (applid, run) = (quoted(&shared.known.applid), &shared.options.holder.run);
    let text = format!(
        "DELETE FROM claims WHERE applid = {applid} AND run = '{run}'; \
         UPDATE doubts SET attended = false WHERE applid = {applid} AND run = '{run}'; \
         UPDATE regions SET until = '-infinity' WHERE applid = {applid} AND run = '{run}'"
    );
    let _ = timeout(ANSWER, session.script(text)).await;
    session.close().await;
}

/// Carries out the texts of a queue, each a transaction of its own, over a session.
async fn serve(shared: Rc<Shared>, queue: Rc<Mutex<UnboundedReceiver<Plain>>>) {
    let (mut session, mut over) = (None, shared.known.over.subscribe());
    loop {
        let next = tokio::select! {
            biased;
            next = async { queue.lock().await.recv().await } => next,
            _ = over.wait_for(Option::is_some) => None,
        };
        let Some(Plain { text, is_repeatable, to }) = next else { break };
        let told = answer(&shared, &mut session, &text, is_repeatable).await;
        to.tell(told);
    }
    if let Some(session) = session.take() {
        session.close().await;
    }
}

async fn answer(shared: &Shared, place: &mut Option<Session>, text: &str, is_repeatable: bool) -> Told {
    let (whole, begun) = (format!("{text}; {VERSION}"), Instant::now());
    loop {
        shared.known.check()?;
        let mut session = match place.take().and_then(quiet) {
            Some(session) => session,
            None => shared.session().await?,
        };
        let failure = match timeout(ANSWER, session.script(&whole)).await {
            Ok(Ok(answer)) => {
                let taken = shared.taken(&mut session, &answer).await;
                *place = session.lost().is_none().then_some(session);
                return taken;
            }
            Ok(Err(Failure::Refused(fault))) if !fault.is_fatal => {
                *place = Some(session);
                if fault.state[..2] != *b"40" {
                    return Err(refused(&fault));
                }
                fault.to_string()
            }
            Ok(Err(failure)) => failure.to_string(),
            Err(_) => "it does not answer".to_owned(),
        };
        if !is_repeatable || begun.elapsed() > PATIENCE {
            return Err(Error::Lost(format!("the session with the database is lost: {failure}")));
        }
    }
}

/// Renews the place of the region. When it cannot be, the engine ends before another one may take the place.
async fn renew(shared: Rc<Shared>) {
    let lease = shared.options.lease;
    let (applid, run) = (quoted(&shared.known.applid), shared.options.holder.run.clone());
    let text = format!(
        "UPDATE regions SET until = {} WHERE applid = {applid} AND run = '{run}' RETURNING 1",
        tables::until(lease)
    );
    let (mut ends, mut session) = (lease::ends(Instant::now(), lease), None::<Session>);
    loop {
        let sent = Instant::now();
        if sent >= ends {
            let text = format!(
                "the place of {} could not be renewed for {} seconds: the database {} does not answer",
                shared.known.applid,
                lease.as_secs(),
                shared.options.address
            );
            return shared.known.ends(text);
        }
        let left: Duration = ends - sent;
        let renewed = timeout(left, async {
            let mut own = match session.take() {
                Some(own) => own,
                None => connect(&shared.options, &shared.settings).await.ok()?,
            };
            let answer = own.script(&text).await.ok()?;
            session = Some(own);
            Some(!answer.rows.is_empty())
        });
        match renewed.await {
            Ok(Some(true)) => {
                ends = ends.max(lease::ends(sent, lease));
                sleep(lease / RENEWED_AFTER).await;
            }
            Ok(Some(false)) => {
                let text = format!("another run of {} has taken its place", shared.known.applid);
                return shared.known.ends(text);
            }
            _ => sleep(RETRY).await,
        }
    }
}

/// Starts the thread.
pub(super) fn start(
    options: Options,
    known: Arc<Known>,
    queues: Queues,
    ready: Ready,
    ends: oneshot::Receiver<()>,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let work = move || LocalSet::new().block_on(&runtime, run(options, known, queues, ready, ends));
    std::thread::Builder::new().name("records-sql".to_owned()).spawn(work)
}
