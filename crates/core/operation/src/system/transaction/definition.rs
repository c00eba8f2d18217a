//! TRANSACTION definitions.

use std::sync::atomic::Ordering;
use std::time::Duration;

use csd::{Definition, ResourceType};
use ebcdic::CodePage;
use records::Decision;
use spec::{cmd, cond};

use domains::interval::IntervalControl;
use kernel::name::{Name8, TransactionName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Status, bytes_of, remote_system};
use kernel::transactions::{RemoteTransaction, Supplied, Transaction, Transactions};

/// The rules for a TRANSACTION definition.
pub(in crate::system) static DEFINED: Defined = Defined {
    resource: ResourceType::Transaction,
    create: cmd::CREATE_TRANSACTION,
    discard: cmd::DISCARD_TRANSACTION,
    reads: &[
        "PROGRAM",
        "PROFILE",
        "TWASIZE",
        "TASKDATALOC",
        "TRANCLASS",
        "PRIORITY",
        "RUNAWAY",
        "DTIMOUT",
        "ACTION",
        "WAIT",
        "WAITTIME",
        "SPURGE",
        "DUMP",
        "RESTART",
        "RESSEC",
        "CMDSEC",
        "STATUS",
        "ALIAS",
        "TASKREQ",
        "XTRANID",
        "REMOTESYSTEM",
        "REMOTENAME",
        "DYNAMIC",
        "ROUTABLE",
        "TRPROF",
        "LOCALQ",
    ],
    without_effect: &[
        ("OTSTIMEOUT", "a task may run without end"),
        ("PARTITIONSET", "screens have no partitions"),
        ("STORAGECLEAR", "storage that a task gives back is not cleared"),
        ("TPNAME", "the transaction has one name"),
    ],
    elsewhere: Some("START raises SYSIDERR, and at a terminal it does not begin"),
    needs: &[&["PROGRAM", "REMOTESYSTEM"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        Transactions::of(region).install(transaction(region, definition));
        Ok(())
    },
    may_replace: |region, name| match Transactions::of(region).get(TransactionName::new(name)) {
        Some(found) if found.supplied != Supplied::No => Err(cond::INVREQ.raise(resp2::SUPPLIED)),
        // Tasks that run keep the definition that they have.
        _ => Ok(()),
    },
    may_discard,
    remove: |region, name| Transactions::of(region).discard(TransactionName::new(name)),
    status: Some(Status {
        letter: b'T',
        all: |region| {
            let list = Transactions::of(region).list();
            list.iter().map(|t| (t.name.as_bytes().to_vec(), vec![u8::from(t.is_enabled())])).collect()
        },
        set: |region, name, status| {
            let on = status.first().is_some_and(|byte| *byte != 0);
            Transactions::of(region).get(TransactionName::new(name))?.enabled.store(on, Ordering::Relaxed);
            Some(())
        },
    }),
};

/// RESP2 of DISCARD TRANSACTION.
mod resp2 {
    /// TRANSIDERR: no transaction has that name.
    pub const NOT_FOUND: i32 = 1;
    /// INVREQ: the transaction is the product's.
    pub const SUPPLIED: i32 = 4;
    /// INVREQ: a START of it waits.
    pub const SCHEDULED: i32 = 14;
}

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = TransactionName::new(name);
    let missing = || cond::TRANSIDERR.raise(resp2::NOT_FOUND);
    let found = Transactions::of(region).get(name).ok_or_else(missing)?;
    if found.supplied != Supplied::No {
        return Err(cond::INVREQ.raise(resp2::SUPPLIED));
    }
    let scheduled =
        IntervalControl::of(region).list().iter().any(|request| request.transaction == Some(name));
    if scheduled { Err(cond::INVREQ.raise(resp2::SCHEDULED)) } else { Ok(()) }
}

fn transaction(region: &Region, definition: &Definition) -> Transaction {
    let name = TransactionName::from(definition.name.as_str());
    let program = Name8::from(definition.get("PROGRAM").unwrap_or_default());
    Transaction {
        other_names: other_names(definition, region.options.terminal_code_page),
        key: definition.get("TASKREQ").and_then(kernel::terminals::aid::by_name),
        data_below: definition.is("TASKDATALOC", "BELOW"),
        twa_length: definition.number("TWASIZE").unwrap_or(0) as usize,
        class: definition
            .get("TRANCLASS")
            .filter(|class| *class != "DFHTCL00")
            .map_or(Name8::BLANK, Name8::from),
        priority: definition.number("PRIORITY").unwrap_or(1).min(255) as u8,
        runaway_ms: definition.number("RUNAWAY"),
        deadlock_timeout_s: definition.seconds("DTIMOUT").unwrap_or(0),
        indoubt: if definition.is("ACTION", "COMMIT") { Decision::Commit } else { Decision::Backout },
        indoubt_wait: indoubt_wait(definition),
        purgeable: definition.flag("SPURGE"),
        profile: Transactions::of(region).profile(Name8::from(definition.get("PROFILE").unwrap_or_default())),
        remote: remote_system(region, definition).map(|system| RemoteTransaction {
            system,
            name: definition.get("REMOTENAME").map_or(Name8::new(name), Name8::from),
        }),
        dynamic: definition.flag("DYNAMIC"),
        routable: definition.flag("ROUTABLE"),
        dump: definition.flag("DUMP"),
        resource_security: definition.flag("RESSEC"),
        command_security: definition.flag("CMDSEC"),
        restart: definition.flag("RESTART"),
        enabled: (!definition.is("STATUS", "DISABLED")).into(),
        ..Transaction::new(name, program)
    }
}

/// WAIT and WAITTIME(days,hours,minutes).
fn indoubt_wait(definition: &Definition) -> Option<Duration> {
    if definition.is("WAIT", "NO") {
        return Some(Duration::ZERO);
    }
    let time = definition.numbers("WAITTIME");
    let seconds: u64 = time.iter().zip([86_400, 3_600, 60]).map(|(number, seconds)| number * seconds).sum();
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// ALIAS, and XTRANID, which gives a name in hexadecimal as terminals send it.
fn other_names(definition: &Definition, code_page: CodePage) -> Vec<TransactionName> {
    let alias = definition.get("ALIAS").map(TransactionName::from);
    let sent = definition.get("XTRANID").map(bytes_of);
    let hexadecimal = sent.map(|bytes| TransactionName::new(code_page.to_program(&bytes)));
    alias.into_iter().chain(hexadecimal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_work_in_doubt_waits_as_wait_and_waittime_say() {
        const MINUTE: u64 = 60;
        for (attributes, expected) in [
            ("", None),
            ("WAIT(YES)", None),
            ("WAITTIME(0,0,0)", None),
            ("WAIT(NO)", Some(0)),
            ("WAIT(NO) WAITTIME(1,0,0)", Some(0)),
            ("WAITTIME(0,0,5)", Some(5 * MINUTE)),
            ("WAITTIME(1,2,3)", Some((26 * 60 + 3) * MINUTE)),
        ] {
            let text = format!("PROGRAM(TEST) {attributes}");
            let definition =
                csd::read_attributes(ResourceType::Transaction, "TEST", &text).expect("attributes");
            let expected = expected.map(Duration::from_secs);
            assert_eq!(indoubt_wait(&definition), expected, "{attributes}");
        }
    }
}
