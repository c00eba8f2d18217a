//! The resource types as CEMT uses them: the same tables as EXEC CICS INQUIRE and SET, without their types.

use spec::{CommandId, OptionId, cmd, opt};

use super::inquire::Resource;
use super::set::{Given, Takes};
use super::{
    dsname, file, journal, monitor, program, region, reqid, statistics, task, td_queue, terminal, tranclass,
    transaction, ts_queue, uow,
};
use crate::exec::Waiting;
use crate::exec::value::Value;
use crate::task::Task;

/// A table whose resources may be of any type.
pub(crate) trait Table: Sync {
    /// The option that names a resource.
    fn name(&self) -> OptionId;

    /// The names of all resources.
    fn names(&self, task: &Task) -> Vec<Vec<u8>>;

    /// What INQUIRE tells of the resource of a name, if there is one.
    fn tell(&self, task: &Task, name: &[u8]) -> Option<Vec<(OptionId, Value)>>;

    /// What SET takes.
    fn settings(&self) -> Vec<(OptionId, &'static Takes)>;

    /// SET for the resource of a name.
    fn change<'a>(&'a self, task: &'a Task, name: &'a [u8], changes: &'a [(OptionId, Given)]) -> Waiting<'a>;

    /// The options of INQUIRE.
    fn options(&self) -> Vec<OptionId>;
}

impl<T: 'static> Table for Resource<T> {
    fn name(&self) -> OptionId {
        self.name
    }

    fn names(&self, task: &Task) -> Vec<Vec<u8>> {
        (self.names)(task)
    }

    fn tell(&self, task: &Task, name: &[u8]) -> Option<Vec<(OptionId, Value)>> {
        let found = (self.find)(task, name)?;
        Some(self.rows.iter().map(|(option, value)| (*option, value(task, &found))).collect())
    }

    fn settings(&self) -> Vec<(OptionId, &'static Takes)> {
        self.settings.iter().map(|setting| (setting.option, &setting.takes)).collect()
    }

    fn change<'a>(&'a self, task: &'a Task, name: &'a [u8], changes: &'a [(OptionId, Given)]) -> Waiting<'a> {
        Box::pin(async move {
            let found = (self.find)(task, name).ok_or(self.missing)?;
            self.apply(task, &found, changes).await
        })
    }

    fn options(&self) -> Vec<OptionId> {
        self.rows.iter().map(|(option, _)| *option).collect()
    }
}

/// A resource type of CEMT.
pub(crate) struct Kind {
    /// Its word.
    pub word: &'static str,
    /// What stands before a name in a list.
    pub label: &'static str,
    /// What is told and changed.
    pub table: &'static dyn Table,
    /// What a list shows of each resource behind its name.
    pub list: &'static [OptionId],
    /// Its INQUIRE command.
    pub inquire: CommandId,
    /// Its SET command, if it has one.
    pub set: Option<CommandId>,
}

/// The resource types, in the order in which an abbreviation is looked for.
pub(crate) static KINDS: &[Kind] = &[
    Kind {
        word: "TASK",
        label: "Tas",
        table: &task::TASKS,
        list: &[
            opt::TRANSACTION,
            opt::FACILITY,
            opt::RUNSTATUS,
            opt::USERID,
            opt::SUSPENDTYPE,
            opt::SUSPENDVALUE,
            opt::OWNER,
        ],
        inquire: cmd::INQUIRE_TASK,
        set: Some(cmd::SET_TASK),
    },
    Kind {
        word: "TRANSACTION",
        label: "Tra",
        table: &transaction::TRANSACTIONS,
        list: &[opt::PRIORITY, opt::PROGRAM, opt::TRANCLASS, opt::STATUS],
        inquire: cmd::INQUIRE_TRANSACTION,
        set: Some(cmd::SET_TRANSACTION),
    },
    Kind {
        word: "PROGRAM",
        label: "Prog",
        table: &program::PROGRAMS,
        list: &[opt::LANGUAGE, opt::PROGTYPE, opt::STATUS, opt::USECOUNT, opt::CONCURRENCY],
        inquire: cmd::INQUIRE_PROGRAM,
        set: Some(cmd::SET_PROGRAM),
    },
    Kind {
        word: "FILE",
        label: "Fil",
        table: &file::FILES,
        list: &[
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
        inquire: cmd::INQUIRE_FILE,
        set: Some(cmd::SET_FILE),
    },
    Kind {
        word: "TERMINAL",
        label: "Ter",
        table: &terminal::TERMINALS,
        list: &[opt::TRANSACTION, opt::NETNAME, opt::SERVSTATUS, opt::USERID, opt::UCTRANST],
        inquire: cmd::INQUIRE_TERMINAL,
        set: Some(cmd::SET_TERMINAL),
    },
    Kind {
        word: "TSQUEUE",
        label: "Tsq",
        table: &ts_queue::NAMED,
        list: &[opt::NUMITEMS, opt::FLENGTH, opt::LOCATION],
        inquire: cmd::INQUIRE_TSQNAME,
        set: Some(cmd::SET_TSQNAME),
    },
    Kind {
        word: "TSQNAME",
        label: "Tsq",
        table: &ts_queue::NAMED,
        list: &[opt::NUMITEMS, opt::FLENGTH, opt::LOCATION],
        inquire: cmd::INQUIRE_TSQNAME,
        set: Some(cmd::SET_TSQNAME),
    },
    Kind {
        word: "TDQUEUE",
        label: "Tdq",
        table: &td_queue::QUEUES,
        list: &[opt::TYPE, opt::NUMITEMS, opt::ATITRANID, opt::ENABLESTATUS],
        inquire: cmd::INQUIRE_TDQUEUE,
        set: Some(cmd::SET_TDQUEUE),
    },
    Kind {
        word: "SYSTEM",
        label: "Sys",
        table: &region::SYSTEM,
        list: &[opt::CICSTSLEVEL, opt::MAXTASKS, opt::RUNAWAY, opt::JOBNAME],
        inquire: cmd::INQUIRE_SYSTEM,
        set: Some(cmd::SET_SYSTEM),
    },
    Kind {
        word: "MONITOR",
        label: "Mon",
        table: &monitor::MONITOR,
        list: &[opt::STATUS, opt::PERFCLASS, opt::EXCEPTCLASS, opt::FREQUENCY],
        inquire: cmd::INQUIRE_MONITOR,
        set: Some(cmd::SET_MONITOR),
    },
    Kind {
        word: "STATISTICS",
        label: "Sta",
        table: &statistics::STATISTICS,
        list: &[opt::RECORDING, opt::INTERVAL, opt::ENDOFDAY, opt::NEXTTIME],
        inquire: cmd::INQUIRE_STATISTICS,
        set: Some(cmd::SET_STATISTICS),
    },
    Kind {
        word: "TRANCLASS",
        label: "Trc",
        table: &tranclass::CLASSES,
        list: &[opt::MAXACTIVE, opt::ACTIVE, opt::QUEUED],
        inquire: cmd::INQUIRE_TRANCLASS,
        set: Some(cmd::SET_TRANCLASS),
    },
    Kind {
        word: "TCLASS",
        label: "Tcl",
        table: &tranclass::CLASSES,
        list: &[opt::MAXACTIVE, opt::ACTIVE, opt::QUEUED],
        inquire: cmd::INQUIRE_TRANCLASS,
        set: Some(cmd::SET_TRANCLASS),
    },
    Kind {
        word: "REQID",
        label: "Req",
        table: &reqid::REQUESTS,
        list: &[opt::REQTYPE, opt::TRANSID, opt::TERMID],
        inquire: cmd::INQUIRE_REQID,
        set: None,
    },
    Kind {
        word: "JOURNALNAME",
        label: "Jou",
        table: &journal::JOURNALS,
        list: &[opt::STATUS, opt::STREAMNAME],
        inquire: cmd::INQUIRE_JOURNALNAME,
        set: Some(cmd::SET_JOURNALNAME),
    },
    Kind {
        word: "UOW",
        label: "Uow",
        table: &uow::ByDigits,
        list: &[opt::UOWSTATE, opt::TRANSID, opt::TASKID, opt::USERID],
        inquire: cmd::INQUIRE_UOW,
        set: Some(cmd::SET_UOW),
    },
    Kind {
        word: "DSNAME",
        label: "Dsn",
        table: &dsname::DATA_SETS,
        list: &[opt::ACCESSMETHOD, opt::FILECOUNT],
        inquire: cmd::INQUIRE_DSNAME,
        set: Some(cmd::SET_DSNAME),
    },
];
