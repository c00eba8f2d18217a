//! The table that a change means: by its name, or by that of a view whose rows are its rows.

use db2::package::Spot;

use crate::catalogue::{Meant, Table};
use crate::context::{Columns as Of, Context, Named};
use crate::query::{Over, of_view, over};
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tree::{Condition, Expression, Node};

/// The table of a change.
pub(crate) struct ChangedTable<'s> {
    pub(crate) table: &'s Table,
    /// The name that it, or the view, has.
    name: Name,
    /// The columns of the view, as values of those of the table.
    columns: Option<Vec<(String, Expression)>>,
    /// Rows that the view shows.
    pub(crate) condition: Option<Condition>,
    /// Conditions that views ask of a new row, with their names.
    pub(crate) checks: Vec<(String, Condition)>,
}

impl<'s> ChangedTable<'s> {
    /// Reads its name. Nothing of the statement that has columns stands before it, so the table's are the first.
    pub(crate) fn read(context: &mut Context<'s>) -> Result<Self, Refusal> {
        let (schema, name) = context.reader.qualified("a table")?;
        let view = match context.meant(schema.as_deref(), &name)? {
            Meant::Table(table) => {
                return Ok(Self { table, name, columns: None, condition: None, checks: Vec::new() });
            }
            Meant::View(view) => view,
        };
        let query = of_view(context, view)?;
        let Ok(Over { table, columns, condition, first, .. }) = over(context, view, query) else {
            let message = format!("rows cannot be changed through {}", name.text);
            return Err(Refusal::code(-150, name.spot, message)
                .help("its rows are not those of one table: change that table"));
        };
        let missing = || Refusal::code(-204, name.spot, format!("there is no table {table}"));
        let table = context.catalogue().table(&table).ok_or_else(missing)?;
        let checks = std::mem::take(&mut context.view_checks).into_iter();
        let checks = checks.filter(|(of, ..)| *of == first).map(|(_, view, condition)| (view, condition));
        Ok(Self { table, checks: checks.collect(), name, columns: Some(columns), condition })
    }

    /// The first columns of the statement are those of a new row.
    pub(crate) fn leave_columns(&self, context: &mut Context<'_>) {
        if self.columns.is_none() {
            context.take_columns(self.table.columns.len());
        }
    }

    /// Reads the name that it gets for the change; from now on its columns may be named.
    pub(crate) fn open(&self, context: &mut Context<'s>) -> Result<(), Refusal> {
        let name = context.correlation()?.unwrap_or_else(|| self.name.clone());
        context.open();
        match &self.columns {
            None => context.add_source(name, Of::Table(self.table), false).map(drop),
            Some(values) => {
                let columns = Of::Over(values.clone());
                context.show(Named { name: name.text, first: 0, columns, is_outer: false }, name.spot)
            }
        }
    }

    /// Reads the name of a column, perhaps with the table before it.
    pub(crate) fn column(&self, context: &mut Context<'_>) -> Result<(usize, Name), Refusal> {
        let Some(values) = &self.columns else { return context.changed_column(self.table) };
        let (_, name) = context.reader.qualified("a column")?;
        let Some((_, value)) = values.iter().find(|(own, _)| *own == name.text) else {
            let message = format!("{} is no column of {}", name.text, self.name.text);
            return Err(Refusal::code(-206, name.spot, message));
        };
        Ok((number(value, &name.text, name.spot)?, name))
    }

    /// All its columns.
    pub(crate) fn all(&self, context: &Context<'_>) -> Result<Vec<(usize, Name)>, Refusal> {
        let spot = context.reader.spot();
        let name = |text: &str| Name { text: text.to_owned(), spot };
        match &self.columns {
            None => {
                let columns = self.table.columns.iter().enumerate();
                Ok(columns.map(|(number, column)| (number, name(&column.name))).collect())
            }
            Some(values) => {
                values.iter().map(|(own, value)| Ok((number(value, own, spot)?, name(own)))).collect()
            }
        }
    }
}

/// The column of the table that a column of a view is.
fn number(value: &Expression, name: &str, spot: Spot) -> Result<usize, Refusal> {
    match value.node {
        Node::Column(number) => Ok(number),
        _ => {
            let message = format!("{name} is calculated, and cannot be changed");
            Err(Refusal::code(-151, spot, message).help("change the columns that it is made of"))
        }
    }
}
