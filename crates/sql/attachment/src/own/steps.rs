//! Steps of statements: what must be waited for is waited for, and long ones give way.

use std::sync::Arc;

use db2_rows::{Cursor, Isolation, Stop, Table, Tried, Work};
use db2_run::tables::{OnTables, Trouble as RowsTrouble};
use db2_run::{Failed, Plan, Run, Step};
use records::UnitOfWork;
use tokio::task::yield_now;

use super::codes::Trouble;

/// A statement that runs.
pub(super) type Running = Run<Cursor, RowsTrouble>;

/// A statement that runs, with the tables that it runs over: of a change the first is the one that changes.
pub(super) struct Statement {
    pub(super) plan: Arc<Plan>,
    pub(super) run: Running,
    pub(super) tables: Vec<Arc<Table>>,
    pub(super) isolation: Isolation,
}

impl Statement {
    /// Goes on to the next row; false: there are no more, or the change is done. One that fails is over, and what it has changed is
    /// put back.
    pub(super) async fn next(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Result<bool, Trouble> {
        loop {
            match self.step(work, unit, |run, rows| run.next(rows))? {
                Step::Row => return Ok(true),
                Step::End => return Ok(false),
                Step::GiveWay => yield_now().await,
                Step::Later => {
                    if let Err(stop) = work.wait(unit).await {
                        self.close(work, unit).await?;
                        return Err(stop.into());
                    }
                }
            }
        }
    }

    /// Ends it where it stands.
    pub(super) async fn close(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        while self.step(work, unit, |run, rows| run.close(rows))? == Step::Later {
            work.wait(unit).await?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        work: &mut Work,
        unit: &mut dyn UnitOfWork,
        take: impl FnOnce(&mut Running, &mut OnTables<'_>) -> Result<Step, Failed<RowsTrouble>>,
    ) -> Result<Step, Trouble> {
        let mut rows = OnTables::of_several(work, unit, &self.tables, self.isolation);
        Ok(take(&mut self.run, &mut rows)?)
    }
}

/// Makes a request of the tables, as often as it has to wait.
pub(super) async fn tried<T>(
    work: &mut Work,
    unit: &mut dyn UnitOfWork,
    mut request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>,
) -> Result<T, Trouble> {
    loop {
        match request(work, unit) {
            Ok(done) => return Ok(done),
            Err(Stop::Later) => work.wait(unit).await?,
            Err(stop) => return Err(stop.into()),
        }
    }
}
