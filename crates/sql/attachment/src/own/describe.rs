//! DESCRIBE, and PREPARE INTO: what a statement gives or takes, into an SQLDA.

use db2::package::DescribeWhat;
use db2_syntax::tree::{self, Output};
use sql::codes::Sqlca;

use super::call::Call;
use super::codes::Trouble;
use super::dynamic::has_plan;
use super::plans;
use super::prepared::Prepared;
use super::task::OwnThread;
use crate::arguments::{Arguments, Inputs};
use crate::sqlda::{Item, Sqlda, Type};

impl OwnThread {
    pub(super) fn describe(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        (what, into): (&DescribeWhat, u16),
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let sqlda = Sqlda::read(into, arguments)?;
        let items = match what {
            DescribeWhat::Output(_) => self.columns(&*self.named(call, what)?)?,
            DescribeWhat::Input(_) => self.markers(&*self.named(call, what)?)?,
            DescribeWhat::Cursor(cursor) => self.columns_of(call, *cursor)?,
            DescribeWhat::Table => {
                let table = inputs.text(0).unwrap_or_default();
                let all = self.prepared_of(&[b"SELECT * FROM ", table].concat(), b"")?;
                self.columns(&all)?
            }
        };
        Ok(sqlda.fill(&items, arguments)?)
    }

    /// The columns of a prepared statement; one that is no query has none.
    pub(super) fn columns(&self, prepared: &Prepared) -> Result<Vec<Item>, Trouble> {
        if !has_plan(prepared) {
            return Ok(Vec::new());
        }
        Ok(self.planned(prepared, false)?.columns.iter().map(item).collect())
    }

    /// Its markers: each may be NULL.
    fn markers(&self, prepared: &Prepared) -> Result<Vec<Item>, Trouble> {
        if !has_plan(prepared) {
            return Ok(Vec::new());
        }
        let planned = self.planned(prepared, false)?;
        let marker = |kind: &db2_values::Type| Item {
            name: String::new(),
            kind: Type::of_values(*kind),
            is_nullable: true,
        };
        Ok(planned.markers.iter().map(marker).collect())
    }

    /// The columns of an open cursor.
    fn columns_of(&self, call: Call<'_>, cursor: u16) -> Result<Vec<Item>, Trouble> {
        let not_open = || Sqlca::error(-501, b"24501");
        let declared = call.package.cursor(cursor).ok_or_else(not_open)?;
        if !self.cursors.contains_key(&(call.level, call.token, cursor)) {
            return Err(not_open().into());
        }
        if let Some(name) = &declared.prepared {
            let prepared = self.prepared.get(&(call.token, name.clone())).ok_or_else(not_open)?;
            return self.columns(prepared);
        }
        // The OPEN has the query's host variables.
        let is_open = |of: &&db2::package::Statement| matches!(of.action, db2::package::Action::Open { cursor: opened, .. } if opened == cursor);
        let open = call.package.statements.iter().find(is_open).unwrap_or(call.source);
        let names = self.tables.names(&self.work.catalogue());
        match plans::read(&declared.query, open, call.package.arithmetic, &names)? {
            tree::Statement::Query(query) => Ok(query.outputs.iter().map(item).collect()),
            _ => Ok(Vec::new()),
        }
    }
}

fn item(output: &Output) -> Item {
    Item {
        name: output.name.clone().unwrap_or_default(),
        kind: Type::of_values(output.value.kind),
        is_nullable: output.value.is_nullable,
    }
}
