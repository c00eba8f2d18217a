//! A test file is run: its steps in order, its expectations compared or, where asked for, written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{Located, StartType};
use kernel::exec::Watcher;
use pages::document::{Block, Document};
use pages::house::{House, PATIENCE};
use pages::player::{Player, terminal};
use pages::timeline::{Happening, Timeline};
use pages::{Failure, script};
use spec::Condition;
use tokio::time::Instant;

use crate::application::Application;
use crate::program::TestProgram;
use crate::records::Records;
use crate::terms::{self, PARTNER};
use crate::{harm, indoubt};

/// The outcome of a test.
#[derive(Debug, Default)]
pub struct Report {
    /// The lines that are not as expected.
    pub failures: Vec<Failure>,
    /// The conditions that each command's programs saw.
    pub seen: BTreeMap<&'static str, BTreeSet<Condition>>,
    /// The conditions that came from another region, or on the way there.
    pub shipped: BTreeMap<&'static str, BTreeSet<Condition>>,
    /// The statements of its programs.
    pub statements: Vec<String>,
    /// Blocks to be rewritten, with their new lines.
    pub changes: Vec<(usize, Vec<String>)>,
    /// Their differences from the present text.
    pub differences: Vec<Failure>,
}

impl Report {
    /// The findings of a page's player, without the commands of its programs.
    fn of(played: pages::Report) -> Self {
        let pages::Report { failures, changes, differences } = played;
        Self { failures, changes, differences, ..Self::default() }
    }
}

/// Runs a test. `folder` keeps its programs for the next time; with `update`, expectations are taken from what happens.
/// Call it within a `LocalSet`.
pub async fn run(document: &Document, folder: &Path, update: bool) -> Report {
    run_with(document, folder, update, None).await
}

/// The same with a watcher of all commands.
pub async fn run_watched(document: &Document, folder: &Path, watcher: Arc<dyn Watcher>) -> Report {
    // A region and all that it is made of: more than a test's thread has room for beside what runs in it.
    Box::pin(run_with(document, folder, false, Some(watcher))).await
}

async fn run_with(
    document: &Document,
    folder: &Path,
    update: bool,
    watcher: Option<Arc<dyn Watcher>>,
) -> Report {
    let timeline = Timeline::of_process();
    timeline.clear();
    let failed = |what: String| Report { failures: vec![Failure { line: 0, what }], ..Report::default() };
    let links = match tempfile::tempdir() {
        Ok(links) => links,
        Err(error) => return failed(format!("no folder for links: {error}")),
    };
    let partner = terms::partner(document);
    let written = match &partner {
        None => Application::write(document, folder).map(|application| (application, None)),
        Some(partner) => Application::write_two((document, partner), folder, links.path())
            .map(|[application, partner]| (application, Some(partner))),
    };
    let (mut application, partner) = match written {
        Ok(written) => written,
        Err(what) => return failed(what),
    };
    let records = match terms::shares_records(document) || std::env::var_os(ON_A_SERVER).is_some() {
        true => match Records::start() {
            Ok(records) => Some(records),
            Err(what) => return failed(format!("the record server does not start: {what}")),
        },
        false => None,
    };
    let mut partner = partner;
    if let Some(records) = &records {
        let folder = Located::default_value(records.folder().display().to_string());
        for application in std::iter::once(&mut application).chain(&mut partner) {
            application.config.records = Some(folder.clone());
        }
    }
    application.watchers = watcher.into_iter().collect();
    let state = match tempfile::tempdir() {
        Ok(state) => state,
        Err(error) => return failed(format!("no folder for the region: {error}")),
    };
    let partner = match partner {
        None => None,
        Some(application) => match Partner::start(application).await {
            Ok(partner) => Some(partner),
            Err(what) => return failed(format!("the partner does not start\n{what}")),
        },
    };
    let house = match application.start(state.path()).await {
        Ok(house) => house,
        Err(what) => return failed(format!("the region does not start\n{what}")),
    };
    let programs = application.programs.clone();
    let statement =
        move |house: &House, program: &str, number: u16| statement(house, program, number, &programs);
    let player = Player::new(document, house, update, &statement);
    let mut suite = Suite { player, application, partner, records };
    if suite.partner.is_some() {
        suite.is_linked(0).await;
    }
    for at in 0..document.blocks.len() {
        if document.blocks[at].kind != "restart" {
            suite.block(at).await;
            continue;
        }
        suite = match suite.restart(at, state.path()).await {
            Ok(suite) => suite,
            Err(report) => return report,
        };
    }
    suite.end().await
}

struct Suite<'a> {
    player: Player<'a>,
    application: Application,
    /// The second region.
    partner: Option<Partner>,
    /// The record server that has the records.
    records: Option<Records>,
}

/// With this variable of the environment all tests have their records in a record server: some show what is not so there.
const ON_A_SERVER: &str = "TESTKIT_RECORDS";

impl<'a> Suite<'a> {
    async fn block(&mut self, at: usize) {
        let block = &self.player.document.blocks[at];
        match block.kind.as_str() {
            "cobol" => self.run_program(at).await,
            "indoubt" => self.leave_indoubt(&block.words, block).await,
            "obstacle" => self.obstruct(block),
            "server" => self.restart_records(block),
            "database" => self.kill_database(block),
            PARTNER => self.at_partner(block).await,
            "bms" | "copybook" | "file" | "csd" | "toml" | "idcams" | "data" | "text" => {}
            other => {
                if !self.player.play(at).await {
                    self.player.fail(block.line, format!("there is no block of the kind {other}"));
                }
            }
        }
    }

    /// Ends the regions, and notes what the coverage of all tests is computed from.
    async fn end(mut self) -> Report {
        let noted = self.noted();
        if !self.application.watchers.is_empty() {
            // What the last expectation did not wait for is noted, too.
            self.player.house.quiet().await;
        }
        let pages::Report { failures, changes, differences } = self.player.report;
        self.player.house.end().await;
        if let Some(partner) = self.partner {
            partner.house.end().await;
        }
        Report { failures, changes, differences, ..noted }
    }

    /// The region's private PostgreSQL is killed; the region starts it again by itself.
    fn kill_database(&mut self, block: &Block) {
        if let Err(error) = harm::kill_database(&self.player.house.state) {
            self.player.fail(block.line, format!("no database can be killed: {error}"));
        }
    }

    /// The record server ends and starts again.
    fn restart_records(&mut self, block: &Block) {
        let restarted = match &mut self.records {
            Some(records) => records.restart(block.says("crash")),
            None => Err(String::from("there is no record server")),
        };
        if let Err(what) = restarted {
            self.player.fail(block.line, what);
        }
    }

    /// Something is done with the second region: it ends and starts again, or has units of work in doubt. Its definitions and
    /// programs are there from the start.
    async fn at_partner(&mut self, block: &Block) {
        match block.words.split_first() {
            Some((word, _)) if word == "restart" => self.restart_partner(block).await,
            Some((word, rest)) if word == "indoubt" => self.leave_indoubt(rest, block).await,
            _ => {}
        }
    }

    async fn restart_partner(&mut self, block: &Block) {
        let Some(partner) = self.partner.take() else { return };
        let place = Timeline::of_process().end();
        match partner.restart(block).await {
            Ok(partner) => self.partner = Some(partner),
            Err(what) => self.player.fail(block.line, format!("the partner does not start again\n{what}")),
        }
        self.is_linked(place).await;
        self.player.from = Timeline::of_process().end();
    }

    /// Waits until both regions have said, from a place of the timeline on, that their link is there.
    async fn is_linked(&mut self, from: usize) {
        let begin = Instant::now();
        let is_acquired = |happening: &Happening| matches!(happening, Happening::Message(text) if text.contains("is acquired"));
        while Timeline::of_process().since(from).iter().filter(|happening| is_acquired(happening)).count() < 2
        {
            if begin.elapsed() > PATIENCE {
                return self.player.fail(0, String::from("the two regions are not linked"));
            }
            self.player.house.news().await;
        }
    }

    /// A program that the test runs where it stands, at terminal A.
    async fn run_program(&mut self, at: usize) {
        let Some(program) = self.application.program_of(at).filter(|program| program.run) else { return };
        let acts = script::parse(&[format!("start \"{}\"", program.transaction())]).unwrap_or_default();
        let block = &self.player.document.blocks[at];
        self.player.house.free(terminal(block)).await;
        self.player.checked = true;
        self.player.perform(block, &acts).await;
    }

    /// A folder where the region wants a file.
    fn obstruct(&mut self, block: &Block) {
        for path in &block.text {
            if let Err(error) = harm::obstruct(&self.player.house.state, path) {
                self.player.fail(block.line, error.to_string());
            }
        }
    }

    /// A unit of work that will not end by itself, of this region or of the second one.
    async fn leave_indoubt(&mut self, words: &[String], block: &Block) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let region = match &self.partner {
            Some(partner) if block.kind == PARTNER => &partner.house.running.region,
            _ => &self.player.house.running.region,
        };
        let left = match words[..] {
            ["TDQUEUE", queue] => indoubt::leave_queue(region, queue, &block.text).await,
            ["TSQUEUE", queue] => indoubt::leave_ts_queue(region, queue, &block.text).await,
            ["commit"] => indoubt::commit_all(region).await,
            [data_set, ..] => indoubt::leave(&region.vsam, data_set, &block.text).await,
            [] => Ok(()),
        };
        if let Err(error) = left {
            self.player.fail(block.line, error.to_string());
        }
    }

    /// Ends the region, in order or by a crash, and starts it again on the same data. The block's text is what the start
    /// says of itself.
    async fn restart(self, at: usize, state: &Path) -> Result<Self, Report> {
        let Self { player, mut application, partner, records } = self;
        let block = &player.document.blocks[at];
        let (mut between, house) = player.pause();
        match block.says("crash") {
            true => house.crash().await,
            false => house.end().await,
        }
        let mut fail = |what: String| between.report.failures.push(Failure { line: block.line, what });
        if let Err(what) = damaged(block, state) {
            fail(what);
        }
        application.config.sit.start = match () {
            () if block.says("cold") => StartType::Cold,
            () if block.says("initial") => StartType::Initial,
            () => StartType::Auto,
        };
        let from = Timeline::of_process().end();
        let house = match application.start(state).await {
            Ok(house) => house,
            Err(what) => {
                fail(format!("the region does not start again\n{what}"));
                return Err(Report::of(between.report));
            }
        };
        let mut player = between.on(house);
        (player.from, player.checked) = (from, true);
        let told = vec![player.house.running.recovered.to_string()];
        player.compare_once(at, told);
        Ok(Self { player, application, partner, records })
    }

    /// Returns the outcomes and statements from which the coverage of all tests is computed, and nothing else of a report.
    fn noted(&self) -> Report {
        let mut noted = Report::default();
        for happening in Timeline::of_process().since(0) {
            let (to, outcome) = match happening {
                Happening::Outcome(outcome) => (&mut noted.seen, outcome),
                Happening::Shipped(outcome) => (&mut noted.shipped, outcome),
                _ => continue,
            };
            to.entry(outcome.command.name).or_default().insert(outcome.condition);
        }
        for (_, program) in &self.application.programs {
            let built = self.player.house.running.toolchain.program(&program.name);
            let listings = built.iter().flat_map(|built| &built.listing.programs);
            noted.statements.extend(listings.flat_map(|l| &l.statements).map(|s| s.text.clone()));
        }
        noted
    }
}

/// Shows where a command of a program stands in the test.
fn statement(house: &House, program: &str, number: u16, programs: &[(usize, TestProgram)]) -> Option<String> {
    let built = house.running.toolchain.program(program).ok()?;
    let entry = built.listing.entry()?;
    let statement = built.listing.statement(entry, number)?;
    let (_, own) = programs.iter().find(|(_, own)| own.name == program)?;
    let line = own.line(statement.line as usize);
    Some(format!("at line {line}: EXEC CICS {}", statement.text))
}

/// Changes a bit behind the word *damaged* of a block that has a region start again.
fn damaged(block: &Block, state: &Path) -> Result<(), String> {
    let Some(text) = block.words.iter().skip_while(|word| *word != "damaged").nth(1) else { return Ok(()) };
    harm::damage(state, text).map_err(|error| format!("the records are not damaged: {error}"))
}

/// The second region of a test.
struct Partner {
    application: Application,
    house: House,
    state: tempfile::TempDir,
}

impl Partner {
    async fn start(application: Application) -> Result<Self, String> {
        let state = tempfile::tempdir().map_err(|error| error.to_string())?;
        let house = application.start(state.path()).await?;
        Ok(Self { application, house, state })
    }

    async fn restart(self, block: &Block) -> Result<Self, String> {
        let Self { application, house, state } = self;
        match block.says("crash") {
            true => house.crash().await,
            false => house.end().await,
        }
        damaged(block, state.path())?;
        // The last run may still let go of its data.
        let begin = Instant::now();
        loop {
            match application.start(state.path()).await {
                Ok(house) => return Ok(Self { application, house, state }),
                Err(why) if begin.elapsed() > PATIENCE => return Err(why),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }
}
