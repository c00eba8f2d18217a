//! ALTER TABLE, TRUNCATE: definitions that look at rows.

use std::fmt::Write as _;

use db2::Arithmetic;
use db2_run::tables::{key_index, name_of, table};
use db2_run::{Limits, Run};
use db2_syntax::tree::CreateTable;
use db2_syntax::{Catalogue, DefaultValue, Reference, Table, parts};
use db2_values::Timestamp;
use records::UnitOfWork;

use super::codes::{Trouble, coded};
use super::plans;
use super::script::nothing;
use super::steps::{Statement, tried};
use super::task::OwnThread;

impl OwnThread {
    /// Makes a table as it is to be. A part of it that fails takes all of it back.
    pub(super) async fn alter(
        &mut self,
        names: &Catalogue,
        new: &Table,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(), Trouble> {
        // A purge finds the mark, too.
        self.set_mark()?;
        let altered = self.alter_parts(names, new, now, unit).await;
        match altered {
            Ok(()) => self.forget_mark()?,
            Err(_) => self.back_to_mark(unit)?,
        }
        altered
    }

    async fn alter_parts(
        &mut self,
        names: &Catalogue,
        new: &Table,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(), Trouble> {
        let old = names.table(&new.name).ok_or_else(|| coded(-204).token(new.own_name()))?;
        let create = CreateTable { table: new.clone(), numbers: None };
        let (name, described) = (name_of(&new.name), table(&create));
        let more = described.columns.get(old.columns.len()..).unwrap_or_default();
        let to_be = (more, described.checks.as_slice());
        tried(&mut self.work, unit, |work, unit| work.alter_table(unit, &name, to_be)).await?;
        if old.key != new.key
            && let Some(key) = key_index(&create, &format!("{}_PKEY", new.own_name()))
        {
            self.fill(key, unit).await?;
        }
        if let Some(text) = defaults(old, new) {
            self.has_row(&text, now, unit).await?;
        }
        for check in new.checks.iter().filter(|check| !old.checks.contains(check)) {
            let text = format!("SELECT 1 FROM {} WHERE NOT ({})", written(&new.name), check.text);
            if self.has_row(&text, now, unit).await? {
                return Err(coded(-544).token(&check.name).into());
            }
        }
        let after = self.tables.names(&self.work.catalogue());
        for reference in new.references.iter().filter(|reference| !old.references.contains(reference)) {
            let text = orphans(&after, new, reference);
            if self.has_row(&text, now, unit).await? {
                return Err(coded(-667).token(&reference.name).into());
            }
        }
        Ok(())
    }

    /// TRUNCATE: all rows go.
    pub(super) async fn truncate(
        &mut self,
        full: &str,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(), Trouble> {
        self.has_row(&format!("DELETE FROM {}", written(full)), now, unit).await.map(drop)
    }

    /// Runs a statement of a definition to its first row. Returns true if there is one.
    async fn has_row(
        &mut self,
        text: &str,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<bool, Trouble> {
        let catalogue = self.work.catalogue();
        let names = self.tables.names(&catalogue);
        let plan = plans::plan(plans::read(text, &nothing(), Arithmetic::default(), &names)?, &names, false)?;
        let tables = self.tables_of(&plan, &catalogue)?;
        let setting = self.tables.setting(now);
        let run = Run::new(plan.clone(), Vec::new(), setting, Limits::default());
        let mut statement = Statement { plan, run, tables, isolation: db2_rows::Isolation::RepeatableRead };
        let has_row = statement.next(&mut self.work, unit).await?;
        statement.close(&mut self.work, unit).await?;
        Ok(has_row)
    }
}

/// The change by which rows that are there get the defaults of new columns.
fn defaults(old: &Table, new: &Table) -> Option<String> {
    let more = new.columns.iter().skip(old.columns.len());
    let given = more.filter(|column| column.default != Some(DefaultValue::Null));
    let given: Vec<_> = given.map(|column| format!("{} = DEFAULT", quoted(&column.name))).collect();
    (!given.is_empty()).then(|| format!("UPDATE {} SET {}", written(&new.name), given.join(", ")))
}

/// The query for rows whose parent is missing.
fn orphans(names: &Catalogue, child: &Table, reference: &Reference) -> String {
    let parent = names.table(&reference.parent);
    let mut text = format!("SELECT 1 FROM {} AS CHILD WHERE ", written(&child.name));
    let columns: Vec<_> = reference.columns.iter().filter_map(|at| child.columns.get(*at)).collect();
    for column in &columns {
        let _ = write!(text, "CHILD.{} IS NOT NULL AND ", quoted(&column.name));
    }
    let keys =
        parent.into_iter().flat_map(|parent| parent.key.iter().filter_map(|at| parent.columns.get(*at)));
    let equal: Vec<_> = keys
        .zip(&columns)
        .map(|(key, column)| format!("PARENT.{} = CHILD.{}", quoted(&key.name), quoted(&column.name)))
        .collect();
    let _ = write!(
        text,
        "NOT EXISTS (SELECT 1 FROM {} AS PARENT WHERE {})",
        written(&reference.parent),
        equal.join(" AND ")
    );
    text
}

/// A full name in the words of a statement.
fn written(full: &str) -> String {
    let (schema, name) = parts(full);
    format!("{}.{}", quoted(&schema), quoted(name))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
