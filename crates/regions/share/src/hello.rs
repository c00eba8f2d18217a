//! The words with which a region and the record server begin.

use link::{Hello, Names, Purpose};

use crate::limits::IN_FLIGHT;
use crate::protocol::{LOOKS, PROTOCOL};

/// The name by which the server calls itself.
const SERVER: &str = "RECORDS";

/// The Hello of a region with this APPLID, in this run of it.
pub(crate) fn of_region(applid: &str, run: u64) -> Hello {
    hello(applid, run)
}

/// The Hello of an observer, which only reads the state.
pub(crate) fn of_one_who_looks() -> Hello {
    let mut hello = hello(LOOKS, 0);
    hello.names.commands.push(LOOKS.into());
    hello
}

/// Returns true if a partner only looks.
pub(crate) fn looks(theirs: &Hello) -> bool {
    theirs.names.commands.get(1).is_some_and(|word| word == LOOKS)
}

/// The Hello of the server of the records with this number.
pub(crate) fn of_server(records: u64) -> Hello {
    Hello { log: records, ..hello(SERVER, 0) }
}

fn hello(applid: &str, run: u64) -> Hello {
    Hello {
        applid: applid.to_owned(),
        sysid: "RECS".into(),
        network: String::new(),
        run,
        log: 0,
        build: format!("syncpoint-{}", env!("CARGO_PKG_VERSION")),
        user: String::new(),
        code_page: String::new(),
        purpose: Purpose::Life,
        sends: IN_FLIGHT,
        takes: IN_FLIGHT,
        names: Names { commands: vec![PROTOCOL.into()], options: Vec::new() },
        traces: false,
        origins: false,
    }
}

/// Refuses a partner that does not speak this protocol.
pub(crate) fn check(theirs: &Hello) -> Result<(), String> {
    match theirs.names.commands.as_slice() {
        [protocol] if protocol == PROTOCOL => Ok(()),
        [protocol, looks] if protocol == PROTOCOL && looks == LOOKS => Ok(()),
        [protocol, ..] if protocol.starts_with("RECORDS-") && protocol != PROTOCOL => {
            Err(format!("it speaks {protocol}, and this side {PROTOCOL}: both must be of one version"))
        }
        _ => Err("this is a socket of record servers, and it speaks of something else".into()),
    }
}
