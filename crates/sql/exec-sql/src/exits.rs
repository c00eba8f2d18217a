//! The attachment as programs look for it before they use SQL: an exit program that is connected, or is not.
//!
//! A region makes its connection when the first statement wants it. A program that asks first wants it, too: it is made, so that
//! the answer is what a statement would find.

use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Key, Kind, Resource};
use kernel::storage::StorageAddress;
use kernel::task::Task;
use spec::{cmd, cond, opt};

use crate::connection::Phase;
use crate::region::Attachment;

/// The exit program of the attachment, its former name, and its entry.
const PROGRAMS: [&str; 2] = ["DFHD2EX1", "DSN2EXT1"];
const ENTRY: &str = "DSNCSQL";
/// RESP2 of PGMIDERR: no such exit program is enabled. Its number is recalled, not read.
const NOT_ENABLED: i32 = 1;

/// The exit program as INQUIRE shows it.
static EXITS: Resource<()> = Resource {
    name: opt::EXITPROGRAM,
    key: Key::Name,
    names: |_| vec![PROGRAMS[0].as_bytes().to_vec()],
    find: |_, name| is_attachment(Name8::new(name)).then_some(()),
    missing: Raise::Condition(cond::PGMIDERR, NOT_ENABLED),
    rows: &[
        (opt::ENTRYNAME, |_, ()| Value::padded(ENTRY, 8)),
        (opt::CONNECTST, |by, ()| {
            let phase = Attachment::of(&by.region).phase();
            Value::either(phase == Phase::Connected, "CONNECTED", "NOTCONNECTED")
        }),
        (opt::STARTSTATUS, |_, ()| Value::Cvda("STARTED")),
        (opt::QUALIFIER, |by, ()| {
            let conn = Attachment::of(&by.region).resources.conn();
            conn.map_or_else(|| Value::padded("", 8), |conn| conn.attributes.text("DB2ID", 8))
        }),
        (opt::NUMEXITS, |_, ()| Value::Number(0)),
        (opt::GALENGTH, |_, ()| Value::Number(0)),
        (opt::TALENGTH, |_, ()| Value::Number(0)),
    ],
    settings: &[],
};

fn is_attachment(name: Name8) -> bool {
    PROGRAMS.iter().any(|program| name == Name8::from(*program))
}

/// Has the connection made, if there has been no attempt yet.
async fn wanted(task: &Task) -> Outcome {
    Attachment::of(&task.region).look_for_main(task).await
}

/// EXTRACT EXIT: the attachment has no area that it shares with programs.
async fn extract(task: &Task, call: &Call<'_>) -> Outcome {
    wanted(task).await?;
    let (program, entry): (Name8, Option<Name8>) =
        (call.need_name(opt::PROGRAM)?, call.name(opt::ENTRYNAME)?);
    let is_connected = Attachment::of(&task.region).phase() == Phase::Connected;
    let is_meant = is_attachment(program) && entry.is_none_or(|entry| entry == Name8::from(ENTRY));
    if !is_meant || !is_connected {
        return Err(cond::INVEXITREQ.raise(0));
    }
    if call.has(opt::GALENGTH) {
        call.put_number(opt::GALENGTH, 0)?;
    }
    if call.has(opt::GASET) {
        call.put_pointer(opt::GASET, StorageAddress::NULL)?;
    }
    Ok(())
}

/// INQUIRE EXITPROGRAM, EXTRACT EXIT.
pub(crate) const HANDLERS: Answers = &[
    (
        cmd::INQUIRE_EXITPROGRAM,
        Handler::Waits(|task, call| {
            Box::pin(async move {
                wanted(task).await?;
                EXITS.inquire(task, call)
            })
        }),
    ),
    (cmd::EXTRACT_EXIT, Handler::Waits(|task, call| Box::pin(extract(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind =
    Kind { name: "EXITPROGRAM", table: &EXITS, inquire: cmd::INQUIRE_EXITPROGRAM, set: None, defined: None };
