//! Plans of statements.

mod access;
mod build;
mod words;

use std::ops::Range;
use std::sync::Arc;

use db2_syntax::tree::{Join, Number, SetOperator, Statement};
use db2_syntax::{Catalogue, Table};
use db2_values::{Aggregate, Comparison, Type, Value};

pub(crate) use access::{Access, Found};

use crate::formula::{Formula, Test};
use crate::rows::Wish;

/// A plan: which way a statement goes to its rows, and what it does with each. It is made once, and run as often as needed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tables that it names; of a change the first is the one that changes.
    pub(crate) tables: Vec<TableOf>,
    /// The host variables that it needs, in the order in which they are given, with their types.
    pub(crate) variables: Vec<(u32, Type)>,
    /// Number of all columns of its sources, and of values that are made of rows.
    pub(crate) columns: usize,
    pub(crate) made: usize,
    /// The columns that a query names; a change needs all of them, and has none here.
    pub(crate) wanted: Vec<bool>,
    /// True if it has rows of SYSIBM in it.
    pub(crate) holds_rows: bool,
    pub(crate) action: Action,
}

/// A table with the types of its columns.
#[derive(Clone, Debug)]
pub(crate) struct TableOf {
    pub(crate) table: Table,
    pub(crate) kinds: Vec<Type>,
}

/// A statement that has no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplanned {
    /// Its table is not there any more (-204).
    NoTable(String),
    /// A number in it is none of its type (-405).
    Number(String),
    /// It defines something: it has no rows.
    Definition,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Query(Box<Query>),
    Insert(Box<Insert>),
    Change(Box<Change>),
    Merge(Box<Merge>),
    Through(Box<Through>),
}

/// A change, and the query over its rows.
#[derive(Clone, Debug)]
pub(crate) struct Through {
    /// An INSERT or another change.
    pub(crate) change: Action,
    /// True if the rows are as they were before it.
    pub(crate) is_old: bool,
    pub(crate) query: Query,
}

/// MERGE.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub(crate) insert: Option<Insert>,
    pub(crate) change: Option<Change>,
}

/// Blocks whose rows follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) blocks: Vec<Block>,
    /// Number of the first blocks of whose rows no two are alike: those before a UNION without ALL.
    pub(crate) united: usize,
    /// The operator before each block, and true for ALL, where EXCEPT or INTERSECT is among them: else none. The first has UNION ALL.
    pub(crate) sets: Vec<(SetOperator, bool)>,
    /// Blocks that are run for each row, their own among them.
    pub(crate) recursion: Option<Recursion>,
    /// Keys to sort by; empty if the rows come in their order.
    pub(crate) sort: Vec<SortKey>,
    pub(crate) first: Option<u64>,
    /// Rows that are left out before the first.
    pub(crate) offset: u64,
}

/// Blocks of a common table expression that name it.
#[derive(Clone, Debug)]
pub(crate) struct Recursion {
    /// The number of the first of them; the others follow it.
    pub(crate) first: usize,
    /// The place of the row that they are run for, among the values that are made.
    pub(crate) made: Range<usize>,
}

/// SELECT without an order.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) core: Core,
    pub(crate) outputs: Vec<Formula>,
    pub(crate) groups: Option<Groups>,
    pub(crate) is_distinct: bool,
}

/// Rows of sources, joined: each row is a set of values in the columns of the statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Core {
    /// The sources, the outermost loop first. None: there is one row.
    pub(crate) levels: Vec<Level>,
    pub(crate) slots: Vec<Slot>,
    /// Subqueries that are the same for all rows.
    pub(crate) once: Vec<usize>,
    /// Subqueries that values of a row need.
    pub(crate) late: Vec<usize>,
    /// Numbers of sequences: the next ones for each row, those that were given before at the beginning.
    pub(crate) numbers: Vec<Numbered>,
}

/// A number of a sequence, and its place among the values that are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) of: Number,
    /// The name of the sequence.
    pub(crate) name: String,
    pub(crate) made: usize,
}

/// A source in its loop.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) from: From,
    /// Its columns in the statement.
    pub(crate) columns: Range<usize>,
    pub(crate) join: Join,
    /// Conditions of the join.
    pub(crate) on: Vec<Check>,
    /// Conditions of rows, as soon as this source has its own.
    pub(crate) checks: Vec<Check>,
}

#[derive(Clone, Debug)]
pub(crate) enum From {
    /// A table by its number in the plan.
    Table { table: usize, access: Access, wish: Wish },
    /// A query. True: its rows are kept, since they are the same each time.
    Query(Box<Query>, bool),
    /// The row that a recursive block is run for, by its place among the values that are made.
    Itself(Range<usize>),
    /// A table of SYSIBM, with its rows.
    System(Arc<[Vec<Value>]>),
    /// The rows of the statement's change.
    Changed,
}

/// A condition, and the subqueries that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) slots: Vec<usize>,
    pub(crate) test: Test,
}

/// A subquery.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) query: Query,
    /// The place of its value among those that are made.
    pub(crate) made: usize,
    pub(crate) asks: Asks,
    /// The columns that its query names, and those of the value beside it, too.
    query_sees: Vec<usize>,
    sees: Vec<usize>,
}

/// The value that a subquery makes.
#[derive(Clone, Debug)]
pub(crate) enum Asks {
    /// That of its only row.
    Value,
    /// 1 if it has a row, else 0.
    Exists,
    /// 1, 0 or NULL: the answer of a comparison with its rows.
    Compared {
        value: Formula,
        comparison: Comparison,
        is_all: bool,
        kind: Type,
        /// True if its rows are kept, to be looked up.
        is_kept: bool,
    },
}

/// Groups of rows.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub(crate) keys: Vec<GroupKey>,
    pub(crate) totals: Vec<TotalOf>,
    pub(crate) having: Option<Test>,
    /// Subqueries that values of a group need.
    pub(crate) late: Vec<usize>,
}

/// A value that is the same for all rows of a group, and its place while the group is looked at.
#[derive(Clone, Debug)]
pub(crate) struct GroupKey {
    pub(crate) by: Formula,
    pub(crate) place: KeyPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    Column(usize),
    Made(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct SortKey {
    pub(crate) by: Formula,
    /// The output that it is.
    pub(crate) output: Option<usize>,
    pub(crate) is_descending: bool,
}

/// A function of all rows.
#[derive(Clone, Debug)]
pub(crate) struct TotalOf {
    pub(crate) function: Aggregate,
    pub(crate) is_distinct: bool,
    /// The value of a row; none: rows are counted.
    pub(crate) value: Option<Formula>,
    pub(crate) result: Type,
    /// The place of its result among the values that are made.
    pub(crate) made: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Insert {
    /// The rows to add.
    pub(crate) query: Query,
    /// The value of each column of the table.
    pub(crate) columns: Vec<Given>,
    /// The place of the number of an identity column that rows give no value, among the values that are made.
    pub(crate) identity: Option<usize>,
    pub(crate) rules: Rules,
}

/// Rules of a change: those of its rows, and those between them and other tables'.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// Conditions of a new row, with their names. Its values are in the first columns of the statement.
    pub(crate) checks: Vec<(String, Test)>,
    /// Conditions that must be true of a new row, with the views that want them.
    pub(crate) of_views: Vec<(String, Test)>,
    /// The subqueries of all that follows.
    pub(crate) core: Core,
    /// Parents of a new row, which is in the first columns.
    pub(crate) parents: Vec<Rule>,
    /// An UPDATE of these columns, of the primary key, looks for children of the row as it was.
    pub(crate) key: Vec<usize>,
    pub(crate) children: Vec<Rule>,
    /// Deleted rows: the first of the table that the statement names, the others of those that CASCADE comes to.
    pub(crate) nodes: Vec<Node>,
}

/// A condition that must be true when the statement ends.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) check: Check,
    /// The SQLCODE if it is not, and the constraint that is meant.
    pub(crate) code: i32,
    pub(crate) name: String,
}

/// A deleted row.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) table: usize,
    /// The place of its values.
    pub(crate) columns: Range<usize>,
    /// Rows that must not be there.
    pub(crate) rules: Vec<Rule>,
    pub(crate) cascades: Vec<Cascade>,
}

/// Rows of a table that go with the one of a node, or that belong to none then.
#[derive(Clone, Debug)]
pub(crate) struct Cascade {
    pub(crate) core: Core,
    /// Their table, and the place of their values.
    pub(crate) table: usize,
    pub(crate) columns: Range<usize>,
    /// Columns that become NULL; `None`: the rows are deleted, as those of this node.
    pub(crate) nulls: Option<Vec<usize>>,
    pub(crate) node: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// An output of the query.
    Output(usize),
    Default(Formula),
}

#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The rows that are meant, and the subqueries of the new values.
    pub(crate) core: Core,
    /// The cursor on whose row a positioned change works.
    pub(crate) cursor: Option<String>,
    /// Columns and what they get; none: the row is deleted.
    pub(crate) sets: Option<Vec<(usize, Formula)>>,
    /// Numbers of sequences that new values need.
    pub(crate) numbers: Vec<Numbered>,
    pub(crate) wish: Wish,
    pub(crate) rules: Rules,
}

impl Plan {
    /// The plan of a statement over the tables of a catalogue.
    ///
    /// # Errors
    /// The statement has none.
    pub fn of(statement: &Statement, catalogue: &Catalogue) -> Result<Self, Unplanned> {
        build::plan(statement, catalogue)
    }

    /// The host variables that it needs, by their numbers and types, in the order in which a run gets their values.
    pub fn variables(&self) -> &[(u32, Type)] {
        &self.variables
    }

    /// The types of the values of a row of results; none for a change.
    pub fn outputs(&self) -> Vec<Type> {
        match &self.action {
            Action::Query(query) => query.kinds(),
            Action::Through(through) => through.query.kinds(),
            Action::Insert(_) | Action::Change(_) | Action::Merge(_) => Vec::new(),
        }
    }

    /// Returns true if rows of SYSIBM are a part of it: it takes too much memory to be kept.
    pub fn holds_rows(&self) -> bool {
        self.holds_rows
    }

    /// Returns true if it is a query that gives one row at most, whatever the tables hold.
    pub fn gives_one_row(&self) -> bool {
        let Action::Query(query) = &self.action else { return false };
        let is_one = |level: &Level| match &level.from {
            From::Table { access, .. } => access.is_one,
            From::System(rows) => rows.len() <= 1,
            From::Query(..) | From::Changed => false,
            From::Itself(_) => true,
        };
        let block_is_one = |block: &Block| match &block.groups {
            Some(groups) => groups.keys.is_empty(),
            None => block.core.levels.iter().all(is_one),
        };
        query.first.is_some_and(|first| first <= 1)
            || query.recursion.is_none() && matches!(query.blocks.as_slice(), [block] if block_is_one(block))
    }

    /// The name of its table: of several the first, of none an empty one.
    pub fn table(&self) -> &str {
        self.tables().next().unwrap_or_default()
    }

    /// The names of its tables, each once. The first is the one that a change changes.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|of| of.table.name.as_str())
    }

    /// The cursor on whose row a positioned change works.
    pub fn cursor(&self) -> Option<&str> {
        let action = match &self.action {
            Action::Through(through) => &through.change,
            action => action,
        };
        if let Action::Change(change) = action { change.cursor.as_deref() } else { None }
    }

    /// Returns true if it is a query over the rows of a change: FROM FINAL TABLE.
    pub fn has_change(&self) -> bool {
        matches!(self.action, Action::Through(_))
    }

    /// Returns true if it takes the rows of its only table for a change: a cursor of it may change the row that it is on.
    pub fn is_for_update(&self) -> bool {
        let Action::Query(query) = &self.action else { return false };
        let [block] = query.blocks.as_slice() else { return false };
        let [Level { from: From::Table { wish, .. }, .. }] = block.core.levels.as_slice() else {
            return false;
        };
        wish.for_update && block.groups.is_none() && !block.is_distinct && query.sort.is_empty()
    }

    /// Returns true if the catalogue still has its tables as they were when the plan was made.
    pub fn is_current(&self, catalogue: &Catalogue) -> bool {
        self.tables.iter().all(|of| catalogue.table(&of.table.name) == Some(&of.table))
    }

    /// The plan in words, as EXPLAIN shows it.
    pub fn in_words(&self) -> String {
        words::of(self)
    }
}

impl Rules {
    /// Returns true if there is something to look at behind the changes.
    pub(crate) fn has_more(&self) -> bool {
        !self.parents.is_empty() || !self.children.is_empty() || !self.nodes.is_empty()
    }
}

impl Query {
    /// The types of its outputs.
    pub(crate) fn kinds(&self) -> Vec<Type> {
        let first = self.blocks.first();
        first.into_iter().flat_map(|block| &block.outputs).map(|output| output.kind).collect()
    }
}
