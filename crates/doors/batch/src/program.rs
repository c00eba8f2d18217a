//! One program, from its first statement to its end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use access::Client;
use db2::package::Package;
use diagnostics::Diagnostic;
use exci::Interface;
use exec_sql::Outside;
use native::Unit;
use toolchain::{Failure, Toolchain};

use crate::clock::Watch;
use crate::dd::Dds;
use crate::ending::Ended;
use crate::files::Files;
use crate::output::Output;
use crate::own_tables;
use crate::parm::switches_of;
use crate::running::{self, Loaded, Loader};

/// The longest PARM.
const PARM_MAX: usize = 100;
/// The abend of a program whose changes of tables could not be committed.
const TABLES_ABEND: &str = "S04E";

/// Reasons why a program is not run at all.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// There is no such program, or it does not build.
    #[error("the program does not build")]
    Program(Vec<Diagnostic>),
    /// A folder for the job's temporary data sets cannot be made.
    #[error("no temporary folder can be made: {0}")]
    Folder(std::io::Error),
    /// A step with SQL statements where nothing runs them.
    #[error("there is no database for SQL statements")]
    NoDatabase,
}

/// Inputs of a run.
#[derive(Clone, Debug)]
pub struct Execution<'a> {
    /// Its name.
    pub program: &'a str,
    /// PARM.
    pub parm: Option<&'a str>,
    /// Its DD statements.
    pub dds: &'a Dds,
    /// Changes between two commits; 0: where the program closes a file, or ends.
    pub commit_every: u64,
    /// The processor time that it may use; `None` for no limit.
    pub time: Option<Duration>,
}

/// Runs batch programs, one after the other.
pub struct Batch<'a> {
    programs: Programs<'a>,
    /// EXEC SQL of the programs; `None` where there is no database for them.
    sql: Option<Outside>,
    /// Programs of regions; `None` without a way to one.
    external: Option<Interface>,
}

/// The programs of an application.
struct Programs<'a> {
    toolchain: &'a Toolchain,
    units: HashMap<String, Arc<Unit>>,
}

impl Loader for Programs<'_> {
    fn unit(&mut self, name: &str, output: &mut dyn Output) -> Result<Option<Loaded>, String> {
        if let Some(unit) = self.units.get(name) {
            return Ok(Some(Loaded { unit: Arc::clone(unit), packages: Vec::new() }));
        }
        match self.toolchain.program(name) {
            Ok(program) => {
                self.units.insert(name.to_owned(), Arc::clone(&program.unit));
                Ok(Some(Loaded { unit: program.unit, packages: program.packages }))
            }
            Err(Failure::NotFound(_)) => Ok(None),
            Err(Failure::Broken(messages)) => {
                messages.iter().for_each(|message| output.log(message.to_string()));
                Err("it does not compile".into())
            }
        }
    }
}

impl<'a> Batch<'a> {
    /// A place to run an application's programs in.
    pub fn new(toolchain: &'a Toolchain, sql: Option<Outside>) -> Self {
        Self { programs: Programs { toolchain, units: HashMap::new() }, sql, external: None }
    }

    /// The same, with a way to programs of regions.
    #[must_use]
    pub fn with_regions(self, external: Option<Interface>) -> Self {
        Self { external, ..self }
    }

    /// A job begins: it has no channels of the one before.
    pub(crate) fn job_begins(&mut self) {
        self.external.iter_mut().for_each(Interface::job_begins);
    }

    /// A program that a step names.
    fn find(&mut self, name: &str) -> Result<Arc<Unit>, BatchError> {
        let name = name.trim().to_ascii_uppercase();
        let built = self.programs.toolchain.program(&name).map_err(refused)?;
        self.bring(&built.packages);
        self.programs.units.insert(name, Arc::clone(&built.unit));
        Ok(built.unit)
    }

    /// Builds a program, and tells what is wrong with it; returns true if it builds.
    pub(crate) fn builds(&self, name: &str, output: &mut dyn Output) -> bool {
        let built = self.programs.toolchain.program(name);
        let (is_built, messages) = match &built {
            Ok(program) => (true, &program.messages[..]),
            Err(failure) => (false, failure.diagnostics()),
        };
        messages.iter().for_each(|message| output.log(message.to_string()));
        is_built
    }

    /// The statements of a program that is about to run.
    fn bring(&self, packages: &[Arc<Package>]) {
        if let Some(sql) = &self.sql {
            packages.iter().for_each(|package| sql.bring(package));
        }
    }

    /// Runs a program to its end. What it changed is committed if it comes back, and backed out, as far as it is not
    /// committed yet, if it does not.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(
        &mut self,
        execution: &Execution<'_>,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<Ended, BatchError> {
        let input = match execution.dds.input_lines() {
            Ok(lines) => lines,
            Err(why) => return Ok(Ended::Abend("S001".into(), format!("SYSIN: {why}"))),
        };
        let mut files = Files::new(client, execution.dds, execution.commit_every);
        let unit = self.find(execution.program)?;
        let ways = (self.sql.as_mut(), self.external.as_mut());
        let mut run = running::Run::new(&mut self.programs, ways, &mut files, output, input);
        let (parm, switches) = switches_of(execution.parm);
        let _watch = execution.time.map(|time| Watch::new(time, run.stop()));
        let ended = run.run(&unit, &parameter(parm), switches);
        self.external.iter_mut().for_each(Interface::program_ends);
        Ok(end(self.sql.as_mut(), ended, files, output))
    }

    /// Runs the SQL statements of a step with DSNTIAD and the like; the return code.
    ///
    /// # Errors
    /// There is no database for them.
    pub(crate) fn statements(
        &mut self,
        dds: &Dds,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<Ended, BatchError> {
        let sql = self.sql.as_mut().ok_or(BatchError::NoDatabase)?;
        Ok(match dds.input_lines() {
            Ok(lines) if sql.has_own_tables() => {
                let code = own_tables::statements(client, &lines, &mut |line| output.display(line));
                Ended::Returned(code)
            }
            Ok(lines) => Ended::Returned(sql.statements(&lines, &mut |line| output.display(line))),
            Err(why) => Ended::Abend("S001".into(), format!("SYSIN: {why}")),
        })
    }

    /// Ends what programs have left running.
    pub fn close(self, output: &mut dyn Output) {
        if let Some(Err(why)) = self.sql.map(Outside::close) {
            output.log(format!("the database is not closed: {why}"));
        }
    }
}

/// Keeps the changes of an ended program in files and tables, or backs them out. A program whose changes cannot be kept has
/// ended abnormally, whatever its return code.
fn end(sql: Option<&mut Outside>, ended: Ended, mut files: Files<'_>, output: &mut dyn Output) -> Ended {
    let keeps = matches!(ended, Ended::Returned(_));
    let has_rows = sql.as_ref().is_some_and(|sql| sql.has_brought());
    let rows = if has_rows { own_tables::program_ends(files.client(), keeps) } else { Ok(()) };
    let keeps = keeps && rows.is_ok();
    let lost = files.end(keeps, &mut |text| output.log(text)).err();
    let keeps = keeps && lost.is_none();
    let tables = rows.and(sql.map_or(Ok(()), |sql| sql.program_ends(keeps)));
    let lost = lost.or_else(|| {
        tables.err().map(|why| (TABLES_ABEND, format!("changes of tables are not committed: {why}")))
    });
    match (ended, lost) {
        (Ended::Returned(_), Some((code, why))) => Ended::Abend(code.into(), why),
        (ended, Some((_, why))) => {
            output.log(why);
            ended
        }
        (ended, None) => ended,
    }
}

/// First parameter of a program: a halfword with the length, and the text.
fn parameter(parm: Option<&str>) -> Vec<u8> {
    let text = parm.unwrap_or_default().as_bytes();
    let text = &text[..text.len().min(PARM_MAX)];
    let mut bytes = (text.len() as u16).to_be_bytes().to_vec();
    bytes.extend_from_slice(text);
    // A program may describe more than it was given.
    bytes.resize(size_of::<u16>() + PARM_MAX, b' ');
    bytes
}

/// Mistakes of a program that is not built.
fn refused(failure: Failure) -> BatchError {
    match failure {
        Failure::NotFound(message) => BatchError::Program(vec![*message]),
        Failure::Broken(messages) => BatchError::Program(messages),
    }
}
