//! One stop of a task: its screens, and the user's reactions.

use std::sync::Arc;

use kernel::exec::Parcel;
use kernel::raise::{AbendCode, Outcome};
use kernel::task::{Task, WaitKind};
use kernel::terminals::{Aside, Terminal};
use tn3270::datastream::Aid;

use super::screen::{Head, Places, STOP_COMMAND, STOP_CONDITION, View, draw};
use crate::supplied::command_rows::Rows;
use crate::supplied::desk::{Desk, Reply};

/// The first content of a stop.
pub(super) enum Body {
    Command(Parcel),
    /// The interface block, and under it the program's COMMAREA.
    Beginning {
        commarea: Vec<u8>,
    },
    /// Words.
    Words(Vec<String>),
}

/// A stop.
pub(super) struct Display {
    pub head: Head,
    pub status: String,
    pub body: Body,
    pub line: String,
    pub response: String,
    /// The interface block.
    pub eib: Vec<u8>,
    /// The storage of the program by its items.
    pub storage: Option<String>,
    /// The task ends: whether the session is to go on.
    pub is_end: bool,
}

/// The way in which a task goes on.
pub(super) enum Answer {
    Continue,
    /// The same, without stops until something happens.
    Suppress,
    /// The session is over.
    End,
    Abend(AbendCode),
}

/// The conditions at which suppressed displays come again.
#[derive(Clone, Debug)]
pub(super) struct Stops {
    /// The beginning of a command's name; empty: no stop at a command.
    pub command: String,
    /// A condition's name, or [`ANY_CONDITION`]; empty: no stop at a condition.
    pub condition: String,
}

/// Any condition but NORMAL.
pub(super) const ANY_CONDITION: &str = "ERROR";

impl Default for Stops {
    fn default() -> Self {
        Self { command: String::new(), condition: ANY_CONDITION.to_owned() }
    }
}

/// A screen that was shown.
#[derive(Clone)]
pub(super) struct Shown {
    head: Head,
    status: String,
    rows: Vec<String>,
    line: String,
    response: String,
}

/// The page of a stop that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Page {
    Stop,
    Block,
    Storage,
    Stops,
    /// The stop this many stops ago.
    Previous(usize),
    /// The user is about to end the task.
    Abend,
}

/// The conversation about a stop.
pub(super) struct Conversation<'c> {
    pub display: &'c Display,
    pub stops: &'c mut Stops,
    /// The stops before, the latest first.
    pub previous: &'c [Shown],
    page: Page,
    hexadecimal: bool,
    above: usize,
}

impl<'c> Conversation<'c> {
    pub fn about(display: &'c Display, stops: &'c mut Stops, previous: &'c [Shown]) -> Self {
        Self { display, stops, previous, page: Page::Stop, hexadecimal: false, above: 0 }
    }

    /// Shows the stop until its user lets the task go on. The task has its screen and its input again then.
    ///
    /// # Errors
    /// The abend of a task whose terminal is gone, or that was purged.
    pub async fn hold(mut self, task: &mut Task, terminal: &Arc<Terminal>) -> Outcome<(Answer, Shown)> {
        let code_page = task.region.options.terminal_code_page;
        let aside = terminal.put_aside();
        let answer = self.converse(&mut Desk::at(task, Arc::clone(terminal)), &aside).await;
        let drawn = terminal.restore(aside, code_page);
        let answer = answer?;
        task.wait(WaitKind::TERMINAL, terminal.send(drawn)).await?;
        (self.page, self.hexadecimal) = (Page::Stop, false);
        let shown = self.shown(&|byte| code_page.character(byte));
        Ok((answer, shown))
    }

    async fn converse(&mut self, desk: &mut Desk<'_>, aside: &Aside) -> Outcome<Answer> {
        let code_page = desk.task.region.options.terminal_code_page;
        let places = Places(desk.size());
        loop {
            let shown = self.shown(&|byte| code_page.character(byte));
            desk.show(&draw(&self.view(&shown), places)).await?;
            let reply = desk.key().await?;
            if matches!(reply.aid, Aid::Pf(6 | 18)) {
                // Until a key is pressed it is the user's screen that is seen.
                desk.show_drawn(desk.terminal.drawn(aside, code_page)).await?;
            } else if let Some(answer) = self.obey(&reply, shown.rows.len(), places) {
                return Ok(answer);
            }
        }
    }

    /// Obeys a key; an answer lets the task go on.
    fn obey(&mut self, reply: &Reply, rows: usize, places: Places) -> Option<Answer> {
        let page = places.rows();
        if self.page == Page::Stops {
            self.set_stops(reply);
        }
        match reply.aid {
            Aid::Enter if self.page == Page::Abend => return self.abend(reply, places),
            Aid::Enter if self.page == Page::Stop => return Some(self.goes_on(reply, places)),
            Aid::Enter => self.turn_to(Page::Stop),
            Aid::Pf(2 | 14) => self.hexadecimal = !self.hexadecimal,
            Aid::Pf(3 | 15) => return Some(Answer::End),
            Aid::Pf(4 | 16) => return Some(Answer::Suppress),
            Aid::Pf(5 | 17) => self.turn_to(Page::Storage),
            Aid::Pf(7 | 19) => self.above = self.above.saturating_sub(page),
            Aid::Pf(8 | 20) if self.above + page < rows => self.above += page,
            Aid::Pf(9 | 21) => self.turn_to(Page::Stops),
            Aid::Pf(10 | 22) => self.turn_to(self.earlier()),
            Aid::Pf(11 | 23) => self.turn_to(Page::Block),
            Aid::Pf(12 | 24) => self.turn_to(Page::Abend),
            _ => {}
        }
        None
    }

    fn turn_to(&mut self, page: Page) {
        (self.page, self.above) = (page, 0);
    }

    fn earlier(&self) -> Page {
        let ago = if let Page::Previous(ago) = self.page { ago + 1 } else { 0 };
        if ago < self.previous.len() { Page::Previous(ago) } else { Page::Stop }
    }

    fn goes_on(&self, reply: &Reply, places: Places) -> Answer {
        let says_no = reply.at(places.reply()).is_some_and(|text| text.eq_ignore_ascii_case("NO"));
        let ends = self.display.is_end && says_no;
        if ends { Answer::End } else { Answer::Continue }
    }

    /// The user has said by which code the task is to end, or has thought better of it.
    fn abend(&mut self, reply: &Reply, places: Places) -> Option<Answer> {
        let code = reply.at(places.reply()).unwrap_or_default().to_ascii_uppercase();
        let is_code = code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_code {
            return Some(Answer::Abend(AbendCode::from(code.as_str())));
        }
        if code == "NO" {
            self.turn_to(Page::Stop);
        }
        None
    }

    fn set_stops(&mut self, reply: &Reply) {
        if let Some(command) = reply.at(STOP_COMMAND) {
            self.stops.command = command.to_ascii_uppercase();
        }
        if let Some(condition) = reply.at(STOP_CONDITION) {
            self.stops.condition = condition.to_ascii_uppercase();
        }
    }

    /// The page that is looked at.
    fn shown(&self, character: &dyn Fn(u8) -> char) -> Shown {
        let rows = Rows { hexadecimal: self.hexadecimal, character };
        let display = self.display;
        let (status, rows) = match self.page {
            Page::Previous(ago) => return self.previous[ago].clone(),
            Page::Stop | Page::Abend | Page::Stops => (display.status.clone(), self.body(&rows)),
            Page::Block => (String::from("EXEC INTERFACE BLOCK"), rows.block(&display.eib)),
            Page::Storage => (String::from("WORKING STORAGE"), self.storage()),
        };
        let (line, response) = (display.line.clone(), display.response.clone());
        Shown { head: display.head.clone(), status, rows, line, response }
    }

    fn body(&self, rows: &Rows<'_>) -> Vec<String> {
        match &self.display.body {
            Body::Command(parcel) => rows.command(parcel),
            Body::Words(words) => words.clone(),
            Body::Beginning { commarea } => {
                let mut lines = rows.block(&self.display.eib);
                let given = if commarea.is_empty() { &[][..] } else { commarea };
                lines.push(format!("COMMAREA OF {} BYTES", given.len()));
                lines.extend(rows.bytes(given).into_iter().filter(|row| !row.is_empty()));
                lines
            }
        }
    }

    fn storage(&self) -> Vec<String> {
        match &self.display.storage {
            Some(storage) => storage.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            None => vec![String::from("A supplied program shows no storage here.")],
        }
    }

    fn view<'v>(&'v self, shown: &'v Shown) -> View<'v> {
        let question = match self.page {
            Page::Abend => Some(("the abend code, or NO", "")),
            Page::Stop if self.display.is_end => Some(("YES: the session goes on. NO: it ends.", "YES")),
            _ => None,
        };
        let stops = (self.page == Page::Stops)
            .then_some((self.stops.command.as_str(), self.stops.condition.as_str()));
        View {
            head: &shown.head,
            status: &shown.status,
            rows: &shown.rows,
            above: self.above,
            line: &shown.line,
            response: &shown.response,
            question,
            stops,
            enter: match self.page {
                Page::Stop => "CONTINUE",
                Page::Abend => "ABEND",
                _ => "CURRENT DISPLAY",
            },
        }
    }
}
