//! Units of work on records in a PostgreSQL database, below a record server and directly, beside the engine of this machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::sql::server::{Private, Server};
use depot::{Database, Direct, Holder, Options as Choices};
use records::{Engine, Limits, Local, Recovery, StoreId, Wait};
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use super::{STEP, key};
use crate::Options;
use crate::clock::{in_turns, spent};
use crate::processes;
use crate::promise::Measured;
use crate::site::{RECORD, Workshop, record};

const ROUNDS: usize = 5;
const RECORDS: usize = 20_000;
const UNITS: usize = 6_400;
/// Units of work that are under way together.
const TOGETHER: usize = 64;
const LEASE: Duration = Duration::from_secs(300);

/// The way to the database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Its log and base lie there: what a record server does, without the exchange with a region.
    Below,
    /// Its records and locks are there.
    Directly,
}

/// A private PostgreSQL, the engine over it, and one of this machine.
struct Site {
    runtime: Runtime,
    server: Server,
    engine: Arc<dyn Engine>,
    /// The lease, as long as the engine is there.
    _database: Option<Database>,
    local: Arc<Local>,
}

/// An engine and its store of records.
#[derive(Clone)]
struct Filled(Arc<dyn Engine>, StoreId);

impl Site {
    fn start(folder: &Path, form: Form) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no event loop: {error}"))?;
        let through = folder.parent().map(Path::to_owned);
        let private = Private { through, is_tied: true, ..Private::new(folder.join("postgresql")) };
        let server = runtime.block_on(Server::start(&private)).map_err(|error| error.to_string())?;
        let holder = Holder::of(&folder.join("holder")).map_err(|error| error.to_string())?;
        let schema = "records_of_bench".to_owned();
        let choices = Choices { address: server.owner(), schema, holder, lease: LEASE };
        let (engine, database): (Arc<dyn Engine>, _) = match form {
            Form::Below => {
                let database =
                    runtime.block_on(Database::open(choices)).map_err(|error| error.to_string())?;
                let engine = database.engine(Limits::default(), None).map_err(|error| error.to_string())?;
                (engine, Some(database))
            }
            Form::Directly => {
                let opened = runtime.block_on(Direct::open(choices, "BENCH", 1_000));
                (opened.map_err(|error| error.to_string())?, None)
            }
        };
        let local =
            Local::open(&folder.join("local"), Limits::default()).map_err(|error| error.to_string())?;
        Ok(Self { runtime, server, engine, _database: database, local })
    }

    fn filled(&self, engine: Arc<dyn Engine>, records: usize) -> Result<Filled, String> {
        let made = self.runtime.block_on(async {
            let mut unit = engine.begin(engine.locks().new_owner());
            let store = unit.create_store("accounts", Recovery::Recoverable)?;
            unit.commit().await.map(|()| store)
        });
        let store = made.map_err(|error| error.to_string())?;
        let mut all = (0..records).map(|number| Ok((key(number).to_vec(), record(number).into_bytes())));
        engine.load(store, &mut all).map_err(|error| error.to_string())?;
        Ok(Filled(engine, store))
    }

    fn updates(&self, filled: &Filled, units: usize, records: usize) {
        let local = LocalSet::new();
        for task in 0..TOGETHER {
            let filled = filled.clone();
            local.spawn_local(async move {
                let owner = filled.0.locks().new_owner();
                for unit in (task..units).step_by(TOGETHER) {
                    filled.update(owner, unit * STEP % records).await.expect("an update");
                }
            });
        }
        self.runtime.block_on(local);
    }
}

impl Filled {
    async fn update(&self, owner: records::Owner, number: usize) -> records::Result<()> {
        let (mut unit, mut record, key) = (self.0.begin(owner), Vec::new(), key(number));
        unit.lock_and_get(self.1, &key, Wait::Forever, &mut record).await?;
        record[RECORD - 1] = record[RECORD - 1].wrapping_add(1);
        unit.put(self.1, &key, &record).await?;
        unit.commit().await
    }
}

/// One record read for update, changed and committed, 64 at a time, the database's processes counted.
pub(crate) fn unit(options: &Options, workshop: &Workshop, id: &str, form: Form) -> Result<Measured, String> {
    let (records, units) = (options.size(RECORDS, 200), options.size(UNITS, 2 * TOGETHER));
    let site = Site::start(&workshop.scratch(id)?, form)?;
    let there = site.filled(Arc::clone(&site.engine), records)?;
    let here = site.filled(site.local.clone(), records)?;
    let per_unit = 1e6 / units as f64;
    let server = [site.server.pid()];
    let mut of_database = 0.0;
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) = in_turns(
        id,
        rounds,
        || {
            let before = processes::time_of(&server);
            let own = spent(|| site.updates(&there, units, records));
            let spent_there = processes::time_of(&server) - before;
            of_database = spent_there * per_unit;
            (own + spent_there) * per_unit
        },
        || spent(|| site.updates(&here, units, records)) * per_unit,
    );
    Ok(Measured::new(figure, floor).note(format!(
        "of it PostgreSQL, in the last round: {of_database:.1} us; {records} records of {RECORD} bytes"
    )))
}
