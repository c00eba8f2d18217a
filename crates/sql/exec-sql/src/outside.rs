//! EXEC SQL of programs outside a region: batch. A unit of work goes to COMMIT, or to the program's end.

use std::io;
use std::rc::Rc;
use std::sync::Arc;

use areas::AccessError;
use attachment::{Failed, Tcb, Thread};
use db2::call::{Descriptor, LENGTH, SYMBOL};
use db2::package::{Action, Package};
use foldhash::HashSet;
use sql::codes::{Doing, Scope, Sqlca};
use sql::{Ended, Failure};
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

use crate::arguments::{CallArguments, Called, InPlace};
use crate::database::Database;
use crate::declared::Declared;
use crate::dsntiar::{self, DSNTIAC, DSNTIAR};
use crate::packages::{Packages, no_package};
use crate::processor;
use crate::settings::{Engine, Settings};

/// Answers the statements of programs that run one after the other on this thread. The database is opened when the first statement
/// comes.
pub struct Outside {
    settings: Settings,
    runtime: LocalRuntime,
    packages: Packages,
    /// Open connections, by the number of their server among the further ones; `None` is the usual one.
    open: Vec<Open>,
    /// Programs whose statements the region's own tables know.
    brought: HashSet<u64>,
}

/// As whom a server knows programs outside a region.
const APPLICATION: &str = "batch";

struct Open {
    place: Option<usize>,
    database: Database,
    tcb: Rc<Tcb>,
    thread: Thread,
    declared: Declared,
}

impl Outside {
    /// The names that programs CALL.
    pub const NAMES: &[&str] = &[SYMBOL, DSNTIAR, DSNTIAC];

    /// Programs of an application whose region has these settings.
    ///
    /// # Errors
    /// The system's own.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
        let packages = Packages::default();
        packages.bind(settings.isolations.clone());
        Ok(Self { settings, runtime, packages, open: Vec::new(), brought: HashSet::default() })
    }

    /// Remembers the statements of a program that is about to be loaded.
    pub fn bring(&self, package: &Arc<Package>) {
        self.packages.add(package);
    }

    /// Returns true if statements that no rule leads to a server are over the region's own tables.
    pub fn has_own_tables(&self) -> bool {
        matches!(self.settings.engine, Engine::Region { .. })
    }

    /// Returns true if the region's own tables know the statements of a program.
    pub fn is_brought(&self, token: u64) -> bool {
        self.brought.contains(&token)
    }

    /// Returns true if programs have run statements there.
    pub fn has_brought(&self) -> bool {
        !self.brought.is_empty()
    }

    /// They know them from now on.
    pub fn brought(&mut self, token: u64) {
        self.brought.insert(token);
    }

    /// The statements of a program.
    pub(crate) fn package(&self, token: u64) -> Option<Arc<Package>> {
        self.packages.get(token)
    }

    /// Returns true if a program's statements go to a server that the settings name for it.
    pub(crate) fn is_elsewhere(&self, program: &str) -> bool {
        self.settings.further(program, None).is_some()
    }

    /// Answers a program's CALL of one of [`Outside::NAMES`]; the RETURN-CODE, which a statement leaves alone.
    ///
    /// # Errors
    /// The program's parameters are not its own.
    pub fn call(&mut self, name: &str, call: &dyn CallArguments) -> Result<Option<i32>, AccessError> {
        let call = &Called(call);
        if name != SYMBOL {
            return dsntiar::answer(name, call).map(Some);
        }
        let mut bytes = [0; LENGTH];
        call.read(0, 0, &mut bytes)?;
        let Some(descriptor) = Descriptor::new(&bytes) else { return Err(AccessError::NotNumeric) };
        let sqlca = self.statement(call, descriptor)?;
        call.write(1, 0, &sqlca.bytes())?;
        Ok(None)
    }

    fn statement(&mut self, call: &Called<'_>, descriptor: Descriptor) -> Result<Sqlca, AccessError> {
        let Some(package) = self.packages.get(descriptor.token) else { return Ok(no_package(descriptor)) };
        let Self { settings, runtime, open, .. } = self;
        runtime.block_on(async {
            match package.statement(descriptor.statement).map(|statement| &statement.action) {
                Some(Action::Commit) => return Ok(all_end(open, true).await),
                Some(Action::Rollback) => return Ok(all_end(open, false).await),
                _ => {}
            }
            let place = settings.further(&package.program, None);
            let Open { thread, declared, database, .. } = match opened(open, settings, place).await {
                Ok(open) => open,
                Err(why) => return Ok(Sqlca::error(-923, b"57015").token(why)),
            };
            if settings.declared_tables && !package.tables.is_empty() && !declared.has_seen(descriptor.token)
            {
                let sessions = settings.of_place(place).sessions(APPLICATION);
                declared.make(&database.address, &sessions, descriptor.token, &package).await;
            }
            let mut arguments = InPlace(call);
            let done =
                thread.execute(0, descriptor.token, &package, descriptor.statement, &mut arguments).await;
            match done {
                Ok(done) if done.backs_out => {
                    // The unit of work is gone; the next statement begins another.
                    let _ = thread.backout().await;
                    Ok(done.sqlca)
                }
                Ok(done) => Ok(done.sqlca),
                Err(Failed::Unreachable(_)) => Err(AccessError::Missing),
                Err(Failed::NoStatement(_)) => Ok(no_package(descriptor)),
            }
        })
    }

    /// Runs the statements of a step with one of [`PROCESSORS`](crate::PROCESSORS); the return code.
    pub fn statements(&mut self, lines: &[String], print: &mut dyn FnMut(&str)) -> i32 {
        let Self { settings, runtime, open, .. } = self;
        runtime.block_on(async {
            // A private server goes on to the next step.
            match opened(open, settings, None).await {
                Ok(_) => processor::run(settings, lines, print).await,
                Err(why) => {
                    print(&format!("SQLCODE -923: {why}"));
                    processor::ENDED
                }
            }
        })
    }

    /// A program has ended: what is not committed is kept, or backed out.
    ///
    /// # Errors
    /// The reason why it could not be kept.
    pub fn program_ends(&mut self, keeps: bool) -> Result<(), String> {
        let ended = self.runtime.block_on(all_end(&mut self.open, keeps));
        for open in &mut self.open {
            // Cursors WITH HOLD end with their program.
            open.thread = Thread::new(&open.tcb, Scope::Unit);
        }
        match ended.code {
            0 => Ok(()),
            code => Err(format!("SQLCODE {code}, {}", ended.tokens.join(" "))),
        }
    }

    /// Closes the databases: a private server without other users stops.
    ///
    /// # Errors
    /// It does not stop.
    pub fn close(self) -> Result<(), String> {
        let Self { runtime, open, .. } = self;
        let mut closed = Ok(());
        for Open { database, tcb, thread, .. } in open {
            drop((thread, tcb));
            closed = closed.and(runtime.block_on(database.close()).map_err(|error| error.to_string()));
        }
        closed
    }
}

/// The database of a server, which is opened if it is not.
async fn opened<'o>(
    open: &'o mut Vec<Open>,
    settings: &Settings,
    place: Option<usize>,
) -> Result<&'o mut Open, String> {
    let found = open.iter().position(|open| open.place == place);
    if let Some(found) = found {
        return Ok(&mut open[found]);
    }
    let settings = settings.of_place(place);
    let database = Database::open(&settings).await.map_err(|why| why.to_string())?;
    let tcb = Tcb::new(database.address.clone(), settings.sessions(APPLICATION));
    let thread = Thread::new(&tcb, Scope::Unit);
    open.push(Open { place, database, tcb, thread, declared: Declared::default() });
    Ok(open.last_mut().unwrap_or_else(|| unreachable!("it was put there")))
}

/// Commits at each server, or backs out; what the first came to that could not.
async fn all_end(open: &mut [Open], keeps: bool) -> Sqlca {
    let mut came_to = Sqlca::default();
    for Open { thread, .. } in open {
        // What one server could not commit the next does not commit either.
        let ended =
            if keeps && came_to.code == 0 { committed(thread).await } else { backed_out(thread).await };
        if came_to.code == 0 {
            came_to = ended;
        }
    }
    came_to
}

async fn committed(thread: &mut Thread) -> Sqlca {
    match thread.commit().await {
        Ok(Ended::BackedOut) => Sqlca::error(-911, b"40001"),
        Ok(_) => Sqlca::default(),
        Err(failure) => failed(&failure),
    }
}

async fn backed_out(thread: &mut Thread) -> Sqlca {
    thread.backout().await.map_or_else(|failure| failed(&failure), |()| Sqlca::default())
}

fn failed(failure: &Failure) -> Sqlca {
    *Box::new(Sqlca::of(failure, Doing::Definition, Scope::Unit))
}
