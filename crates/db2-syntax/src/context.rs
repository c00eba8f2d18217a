//! The surroundings of a statement: its tokens, the table whose columns it may name, and its variables.

use db2::package::Spot;
use db2::{Arithmetic, Letters, Token};
use db2_values::Type;

use crate::catalogue::Table;
use crate::limits;
use crate::reader::{Name, Reader};
use crate::refusal::Refusal;
use crate::tree::{Expression, Node, Target};
use crate::{Setting, Variable};

/// A statement while it is read.
pub(crate) struct Context<'s> {
    pub(crate) reader: Reader,
    setting: &'s Setting<'s>,
    scope: Option<Scope<'s>>,
    /// Permission for aggregates at this place.
    pub(crate) aggregates: Aggregates,
    /// The first column outside of aggregates, since [`Self::begin_outputs`].
    pub(crate) plain_column: Option<Spot>,
    /// Number of values and conditions that are open here.
    nested: usize,
}

/// Places of aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregates {
    /// Conditions, changes: none may stand here.
    Forbidden,
    /// Outputs. True: one has stood there.
    Allowed(bool),
    /// Inside of one.
    Inside,
}

/// The table whose columns may be named, and its name in the statement.
struct Scope<'s> {
    table: &'s Table,
    name: String,
}

/// Words that are no name of a table in a statement, since a clause begins with them.
const CLAUSES: [&str; 21] = [
    "WHERE",
    "ORDER",
    "GROUP",
    "HAVING",
    "FETCH",
    "FOR",
    "WITH",
    "OPTIMIZE",
    "QUERYNO",
    "SKIP",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "INNER",
    "LEFT",
    "RIGHT",
    "FULL",
    "JOIN",
    "CROSS",
    "SET",
    "LIMIT",
];

impl<'s> Context<'s> {
    pub(crate) fn new(letters: &Letters, setting: &'s Setting<'s>) -> Result<Self, Refusal> {
        let reader = Reader::new(db2::lex(letters)?);
        Ok(Self {
            reader,
            setting,
            scope: None,
            aggregates: Aggregates::Forbidden,
            plain_column: None,
            nested: 0,
        })
    }

    /// Reads something that may stand inside of its like.
    pub(crate) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.nested == limits::NESTED {
            let message = format!("more than {} values stand inside of each other", limits::NESTED);
            return Err(Refusal::code(-101, self.reader.spot(), message));
        }
        self.nested += 1;
        let found = read(self);
        self.nested -= 1;
        found
    }

    pub(crate) fn arithmetic(&self) -> Arithmetic {
        self.setting.arithmetic
    }

    /// Reads a table's name; from now on its columns may be named.
    pub(crate) fn open_table(&mut self) -> Result<&'s Table, Refusal> {
        let table = self.table()?;
        let has_as = self.reader.take("AS");
        let name =
            if has_as || !self.reader.is_any(&CLAUSES) { self.reader.name("a name").ok() } else { None };
        let name = name.map_or_else(|| table.name.clone(), |name| name.text);
        self.scope = Some(Scope { table, name });
        Ok(table)
    }

    /// Reads a table's name.
    pub(crate) fn table(&mut self) -> Result<&'s Table, Refusal> {
        let (_, name) = self.reader.qualified("a table")?;
        self.setting.catalogue.table(&name.text).ok_or_else(|| {
            Refusal::code(-204, name.spot, format!("there is no table {}", name.text))
                .help("create it first, or correct its name")
        })
    }

    /// Returns true if there is a table of this name.
    pub(crate) fn catalogue_has(&self, table: &str) -> bool {
        self.setting.catalogue.table(table).is_some()
    }

    /// Forgets which columns stood outside of aggregates, and allows these.
    pub(crate) fn begin_outputs(&mut self) {
        self.aggregates = Aggregates::Allowed(false);
        self.plain_column = None;
    }

    /// The column of a name in the open table.
    pub(crate) fn column(&mut self, qualifier: Option<&str>, name: &Name) -> Result<Expression, Refusal> {
        let scope =
            self.scope.as_ref().filter(|scope| qualifier.is_none_or(|qualifier| qualifier == scope.name));
        let found = scope.and_then(|scope| Some((scope.table, scope.table.column(&name.text)?)));
        let Some((table, number)) = found else {
            let table = scope.map_or(String::new(), |scope| format!(" of {}", scope.table.name));
            return Err(Refusal::code(-206, name.spot, format!("{} is no column{table}", name.text)));
        };
        if self.aggregates != Aggregates::Inside {
            self.plain_column.get_or_insert(name.spot);
        }
        let column = &table.columns[number];
        Ok(Expression { node: Node::Column(number), kind: column.kind, is_nullable: column.is_nullable })
    }

    /// The columns of the open table, as `*` and `T.*` mean them.
    pub(crate) fn all_columns(
        &mut self,
        qualifier: Option<&Name>,
    ) -> Result<Vec<(String, Expression)>, Refusal> {
        let spot = self.reader.spot();
        let scope = self.scope.as_ref();
        let Some(scope) = scope.filter(|scope| qualifier.is_none_or(|name| name.text == scope.name)) else {
            let name = qualifier.map_or("*", |name| &name.text);
            return Err(Refusal::code(-206, spot, format!("{name} is no table of this statement")));
        };
        self.plain_column.get_or_insert(spot);
        let columns = scope.table.columns.iter().enumerate().map(|(number, column)| {
            let value =
                Expression { node: Node::Column(number), kind: column.kind, is_nullable: column.is_nullable };
            (column.name.clone(), value)
        });
        Ok(columns.collect())
    }

    /// The variable that a token names.
    pub(crate) fn variable(&self, token: &Token) -> Result<Variable, Refusal> {
        (self.setting.variables)(token).ok_or_else(|| {
            Refusal::code(-312, token.spot, format!("{} is no host variable of the program", token.text))
        })
    }

    /// A variable as a value.
    pub(crate) fn input(&self, token: &Token) -> Result<Expression, Refusal> {
        let Variable { number, kind } = self.variable(token)?;
        let is_nullable = token.indicator.is_some();
        Ok(Expression { node: Node::Variable(number), kind, is_nullable })
    }

    /// A variable that a result goes to.
    pub(crate) fn target(&self, token: &Token) -> Result<Target, Refusal> {
        let Variable { number, .. } = self.variable(token)?;
        Ok(Target { number, has_indicator: token.indicator.is_some() })
    }

    /// The column of the open table that a change names, perhaps with the table before it.
    pub(crate) fn changed_column(&mut self, table: &Table) -> Result<(usize, Name), Refusal> {
        let (_, name) = self.reader.qualified("a column")?;
        match table.column(&name.text) {
            Some(number) => Ok((number, name)),
            None => {
                Err(Refusal::code(-206, name.spot, format!("{} is no column of {}", name.text, table.name)))
            }
        }
    }

    /// The type that values of two expressions are compared in.
    pub(crate) fn comparable(a: &Expression, b: &Expression, spot: Spot) -> Result<Type, Refusal> {
        a.kind.common(b.kind).ok_or_else(|| {
            Refusal::code(-401, spot, "these values cannot be compared")
                .help("their types have nothing in common")
        })
    }
}
