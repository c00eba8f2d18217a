//! Statements over the region's own tables, in a unit of work of the session beside that of its records: a program's records are committed as its
//! job says, its rows at COMMIT.

use std::pin::Pin;
use std::sync::Arc;

use attachment::{Arguments, Asked, Came, Done, Failed, OwnTables, OwnThread, TextQuery, Unreachable};
use db2::Letters;
use db2::package::{Change, Package};
use db2_values::Timestamp;
use foldhash::HashMap;
use records::{Engine, Owner, UnitOfWork};
use sql::codes::{Scope, Sqlca};

use crate::protocol::{Failure, SqlAnswer, SqlAsked, SqlVerb};

/// Rows of a query that one answer holds at most.
const ROWS_MAX: usize = 500;
/// Bytes of a statement's text, as Db2 has it.
const TEXT_MAX: usize = 2 << 20;
/// Programs whose statements a session knows at most.
const PACKAGES_MAX: usize = 1_000;

/// The region's own tables as they are opened where no region runs; `None`: it has none.
pub type OpenedTables = Pin<Box<dyn Future<Output = Result<Option<Arc<OwnTables>>, String>>>>;
/// The way to open them on an engine.
pub type OpenTables = Box<dyn FnOnce(Arc<dyn Engine>) -> OpenedTables>;

/// The SQL side of a session. Dropping it backs out what was not committed.
pub(crate) struct Statements {
    engine: Arc<dyn Engine>,
    tables: Arc<OwnTables>,
    owner: Owner,
    /// It goes before what is kept of it.
    unit: Option<Box<dyn UnitOfWork>>,
    query: Option<Box<TextQuery>>,
    thread: OwnThread,
    packages: HashMap<u64, Package>,
}

impl Statements {
    pub fn new(tables: Arc<OwnTables>, engine: Arc<dyn Engine>) -> Self {
        let owner = engine.locks().new_owner();
        let thread = OwnThread::new(&tables, owner);
        Self { engine, tables, owner, unit: None, query: None, thread, packages: HashMap::default() }
    }

    /// Answers a question.
    pub async fn answer(&mut self, now: &str, asked: SqlAsked) -> Result<SqlAnswer, Failure> {
        let now = Timestamp::parse(now.as_bytes());
        let now = now.map_err(|_| Failure::Protocol("a time that is none".into()))?;
        match asked {
            SqlAsked::Package(bytes) => return self.add(&bytes).map(|()| SqlAnswer::Ran),
            SqlAsked::Commit => return self.end(true).await,
            SqlAsked::Backout => return self.end(false).await,
            SqlAsked::ProgramEnds(keeps) => {
                let ended = self.end(keeps).await;
                // Cursors WITH HOLD end with their program.
                self.thread = OwnThread::new(&self.tables, self.owner);
                return ended;
            }
            SqlAsked::Explain(text) => return Ok(self.explained(&text)),
            SqlAsked::Statement { .. } | SqlAsked::Text(_) | SqlAsked::More => {}
        }
        let mut unit = self.unit.take().unwrap_or_else(|| self.engine.begin(self.owner));
        let answered = match asked {
            SqlAsked::Statement { token, number, parameters } => {
                self.statement((token, number), parameters, now, &mut *unit).await
            }
            SqlAsked::Text(text) => Ok(self.text(&text, now, &mut *unit).await),
            _ => Ok(self.more(&mut *unit).await),
        };
        self.unit = Some(unit);
        let (answer, backs_out) = answered?;
        if backs_out {
            self.end(false).await?;
        }
        Ok(answer)
    }

    /// Ends the unit of work.
    async fn end(&mut self, commits: bool) -> Result<SqlAnswer, Failure> {
        self.query = None;
        let ended = match self.unit.take() {
            Some(unit) if commits => unit.commit().await,
            Some(unit) => unit.backout().await,
            None => Ok(()),
        };
        match commits && ended.is_ok() {
            true => self.thread.committed(),
            false => {
                let new = OwnThread::new(&self.tables, self.owner);
                self.thread = std::mem::replace(&mut self.thread, new).backed_out();
            }
        }
        ended?;
        Ok(SqlAnswer::Ran)
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let package = Package::from_bytes(bytes);
        let package =
            package.ok_or_else(|| Failure::Protocol("statements of a program that are none".into()))?;
        if self.packages.len() >= PACKAGES_MAX {
            return Err(Failure::Full(format!(
                "a session has the statements of {PACKAGES_MAX} programs at most"
            )));
        }
        self.packages.insert(package.token(), package);
        Ok(())
    }

    /// A statement of a program.
    async fn statement(
        &mut self,
        (token, number): (u64, u16),
        parameters: Vec<Vec<u8>>,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(SqlAnswer, bool), Failure> {
        let package = self.packages.get(&token);
        let package = package.ok_or_else(|| Failure::Protocol("a program without statements".into()))?;
        let mut parameters = Parameters { values: parameters, written: Vec::new() };
        let asked = Asked { level: 0, token, package, number, scope: Scope::Unit, now };
        let Done { sqlca, backs_out } = match self.thread.execute(asked, unit, &mut parameters).await {
            Ok(done) => done,
            Err(Failed::Unreachable(_)) => return Ok((SqlAnswer::Unreachable, false)),
            Err(Failed::NoStatement(_)) => return Err(Failure::Protocol("no such statement".into())),
        };
        let written = parameters.written;
        Ok((SqlAnswer::Statement { sqlca: sqlca.bytes().to_vec(), written }, backs_out))
    }

    async fn text(&mut self, text: &str, now: Timestamp, unit: &mut dyn UnitOfWork) -> (SqlAnswer, bool) {
        if let Some(query) = self.query.take() {
            // What is left of the one before is not wanted; its failure does not matter.
            let _ = query.close(&mut self.thread, unit).await;
        }
        if let Some(refused) = too_long(text) {
            return (refused, false);
        }
        match self.thread.run_letters(&Letters::plain(text), now, unit).await {
            Ok(Came::Query(query)) => {
                let columns = query.columns().iter().map(|column| (column.name.clone(), column.is_number));
                let answer = SqlAnswer::Query { columns: columns.collect() };
                self.query = Some(query);
                (answer, false)
            }
            Ok(Came::Changed(change, count)) => {
                let verb = match change {
                    Change::InsertValues => SqlVerb::Insert,
                    Change::Delete => SqlVerb::Delete,
                    _ => SqlVerb::Update,
                };
                (SqlAnswer::Changed { verb, count }, false)
            }
            Ok(Came::Ran) => (SqlAnswer::Ran, false),
            Ok(Came::Accepted) => (SqlAnswer::Accepted, false),
            Ok(Came::Commit) => (SqlAnswer::Commit, false),
            Ok(Came::Rollback) => (SqlAnswer::Rollback, false),
            Err(refused) => (refused_by(&refused.sqlca), refused.backs_out),
        }
    }

    fn explained(&self, text: &str) -> SqlAnswer {
        if let Some(refused) = too_long(text) {
            return refused;
        }
        match self.thread.explained(&Letters::plain(text)) {
            Ok(words) => SqlAnswer::Explained(words),
            Err(refused) => refused_by(&refused.sqlca),
        }
    }

    /// More rows of the query; none at its end.
    async fn more(&mut self, unit: &mut dyn UnitOfWork) -> (SqlAnswer, bool) {
        let Some(query) = &mut self.query else { return (SqlAnswer::Rows(Vec::new()), false) };
        match query.rows(&mut self.thread, unit, ROWS_MAX).await {
            Ok(rows) => {
                if rows.len() < ROWS_MAX {
                    self.query = None;
                }
                (SqlAnswer::Rows(rows), false)
            }
            Err(refused) => {
                self.query = None;
                (refused_by(&refused.sqlca), refused.backs_out)
            }
        }
    }
}

fn refused_by(sqlca: &Sqlca) -> SqlAnswer {
    SqlAnswer::Refused {
        code: sqlca.code,
        state: String::from_utf8_lossy(&sqlca.state).into_owned(),
        said: sqlca.message(),
    }
}

/// The refusal of a text that is longer than a statement may be.
fn too_long(text: &str) -> Option<SqlAnswer> {
    (text.len() > TEXT_MAX).then(|| refused_by(&Sqlca::error(-101, b"54001")))
}

/// The parameters of a program's CALL, which stands elsewhere: what is written to them goes back with the answer.
struct Parameters {
    values: Vec<Vec<u8>>,
    written: Vec<(u16, u32, Vec<u8>)>,
}

impl Arguments for Parameters {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let value = self.values.get(usize::from(argument));
        let bytes = value.and_then(|bytes| bytes.get(offset..offset.checked_add(into.len())?));
        into.copy_from_slice(bytes.ok_or(Unreachable { argument, offset })?);
        Ok(())
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let value = self.values.get_mut(usize::from(argument));
        let place = value.and_then(|value| value.get_mut(offset..offset.checked_add(bytes.len())?));
        place.ok_or(Unreachable { argument, offset })?.copy_from_slice(bytes);
        self.written.push((argument, offset as u32, bytes.to_vec()));
        Ok(())
    }

    /// Storage that pointers lead to is not sent.
    fn read_at(&self, _: usize, _: &mut [u8]) -> bool {
        false
    }

    fn write_at(&mut self, _: usize, _: &[u8]) -> bool {
        false
    }
}
