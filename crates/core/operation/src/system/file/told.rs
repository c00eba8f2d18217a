//! The values that INQUIRE FILE returns.

use std::sync::Arc;

use spec::opt;
use vsam::{Integrity, Organization};

use domains::files::{EnableStatus, File, FileRecovery, OpenStatus, TableAttributes, TableKind, UpdateModel};
use kernel::exec::value::Value;
use kernel::name::{Name, Name8};
use kernel::registry::Row;

/// Characters of a data set's name.
const DSNAME_LENGTH: usize = 44;

/// The values, by option.
pub(super) const ROWS: &[Row<Arc<File>>] = &[
    (opt::ACCESSMETHOD, |_, f| Value::either(f.remote.is_some(), "REMOTE", "VSAM")),
    (opt::ADD, |_, f| Value::either(f.attribute(|a| a.access.add), "ADDABLE", "NOTADDABLE")),
    (opt::BASEDSNAME, |_, f| {
        let base = f.opened().map(|d| d.cluster().name.to_string());
        Value::padded(&base.unwrap_or_else(|| f.dataset_name()), DSNAME_LENGTH)
    }),
    (opt::BLOCKKEYLEN, |_, _| Value::Number(0)),
    (opt::BLOCKSIZE, |_, _| Value::Number(0)),
    (opt::BROWSE, |_, f| Value::either(f.attribute(|a| a.access.browse), "BROWSABLE", "NOTBROWSABLE")),
    (opt::CFDTPOOL, |_, f| Value::text(table(f).pool)),
    (opt::DELETE, |_, f| Value::either(f.attribute(|a| a.access.delete), "DELETABLE", "NOTDELETABLE")),
    (opt::DISPOSITION, |_, f| Value::either(f.attribute(|a| a.old), "OLD", "SHARE")),
    (opt::DSNAME, |_, f| Value::padded(&f.dataset_name(), DSNAME_LENGTH)),
    (opt::EMPTYSTATUS, |_, f| Value::either(f.attribute(|a| a.empty_required), "EMPTYREQ", "NOEMPTYREQ")),
    (opt::ENABLESTATUS, |_, f| {
        Value::Cvda(match f.enable_status() {
            (EnableStatus::Enabled, _) => "ENABLED",
            (EnableStatus::Disabled, true) => "DISABLING",
            (EnableStatus::Disabled, false) => "DISABLED",
            (EnableStatus::Unenabled, true) => "UNENABLING",
            (EnableStatus::Unenabled, false) => "UNENABLED",
        })
    }),
    (opt::EXCLUSIVE, |_, _| Value::Cvda("NOTAPPLIC")),
    (opt::FWDRECSTATUS, |_, f| {
        let forward = f.attribute(|a| a.recovery) == FileRecovery::Forward;
        Value::either(forward, "FWDRECOVABLE", "NOTFWDRCVBLE")
    }),
    (opt::JOURNALNUM, |_, _| Value::Number(0)),
    (opt::KEYLENGTH, |_, f| {
        let open = f.opened().map(|d| d.key_length() as i64);
        Value::Number(open.unwrap_or_else(|| f.attribute(|a| a.key_length)))
    }),
    (opt::KEYPOSITION, |_, f| {
        Value::Number(f.opened().and_then(|d| d.key_field()).map_or(0, |key| key.offset as i64))
    }),
    (opt::LOADTYPE, |_, f| match table(f).kind {
        TableKind::Coupling => Value::either(table(f).load, "LOAD", "NOLOAD"),
        _ => Value::Cvda("NOTAPPLIC"),
    }),
    (opt::LSRPOOLNUM, |_, f| Value::Number(f.attribute(|a| a.lsr_pool))),
    (opt::MAXNUMRECS, |_, f| Value::Number(table(f).records_max.unwrap_or(0).into())),
    (opt::OBJECT, |_, f| Value::either(f.opened().is_some_and(|d| d.is_path()), "PATH", "BASE")),
    (opt::OPENSTATUS, |_, f| {
        Value::Cvda(match f.open_status() {
            OpenStatus::Open => "OPEN",
            OpenStatus::Closed => "CLOSED",
            OpenStatus::Closing => "CLOSING",
        })
    }),
    (opt::READ, |_, f| Value::either(f.attribute(|a| a.access.read), "READABLE", "NOTREADABLE")),
    (opt::READINTEG, |_, f| {
        Value::Cvda(match f.attribute(|a| (a.mode.rls, a.mode.integrity)) {
            (false, _) => "NOTAPPLIC",
            (true, Integrity::Uncommitted) => "UNCOMMITTED",
            (true, Integrity::Consistent) => "CONSISTENT",
            (true, Integrity::Repeatable) => "REPEATABLE",
        })
    }),
    (opt::RECORDFORMAT, |_, f| Value::either(f.attribute(|a| a.mode.fixed), "FIXED", "VARIABLE")),
    (opt::RECORDSIZE, |_, f| {
        let open = f.opened().map(|d| d.cluster().maximum as i64);
        Value::Number(open.unwrap_or_else(|| f.attribute(|a| a.record_size)))
    }),
    (opt::RECOVSTATUS, |_, f| Value::either(is_recoverable(f), "RECOVERABLE", "NOTRECOVABLE")),
    (opt::RELTYPE, |_, _| Value::Cvda("NOTAPPLIC")),
    (opt::REMOTENAME, |_, f| Value::text(f.remote.map_or(Name8::BLANK, |remote| remote.name))),
    (opt::REMOTESYSTEM, |_, f| Value::text(f.remote.map_or(Name::<4>::BLANK, |remote| remote.system))),
    (opt::RLSACCESS, |_, f| Value::either(f.attribute(|a| a.mode.rls), "RLS", "NOTRLS")),
    (opt::STRINGS, |_, f| Value::Number(f.attribute(|a| a.strings))),
    (opt::TABLE, |_, f| {
        Value::Cvda(match table(f).kind {
            TableKind::None => "NOTTABLE",
            TableKind::Cics => "CICSTABLE",
            TableKind::User => "USERTABLE",
            TableKind::Coupling => "CFTABLE",
        })
    }),
    (opt::TABLENAME, |_, f| Value::text(table_name(f))),
    (opt::TYPE, |_, f| {
        Value::Cvda(match f.opened().map(|d| d.cluster().organization) {
            Some(Organization::Keyed(_)) => "KSDS",
            Some(Organization::EntrySequenced) => "ESDS",
            Some(Organization::Relative) => "RRDS",
            None => "NOTAPPLIC",
        })
    }),
    (opt::UPDATE, |_, f| Value::either(f.attribute(|a| a.access.update), "UPDATABLE", "NOTUPDATABLE")),
    (opt::UPDATEMODEL, |_, f| match table(f).kind {
        TableKind::Coupling => {
            Value::either(table(f).update_model == UpdateModel::Contention, "CONTENTION", "LOCKING")
        }
        _ => Value::Cvda("NOTAPPLIC"),
    }),
];

/// The table attributes of the file's definition.
fn table(file: &File) -> TableAttributes {
    file.attribute(|attributes| attributes.table)
}

/// The name of a coupling-facility data table: the file's if the definition does not give one.
fn table_name(file: &File) -> Name8 {
    match table(file) {
        TableAttributes { kind: TableKind::Coupling, name, .. } if name.is_blank() => file.name,
        TableAttributes { name, .. } => name,
    }
}

/// Returns true if changes belong to units of work: as its data set says, or before that is known, its definition.
fn is_recoverable(file: &File) -> bool {
    match file.opened() {
        Some(dataset) => dataset.cluster().recovery == records::Recovery::Recoverable,
        None => file.attribute(|attributes| attributes.recovery) != FileRecovery::None,
    }
}
