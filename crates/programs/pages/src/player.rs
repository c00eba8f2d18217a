//! The blocks of a page, one after the other: what a user does, and what must be so then.
//!
//! A comparison ends when it is so, or when the region has been quiet for a while: nothing sleeps for a fixed time.

use std::sync::Arc;
use std::time::Duration;

use exec_sql::{Attachment, StandIn};
use kernel::exec::{Watcher, Watchers};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::calls::{self, Data, Words};
use crate::document::{Block, Document};
use crate::house::{House, PATIENCE};
use crate::limits::MESSAGES_MAX;
use crate::script::{self, Act};
use crate::sqlcodes::SqlCodes;
use crate::stubs::{Conditions, Stub};
use crate::timeline::{Happening, Timeline};
use crate::{answer, captured, client, commands, diff, figures, layout, picture, records, request, tables};

/// The outcome of a page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// The lines that are not as expected.
    pub failures: Vec<Failure>,
    /// Blocks to be rewritten, with their new lines.
    pub changes: Vec<(usize, Vec<String>)>,
    /// Their differences from the present text.
    pub differences: Vec<Failure>,
}

/// Something that is not as expected.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The line of the page; 0: the whole page.
    pub line: usize,
    /// A description of it.
    pub what: String,
}

impl Report {
    /// A page that did not come so far that anything could be compared.
    pub fn of_whole(what: String) -> Self {
        Self { failures: vec![Failure { line: 0, what }], ..Self::default() }
    }
}

/// Shows where a statement stands: the program's name, and the number of its command.
pub type Statements = dyn Fn(&House, &str, u16) -> Option<String>;

/// A region that runs, and the page that is played on it.
pub struct Player<'a> {
    /// The page.
    pub document: &'a Document,
    /// The region, and the people at its terminals.
    pub house: House,
    /// Expectations are taken from what happens.
    pub update: bool,
    /// Outcome so far.
    pub report: Report,
    /// The place in the timeline at which the present step began.
    pub from: usize,
    /// True if anything was compared since.
    pub checked: bool,
    /// The answer to the last request.
    answer: Vec<u8>,
    /// The outcome of the program that was called last.
    returned: Option<Result<Data, String>>,
    stubs: Vec<Stub>,
    conditions: Option<Arc<Conditions>>,
    sqlcodes: Option<Arc<SqlCodes>>,
    statements: &'a Statements,
}

/// The line of a stub that was not called.
const NEVER: &str = "never";

/// A page whose region does not run now.
pub struct Between<'a> {
    document: &'a Document,
    update: bool,
    /// Outcome so far.
    pub report: Report,
    statements: &'a Statements,
}

impl<'a> Between<'a> {
    /// Goes on with a region that has started.
    pub fn on(self, house: House) -> Player<'a> {
        let Self { document, update, report, statements } = self;
        Player { report, ..Player::new(document, house, update, statements) }
    }
}

/// The program of mirror tasks.
const MIRROR: &str = "DFHMIRS";

/// A region that has been quiet for so long will not do what is expected: longer than the intervals of the tests.
const QUIET_BEFORE_FAILURE: Duration = Duration::from_millis(1_500);

/// Kinds of blocks that are compared with what is there.
const COMPARED: &[&str] = &[
    "captured",
    "exception",
    "fields",
    "identity",
    "log",
    "performance",
    "resource",
    "resp",
    "response",
    "screen",
    "statistics",
];

impl<'a> Player<'a> {
    /// Begins with the first block of a page.
    pub fn new(document: &'a Document, house: House, update: bool, statements: &'a Statements) -> Self {
        Self {
            document,
            house,
            update,
            report: Report::default(),
            from: 0,
            checked: false,
            answer: Vec::new(),
            returned: None,
            stubs: Vec::new(),
            conditions: None,
            sqlcodes: None,
            statements,
        }
    }

    /// Leaves the region.
    pub fn pause(self) -> (Between<'a>, House) {
        let Self { document, house, update, report, statements, .. } = self;
        (Between { document, update, report, statements }, house)
    }

    /// Plays a block. Returns false for one of a kind that it does not know.
    pub async fn play(&mut self, at: usize) -> bool {
        let block = &self.document.blocks[at];
        match block.kind.as_str() {
            "keys" => match script::parse(&block.text) {
                Ok(acts) => self.perform(block, &acts).await,
                Err(what) => self.fail(block.line, what),
            },
            kind if COMPARED.contains(&kind) => self.check(at).await,
            "printer" => self.look_at_printer(at).await,
            "messages" => self.check_messages(block).await,
            "client" => self.talk(block).await,
            "request" => self.ask(block).await,
            "commands" => self.command(block).await,
            "records" | "rows" => self.check_kept(at).await,
            "sql" => self.run_sql(block).await,
            "call" => self.call(block).await,
            "returned" => self.check_returned(at),
            "stub" => self.stub(block),
            "called" => self.check_called(at),
            "conditions" => self.set_conditions(block),
            "sqlcodes" => self.set_sqlcodes(block),
            _ => return false,
        }
        self.tell_misfits();
        true
    }

    /// A step begins, unless nothing was compared since the last one began: both are one then.
    pub fn begin_step(&mut self) {
        if self.checked {
            self.from = Timeline::of_process().end();
            self.checked = false;
        }
    }

    /// Performs acts of a user at a block's terminal.
    pub async fn perform(&mut self, block: &Block, acts: &[Act]) {
        self.begin_step();
        for act in acts {
            if let Err(error) = self.house.act(terminal(block), act).await {
                return self.fail(block.line, error.to_string());
            }
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

    /// Talks to a listener as a client, which is the block's word.
    async fn talk(&mut self, block: &Block) {
        self.begin_step();
        if let Err(what) = client::talk(&self.house.running, &block.words, &block.text).await {
            self.fail(block.line, what);
        }
    }

    /// Asks a web service as a client, which is the block's word.
    async fn ask(&mut self, block: &Block) {
        self.begin_step();
        match request::ask(&self.house.running, &block.words, &block.text).await {
            Ok(answer) => self.answer = answer,
            Err(what) => self.fail(block.line, what),
        }
    }

    /// The region itself asks for commands, as an operator would.
    async fn command(&mut self, block: &Block) {
        self.begin_step();
        for (line, text) in (block.line..).zip(&block.text).filter(|(_, text)| !text.trim().is_empty()) {
            if let Err(what) = commands::carry_out_line(&self.house.running.region, text).await {
                return self.fail(line, what);
            }
        }
    }

    /// Statements change or make tables.
    async fn run_sql(&mut self, block: &Block) {
        self.begin_step();
        if let Err((line, what)) = tables::run(&self.house, &block.text).await {
            self.fail(block.line + line, what);
        }
    }

    /// Calls a program alone.
    async fn call(&mut self, block: &Block) {
        self.begin_step();
        let words = match Words::read(block) {
            Ok(words) => words,
            Err(what) => return self.fail(block.line - 1, what),
        };
        let data = match calls::data(&self.house, block, &words) {
            Ok(data) => data,
            Err((at, what)) => return self.fail(block.line + at, what),
        };
        let region = &self.house.running.region;
        self.returned = Some(calls::call(region, words.program, words.channel, data).await);
    }

    /// Compares what the program that was called last has left.
    fn check_returned(&mut self, at: usize) {
        self.checked = true;
        let block = &self.document.blocks[at];
        let copybook = block.words.first().map(String::as_str);
        let got = match &self.returned {
            None => Err(String::from("no program was called")),
            Some(Err(what)) => Ok(vec![what.clone()]),
            Some(Ok(data)) => calls::lines(&self.house, block, copybook, data),
        };
        match got {
            Ok(got) => self.compare_once(at, got),
            Err(what) => self.fail(block.line, what),
        }
    }

    /// Puts a stub in the place of a program.
    fn stub(&mut self, block: &Block) {
        match Stub::new(&self.house, block) {
            Ok(stub) => {
                stub.install(&self.house.running.region);
                self.stubs.retain(|other| other.program != stub.program);
                self.stubs.push(stub);
            }
            Err((at, what)) => self.fail(block.line + at, what),
        }
    }

    /// Compares what a stub was given last.
    fn check_called(&mut self, at: usize) {
        self.checked = true;
        let block = &self.document.blocks[at];
        let got = Words::read(block).and_then(|words| {
            let stub = self.stubs.iter().find(|stub| stub.program == words.program);
            let stub = stub.ok_or_else(|| format!("there is no stub of {}", words.program))?;
            match stub.given() {
                None => Ok(vec![String::from(NEVER)]),
                Some(data) => calls::lines(&self.house, block, words.copybook, &data),
            }
        });
        match got {
            Ok(got) => self.compare_once(at, got),
            Err(what) => self.fail(block.line, what),
        }
    }

    /// Has commands raise conditions.
    fn set_conditions(&mut self, block: &Block) {
        if self.conditions.is_none() {
            let conditions = Arc::new(Conditions::default());
            Watchers::add(&self.house.running.region, Arc::clone(&conditions) as Arc<dyn Watcher>);
            self.conditions = Some(conditions);
        }
        let set = self.conditions.as_ref().map_or(Ok(()), |conditions| conditions.set(&block.text));
        if let Err((at, what)) = set {
            self.fail(block.line + at, what);
        }
    }

    /// Answers EXEC SQL statements in the place of a database.
    fn set_sqlcodes(&mut self, block: &Block) {
        let region = &self.house.running.region;
        let sqlcodes = self.sqlcodes.get_or_insert_with(|| {
            let sqlcodes = Arc::new(SqlCodes::default());
            Attachment::of(region).stands_in(Arc::clone(&sqlcodes) as Arc<dyn StandIn>);
            sqlcodes
        });
        if let Err((line, what)) = sqlcodes.set(block) {
            self.fail(line, what);
        }
    }

    /// Tells the answers that did not suit their statements.
    fn tell_misfits(&mut self) {
        let misfits = self.sqlcodes.as_ref().map(|sqlcodes| sqlcodes.faults()).unwrap_or_default();
        for (line, what) in misfits {
            self.fail(line, what);
        }
    }

    /// Compares records or rows once the region is calm: they are what is committed then.
    async fn check_kept(&mut self, at: usize) {
        self.checked = true;
        let block = &self.document.blocks[at];
        self.house.calm().await;
        let kept = match block.kind.as_str() {
            "rows" => tables::rows(&self.house, &block.words).await,
            _ => records::lines(&self.house, block).await,
        };
        let is_table = block.kind == "records"
            && records::Words::read(block).is_ok_and(|words| words.copybook.is_some());
        match kept {
            // Blanks around values count for nothing.
            Ok(got) if is_table && layout::normal(&got) == layout::normal(&block.text) => {}
            Ok(got) => self.compare_once(at, got),
            Err(what) => self.fail(block.line, what),
        }
    }

    /// Compares a block with what cannot change any more.
    pub fn compare_once(&mut self, at: usize, got: Vec<String>) {
        let block = &self.document.blocks[at];
        let expected = expected(block);
        match got == expected {
            true => {}
            false if self.update => self.rewrite(at, &expected, got),
            false => self.fail(block.line, differs(block, &expected, &got)),
        }
    }

    fn rewrite(&mut self, at: usize, expected: &[String], got: Vec<String>) {
        let what = diff::lines(expected, &got);
        self.report.differences.push(Failure { line: self.document.blocks[at].line, what });
        self.report.changes.push((at, got));
    }

    /// Compares until it is so, or nothing more happens.
    pub async fn check(&mut self, at: usize) {
        self.checked = true;
        let block = &self.document.blocks[at];
        let expected = expected(block);
        let lacks = block.kind == "screen" && block.says("lacks");
        if lacks {
            // What is to be gone may still be there.
            self.house.free(terminal(block)).await;
        }
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
            if self.update && can_be_rewritten(block) {
                return self.rewrite(at, &expected, got);
            }
            if quiet || begin.elapsed() > PATIENCE {
                let place = self.where_from(block, &expected, &got);
                return self.fail(block.line, differs(block, &expected, &got) + &place + &self.beside(block));
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
            "screen" if block.says("has") => {
                let shows = |text: &String| screen().is_some_and(|screen| screen.contains(text));
                expected(block).into_iter().filter(shows).collect()
            }
            "screen" if block.says("lacks") => {
                let shows = |text: &String| screen().is_some_and(|screen| screen.contains(text));
                expected(block).into_iter().filter(|text| !shows(text)).collect()
            }
            "screen" => screen().map(picture::rows).unwrap_or_default(),
            "fields" => screen().map(picture::fields).unwrap_or_default(),
            "response" => answer::lines(&self.answer, block),
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
            Happening::Message(_) | Happening::Shipped(_) => false,
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
        let place = (self.statements)(&self.house, outcome.program.trim_end(), outcome.statement);
        place.map_or_else(String::new, |place| format!("  the first that differs is {place}\n"))
    }

    /// Returns the lines below a difference: all of a screen of which it shows a part, and the messages of this step.
    fn beside(&self, block: &Block) -> String {
        let mut text = String::new();
        if block.kind == "screen" && ["has", "lacks", "rows"].iter().any(|part| block.says(part)) {
            let screen = self.house.screen(terminal(block)).map(picture::rows).unwrap_or_default();
            text.push_str("  the screen is\n");
            screen.iter().for_each(|row| text.push_str(&format!("    │{row}\n")));
        }
        let happenings = Timeline::of_process().since(self.from);
        let told = happenings
            .iter()
            .filter(|happening| matches!(happening, Happening::Message(_) | Happening::Abend(..)));
        let told: Vec<String> = told.map(|happening| happening.to_string()).collect();
        if !told.is_empty() {
            text.push_str("  the region has said\n");
        }
        for message in &told[told.len().saturating_sub(MESSAGES_MAX)..] {
            message.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
        text
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

    /// Notes that a line is not as it says.
    pub fn fail(&mut self, line: usize, what: String) {
        self.report.failures.push(Failure { line, what });
    }
}

/// The lines of a block, as they are compared.
fn expected(block: &Block) -> Vec<String> {
    block.text.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Returns true if what happens can take the place of the block's text: not of one that names parts of it.
fn can_be_rewritten(block: &Block) -> bool {
    !(block.kind == "screen" && (block.says("has") || block.says("lacks")))
}

fn differs(block: &Block, expected: &[String], got: &[String]) -> String {
    let what = match block.words.is_empty() {
        true => block.kind.clone(),
        false => format!("{} {}", block.kind, block.words.join(" ")),
    };
    format!("{what}: not as expected\n{}", diff::side_by_side(expected, got))
}

/// The terminal that a block names: a single letter, A if there is none.
pub fn terminal(block: &Block) -> &str {
    let names = block.words.iter().map(String::as_str);
    names.into_iter().find(|word| word.len() == 1).unwrap_or("A")
}
