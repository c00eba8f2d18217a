//! Changes for several rows: once for each element of arrays, or for each row of a rowset.

use db2_run::rows::Rid;
use records::UnitOfWork;
use sql::codes::Sqlca;

use super::call::{Call, Given, Many, Words, counted};
use super::codes::Trouble;
use super::hosts;
use super::task::OwnThread;
use crate::arguments::{Arguments, Inputs};
use crate::conditions::Condition;
use crate::rowset::elements;

impl OwnThread {
    /// Once for each element of arrays.
    pub(super) async fn change_rows(
        &mut self,
        call: Call<'_>,
        words: Words<'_>,
        inputs: &Inputs,
        many: Many,
        unit: &mut dyn UnitOfWork,
        arguments: &dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let rows = elements(call.source, inputs, many.rows)?;
        // All are read before the first runs: a field that holds no value costs no row.
        let sets: Result<Result<Vec<Inputs>, Sqlca>, _> =
            (0..rows).map(|element| Inputs::read(call.source, element, arguments)).collect();
        let sets = sets??;
        let mut sqlca = Sqlca::default();
        self.set_mark()?;
        let mut done = 0;
        for (at, inputs) in sets.iter().enumerate() {
            let given = Given { words, inputs };
            match self.change_one(call, given, None, &mut sqlca, unit).await {
                Ok(count) => done += count,
                Err(Trouble::Code(sqlca)) if !many.is_atomic => {
                    self.notes.note(Condition { row: at as i32 + 1, sqlca: *sqlca });
                }
                Err(trouble) => {
                    self.notes.failing_row = at as i32 + 1;
                    self.back_to_mark(unit)?;
                    return Err(trouble);
                }
            }
        }
        self.forget_mark()?;
        let counted = match (self.notes.has_noted(), done) {
            (false, _) => counted(done, many.change),
            (true, 0) => Sqlca::error(-254, b"22530").counting(0),
            (true, _) => Sqlca::error(-253, b"22529").counting(done),
        };
        Ok(Sqlca { warnings: sqlca.warnings, ..counted })
    }

    /// Once for each of these rows: for all of them, or for none.
    pub(super) async fn change_each(
        &mut self,
        call: Call<'_>,
        given: Given<'_>,
        rows: &[Rid],
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        let mut sqlca = Sqlca::default();
        if let [row] = rows {
            let count = self.change_one(call, given, Some(*row), &mut sqlca, unit).await?;
            return Ok(sqlca.counting(count));
        }
        self.set_mark()?;
        let mut done = 0;
        for row in rows {
            match self.change_one(call, given, Some(*row), &mut sqlca, unit).await {
                Ok(count) => done += count,
                Err(trouble) => {
                    self.back_to_mark(unit)?;
                    return Err(trouble);
                }
            }
        }
        self.forget_mark()?;
        Ok(sqlca.counting(done))
    }

    /// One change; the rows that it has changed.
    async fn change_one(
        &mut self,
        call: Call<'_>,
        given: Given<'_>,
        current: Option<Rid>,
        sqlca: &mut Sqlca,
        unit: &mut dyn UnitOfWork,
    ) -> Result<u64, Trouble> {
        let mut statement = self.begin(call, given, current)?;
        while statement.next(&mut self.work, unit).await? {}
        hosts::warn(sqlca, statement.run.setting());
        Ok(statement.run.count())
    }

    /// Notes the place to which the statement is put back as a whole.
    pub(super) fn set_mark(&mut self) -> Result<(), Trouble> {
        self.mark = Some(self.work.savepoint()?);
        Ok(())
    }

    pub(super) fn forget_mark(&mut self) -> Result<(), Trouble> {
        Ok(self.mark.take().map_or(Ok(()), |mark| self.work.release(mark))?)
    }

    /// Puts back what the statement has changed for several rows.
    pub(super) fn back_to_mark(&mut self, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        let Some(mark) = self.mark.take() else { return Ok(()) };
        self.work.back_to(unit, mark)?;
        Ok(self.work.release(mark)?)
    }
}
