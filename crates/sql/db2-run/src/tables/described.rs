//! Tables as statements name them, and as the record engine has them.

use db2_rows::{Column, KeyColumn, Name, NewIndex, NewTable, Table, Unique};
use db2_syntax::tree::{CreateIndex, CreateTable};
use db2_syntax::{DefaultValue, Type, full_name, parts};

use super::rules;

/// Kinds of defaults, the first byte of what a column keeps of its own.
const NULL: u8 = 0;
const OF_TYPE: u8 = 1;
const CONSTANT: u8 = 2;

/// A table as statements name it: its primary key, and its other indexes in their order. `None` if a column has a type or a default
/// that this version does not know.
pub fn described(table: &Table) -> Option<db2_syntax::Table> {
    let columns = table.columns.iter().map(|column| {
        let kind = Type::of_code(column.kind.code, column.kind.length, column.kind.scale)?;
        let default = match &column.default {
            Some(bytes) => Some(default_of(bytes)?),
            None => None,
        };
        Some(db2_syntax::Column { name: column.name.clone(), kind, is_nullable: column.is_nullable, default })
    });
    let key = table.indexes.iter().find(|index| index.is_primary);
    let others = table.indexes.iter().filter(|index| !index.is_primary);
    let indexes = others.map(|index| db2_syntax::Index {
        name: index.name.name.clone(),
        columns: index.key.iter().map(|key| (key.column, key.is_descending)).collect(),
        is_unique: index.unique != Unique::No,
    });
    let (checks, references) = rules::decoded(&table.checks, &table.name.schema)?;
    Some(db2_syntax::Table {
        name: full_name(&table.name.schema, &table.name.name),
        columns: columns.collect::<Option<_>>()?,
        key: key.map(|index| index.key.iter().map(|key| key.column).collect()).unwrap_or_default(),
        indexes: indexes.collect(),
        checks,
        references,
    })
}

fn default_of(bytes: &[u8]) -> Option<DefaultValue> {
    match bytes.split_first()? {
        (&NULL, []) => Some(DefaultValue::Null),
        (&OF_TYPE, []) => Some(DefaultValue::OfType),
        (&CONSTANT, text) => String::from_utf8(text.to_vec()).ok().map(DefaultValue::Constant),
        _ => None,
    }
}

/// The name that a full name stands for.
pub fn name_of(full: &str) -> Name {
    let (schema, name) = parts(full);
    Name::new(&schema, name)
}

/// Returns true if a full name stands for this one.
pub(super) fn is_named(name: &Name, full: &str) -> bool {
    let own = full.strip_prefix(name.schema.as_str()).and_then(|rest| rest.strip_prefix('.'));
    match own {
        Some(own) if !name.schema.contains(['.', '"']) => own == name.name,
        _ => full_name(&name.schema, &name.name) == full,
    }
}

/// The table that CREATE TABLE describes.
pub fn table(create: &CreateTable) -> NewTable {
    let default = |default: &DefaultValue| match default {
        DefaultValue::Null => vec![NULL],
        DefaultValue::OfType => vec![OF_TYPE],
        DefaultValue::Constant(text) => [&[CONSTANT], text.as_bytes()].concat(),
    };
    let columns = create.table.columns.iter().map(|column| Column {
        name: column.name.clone(),
        kind: column.kind.into(),
        is_nullable: column.is_nullable,
        default: column.default.as_ref().map(default),
        identity: None,
    });
    NewTable {
        name: name_of(&create.table.name),
        columns: columns.collect(),
        checks: rules::encoded(&create.table.checks, &create.table.references),
    }
}

/// The index of the primary key that CREATE TABLE describes, under a name in the table's schema; `None` if the table has no key.
pub fn key_index(create: &CreateTable, name: &str) -> Option<NewIndex> {
    let table = name_of(&create.table.name);
    let key = create.table.key.iter().map(|column| KeyColumn { column: *column, is_descending: false });
    (!create.table.key.is_empty()).then(|| NewIndex {
        name: Name::new(&table.schema, name),
        table,
        key: key.collect(),
        unique: Unique::Yes,
        is_primary: true,
    })
}

/// The index that CREATE INDEX describes.
pub fn index(create: &CreateIndex) -> NewIndex {
    let key = create.index.columns.iter();
    NewIndex {
        table: name_of(&create.table),
        name: Name::new(&create.schema, &create.index.name),
        key: key
            .map(|(column, is_descending)| KeyColumn { column: *column, is_descending: *is_descending })
            .collect(),
        unique: if create.index.is_unique { Unique::Yes } else { Unique::No },
        is_primary: false,
    }
}
