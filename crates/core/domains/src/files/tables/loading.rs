//! CFTL and CFCL: the tasks that load tables, in the background.

use std::sync::Arc;

use records::UnitOfWork;
use vsam::{Dataset, Search};

use super::DataTable;
use super::loader::{COUPLING_FACILITY, Loader, SHARED_DATA_TABLE};
use super::pools::Tables;
use super::shared::{Loaded, has_load};
use kernel::dispatcher;
use kernel::dispatcher::{Attach, Context, SuppliedFunction, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::lines::often;
use kernel::name::TransactionName;
use kernel::raise::{Outcome, Raise};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::{StartCode, Task, WaitKind};

/// A loading transaction, its program's name, and the program.
type LoadingTransaction = (&'static str, &'static str, SuppliedFunction);

/// The loading transactions and their programs.
pub const LOADERS: [LoadingTransaction; 2] =
    [(SHARED_DATA_TABLE, "DFHDTLX", program), (COUPLING_FACILITY, "DFHFCLX", program)];

/// Records that are loaded before others on the TCB have their turn.
const TURN: usize = 256;
/// Records that go to a table of several regions together.
const PIECE: usize = 64;

/// Attaches a loading task. If that cannot be, the table stays as it is: what is not loaded is not in it.
pub(super) fn attach(region: &Arc<Region>, transaction: &str) {
    let attach = Attach::new(TransactionName::from(transaction), StartCode::System, User::region());
    if let Err(why) = dispatcher::attach(region, attach) {
        often!(error, target: "FC", "a data table is not loaded: {transaction} is not attached: {why:?}");
        if let Some(Loader::Table(table)) = Tables::of(region).next_waiting()
            && table.elsewhere().is_none()
        {
            table.end_loading();
        }
    }
}

/// CFTL, CFCL.
fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        // A user who runs the transaction finds nothing to do.
        let Some(loader) = Tables::of(&task.region).next_waiting() else { return Ok(Flow::Return) };
        match loader {
            Loader::Copies(dataset) => {
                load(task, &dataset, |_, _| Ok(())).await?;
            }
            Loader::Table(table) if table.elsewhere().is_some() => load_shared(task, &table).await?,
            Loader::Table(table) => {
                let _ended = Ended(&table);
                let Some(source) = table.source() else { return Ok(Flow::Return) };
                load(task, &source, |key, record| table.loaded(key, record)).await?;
                tracing::info!(target: "FC", "data table {}: {} records", source.name(), table.len().unwrap_or(0));
            }
        }
        Ok(Flow::Return)
    })
}

/// Loads a table that other regions share. One region loads it; the others wait for that, to go on with it if that region dies.
async fn load_shared(task: &mut Task, table: &DataTable) -> Outcome {
    let (Some(shared), Some(source)) = (table.elsewhere(), table.source()) else { return Ok(()) };
    let (control, name) = (Arc::clone(&task.control), shared.load_name());
    let unsuccessful = |error: records::Error| failed(&source, &error.into());
    let has = control.wait(WaitKind::RECORD_SERVER, has_load(task.work.changes(), &name)).await?;
    has.map_err(unsuccessful)?;
    let begun = control.wait(WaitKind::RECORD_SERVER, shared.begin_load()).await?;
    let Some(mut load) = begun.map_err(unsuccessful)? else { return Ok(()) };
    let (unit, mut record) = (task.work.changes(), Vec::new());
    let search = Search { key: &load.last.clone(), generic: load.last.is_empty(), at_least: true };
    let mut browse = match control.wait(WaitKind::FILE, source.browse(unit, search)).await? {
        Ok(browse) => Some(browse),
        Err(vsam::Error::NotFound) => None,
        Err(error) => return Err(failed(&source, &error)),
    };
    let mut count = 0;
    loop {
        let mut piece = Vec::new();
        while let Some(going) = &mut browse
            && piece.len() < PIECE
        {
            match control.wait(WaitKind::FILE, going.next(unit, &mut record)).await? {
                Ok(found) if found.key > load.last => piece.push((found.key, record.clone())),
                Ok(_) => {}
                Err(vsam::Error::EndOfFile) => browse = None,
                Err(error) => return Err(failed(&source, &error)),
            }
        }
        let adding = shared.add(&mut load, &piece, browse.is_none());
        match control.wait(WaitKind::RECORD_SERVER, adding).await? {
            Ok(true) => count += piece.len(),
            // Another region has it.
            Ok(false) => return Ok(()),
            Err(error @ records::Error::Limit(_)) => {
                fill(task, table, piece).await?;
                tracing::warn!(target: "FC", "data table {}: loading ends early: {error}", source.name());
                return Ok(());
            }
            Err(error) => return Err(unsuccessful(error)),
        }
        if browse.is_none() {
            tracing::info!(target: "FC", "data table {}: {count} records", source.name());
            return Ok(());
        }
    }
}

/// Loads as many records of a piece as there is room for: the table is loaded then.
async fn fill(task: &mut Task, table: &DataTable, piece: Vec<Loaded>) -> Outcome {
    let (Some(shared), Some(source)) = (table.elsewhere(), table.source()) else { return Ok(()) };
    let unsuccessful = |error: records::Error| failed(&source, &error.into());
    let begun = task.wait(WaitKind::RECORD_SERVER, shared.begin_load()).await?;
    let Some(mut load) = begun.map_err(unsuccessful)? else { return Ok(()) };
    for record in piece.into_iter().filter(|(key, _)| *key > load.last).collect::<Vec<_>>() {
        match task.wait(WaitKind::RECORD_SERVER, shared.add(&mut load, &[record], false)).await? {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(records::Error::Limit(_)) => break,
            Err(error) => return Err(unsuccessful(error)),
        }
    }
    let ended = task.wait(WaitKind::RECORD_SERVER, shared.add(&mut load, &[], true)).await?;
    ended.map(drop).map_err(unsuccessful)
}

/// However the loading task ends, its table is not loading any more.
struct Ended<'a>(&'a DataTable);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.end_loading();
    }
}

/// Reads a data set from its first record to its last, each once more by its key, which is what makes a copy of it.
async fn load(
    task: &mut Task,
    source: &Arc<Dataset>,
    mut take: impl FnMut(&[u8], &[u8]) -> records::Result<()>,
) -> Outcome {
    let control = Arc::clone(&task.control);
    let unit = task.work.changes();
    let first = [0; 1];
    let mut record = Vec::new();
    let search = Search { key: &first[..0], generic: true, at_least: true };
    let mut browse = match control.wait(WaitKind::FILE, source.browse(unit, search)).await? {
        Ok(browse) => browse,
        Err(vsam::Error::NotFound) => return Ok(()),
        Err(error) => return Err(failed(source, &error)),
    };
    for number in 1.. {
        let found = match control.wait(WaitKind::FILE, browse.next(unit, &mut record)).await? {
            Ok(found) => found,
            Err(vsam::Error::EndOfFile) => break,
            Err(error) => return Err(failed(source, &error)),
        };
        copy(source, unit, &found.key, &mut record).await;
        if let Err(error) = take(&found.key, &record) {
            tracing::warn!(target: "FC", "data table {}: loading ends early: {error}", source.name());
            break;
        }
        if number % TURN == 0 {
            control.wait(WaitKind::FILE, tokio::task::yield_now()).await?;
        }
    }
    Ok(())
}

/// Reads a record by its key. It finds the record of the browse, or a newer state of it.
async fn copy(source: &Dataset, unit: &mut dyn UnitOfWork, key: &[u8], record: &mut Vec<u8>) {
    let mut again = Vec::new();
    if source.read(unit, Search::equal(key), &mut again).await.is_ok() {
        *record = again;
    }
}

fn failed(source: &Dataset, error: &vsam::Error) -> Raise {
    tracing::error!(target: "FC", "data table {}: loading fails: {error}", source.name());
    Raise::abend("AFCY")
}
