//! Tables of SYSIBM that programs read: the catalogue as rows.

use db2_values::{Type, Value};

use crate::catalogue::{Catalogue, CheckOption, DefaultValue, Table, View, ViewQuery};
use crate::context::Made;
use crate::full_name::parts;

const NAME: Type = Type::VarChar(128);
const FLAG: Type = Type::Char(1);
const NUMBER: Type = Type::SmallInt;

type Columns = &'static [(&'static str, Type)];
type Rows = Vec<Vec<Value>>;

/// A table of SYSIBM: its name, its columns, its rows.
struct System {
    name: &'static str,
    columns: Columns,
    rows: fn(&Catalogue) -> Rows,
}

const SYSTEM: [System; 7] = [
    System { name: "SYSDUMMY1", columns: &[("IBMREQD", FLAG)], rows: |_| vec![vec![text("Y")]] },
    System {
        name: "SYSTABLES",
        columns: &[
            ("NAME", NAME),
            ("CREATOR", NAME),
            ("TYPE", FLAG),
            ("DBNAME", NAME),
            ("TSNAME", NAME),
            ("COLCOUNT", NUMBER),
            ("CARDF", Type::Double),
            ("PARENTS", NUMBER),
            ("CHILDREN", NUMBER),
            ("REMARKS", Type::VarChar(762)),
            ("OWNER", NAME),
            ("TBCREATOR", NAME),
            ("TBNAME", NAME),
        ],
        rows: tables,
    },
    System {
        name: "SYSCOLUMNS",
        columns: &[
            ("NAME", NAME),
            ("TBNAME", NAME),
            ("TBCREATOR", NAME),
            ("COLNO", NUMBER),
            ("COLTYPE", Type::Char(8)),
            ("LENGTH", NUMBER),
            ("SCALE", NUMBER),
            ("NULLS", FLAG),
            ("DEFAULT", FLAG),
            ("KEYSEQ", NUMBER),
            ("REMARKS", Type::VarChar(762)),
        ],
        rows: columns,
    },
    System {
        name: "SYSINDEXES",
        columns: &[
            ("NAME", NAME),
            ("CREATOR", NAME),
            ("TBNAME", NAME),
            ("TBCREATOR", NAME),
            ("UNIQUERULE", FLAG),
            ("COLCOUNT", NUMBER),
            ("CLUSTERING", FLAG),
        ],
        rows: indexes,
    },
    System {
        name: "SYSKEYS",
        columns: &[
            ("IXNAME", NAME),
            ("IXCREATOR", NAME),
            ("COLNAME", NAME),
            ("COLNO", NUMBER),
            ("COLSEQ", NUMBER),
            ("ORDERING", FLAG),
        ],
        rows: keys,
    },
    System {
        name: "SYSVIEWS",
        columns: &[("NAME", NAME), ("CREATOR", NAME), ("CHECK", FLAG), ("STATEMENT", Type::VarChar(32_704))],
        rows: views,
    },
    System {
        name: "SYSSYNONYMS",
        columns: &[("NAME", NAME), ("CREATOR", NAME), ("TBNAME", NAME), ("TBCREATOR", NAME)],
        rows: aliases,
    },
];

/// The columns and the rows of a table of SYSIBM; `None`: there is none of this name.
pub(crate) fn of(name: &str, catalogue: &Catalogue) -> Option<(Vec<Made>, Rows)> {
    let system = SYSTEM.iter().find(|system| system.name == name)?;
    let made =
        |(name, kind): &(&str, Type)| Made { name: (*name).to_owned(), kind: *kind, is_nullable: false };
    Some((system.columns.iter().map(made).collect(), (system.rows)(catalogue)))
}

fn text(text: &str) -> Value {
    Value::text(text)
}

fn number(number: usize) -> Value {
    Value::Whole(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The own name and the schema of a full name.
fn name_and_schema(full: &str) -> [Value; 2] {
    let (schema, name) = parts(full);
    [text(name), text(&schema)]
}

fn tables(catalogue: &Catalogue) -> Rows {
    let row = |full: &str, kind: &str, [columns, parents, children]: [usize; 3], of: &str| {
        let ([name, creator], [of, of_creator]) = (name_and_schema(full), name_and_schema(of));
        let (place, owner) = (name.clone(), creator.clone());
        let counts = [number(columns), Value::Double(-1.0), number(parents), number(children)];
        let front = [name, creator, text(kind), text(""), place].into_iter();
        front.chain(counts).chain([text(""), owner, of_creator, of]).collect()
    };
    let table = |table: &&Table| {
        let children = catalogue.children(&table.name).len();
        row(&table.name, "T", [table.columns.len(), table.references.len(), children], "")
    };
    let view = |view: &View| match view {
        View::Query(view) => row(&view.name, "V", [view.columns.len(), 0, 0], ""),
        View::Alias { name, of } => row(name, "A", [0, 0, 0], of),
    };
    let mut rows: Rows = catalogue.sorted().iter().map(table).collect();
    rows.extend(catalogue.views().map(view));
    rows
}

fn columns(catalogue: &Catalogue) -> Rows {
    let mut rows = Rows::new();
    for table in catalogue.sorted() {
        for (at, column) in table.columns.iter().enumerate() {
            let default = match &column.default {
                None | Some(DefaultValue::Null) => "N",
                Some(_) => "Y",
            };
            let key = table.key.iter().position(|key| *key == at).map_or(0, |place| place + 1);
            let kind = (column.kind, column.is_nullable);
            rows.push(column_row(&table.name, (at, &column.name), kind, (default, key)));
        }
    }
    for view in catalogue.views() {
        let View::Query(ViewQuery { name, columns, kinds, .. }) = view else { continue };
        let named = columns.iter().enumerate().zip(kinds);
        rows.extend(named.map(|((at, column), kind)| column_row(name, (at, column), *kind, ("N", 0))));
    }
    rows
}

/// A row of SYSCOLUMNS: of a column by its number from 0, with its place in the primary key, or 0.
fn column_row(
    of: &str,
    (at, name): (usize, &str),
    (kind, is_nullable): (Type, bool),
    (default, key): (&str, usize),
) -> Vec<Value> {
    let [of, creator] = name_and_schema(of);
    let (kind, length, scale) = shape(kind);
    vec![
        text(name),
        of,
        creator,
        number(at + 1),
        text(&format!("{kind:8}")),
        Value::Whole(length),
        Value::Whole(scale),
        text(if is_nullable { "Y" } else { "N" }),
        text(default),
        number(key),
        text(""),
    ]
}

/// The name, the length and the scale of a type.
fn shape(kind: Type) -> (&'static str, i64, i64) {
    match kind {
        Type::SmallInt => ("SMALLINT", 2, 0),
        Type::Integer => ("INTEGER", 4, 0),
        Type::BigInt => ("BIGINT", 8, 0),
        Type::Decimal { precision, scale } => ("DECIMAL", precision.into(), scale.into()),
        Type::Real => ("FLOAT", 4, 0),
        Type::Double => ("FLOAT", 8, 0),
        Type::Char(length) | Type::Bytes(length) => ("CHAR", length.into(), 0),
        Type::VarChar(length) | Type::VarBytes(length) => ("VARCHAR", length.into(), 0),
        Type::Binary(length) => ("BINARY", length.into(), 0),
        Type::VarBinary(length) => ("VARBIN", length.into(), 0),
        Type::Date => ("DATE", 4, 0),
        Type::Time => ("TIME", 3, 0),
        Type::Timestamp(digits) => ("TIMESTMP", i64::from(7 + digits.div_ceil(2)), digits.into()),
    }
}

/// An index as SYSIBM shows it: its name, its rule, its columns.
type Shown<'t> = (String, &'static str, Vec<(usize, bool)>);

/// The indexes of a table, that of its primary key first.
fn indexes_of(table: &Table) -> Vec<Shown<'_>> {
    let key = table.key.iter().map(|column| (*column, false)).collect();
    let key = (!table.key.is_empty()).then(|| (format!("{}_PKEY", table.own_name()), "P", key));
    let others = table
        .indexes
        .iter()
        .map(|index| (index.name.clone(), if index.is_unique { "U" } else { "D" }, index.columns.clone()));
    key.into_iter().chain(others).collect()
}

fn indexes(catalogue: &Catalogue) -> Rows {
    let mut rows = Rows::new();
    for table in catalogue.sorted() {
        let [of, creator] = name_and_schema(&table.name);
        for (name, rule, columns) in indexes_of(table) {
            let (name, count) = (text(&name), number(columns.len()));
            rows.push(vec![name, creator.clone(), of.clone(), creator.clone(), text(rule), count, text("N")]);
        }
    }
    rows
}

fn keys(catalogue: &Catalogue) -> Rows {
    let mut rows = Rows::new();
    for table in catalogue.sorted() {
        let [_, creator] = name_and_schema(&table.name);
        for (name, _, columns) in indexes_of(table) {
            for (place, (column, is_descending)) in columns.into_iter().enumerate() {
                rows.push(vec![
                    text(&name),
                    creator.clone(),
                    text(&table.columns[column].name),
                    number(column + 1),
                    number(place + 1),
                    text(if is_descending { "D" } else { "A" }),
                ]);
            }
        }
    }
    rows
}

fn views(catalogue: &Catalogue) -> Rows {
    let of = |view: &View| {
        let View::Query(ViewQuery { name, text: query, check, .. }) = view else { return None };
        let [name, creator] = name_and_schema(name);
        let check = match check {
            None => "N",
            Some(CheckOption::Cascaded) => "C",
            Some(CheckOption::Local) => "Y",
        };
        Some(vec![name, creator, text(check), text(query)])
    };
    catalogue.views().filter_map(of).collect()
}

fn aliases(catalogue: &Catalogue) -> Rows {
    let of = |view: &View| {
        let View::Alias { name, of } = view else { return None };
        let ([name, creator], [of, of_creator]) = (name_and_schema(name), name_and_schema(of));
        Some(vec![name, creator, of, of_creator])
    };
    catalogue.views().filter_map(of).collect()
}
