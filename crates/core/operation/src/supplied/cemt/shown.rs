//! The resource types as CEMT shows them: a word to type, a label, and the values in a line of a list.

use std::sync::LazyLock;

use spec::{OptionId, opt};

use kernel::catalog;
use kernel::registry::{Kind, Table};

/// A resource type on the screen.
pub(in crate::supplied) struct Shown {
    /// Its word.
    pub word: &'static str,
    /// The label before a name in a list.
    pub label: &'static str,
    /// The options that a list shows of each resource after its name.
    pub list: &'static [OptionId],
    /// The type.
    pub kind: &'static Kind,
}

impl Shown {
    /// The table that answers INQUIRE and SET.
    pub fn table(&self) -> &'static dyn Table {
        self.kind.table
    }
}

/// A word, its label, the type that it means, and the options that a list shows.
type Row = (&'static str, &'static str, &'static str, &'static [OptionId]);

const TS_QUEUE: &[OptionId] = &[opt::NUMITEMS, opt::FLENGTH, opt::LOCATION];
const TRANCLASS: &[OptionId] = &[opt::MAXACTIVE, opt::ACTIVE, opt::QUEUED];

/// In the order in which an abbreviation is looked for.
const ROWS: &[Row] = &[
    (
        "TASK",
        "Tas",
        "TASK",
        &[
            opt::TRANSACTION,
            opt::FACILITY,
            opt::RUNSTATUS,
            opt::USERID,
            opt::SUSPENDTYPE,
            opt::SUSPENDVALUE,
            opt::OWNER,
        ],
    ),
    ("TRANSACTION", "Tra", "TRANSACTION", &[opt::PRIORITY, opt::PROGRAM, opt::TRANCLASS, opt::STATUS]),
    (
        "PROGRAM",
        "Prog",
        "PROGRAM",
        &[opt::LANGUAGE, opt::PROGTYPE, opt::STATUS, opt::USECOUNT, opt::CONCURRENCY],
    ),
    (
        "FILE",
        "Fil",
        "FILE",
        &[
            opt::ACCESSMETHOD,
            opt::OPENSTATUS,
            opt::ENABLESTATUS,
            opt::READ,
            opt::UPDATE,
            opt::ADD,
            opt::BROWSE,
            opt::DELETE,
            opt::DSNAME,
        ],
    ),
    (
        "TERMINAL",
        "Ter",
        "TERMINAL",
        &[opt::TRANSACTION, opt::NETNAME, opt::SERVSTATUS, opt::USERID, opt::UCTRANST],
    ),
    ("TSQUEUE", "Tsq", "TSQNAME", TS_QUEUE),
    ("TSQNAME", "Tsq", "TSQNAME", TS_QUEUE),
    ("TDQUEUE", "Tdq", "TDQUEUE", &[opt::TYPE, opt::NUMITEMS, opt::ATITRANID, opt::ENABLESTATUS]),
    ("SYSTEM", "Sys", "SYSTEM", &[opt::CICSTSLEVEL, opt::MAXTASKS, opt::RUNAWAY, opt::JOBNAME]),
    ("DSAS", "Dsa", "SYSTEM", &[opt::SOSSTATUS, opt::EDSALIMIT, opt::EUDSASIZE]),
    ("MONITOR", "Mon", "MONITOR", &[opt::STATUS, opt::PERFCLASS, opt::EXCEPTCLASS, opt::FREQUENCY]),
    ("STATISTICS", "Sta", "STATISTICS", &[opt::RECORDING, opt::INTERVAL, opt::ENDOFDAY, opt::NEXTTIME]),
    ("TRANCLASS", "Trc", "TRANCLASS", TRANCLASS),
    ("TCLASS", "Tcl", "TRANCLASS", TRANCLASS),
    ("REQID", "Req", "REQID", &[opt::REQTYPE, opt::TRANSID, opt::TERMID]),
    ("JOURNALNAME", "Jou", "JOURNALNAME", &[opt::STATUS, opt::STREAMNAME]),
    (
        "UOW",
        "Uow",
        "UOW",
        &[opt::UOWSTATE, opt::WAITSTATE, opt::TRANSID, opt::TASKID, opt::USERID, opt::LINK],
    ),
    (
        "UOWENQ",
        "Uow",
        "UOWENQ",
        &[opt::TRANSID, opt::TASKID, opt::STATE, opt::TYPE, opt::RELATION, opt::RESOURCE, opt::QUALIFIER],
    ),
    ("UOWDSNFAIL", "Uow", "UOWDSNFAIL", &[opt::DSNAME, opt::CAUSE, opt::REASON, opt::SYSID]),
    (
        "UOWLINK",
        "Uowl",
        "UOWLINK",
        &[opt::UOW, opt::TYPE, opt::LINK, opt::ROLE, opt::RESYNCSTATUS, opt::SYSID],
    ),
    ("DSNAME", "Dsn", "DSNAME", &[opt::ACCESSMETHOD, opt::FILECOUNT]),
    (
        "ASSOCIATION",
        "Ass",
        "ASSOCIATION",
        &[opt::TRANSACTION, opt::USERID, opt::FACILTYPE, opt::FACILNAME, opt::ODTRANSID],
    ),
    ("JOURNALMODEL", "Jmo", "JOURNALMODEL", &[opt::JOURNALNAME, opt::STREAMNAME]),
    ("ENQMODEL", "Enq", "ENQMODEL", &[opt::STATUS]),
    ("PROFILE", "Prof", "PROFILE", &[]),
    ("DOCTEMPLATE", "Doc", "DOCTEMPLATE", &[opt::TEMPLATENAME]),
    (
        "JVMSERVER",
        "Jvm",
        "JVMSERVER",
        &[
            opt::ENABLESTATUS,
            opt::JVMPROFILE,
            opt::THREADLIMIT,
            opt::THREADCOUNT,
            opt::PID,
            opt::CURRENTHEAP,
            opt::MAXHEAP,
        ],
    ),
    ("OSGIBUNDLE", "Osgb", "OSGIBUNDLE", &[opt::OSGISTATUS, opt::BUNDLE]),
    ("OSGISERVICE", "Osgs", "OSGISERVICE", &[opt::SRVCSTATUS, opt::BUNDLE, opt::JVMSERVER]),
    (
        "WLMHEALTH",
        "Wlm",
        "WLMHEALTH",
        &[opt::OPENSTATUS, opt::HEALTH, opt::INTERVAL, opt::ADJUSTMENT, opt::HEALTHABSTIM],
    ),
    ("EVENTBINDING", "Evb", "EVENTBINDING", &[opt::ENABLESTATUS, opt::EPADAPTER]),
    ("EPADAPTER", "Epa", "EPADAPTER", &[opt::ADAPTERTYPE, opt::ENABLESTATUS, opt::EMITMODE, opt::TRANSMODE]),
    ("EPADAPTERSET", "Eps", "EPADAPTERSET", &[opt::ENABLESTATUS, opt::EPADAPTERNUM]),
    ("EVENTPROCESS", "Evp", "EVENTPROCESS", &[opt::EPSTATUS]),
    ("EXCI", "Exc", "EXCI", &[opt::TASK, opt::URID]),
    ("CFDTPOOL", "Cfd", "CFDTPOOL", &[opt::CONNSTATUS]),
    ("TSMODEL", "Tsm", "TSMODEL", &[opt::PREFIX, opt::LOCATION, opt::RECOVSTATUS]),
];

/// The types that have a row, and after them every other type: it is listed by its names alone.
pub(super) static SHOWN: LazyLock<Vec<Shown>> = LazyLock::new(|| {
    let rows = ROWS.iter().filter_map(|(word, label, kind, list)| {
        let kind = catalog::kind(kind)?;
        Some(Shown { word, label, list, kind })
    });
    let has_row = |kind: &Kind| ROWS.iter().any(|(_, _, of, _)| *of == kind.name);
    let others = catalog::kinds().into_iter().filter(|kind| !has_row(kind));
    rows.chain(others.map(|kind| Shown { word: kind.name, label: kind.name, list: &[], kind })).collect()
});

#[cfg(test)]
mod tests {
    use crate::start::bring_domains;

    use super::*;

    /// Types that crates above bring; their tests show their rows.
    const ABOVE: [&str; 8] = [
        "EPADAPTER",
        "EPADAPTERSET",
        "EVENTBINDING",
        "EVENTPROCESS",
        "EXCI",
        "JVMSERVER",
        "OSGIBUNDLE",
        "OSGISERVICE",
    ];

    #[test]
    fn every_row_means_a_type_and_lists_what_its_table_tells() {
        bring_domains();
        for (word, _, kind, list) in ROWS.iter().filter(|(_, _, kind, _)| !ABOVE.contains(kind)) {
            let kind = catalog::kind(kind).unwrap_or_else(|| panic!("{word}: there is no {kind}"));
            let options = kind.table.options();
            assert!(list.iter().all(|option| options.contains(option)), "{word}");
        }
    }
}
