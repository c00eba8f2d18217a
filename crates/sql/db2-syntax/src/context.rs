//! The surroundings of a statement while it is read: its tokens, the queries that are open, and its variables.

use db2::package::Spot;
use db2::{Arithmetic, Letters, Token};
use db2_values::Type;

use crate::catalogue::{Catalogue, Meant, Table, ViewQuery};
use crate::limits;
use crate::reader::{Name, Reader};
use crate::refusal::Refusal;
use crate::setting::{Setting, Variable};
use crate::tree::{Condition, DataChange, Expression, HostTarget, Node, Query};
use crate::values_of::columns_of;

/// A statement while it is read.
pub(crate) struct Context<'s> {
    pub(crate) reader: Reader,
    setting: &'s Setting<'s>,
    grammar: Grammar,
    /// The schemas in which names without one are looked for: of a view, while it is read, its own.
    schemas: &'s [String],
    /// The full names of tables and views that were named.
    uses: Vec<String>,
    /// Conditions of views with CHECK OPTION that were read: the first column of their table, the view, the condition.
    pub(crate) view_checks: Vec<(usize, String, Condition)>,
    /// The types of parameter markers, as far as they are known; `None`: the statement has host variables.
    pub(crate) markers: Option<Vec<Option<Type>>>,
    /// The change over whose rows the query is, until the query names it.
    pub(crate) changed: Option<Changed>,
    /// Places of `*` among outputs, from and behind, with the columns that are meant, in words.
    stars: Vec<(usize, usize, String)>,
    /// Number of views that are read around this place.
    views: usize,
    /// The first of two open queries whose names are looked for beside each other: the table and the source of MERGE.
    pair: Option<usize>,
    /// The queries that are open, the outermost first.
    blocks: Vec<Block<'s>>,
    /// Common table expressions that may be named, the last first.
    pub(crate) common: Vec<Common>,
    /// Common table expressions that are read, the innermost last.
    pub(crate) recursive: Vec<Recursive>,
    /// The numbers of the statement's next column and next source.
    next_column: usize,
    next_source: usize,
    /// The place of the first NEXT VALUE.
    pub(crate) next_value: Option<Spot>,
    /// Number of values, conditions and queries that are open here.
    nested: usize,
    /// Values that were read or copied so far.
    weight: usize,
}

/// The parts of the grammar that stand inside of each other: a query has expressions, and an expression may be a query in parentheses.
///
/// The modules that read them stand in storeys. One calls those below it by their names, and those above it through the context, which
/// has this table from the topmost: so no two modules need each other.
#[derive(Clone, Copy)]
pub(crate) struct Grammar {
    pub(crate) expression: fn(&mut Context<'_>) -> Result<Expression, Refusal>,
    pub(crate) condition: fn(&mut Context<'_>) -> Result<Condition, Refusal>,
    pub(crate) query: fn(&mut Context<'_>, QueryPlace) -> Result<Query, Refusal>,
}

/// Places of queries, which decide about clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryPlace {
    /// A statement: it has INTO.
    Statement,
    /// A cursor: FETCH has INTO.
    Cursor,
    /// In parentheses, in INSERT.
    Inside,
    /// Behind WITH.
    Common,
}

/// A change that was read before the query around it.
pub(crate) struct Changed {
    /// The place of FINAL TABLE or OLD TABLE, and that behind the change.
    pub(crate) at: usize,
    pub(crate) behind: usize,
    pub(crate) change: DataChange,
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

/// A query, or a change, whose columns may be named.
pub(crate) struct Block<'s> {
    sources: Vec<Named<'s>>,
    /// Permission for aggregates at this place.
    pub(crate) aggregates: Aggregates,
    /// Columns outside of aggregates since [`Context::begin_outputs`], with their places. True: within a subquery.
    pub(crate) plain: Vec<(usize, Spot, bool)>,
}

/// A source of rows and its name in the statement.
pub(crate) struct Named<'s> {
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) columns: Columns<'s>,
    /// True on the right of LEFT JOIN: all its columns can be NULL.
    pub(crate) is_outer: bool,
}

/// The columns of a source.
pub(crate) enum Columns<'s> {
    Table(&'s Table),
    Made(Vec<Made>),
    /// Of a view whose rows are those of a table: each a value of its columns.
    Over(Vec<(String, Expression)>),
}

/// A column that a query makes.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// Its name; empty if it has none.
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) is_nullable: bool,
}

/// A common table expression: it is read at each place that names it.
#[derive(Clone)]
pub(crate) struct Common {
    pub(crate) name: String,
    /// Names of its columns; none: those of its query.
    pub(crate) columns: Vec<Name>,
    /// The place of its query.
    pub(crate) mark: usize,
    /// Number of those that it may name itself.
    pub(crate) before: usize,
}

/// A common table expression while its query is read.
pub(crate) struct Recursive {
    pub(crate) name: String,
    /// Names of its columns; none: those of its query.
    pub(crate) names: Vec<Name>,
    /// Its columns, as soon as they are known.
    pub(crate) columns: Option<Vec<Made>>,
    /// Number of times that it was named in itself.
    pub(crate) uses: usize,
}

impl Named<'_> {
    /// The columns with this name, or all: their numbers here, names, types.
    fn columns(&self) -> Vec<Made> {
        match &self.columns {
            Columns::Table(table) => table
                .columns
                .iter()
                .map(|column| Made {
                    name: column.name.clone(),
                    kind: column.kind,
                    is_nullable: column.is_nullable || self.is_outer,
                })
                .collect(),
            Columns::Made(made) => made
                .iter()
                .map(|made| Made { is_nullable: made.is_nullable || self.is_outer, ..made.clone() })
                .collect(),
            Columns::Over(values) => values
                .iter()
                .map(|(name, value)| Made {
                    name: name.clone(),
                    kind: value.kind,
                    is_nullable: value.is_nullable,
                })
                .collect(),
        }
    }

    fn column(&self, name: &str) -> Option<Expression> {
        let (at, kind, is_nullable) = match &self.columns {
            Columns::Table(table) => {
                let at = table.column(name)?;
                (at, table.columns[at].kind, table.columns[at].is_nullable)
            }
            Columns::Made(made) => {
                let at = made.iter().position(|made| made.name == name)?;
                (at, made[at].kind, made[at].is_nullable)
            }
            Columns::Over(values) => {
                return values.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
            }
        };
        let is_nullable = is_nullable || self.is_outer;
        Some(Expression { node: Node::Column(self.first + at), kind, is_nullable })
    }

    pub(crate) fn width(&self) -> usize {
        match &self.columns {
            Columns::Table(table) => table.columns.len(),
            Columns::Made(made) => made.len(),
            Columns::Over(_) => 0,
        }
    }
}

impl<'s> Context<'s> {
    pub(crate) fn new(
        letters: &Letters,
        setting: &'s Setting<'s>,
        grammar: Grammar,
    ) -> Result<Self, Refusal> {
        let reader = Reader::new(db2::lex(letters)?);
        Ok(Self {
            reader,
            setting,
            grammar,
            schemas: setting.catalogue.schemas(),
            uses: Vec::new(),
            view_checks: Vec::new(),
            markers: None,
            changed: None,
            stars: Vec::new(),
            views: 0,
            pair: None,
            blocks: Vec::new(),
            common: Vec::new(),
            recursive: Vec::new(),
            next_column: 0,
            next_source: 0,
            next_value: None,
            nested: 0,
            weight: 0,
        })
    }

    /// Reads an expression, for a module below those that read it.
    pub(crate) fn expression(&mut self) -> Result<Expression, Refusal> {
        (self.grammar.expression)(self)
    }

    /// Reads a condition.
    pub(crate) fn condition(&mut self) -> Result<Condition, Refusal> {
        (self.grammar.condition)(self)
    }

    /// Reads a query.
    pub(crate) fn query(&mut self, place: QueryPlace) -> Result<Query, Refusal> {
        (self.grammar.query)(self, place)
    }

    /// Reads a query in parentheses.
    pub(crate) fn subquery(&mut self) -> Result<Query, Refusal> {
        self.reader.want("(")?;
        let found = self.query(QueryPlace::Inside)?;
        self.reader.want(")")?;
        Ok(found)
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

    /// Number of values that were read or copied so far.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// Adds values that are read or copied.
    ///
    /// # Errors
    /// -101: there are too many.
    pub(crate) fn weigh(&mut self, values: usize) -> Result<(), Refusal> {
        self.weight = self.weight.saturating_add(values);
        if self.weight > limits::WEIGHT {
            return Err(Refusal::code(-101, self.reader.spot(), "the statement is too long"));
        }
        Ok(())
    }

    pub(crate) fn arithmetic(&self) -> Arithmetic {
        self.setting.arithmetic
    }

    /// Opens a query: it has no sources yet.
    pub(crate) fn open(&mut self) {
        self.blocks.push(Block { sources: Vec::new(), aggregates: Aggregates::Forbidden, plain: Vec::new() });
    }

    /// Closes the innermost query.
    pub(crate) fn close(&mut self) {
        self.blocks.pop();
    }

    /// The innermost query, if one is open.
    pub(crate) fn block(&mut self) -> Option<&mut Block<'s>> {
        self.blocks.last_mut()
    }

    /// Adds a source to the innermost query. Returns the number of its first column.
    ///
    /// # Errors
    /// -212: another one has its name.
    pub(crate) fn add_source(
        &mut self,
        name: Name,
        columns: Columns<'s>,
        is_outer: bool,
    ) -> Result<usize, Refusal> {
        if self.next_source == limits::SOURCES {
            let message = format!("more than {} tables are named", limits::SOURCES);
            return Err(Refusal::code(-129, name.spot, message));
        }
        self.next_source += 1;
        let first = self.next_column;
        let spot = name.spot;
        let named = Named { name: name.text, first, columns, is_outer };
        self.next_column += named.width();
        self.show(named, spot)?;
        Ok(first)
    }

    /// The numbers of columns begin once more, for another statement.
    pub(crate) fn begin_numbers(&mut self) {
        self.next_column = 0;
        self.blocks.clear();
        self.view_checks.clear();
    }

    /// Gives out the numbers of so many columns: the first of them.
    pub(crate) fn take_columns(&mut self, count: usize) -> usize {
        self.next_column += count;
        self.next_column - count
    }

    /// Lets the columns of a source of the innermost query be named.
    ///
    /// # Errors
    /// -212: another one has its name.
    pub(crate) fn show(&mut self, named: Named<'s>, spot: Spot) -> Result<(), Refusal> {
        let Some(block) = self.blocks.last_mut() else { return Ok(()) };
        if block.sources.iter().any(|other| other.name == named.name) {
            let message = format!("{} is the name of two tables here", named.name);
            return Err(Refusal::code(-212, spot, message).help("give one of them another name behind it"));
        }
        block.sources.push(named);
        Ok(())
    }

    /// From now on all columns of a source of the innermost query can be NULL.
    pub(crate) fn make_outer(&mut self, source: usize) {
        if let Some(source) = self.blocks.last_mut().and_then(|block| block.sources.get_mut(source)) {
            source.is_outer = true;
        }
    }

    /// Reads something to which the queries around it are closed.
    pub(crate) fn apart<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let around = std::mem::take(&mut self.blocks);
        let found = read(self);
        self.blocks = around;
        found
    }

    /// Reads another text than that of the statement, to its end.
    pub(crate) fn of_text<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let other = Reader::new(db2::lex(&Letters::plain(text))?);
        let around = std::mem::replace(&mut self.reader, other);
        let found = read(self).and_then(|found| self.reader.end().map(|()| found));
        self.reader = around;
        found
    }

    /// Takes the sources of the innermost query away, so that a query in FROM does not see them.
    pub(crate) fn hide_sources(&mut self) -> Vec<Named<'s>> {
        self.blocks.last_mut().map(|block| std::mem::take(&mut block.sources)).unwrap_or_default()
    }

    /// Puts them back.
    pub(crate) fn show_sources(&mut self, sources: Vec<Named<'s>>) {
        if let Some(block) = self.blocks.last_mut() {
            block.sources = sources;
        }
    }

    /// Reads the name that a source gets, if there is one.
    pub(crate) fn correlation(&mut self) -> Result<Option<Name>, Refusal> {
        let has_as = self.reader.take("AS");
        if has_as {
            return self.reader.name("a name").map(Some);
        }
        Ok(if self.reader.is_any(&CLAUSES) { None } else { self.reader.name("a name").ok() })
    }

    /// Reads a table's name.
    pub(crate) fn table(&mut self) -> Result<&'s Table, Refusal> {
        let (schema, name) = self.reader.qualified("a table")?;
        self.table_of(schema.as_deref(), &name)
    }

    /// The table of a name.
    pub(crate) fn table_of(&mut self, schema: Option<&str>, name: &Name) -> Result<&'s Table, Refusal> {
        match self.meant(schema, name)? {
            Meant::Table(table) => Ok(table),
            Meant::View(_) => {
                Err(Refusal::code(-156, name.spot, format!("{} is a view, and no table", name.text)))
            }
        }
    }

    /// The table or the view of a name.
    pub(crate) fn meant(&mut self, schema: Option<&str>, name: &Name) -> Result<Meant<'s>, Refusal> {
        let Some(meant) = self.catalogue().meant(self.schemas, schema, &name.text) else {
            return Err(Refusal::code(-204, name.spot, format!("there is no table {}", name.text))
                .help("create it first, or correct its name"));
        };
        let (Meant::Table(Table { name: full, .. }) | Meant::View(ViewQuery { name: full, .. })) = meant;
        if !self.uses.contains(full) {
            self.uses.push(full.clone());
        }
        Ok(meant)
    }

    /// -601 if a table or a view has this full name.
    pub(crate) fn refuse_taken(&self, full: &str, name: &Name) -> Result<(), Refusal> {
        match self.catalogue().has(full) {
            true => Err(Refusal::code(-601, name.spot, format!("there is a table or a view {}", name.text))),
            false => Ok(()),
        }
    }

    /// The full names of tables and views that were named since this was asked last.
    pub(crate) fn take_uses(&mut self) -> Vec<String> {
        std::mem::take(&mut self.uses)
    }

    /// Reads the query of a view: the statement around it cannot be seen there.
    pub(crate) fn in_view<T>(
        &mut self,
        view: &'s ViewQuery,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let (common, recursive) = (std::mem::take(&mut self.common), std::mem::take(&mut self.recursive));
        let schemas = std::mem::replace(&mut self.schemas, &view.schemas);
        self.views += 1;
        let found = self.apart(|context| context.of_text(&view.text, read));
        self.views -= 1;
        (self.common, self.recursive, self.schemas) = (common, recursive, schemas);
        found
    }

    /// The schemas in which names without one are looked for.
    pub(crate) fn schemas(&self) -> &'s [String] {
        self.schemas
    }

    /// The tables that there are.
    pub(crate) fn catalogue(&self) -> &'s Catalogue {
        self.setting.catalogue
    }

    /// Returns true if a source of the innermost query is a view over a table.
    pub(crate) fn has_views(&self) -> bool {
        let mut sources = self.blocks.last().into_iter().flat_map(|block| &block.sources);
        sources.any(|source| matches!(source.columns, Columns::Over(_)))
    }

    /// The type of the sequence of this name.
    pub(crate) fn sequence(&self, name: &str) -> Option<Type> {
        self.setting.catalogue.sequence(name)
    }

    /// Notes NEXT VALUE at this place.
    ///
    /// # Errors
    /// -348: none may stand in a subquery, or in a function of all rows.
    pub(crate) fn takes_number(&mut self, spot: Spot) -> Result<(), Refusal> {
        if self.blocks.len() > 1 || self.aggregates() == Aggregates::Inside {
            return Err(Refusal::code(-348, spot, "NEXT VALUE stands where it has no row of its own"));
        }
        self.next_value.get_or_insert(spot);
        Ok(())
    }

    /// Permission for aggregates at this place.
    pub(crate) fn aggregates(&self) -> Aggregates {
        self.blocks.last().map_or(Aggregates::Forbidden, |block| block.aggregates)
    }

    pub(crate) fn set_aggregates(&mut self, aggregates: Aggregates) {
        if let Some(block) = self.blocks.last_mut() {
            block.aggregates = aggregates;
        }
    }

    /// Forgets which columns stood outside of aggregates, and allows these.
    pub(crate) fn begin_outputs(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.aggregates = Aggregates::Allowed(false);
            block.plain.clear();
        }
    }

    /// The column of a name: of the innermost query that has one.
    pub(crate) fn column(&mut self, qualifier: Option<&str>, name: &Name) -> Result<Expression, Refusal> {
        if qualifier.is_none() && self.is_of_both(&name.text) {
            return Err(of_two(name));
        }
        let innermost = self.blocks.len().saturating_sub(1);
        for (at, block) in self.blocks.iter_mut().enumerate().rev() {
            let sources =
                block.sources.iter().filter(|source| qualifier.is_none_or(|name| name == source.name));
            let mut found = sources.filter_map(|source| source.column(&name.text));
            let Some(column) = found.next() else { continue };
            if found.next().is_some() {
                return Err(of_two(name));
            }
            let mut numbers = Vec::new();
            let size = columns_of(&column, &mut numbers).unwrap_or(1);
            if block.aggregates != Aggregates::Inside {
                block.plain.extend(numbers.into_iter().map(|number| (number, name.spot, at < innermost)));
            }
            self.weigh(size - 1)?;
            return Ok(column);
        }
        let of = match self.blocks.last().map(|block| block.sources.as_slice()) {
            Some([only]) => format!(" of {}", only.what()),
            _ => String::new(),
        };
        Err(Refusal::code(-206, name.spot, format!("{} is no column{of}", name.text)))
    }

    /// Reads something in which a name means a column of either of the two innermost queries, but not of both.
    pub(crate) fn beside_each_other<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let around = std::mem::replace(&mut self.pair, self.blocks.len().checked_sub(2));
        let found = read(self);
        self.pair = around;
        found
    }

    /// Returns true if a name without a qualifier is a column of both sides of MERGE, and of no query inside of them.
    fn is_of_both(&self, name: &str) -> bool {
        let Some(blocks) = self.pair.and_then(|pair| self.blocks.get(pair..)) else { return false };
        let has = |block: &Block<'_>| block.sources.iter().any(|source| source.column(name).is_some());
        blocks.iter().take(2).filter(|block| has(block)).count() == 2 && !blocks.iter().skip(2).any(has)
    }

    /// Notes the columns that `*` means by now: those of a view stay the same when its tables get more.
    pub(crate) fn note_star(&mut self, from: usize, qualifier: Option<&Name>) {
        let to = self.reader.mark();
        let Some(block) = self.blocks.last() else { return };
        if self.views > 0 || self.stars.iter().any(|(known, ..)| *known == from) {
            return;
        }
        let mut words: Vec<String> = Vec::new();
        for source in
            block.sources.iter().filter(|source| qualifier.is_none_or(|name| name.text == source.name))
        {
            for column in source.columns() {
                let word = format!("{}.{}", quoted(&source.name), quoted(&column.name));
                // Columns without a name of their own can be meant by `*` alone.
                if column.name.is_empty() || words.contains(&word) {
                    return;
                }
                words.push(word);
            }
        }
        self.stars.push((from, to, words.join(", ")));
    }

    /// The text between two places, with columns in the place of `*`.
    pub(crate) fn text_without_stars(&self, from: usize, to: usize) -> String {
        let mut stars: Vec<_> = self.stars.iter().filter(|(at, ..)| (from..to).contains(at)).collect();
        stars.sort();
        let (mut text, mut at) = (String::new(), from);
        for (star, behind, words) in stars {
            text += &format!("{} {words} ", self.reader.text(at, *star));
            at = *behind;
        }
        text + &self.reader.text(at, to)
    }

    /// The columns of the innermost query, as `*` and `T.*` mean them.
    pub(crate) fn all_columns(
        &mut self,
        qualifier: Option<&Name>,
    ) -> Result<Vec<(String, Expression)>, Refusal> {
        let spot = self.reader.spot();
        let (mut columns, mut weight) = (Vec::new(), 0);
        let Some(block) = self.blocks.last_mut() else { return Ok(columns) };
        for source in &block.sources {
            if qualifier.is_some_and(|name| name.text != source.name) {
                continue;
            }
            if let Columns::Over(values) = &source.columns {
                for (_, value) in values {
                    let mut numbers = Vec::new();
                    weight += columns_of(value, &mut numbers).unwrap_or(1);
                    block.plain.extend(numbers.into_iter().map(|number| (number, spot, false)));
                }
                columns.extend(values.iter().cloned());
                continue;
            }
            for (at, made) in source.columns().into_iter().enumerate() {
                let node = Node::Column(source.first + at);
                block.plain.push((source.first + at, spot, false));
                columns
                    .push((made.name, Expression { node, kind: made.kind, is_nullable: made.is_nullable }));
            }
        }
        if columns.is_empty() {
            let name = qualifier.map_or("*", |name| &name.text);
            return Err(Refusal::code(-206, spot, format!("{name} is no table of this statement")));
        }
        self.weigh(weight)?;
        Ok(columns)
    }

    /// The variable that a token names.
    pub(crate) fn variable(&self, token: &Token) -> Result<Variable, Refusal> {
        (self.setting.variables)(token).ok_or_else(|| {
            Refusal::code(-312, token.spot, format!("{} is no host variable of the program", token.text))
        })
    }

    /// A special register as a value, by its name without CURRENT; `None`: the surroundings do not have it.
    pub(crate) fn register(&self, token: &Token) -> Option<Expression> {
        let named = Token { text: token.text.to_uppercase(), ..token.clone() };
        let Variable { number, kind } = (self.setting.variables)(&named)?;
        Some(Expression { node: Node::Variable(number), kind, is_nullable: false })
    }

    /// A variable as a value.
    pub(crate) fn input(&self, token: &Token) -> Result<Expression, Refusal> {
        let Variable { number, kind } = self.variable(token)?;
        let is_nullable = token.indicator.is_some();
        Ok(Expression { node: Node::Variable(number), kind, is_nullable })
    }

    /// A variable that a result goes to.
    pub(crate) fn target(&self, token: &Token) -> Result<HostTarget, Refusal> {
        let Variable { number, .. } = self.variable(token)?;
        Ok(HostTarget { number, has_indicator: token.indicator.is_some() })
    }

    /// The column of a table that an index or a cursor names, perhaps with the table before it.
    pub(crate) fn changed_column(&mut self, table: &Table) -> Result<(usize, Name), Refusal> {
        let (_, name) = self.reader.qualified("a column")?;
        match table.column(&name.text) {
            Some(number) => Ok((number, name)),
            None => Err(Refusal::code(
                -206,
                name.spot,
                format!("{} is no column of {}", name.text, table.own_name()),
            )),
        }
    }

    /// The type that values of two expressions are compared in.
    pub(crate) fn comparable(a: Type, b: Type, spot: Spot) -> Result<Type, Refusal> {
        a.common(b).ok_or_else(|| {
            Refusal::code(-401, spot, "these values cannot be compared")
                .help("their types have nothing in common")
        })
    }
}

impl Named<'_> {
    /// The name of the table, or the one that the source has.
    fn what(&self) -> &str {
        match &self.columns {
            Columns::Table(table) => table.own_name(),
            Columns::Made(_) | Columns::Over(_) => &self.name,
        }
    }
}

/// A name between quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Words that are no name of a table in a statement, since a clause begins with them.
const CLAUSES: [&str; 25] = [
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
    "ON",
    "SET",
    "LIMIT",
    "OFFSET",
    "INTO",
    "USING",
];
/// -203: a name that two tables have.
fn of_two(name: &Name) -> Refusal {
    let message = format!("{} is a column of two tables here", name.text);
    Refusal::code(-203, name.spot, message).help("put the table's name before it")
}
