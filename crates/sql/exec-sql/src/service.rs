//! `DFHSQL`: a translated program CALLs it for each statement. Beside it DSNTIAR and DSNTIAC.

use std::sync::Arc;

use attachment::{Done, Failed};
use coordinator::Refusing;
use db2::call::{Descriptor, SYMBOL};
use db2::package::{Isolation, Package};
use kernel::exec::{self, Content, Parcel};
use kernel::limits::TRACE_TEXT_MAX;
use kernel::meters::Figure;
use kernel::raise::{Outcome, Raise};
use kernel::services::{Answered, Service, ServiceCall};
use kernel::task::{DetailPoint, Task};
use spec::measures::EXEC_SQL;
use spec::{cmd, opt};
use sql::codes::Sqlca;
use tokio::sync::oneshot;

use crate::arguments::{Called, Copied, InPlace, NO_STATEMENT};
use crate::at_once;
use crate::connection::Link;
use crate::dsntiar::{self, DSNTIAC, DSNTIAR};
use crate::here::{self, Asked, Errand, Visit};
use crate::noted::Note;
use crate::own;
use crate::packages::no_package;
use crate::region::{Attachment, Refused};
use crate::resources::{NOT_CREATED, NoThread};
use crate::rollback;
use crate::stand_in;
use crate::task::TaskSql;
use crate::traced;
use crate::waits;

/// The services.
pub struct ExecSql;

/// Votes against units of work without a thread.
const WITHOUT_THREAD: &str = "DB2 without a thread";

/// The component of statements in the trace, and their function.
const COMPONENT: &str = "RI";
const FUNCTION: &str = "SQL";

impl Service for ExecSql {
    fn names(&self) -> &'static [&'static str] {
        &[SYMBOL, DSNTIAR, DSNTIAC]
    }

    fn call<'a>(
        &'a self,
        task: &'a mut Task,
        call: &'a ServiceCall<'a>,
        tried: bool,
    ) -> Outcome<Answered<'a>> {
        if call.name() == SYMBOL {
            call.is_statement();
            // It may have to wait, so it counts as giving way whether it had to or not.
            call.gives_way();
            if tried {
                return at_once::answer(task, Called(call));
            }
            return Ok(Answered::Waits(Box::pin(statement(task, Called(call)))));
        }
        Ok(Answered::Now(dsntiar::answer(call.name(), &Called(call))?))
    }
}

/// Runs a statement; its SQLCA tells the program what it came to.
async fn statement(task: &mut Task, call: Called<'_>) -> Outcome<i32> {
    let descriptor = call.descriptor()?;
    let was_tried = own::was_tried(task, descriptor);
    if !was_tried {
        task.has_asked(EXEC_SQL)?;
    }
    let watch = task.stopwatch();
    trace_begin(task, descriptor);
    let answered = answer(task, &call, descriptor).await;
    task.stops(watch, Figure::Sql);
    task.traces_point(COMPONENT, DetailPoint::Exit, (FUNCTION, &[], 0), || {
        answered
            .as_ref()
            .map_or_else(|_| String::from("no SQLCODE"), |sqlca| format!("SQLCODE {}", sqlca.code))
    });
    let sqlca = answered?;
    call.write(1, 0, &sqlca.bytes())?;
    Ok(0)
}

/// Shows a statement in the trace beyond level 1: its program, its number there, its text.
fn trace_begin(task: &Task, descriptor: Descriptor) {
    if !task.may_be_detailed() {
        return;
    }
    let package = Attachment::of(&task.region).package(descriptor.token);
    let program = package.as_ref().map_or("", |package| package.program.as_str());
    let entry = (FUNCTION, program.as_bytes(), u64::from(descriptor.statement));
    task.traces_point(COMPONENT, DetailPoint::Entry, entry, || {
        let statement = package.as_ref().and_then(|package| package.statement(descriptor.statement));
        let text = statement.map_or("", |statement| statement.text.as_str());
        text.chars().take(TRACE_TEXT_MAX).collect()
    });
}

async fn answer(task: &mut Task, call: &Called<'_>, descriptor: Descriptor) -> Outcome<Sqlca> {
    let region = Arc::clone(&task.region);
    let attachment = Attachment::of(&region);
    let Some(package) = attachment.package(descriptor.token) else {
        return Ok(no_package(descriptor));
    };
    if let Some(stand_in) = attachment.stand_in()
        && let Some(sqlca) = stand_in::answer(stand_in, task, call, &package, descriptor.statement).await?
    {
        return Ok(sqlca);
    }
    let line = attachment.line(&package.program, task.transaction.name);
    if let Some(tables) = attachment.own(line) {
        return match attachment.own_for(tables, own::has_begun(task)) {
            Ok(tables) => {
                own::answer(task, call, &tables, &attachment.resources, (&package, descriptor)).await
            }
            Err(refused) => refused_to(task, refused),
        };
    }
    let is_enlisted = part(task).enlisted.contains(&line.number);
    let link = match attachment.link(task, line, is_enlisted).await? {
        Ok(link) => link,
        Err(refused) => return refused_to(task, refused),
    };
    if attachment.makes_tables() && !package.tables.is_empty() && !link.declared.has_seen(descriptor.token) {
        let made = link.declared.make(&link.address, &link.sessions, descriptor.token, &package);
        task.wait(waits::ANSWER.kind(), made).await?;
    }
    if link.noted.is_new(descriptor.token) {
        let (program, isolation) = (package.program.clone(), attachment.isolation(&package.program));
        line.note(Note { program, token: descriptor.token, isolation });
    }
    let (number, entry) = (task.number, attachment.resources.entry_of(task.transaction.name));
    attachment.resources.count(entry.as_deref());
    let own = part(task);
    if own.is_refused {
        return Ok(no_thread());
    }
    // On its way to another TCB it cannot be seen in time whether it has begun one.
    let may_begin = !own.is_here() || may_begin_unit(&package, descriptor.statement);
    let enlists = may_begin && !own.enlisted.contains(&link.line);
    // One thread is for a unit of work at all servers: it would wait for itself otherwise.
    if enlists && own.threads.is_empty() {
        match attachment.resources.thread(task, entry.as_deref()).await? {
            Ok(threads) => part(task).threads = threads,
            Err(NoThread::Abend(code)) => return Err(Raise::abend(code)),
            Err(NoThread::Code) => return Ok(refuse(task)),
            Err(NoThread::DumpAndCode) => {
                dump(task).await?;
                return Ok(refuse(task));
            }
        }
    }
    let asked = Asked {
        task: number,
        level: task.depth() as u16,
        token: descriptor.token,
        package,
        number: descriptor.statement,
        scope: attachment.resources.scope(entry.as_deref()),
        keep: enlists.then(|| enlist(task, &link)),
        link: Arc::clone(&link),
    };
    let span = traced::asks(task, &asked);
    let (done, is_in_unit) = execute(task, call, asked).await?;
    traced::answered(span, &done);
    if is_in_unit && !part(task).enlisted.contains(&link.line) {
        // It has changed something though it does not look like it: a function does.
        let unit = enlist(task, &link);
        here::keep(number, &link, &unit);
    }
    match done {
        Ok(Done { sqlca, backs_out }) => {
            if matches!(sqlca.code, -923 | -924) {
                line.look();
            }
            if backs_out {
                rollback::back_out(task).await?;
                here::back_out(number).await;
            }
            Ok(sqlca)
        }
        Err(Failed::Unreachable(_)) => Err(Raise::abend("ASRA")),
        Err(Failed::NoStatement(_)) => Ok(no_package(descriptor)),
    }
}

fn part(task: &mut Task) -> &mut TaskSql {
    let number = task.number;
    task.kept.get_or_insert_with(|| TaskSql::new(number))
}

/// The server takes part in the unit of work: under which name.
fn enlist(task: &mut Task, link: &Link) -> coordinator::UnitName {
    part(task).enlisted.push(link.line);
    task.work.enlist(Arc::clone(&link.participant) as _);
    task.work.name()
}

/// Returns true if a statement may leave something at the server until the unit of work ends.
fn may_begin_unit(package: &Package, statement: u16) -> bool {
    package.statement(statement).is_some_and(|statement| {
        let is_strict =
            matches!(statement.isolation, Some(Isolation::ReadStability | Isolation::RepeatableRead));
        statement.has_effects || is_strict
    })
}

/// Runs it where the task's sessions are.
async fn execute(task: &mut Task, call: &Called<'_>, asked: Asked) -> Outcome<here::Answered> {
    if part(task).is_here() {
        return task.wait(waits::ANSWER.kind(), here::execute(&asked, &mut InPlace(call))).await;
    }
    let (back, answer) = oneshot::channel();
    let arguments = Copied::of(call, asked.package.statement(asked.number))?;
    part(task).send(Errand::Run(Box::new(Visit { asked, arguments, back })));
    let answered = task.wait(waits::ANSWER.kind(), answer).await?;
    // An answer is missing only if the region ends.
    let (answered, arguments) = answered.map_err(|_| Raise::abend(NO_STATEMENT))?;
    arguments.put_back(call).map_err(|_| Raise::abend("ASRA"))?;
    Ok(answered)
}

/// The unit of work is refused a thread (THREADERROR): its SQL gets -906 until SYNCPOINT ROLLBACK, and it cannot be committed.
fn refuse(task: &mut Task) -> Sqlca {
    part(task).is_refused = true;
    task.work.enlist(Arc::new(Refusing(WITHOUT_THREAD)));
    no_thread()
}

/// Takes a transaction dump. One that cannot be written changes nothing for the program; the log says so.
async fn dump(task: &mut Task) -> Outcome {
    let mut parcel = Parcel::new(cmd::DUMP_TRANSACTION);
    let code = parcel.give(opt::DUMPCODE, Content::Bytes(NOT_CREATED.as_bytes().to_vec()));
    code.map_err(|_| Raise::abend(NO_STATEMENT))?;
    exec::issue(task, &parcel).await.map(drop).map_err(Raise::Abend)
}

/// The SQLCA of a program whose unit of work was refused a thread.
fn no_thread() -> Sqlca {
    Sqlca::error(-906, b"24514")
}

fn refused_to(task: &Task, refused: Refused) -> Outcome<Sqlca> {
    let Refused { why, abends } = refused;
    if abends {
        if task.may_write_line() {
            let (number, program) = (task.number, task.level().program);
            tracing::warn!(target: "DB", "task {number}: EXEC SQL of program {program} is not answered: {why}");
        }
        return Err(Raise::abend(NO_STATEMENT));
    }
    Ok(Sqlca::error(-923, b"57015").token(why))
}
