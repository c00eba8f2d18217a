//! A test file is run: its steps in order, its expectations compared or, where asked for, written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{Located, StartType};
use kernel::exec::Watcher;
use spec::Condition;
use tokio::time::Instant;

use crate::application::Application;
use crate::document::{Block, Document, PARTNER};
use crate::house::{House, PATIENCE};
use crate::records::Records;
use crate::script::{self, Act};
use crate::timeline::{Happening, Timeline};
use crate::{captured, client, diff, figures, harm, indoubt, picture, request};

/// The outcome of a test.
#[derive(Debug, Default)]
pub struct Report {
    /// The lines that are not as expected.
    pub failures: Vec<Failure>,
    /// The conditions that each command's programs saw.
    pub seen: BTreeMap<&'static str, BTreeSet<Condition>>,
    /// The statements of its programs.
    pub statements: Vec<String>,
    /// Blocks to be rewritten, with their new lines.
    pub changes: Vec<(usize, Vec<String>)>,
    /// Their differences from the present text.
    pub differences: Vec<Failure>,
}

/// Something that is not as expected.
#[derive(Debug)]
pub struct Failure {
    /// The line of the test file; 0: the whole file.
    pub line: usize,
    /// A description of it.
    pub what: String,
}

/// Runs a test. `folder` keeps its programs for the next time; with `update`, expectations are taken from what happens.
/// Call it within a `LocalSet`.
pub async fn run(document: &Document, folder: &Path, update: bool) -> Report {
    run_with(document, folder, update, None).await
}

/// The same with a watcher of all commands.
pub async fn run_watched(document: &Document, folder: &Path, watcher: Arc<dyn Watcher>) -> Report {
    run_with(document, folder, false, Some(watcher)).await
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
    let partner = document.partner();
    let written = match &partner {
        None => Application::write(document, folder).map(|application| (application, None)),
        Some(partner) => Application::write_two((document, partner), folder, links.path())
            .map(|[application, partner]| (application, Some(partner))),
    };
    let (mut application, partner) = match written {
        Ok(written) => written,
        Err(what) => return failed(what),
    };
    let records = match document.shares_records() || std::env::var_os(ON_A_SERVER).is_some() {
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
    let house = match House::start(&application, state.path()).await {
        Ok(house) => house,
        Err(what) => return failed(format!("the region does not start\n{what}")),
    };
    let mut suite = Suite {
        document,
        application,
        house,
        update,
        report: Report::default(),
        from: 0,
        checked: false,
        answer: Vec::new(),
        partner,
        records,
    };
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
    suite.note_commands();
    if !suite.application.watchers.is_empty() {
        // What the last expectation did not wait for is noted, too.
        suite.house.quiet().await;
    }
    suite.house.end().await;
    if let Some(partner) = suite.partner {
        partner.house.end().await;
    }
    suite.report
}

struct Suite<'a> {
    document: &'a Document,
    application: Application,
    house: House,
    update: bool,
    report: Report,
    /// The place in the timeline at which the present step began.
    from: usize,
    /// True if anything was compared since.
    checked: bool,
    /// The answer to the last request.
    answer: Vec<String>,
    /// The second region.
    partner: Option<Partner>,
    /// The record server that has the records.
    records: Option<Records>,
}

/// With this variable of the environment all tests have their records in a record server: some show what is not so there.
const ON_A_SERVER: &str = "TESTKIT_RECORDS";

impl Suite<'_> {
    async fn block(&mut self, at: usize) {
        let block = &self.document.blocks[at];
        match block.kind.as_str() {
            "cobol" => self.run_program(at).await,
            "keys" => match script::parse(&block.text) {
                Ok(acts) => self.perform(block, &acts).await,
                Err(what) => self.fail(block.line, what),
            },
            "resp" | "log" | "screen" | "fields" | "performance" | "exception" | "identity" | "resource"
            | "statistics" | "captured" | "response" => self.check(at).await,
            "printer" => self.look_at_printer(at).await,
            "messages" => self.check_messages(block).await,
            "indoubt" => self.leave_indoubt(block).await,
            "obstacle" => self.obstruct(block),
            "client" => self.talk(block).await,
            "request" => self.ask(block).await,
            "records" => self.restart_records(block),
            PARTNER => self.at_partner(block).await,
            "bms" | "copybook" | "file" | "csd" | "toml" | "idcams" | "data" | "text" => {}
            other => self.fail(block.line, format!("there is no block of the kind {other}")),
        }
    }

    /// The record server ends and starts again.
    fn restart_records(&mut self, block: &Block) {
        let restarted = match &mut self.records {
            Some(records) => records.restart(block.says("crash")),
            None => Err(String::from("there is no record server")),
        };
        if let Err(what) = restarted {
            self.fail(block.line, what);
        }
    }

    /// Something is done with the second region: it ends and starts again. Its definitions and programs are there from the start.
    async fn at_partner(&mut self, block: &Block) {
        if !block.says("restart") {
            return;
        }
        let Some(partner) = self.partner.take() else { return };
        let place = Timeline::of_process().end();
        match partner.restart(block.says("crash")).await {
            Ok(partner) => self.partner = Some(partner),
            Err(what) => self.fail(block.line, format!("the partner does not start again\n{what}")),
        }
        self.is_linked(place).await;
        self.from = Timeline::of_process().end();
    }

    /// Waits until both regions have said, from a place of the timeline on, that their link is there.
    async fn is_linked(&mut self, from: usize) {
        let begin = Instant::now();
        let is_acquired = |happening: &Happening| matches!(happening, Happening::Message(text) if text.contains("is acquired"));
        while Timeline::of_process().since(from).iter().filter(|happening| is_acquired(happening)).count() < 2
        {
            if begin.elapsed() > PATIENCE {
                return self.fail(0, String::from("the two regions are not linked"));
            }
            self.house.news().await;
        }
    }

    /// A printer does as the block's words say, and what is on its paper is compared and taken away.
    async fn look_at_printer(&mut self, at: usize) {
        let block = &self.document.blocks[at];
        if let Err(what) = self.house.switch_printer(&block.words).await {
            return self.fail(block.line, what);
        }
        self.check(at).await;
        if let Some(printer) = block.words.first().and_then(|lu| self.house.printer(lu)) {
            printer.tear_off();
        }
    }

    /// Somebody talks to a listener, which is the block's word.
    async fn talk(&mut self, block: &Block) {
        if self.checked {
            self.from = Timeline::of_process().end();
            self.checked = false;
        }
        let result = client::talk(&self.house.running, &block.words, &block.text).await;
        if let Err(what) = result {
            self.fail(block.line, what);
        }
    }

    /// Somebody asks a web service, which is the block's word.
    async fn ask(&mut self, block: &Block) {
        if self.checked {
            self.from = Timeline::of_process().end();
            self.checked = false;
        }
        match request::ask(&self.house.running, &block.words, &block.text).await {
            Ok(answer) => self.answer = answer,
            Err(what) => self.fail(block.line, what),
        }
    }

    /// A program that the test runs where it stands, at terminal A.
    async fn run_program(&mut self, at: usize) {
        let Some(program) = self.application.program_of(at).filter(|program| program.run) else { return };
        let acts = script::parse(&[format!("start \"{}\"", program.transaction())]).unwrap_or_default();
        let block = &self.document.blocks[at];
        self.house.free(terminal(block)).await;
        self.checked = true;
        self.perform(block, &acts).await;
    }

    /// A folder where the region wants a file.
    fn obstruct(&mut self, block: &Block) {
        for path in &block.text {
            if let Err(error) = harm::obstruct(&self.house.state, path) {
                self.fail(block.line, error.to_string());
            }
        }
    }

    /// A unit of work that nobody will end by itself.
    async fn leave_indoubt(&mut self, block: &Block) {
        let words: Vec<&str> = block.words.iter().map(String::as_str).collect();
        let region = &self.house.running.region;
        let left = match words[..] {
            ["TDQUEUE", queue] => indoubt::leave_queue(region, queue, &block.text).await,
            ["commit"] => indoubt::commit_all(region).await,
            [data_set, ..] => indoubt::leave(&region.vsam, data_set, &block.text).await,
            [] => Ok(()),
        };
        if let Err(error) = left {
            self.fail(block.line, error.to_string());
        }
    }

    async fn perform(&mut self, block: &Block, acts: &[Act]) {
        if self.checked {
            self.from = Timeline::of_process().end();
            self.checked = false;
        }
        for act in acts {
            if let Err(error) = self.house.act(terminal(block), act).await {
                return self.fail(block.line, error.to_string());
            }
        }
    }

    /// Ends the region, in order or by a crash, and starts it again on the same data. The block's text is what the start
    /// says of itself.
    async fn restart(mut self, at: usize, state: &Path) -> Result<Self, Report> {
        let block = &self.document.blocks[at];
        match block.says("crash") {
            true => self.house.crash().await,
            false => self.house.end().await,
        }
        if let Some(text) = block.words.iter().skip_while(|word| *word != "damaged").nth(1)
            && let Err(error) = harm::damage(state, text)
        {
            let what = format!("the records are not damaged: {error}");
            self.report.failures.push(Failure { line: block.line, what });
        }
        self.from = Timeline::of_process().end();
        self.checked = true;
        self.application.config.sit.start = match () {
            () if block.says("cold") => StartType::Cold,
            () if block.says("initial") => StartType::Initial,
            () => StartType::Auto,
        };
        match House::start(&self.application, state).await {
            Ok(house) => self.house = house,
            Err(what) => {
                let what = format!("the region does not start again\n{what}");
                self.report.failures.push(Failure { line: block.line, what });
                return Err(self.report);
            }
        }
        let told = vec![self.house.running.recovered.to_string()];
        let what = diff::lines(&block.text, &told);
        match told == block.text {
            true => {}
            false if self.update => {
                self.report.differences.push(Failure { line: block.line, what });
                self.report.changes.push((at, told));
            }
            false => self.report.failures.push(Failure { line: block.line, what }),
        }
        Ok(self)
    }

    /// Compares until it is so, or nothing more happens.
    async fn check(&mut self, at: usize) {
        self.checked = true;
        let block = &self.document.blocks[at];
        let expected: Vec<String> = block.text.iter().map(|line| line.trim_end().to_owned()).collect();
        // That nothing happens shows only when something could have.
        if self.update || expected.is_empty() {
            self.house.quiet().await;
        }
        let begin = Instant::now();
        let mut quiet_since = begin;
        loop {
            let got = self.now(block);
            if got == expected {
                return;
            }
            let quiet = quiet_since.elapsed() > QUIET_BEFORE_FAILURE;
            if self.update {
                let what = diff::lines(&expected, &got);
                self.report.differences.push(Failure { line: block.line, what });
                return self.report.changes.push((at, got));
            }
            if quiet || begin.elapsed() > PATIENCE {
                let what = format!(
                    "{} is not as expected\n{}{}",
                    block.kind,
                    diff::lines(&expected, &got),
                    self.where_from(block, &expected, &got)
                );
                return self.fail(block.line, what);
            }
            if self.house.news().await || !self.house.is_calm() {
                quiet_since = Instant::now();
            }
        }
    }

    /// Returns the lines with which a block is compared.
    fn now(&self, block: &Block) -> Vec<String> {
        let screen = || self.house.screen(terminal(block));
        match block.kind.as_str() {
            "screen" if block.says("rows") => {
                screen().map(|screen| picture::some_rows(screen, &block.text)).unwrap_or_default()
            }
            "screen" => screen().map(picture::rows).unwrap_or_default(),
            "fields" => screen().map(picture::fields).unwrap_or_default(),
            "response" => self.answer.clone(),
            "printer" => {
                let printer = block.words.first().and_then(|lu| self.house.printer(lu));
                printer.map(|printer| printer.paper()).unwrap_or_default()
            }
            class @ ("performance" | "exception" | "identity" | "resource") => {
                figures::monitoring(&self.house, class, &block.words)
            }
            "captured" => captured::lines(&self.house, &block.words),
            "statistics" => figures::statistics(&self.house, &block.words),
            kind => self.told(kind == "resp").iter().map(|happening| happening.to_string()).collect(),
        }
    }

    /// Returns the happenings of this step, with or without the outcomes of commands.
    fn told(&self, outcomes: bool) -> Vec<Happening> {
        let mut happenings = Timeline::of_process().since(self.from);
        happenings.retain(|happening| match happening {
            // What a mirror task has answered, its asker has, too.
            Happening::Outcome(outcome) => outcomes && outcome.program.trim_end() != MIRROR,
            Happening::Message(_) => false,
            Happening::Display(_) | Happening::Abend(..) => true,
        });
        happenings
    }

    /// The statement of the first outcome that is not as expected.
    fn where_from(&self, block: &Block, expected: &[String], got: &[String]) -> String {
        let differs = (0..got.len()).find(|&at| expected.get(at) != Some(&got[at]));
        let Some(at) = differs.filter(|_| block.kind == "resp") else { return String::new() };
        let Some(Happening::Outcome(outcome)) = self.told(true).into_iter().nth(at) else {
            return String::new();
        };
        let Some((line, text)) = self.statement(&outcome.program, outcome.statement) else {
            return String::new();
        };
        format!("  the first that differs is at line {line}: EXEC CICS {text}\n")
    }

    fn statement(&self, program: &str, number: u16) -> Option<(usize, String)> {
        let name = program.trim_end();
        let built = self.house.running.toolchain.program(name).ok()?;
        let entry = built.listing.entry()?;
        let statement = built.listing.statement(entry, number)?;
        let line = self.application.program(name)?.line(statement.line as usize);
        Some((line, statement.text.clone()))
    }

    /// Each line must be part of a message, in this order.
    async fn check_messages(&mut self, block: &Block) {
        self.checked = true;
        let begin = Instant::now();
        loop {
            let mut messages = Timeline::of_process().since(0);
            messages.retain(|happening| matches!(happening, Happening::Message(_)));
            let text = messages.iter().map(|message| message.to_string()).collect::<Vec<_>>().join("\n");
            let mut rest = text.as_str();
            let missing = block.text.iter().find(|line| match rest.split_once(line.trim()) {
                Some((_, behind)) => {
                    rest = behind;
                    false
                }
                None => true,
            });
            let Some(missing) = missing else { return };
            if begin.elapsed() > PATIENCE {
                return self.fail(block.line, format!("no message says '{missing}'; there are\n{text}"));
            }
            self.house.news().await;
        }
    }

    fn fail(&mut self, line: usize, what: String) {
        self.report.failures.push(Failure { line, what });
    }

    /// Notes the outcomes and statements from which the coverage of all tests is computed.
    fn note_commands(&mut self) {
        for happening in Timeline::of_process().since(0) {
            if let Happening::Outcome(outcome) = happening {
                self.report.seen.entry(outcome.command.name).or_default().insert(outcome.condition);
            }
        }
        for (_, program) in &self.application.programs {
            let built = self.house.running.toolchain.program(&program.name);
            let listings = built.iter().flat_map(|built| &built.listing.programs);
            self.report.statements.extend(listings.flat_map(|l| &l.statements).map(|s| s.text.clone()));
        }
    }
}

/// The program of mirror tasks.
const MIRROR: &str = "DFHMIRS";

/// The second region of a test.
struct Partner {
    application: Application,
    house: House,
    state: tempfile::TempDir,
}

impl Partner {
    async fn start(application: Application) -> Result<Self, String> {
        let state = tempfile::tempdir().map_err(|error| error.to_string())?;
        let house = House::start(&application, state.path()).await?;
        Ok(Self { application, house, state })
    }

    async fn restart(self, crashes: bool) -> Result<Self, String> {
        let Self { application, house, state } = self;
        match crashes {
            true => house.crash().await,
            false => house.end().await,
        }
        // The last run may still let go of its data.
        let begin = Instant::now();
        loop {
            match House::start(&application, state.path()).await {
                Ok(house) => return Ok(Self { application, house, state }),
                Err(why) if begin.elapsed() > PATIENCE => return Err(why),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

/// A region that has been quiet for so long will not do what is expected: longer than the intervals of the tests.
const QUIET_BEFORE_FAILURE: Duration = Duration::from_millis(1_500);

/// The terminal that a block names: a single letter, A if there is none.
fn terminal(block: &Block) -> &str {
    let names = block.words.iter().map(String::as_str);
    names.into_iter().find(|word| word.len() == 1).unwrap_or("A")
}
