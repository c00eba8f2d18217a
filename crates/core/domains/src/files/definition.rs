//! The FILE definition of a file.

use std::sync::Arc;

use csd::{Definition, ResourceType};
use spec::{cmd, cond};
use vsam::Integrity;

use super::file::{File, OpenStatus};
use super::tables::{TableAttributes, TableKind, UpdateModel};
use crate::files::Files;
use kernel::name::{Name, Name8};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, NamedStatus, Status, remote_system};

/// The requests that programs may make of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// WRITE.
    pub add: bool,
    /// STARTBR and what follows.
    pub browse: bool,
    /// DELETE.
    pub delete: bool,
    /// READ.
    pub read: bool,
    /// READ UPDATE, REWRITE.
    pub update: bool,
}

/// The mode of requests to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// RLSACCESS(YES): read integrity, NOSUSPEND and browse for update are allowed.
    pub rls: bool,
    /// READINTEG: for reads that say nothing, in RLS mode.
    pub integrity: Integrity,
    /// RECORDFORMAT(F): all records are as long as the data set's longest.
    pub fixed: bool,
}

/// RECOVERY: what the owner of the definition asks for. What the data set has is what counts for changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileRecovery {
    /// NONE.
    #[default]
    None,
    /// BACKOUTONLY.
    Backout,
    /// ALL: forward recovery too.
    Forward,
}

/// The attributes that SET FILE can change while a file is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The data set; empty: none yet.
    pub dataset: String,
    /// The requests that programs may make.
    pub access: Access,
    /// The mode of requests.
    pub mode: Mode,
    /// RECOVERY.
    pub recovery: FileRecovery,
    /// BACKUPTYPE(DYNAMIC). Noted: every data set can be saved while it is open.
    pub saved_while_open: bool,
    /// The data table, if it is one.
    pub table: TableAttributes,
    /// DISPOSITION(OLD). Noted: a data set belongs to its region.
    pub old: bool,
    /// EMPTYREQ: a reusable data set is emptied when the file is opened next.
    pub empty_required: bool,
    /// STRINGS. Noted: requests are never short of them.
    pub strings: i64,
    /// LSRPOOLNUM. Noted: there are no buffers to share.
    pub lsr_pool: i64,
    /// KEYLENGTH, if it says so: told while the file is closed.
    pub key_length: i64,
    /// RECORDSIZE, if it says so: told while the file is closed.
    pub record_size: i64,
}

/// The enable status of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnableStatus {
    /// Yes.
    #[default]
    Enabled,
    /// No, by command or definition.
    Disabled,
    /// No, since it was closed, or by definition.
    Unenabled,
}

/// A FILE definition.
#[derive(Clone, Debug, Default)]
pub struct FileDefinition {
    /// Its name.
    pub name: Name8,
    /// The attributes that can be changed.
    pub attributes: Attributes,
    /// STATUS.
    pub status: EnableStatus,
    /// OPENTIME(STARTUP): opened when the region starts, not by its first use.
    pub open_at_startup: bool,
    /// Its place in another system, if it is remote.
    pub remote: Option<RemoteFile>,
}

/// A file of another system: REMOTESYSTEM, REMOTENAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// The system.
    pub system: Name<4>,
    /// The file's name there.
    pub name: Name8,
}

/// FILE definitions.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::File,
    create: cmd::CREATE_FILE,
    discard: cmd::DISCARD_FILE,
    reads: &[
        "DSNAME",
        "ADD",
        "BROWSE",
        "DELETE",
        "READ",
        "UPDATE",
        "RLSACCESS",
        "READINTEG",
        "RECORDFORMAT",
        "RECOVERY",
        "BACKUPTYPE",
        "DISPOSITION",
        "STRINGS",
        "LSRPOOLNUM",
        "KEYLENGTH",
        "RECORDSIZE",
        "STATUS",
        "OPENTIME",
        "TABLE",
        "MAXNUMRECS",
        "CFDTPOOL",
        "TABLENAME",
        "UPDATEMODEL",
        "LOAD",
        "REMOTESYSTEM",
        "REMOTENAME",
    ],
    without_effect: &[
        ("FWDRECOVLOG", "changes are backed out; there is no log for forward recovery of this file"),
        ("JOURNAL", "its requests are not journaled"),
        ("PASSWORD", "everybody who may run the transaction may use the file"),
    ],
    elsewhere: Some("requests raise SYSIDERR"),
    needs: &[],
    refuses: |_| Ok(()),
    install: |region, definition| {
        Files::of(region).install(file(region, definition));
        Ok(())
    },
    may_replace: |region, name| match Files::of(region).get(Name8::new(name)) {
        None => Ok(()),
        Some(_) => may_discard(region, name),
    },
    may_discard,
    remove: |region, name| Files::of(region).discard(Name8::new(name)),
    status: Some(Status { letter: b'F', all: statuses, set: set_status }),
};

/// RESP2 of DISCARD FILE.
mod resp2 {
    /// FILENOTFOUND: there is none of that name.
    pub const NOT_FOUND: i32 = 18;
    /// INVREQ: the file is not closed.
    pub const NOT_CLOSED: i32 = 2;
    /// INVREQ: the file is not disabled.
    pub const NOT_DISABLED: i32 = 3;
    /// INVREQ: the file is the product's.
    pub const SUPPLIED: i32 = 26;
}

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let found =
        Files::of(region).get(Name8::new(name)).ok_or_else(|| cond::FILENOTFOUND.raise(resp2::NOT_FOUND))?;
    if name.starts_with(b"DFH") {
        return Err(cond::INVREQ.raise(resp2::SUPPLIED));
    }
    if found.open_status() != OpenStatus::Closed {
        return Err(cond::INVREQ.raise(resp2::NOT_CLOSED));
    }
    match found.enable_status() {
        (EnableStatus::Enabled, _) if found.remote.is_none() => Err(cond::INVREQ.raise(resp2::NOT_DISABLED)),
        _ => Ok(()),
    }
}

fn file(region: &Region, definition: &Definition) -> FileDefinition {
    let number = |attribute| definition.number(attribute).map_or(0, |number| number as i64);
    let name = Name8::from(definition.name.as_str());
    let attributes = Attributes {
        dataset: definition.get("DSNAME").unwrap_or_default().to_owned(),
        access: Access {
            add: definition.flag("ADD"),
            browse: definition.flag("BROWSE"),
            delete: definition.flag("DELETE"),
            read: definition.flag("READ"),
            update: definition.flag("UPDATE"),
        },
        mode: Mode {
            rls: definition.flag("RLSACCESS"),
            integrity: match definition.get("READINTEG") {
                Some("CONSISTENT") => Integrity::Consistent,
                Some("REPEATABLE") => Integrity::Repeatable,
                _ => Integrity::Uncommitted,
            },
            fixed: definition.is("RECORDFORMAT", "F"),
        },
        recovery: match definition.get("RECOVERY") {
            Some("ALL") => FileRecovery::Forward,
            Some("BACKOUTONLY") => FileRecovery::Backout,
            _ => FileRecovery::None,
        },
        saved_while_open: definition.is("BACKUPTYPE", "DYNAMIC"),
        table: table(definition),
        old: definition.is("DISPOSITION", "OLD"),
        empty_required: false,
        strings: number("STRINGS").max(1),
        lsr_pool: number("LSRPOOLNUM"),
        key_length: number("KEYLENGTH"),
        record_size: number("RECORDSIZE"),
    };
    FileDefinition {
        name,
        attributes,
        status: match definition.get("STATUS") {
            Some("DISABLED") => EnableStatus::Disabled,
            Some("UNENABLED") => EnableStatus::Unenabled,
            _ => EnableStatus::Enabled,
        },
        open_at_startup: definition.is("OPENTIME", "STARTUP"),
        remote: remote_system(region, definition).map(|system| RemoteFile {
            system,
            name: definition.get("REMOTENAME").map_or(name, Name8::from),
        }),
    }
}

fn table(definition: &Definition) -> TableAttributes {
    let name = |attribute| Name8::from(definition.get(attribute).unwrap_or_default());
    TableAttributes {
        kind: match definition.get("TABLE") {
            Some("CICS") => TableKind::Cics,
            Some("USER") => TableKind::User,
            Some("CF") => TableKind::Coupling,
            _ => TableKind::None,
        },
        records_max: definition.number("MAXNUMRECS").map(|number| number as u32),
        pool: name("CFDTPOOL"),
        name: name("TABLENAME"),
        update_model: match definition.get("UPDATEMODEL") {
            Some("CONTENTION") => UpdateModel::Contention,
            _ => UpdateModel::Locking,
        },
        load: definition.flag("LOAD"),
    }
}

/// A byte for the enable status, one for each right, the data set's name.
fn statuses(region: &Region) -> Vec<NamedStatus> {
    let status = |file: Arc<File>| {
        let Access { add, browse, delete, read, update } = file.attribute(|attributes| attributes.access);
        let enable = match file.enable_status().0 {
            EnableStatus::Enabled => 0,
            EnableStatus::Disabled => 1,
            EnableStatus::Unenabled => 2,
        };
        let mut bytes = vec![enable];
        bytes.extend([add, browse, delete, read, update].map(u8::from));
        bytes.extend(file.dataset_name().as_bytes());
        (file.name.as_bytes().to_vec(), bytes)
    };
    Files::of(region).list().into_iter().map(status).collect()
}

fn set_status(region: &Region, name: &[u8], status: &[u8]) -> Option<()> {
    let file = Files::of(region).get(Name8::new(name))?;
    let ([enable, access @ ..], dataset) = status.split_first_chunk::<6>()?;
    let [add, browse, delete, read, update] = access.map(|flag| flag != 0);
    let enable = match enable {
        0 => EnableStatus::Enabled,
        1 => EnableStatus::Disabled,
        _ => EnableStatus::Unenabled,
    };
    let dataset = std::str::from_utf8(dataset).ok()?;
    file.restore(enable, |attributes| {
        attributes.access = Access { add, browse, delete, read, update };
        attributes.dataset = dataset.to_owned();
    });
    Some(())
}
