//! The FILE definition of a file.

use std::sync::Arc;

use csd::{Definition, ResourceType};
use spec::{cmd, cond};
use vsam::Integrity;

use super::attributes::{
    Access, Attributes, EnableStatus, FileDefinition, FileRecovery, Mode, RemoteFile, TableAttributes,
    TableKind, UpdateModel,
};
use super::file::{File, OpenStatus};
use crate::files::Files;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, NamedStatus, Status, remote_system};

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
