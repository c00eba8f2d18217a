//! CECI has a command carried out that is typed at a terminal; CECS only says whether it is one.
//!
//! A command is shown before it is carried out, and with its response and results after it. It is answered by the
//! handlers that answer programs, over a parcel, in this task: the next command finds the locks and positions of the
//! one before. Values may come from variables and go into them.

mod expansion;
mod listing;
mod screen;
mod value;
mod variables;

use kernel::exec::parcel::{Bound, Variables as Lookup, is_variable};
use spec::{Command, Condition, Kind};
use tn3270::datastream::{Aid, Size};

use expansion::Of;
use screen::{COMMAND, Drawn, NAME, Outcome as Answer, Page, Stage, View, draw};
use value::Value;
use variables::Variables;

use super::desk::{Desk, Reply};
use super::frame::Frame;
use ebcdic::Characters;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Flow, Parcel};
use kernel::raise::{Abend, Outcome, Raise};

/// CECI.
pub(super) fn execute<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(converse(context, true))
}

/// CECS.
pub(super) fn check<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(converse(context, false))
}

async fn converse(context: &mut Context<'_>, executes: bool) -> Outcome<Flow> {
    let mut desk = Desk::of(context.task())?;
    let text = desk.opening().split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let variables = Variables::of_terminal(&desk.terminal.name.to_string());
    let mut session = Session::new(executes, variables, text.trim());
    loop {
        let mut desk = Desk::whole(context.task())?;
        let drawn = session.show(&desk).await?;
        let reply = desk.read().await?;
        let size = desk.size();
        if matches!(reply.aid, Aid::Pf(3 | 15) | Aid::Clear) {
            desk.say("STATUS:  SESSION ENDED").await?;
            return Ok(Flow::Return);
        }
        match reply.aid {
            Aid::Enter => {
                if let Some(flow) = session.enter(context, &drawn, &reply, size).await? {
                    return Ok(flow);
                }
            }
            Aid::Pf(6 | 18) => {
                session.take(&reply, size);
                session.users_screen(&mut desk).await?;
            }
            aid => {
                session.take(&reply, size);
                session.turn(aid, &drawn, size);
            }
        }
    }
}

/// A command of a text.
struct Typed {
    parcel: Parcel,
    /// The options whose values are variables.
    bound: Vec<Bound>,
    answer: Option<Answer>,
}

/// The session of a user of CECI.
struct Session {
    executes: bool,
    text: String,
    /// The command, or the faults of the text.
    read: Result<Typed, Vec<String>>,
    variables: Variables,
    page: Page,
    hexadecimal: bool,
    /// Rows of the command that lie above the screen, and rows of another page.
    above: usize,
    above_aside: usize,
    message: String,
    /// The stream that draws the screen that the last command, or its program, has shown.
    users: Option<Vec<u8>>,
}

impl Session {
    fn new(executes: bool, variables: Variables, text: &str) -> Self {
        let mut session = Self {
            executes,
            text: String::new(),
            read: Err(Vec::new()),
            variables,
            page: Page::Command,
            hexadecimal: false,
            above: 0,
            above_aside: 0,
            message: String::new(),
            users: None,
        };
        session.read(text);
        session
    }

    /// Reads a text: a command, or the name of a variable that has one.
    fn read(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        (self.page, self.above) = (Page::Command, 0);
        let name = text.trim().to_ascii_uppercase();
        let command = match self.variables.get(&name).filter(|_| is_variable(&name)) {
            Some(value) => Characters::default().text(&value.characters()),
            None if is_variable(&name) => {
                self.read = Err(vec![format!("There is no variable {name}.")]);
                return;
            }
            None => text.to_owned(),
        };
        let lookup: Lookup<'_> = &|name| self.variables.get(name).map(Value::content);
        let read = Parcel::read_with(&command, lookup);
        self.read = read.and_then(|(parcel, bound)| match refusal(parcel.command()) {
            Some(why) if self.executes => Err(vec![why]),
            _ => Ok(Typed { parcel, bound, answer: None }),
        });
    }

    fn stage(&self) -> Stage<'_> {
        match &self.read {
            Err(_) if Parcel::command_of(&self.text).is_none() && !is_variable(self.text.trim()) => {
                Stage::Choose(choices(&self.text))
            }
            Err(_) => Stage::Wrong,
            Ok(typed) if !self.executes => Stage::Right(&typed.parcel),
            Ok(Typed { parcel, answer: Some(answer), .. }) => Stage::Answered(parcel, answer),
            Ok(typed) => Stage::Ready(&typed.parcel),
        }
    }

    /// The value that is looked at.
    fn value(&self) -> Option<Value> {
        match (&self.page, &self.read) {
            (Page::Expanded(Of::Variable(name)), _) => self.variables.get(name).cloned(),
            (Page::Expanded(Of::Option(option)), Ok(typed)) => {
                typed.parcel.content(*option).map(|content| Value::of_content(&content))
            }
            _ => None,
        }
    }

    /// Shows the present state.
    async fn show(&self, desk: &Desk<'_>) -> Outcome<Drawn> {
        let (task, options) = (&desk.task, &desk.task.region.options);
        let code_page = options.terminal_code_page;
        // An empty text is no mistake.
        let mistakes = self.read.as_ref().err().filter(|_| !self.text.trim().is_empty());
        let eib = task.level().eib.bytes();
        let view = View {
            text: &self.text,
            stage: self.stage(),
            mistakes: mistakes.map_or(&[], Vec::as_slice),
            page: &self.page,
            eib: &eib,
            variables: &self.variables,
            value: self.value(),
            hexadecimal: self.hexadecimal,
            above: if self.page == Page::Command { self.above } else { self.above_aside },
            message: &self.message,
            region: format!("SYSID={} APPLID={}", options.sysid, options.applid),
            character: &|byte| code_page.character(byte),
        };
        let drawn = draw(&view, desk.size());
        desk.show(&drawn.panel).await?;
        Ok(drawn)
    }

    /// Takes what was typed over on the page that is looked at. True if there was anything.
    fn take(&mut self, reply: &Reply, size: Size) -> bool {
        self.message.clear();
        let (hexadecimal, above) = (self.hexadecimal, self.above_aside);
        let taken = match self.page.clone() {
            Page::Variables => listing::take(reply, &mut self.variables, above, Frame(size)),
            Page::Expanded(of) => match self.value() {
                Some(mut value) => {
                    let taken = self.named(reply, expansion::NAME, &of, &value);
                    let taken = taken.and_then(|named| {
                        let typed = expansion::take(reply, &mut value, hexadecimal, above, size)?;
                        Ok(named | typed)
                    });
                    let resized = match reply.at(expansion::LENGTH) {
                        Some(length) if matches!(of, Of::Variable(_)) => value.resize(length),
                        _ => Ok(()),
                    };
                    let kept = self.keep(&of, value);
                    resized.and(kept).and(taken)
                }
                None => Ok(false),
            },
            Page::Command => {
                let command = Value::Text(Characters::default().bytes(&self.text));
                self.named(reply, NAME, &Of::Variable(String::new()), &command)
            }
            Page::Help | Page::Block | Page::Messages => Ok(false),
        };
        taken.unwrap_or_else(|why| {
            self.message = why;
            true
        })
    }

    /// Makes a variable of a value beside which a name was typed.
    fn named(
        &mut self,
        reply: &Reply,
        place: super::panel::PanelPlace,
        of: &Of,
        value: &Value,
    ) -> Result<bool, String> {
        let may_be_named = self.page == Page::Command || matches!(of, Of::Option(_));
        match reply.at(place).filter(|name| may_be_named && !name.is_empty()) {
            Some(name) => self.variables.make(&name.to_ascii_uppercase(), value.clone()).map(|()| true),
            None => Ok(false),
        }
    }

    /// Keeps a value that was typed over; that of an option until its command is carried out.
    fn keep(&mut self, of: &Of, value: Value) -> Result<(), String> {
        match (of, &mut self.read) {
            (Of::Variable(name), _) => {
                if let Some(own) = self.variables.get_mut(name) {
                    *own = value;
                }
            }
            (Of::Option(option), Ok(typed)) if typed.answer.is_none() => {
                let same = typed.parcel.content(*option).is_some_and(|now| Value::of_content(&now) == value);
                if !same && typed.parcel.put(*option, value.content()).is_err() {
                    return Err(format!("{} CANNOT BE TYPED OVER", option.name()));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// ENTER: another command is read, a value is shown whole, or the command that is there is carried out. One that has
    /// been begins again.
    async fn enter(
        &mut self,
        context: &mut Context<'_>,
        drawn: &Drawn,
        reply: &Reply,
        size: Size,
    ) -> Outcome<Option<Flow>> {
        if let Some(text) = reply.at(COMMAND) {
            self.message.clear();
            self.read(text);
            return Ok(None);
        }
        let page = self.page.clone();
        let took = self.take(reply, size);
        match page {
            Page::Variables if !took => {
                let name = listing::at(&self.variables, self.above_aside, Frame(size), reply.cursor);
                match name.map(str::to_owned) {
                    Some(name) => self.look_at(Page::Expanded(Of::Variable(name))),
                    None => self.look_at(Page::Command),
                }
            }
            Page::Variables => {}
            Page::Expanded(_) if !self.message.is_empty() => {}
            Page::Help | Page::Block | Page::Messages | Page::Expanded(_) => self.look_at(Page::Command),
            Page::Command if took => {}
            Page::Command => {
                let at_option = drawn.options.iter().find(|(place, _)| place.0 == reply.cursor.0);
                match at_option {
                    Some((_, option)) => self.look_at(Page::Expanded(Of::Option(*option))),
                    None => return self.carry_out(context).await,
                }
            }
        }
        Ok(None)
    }

    /// Has the command carried out, or read once more if it has been.
    async fn carry_out(&mut self, context: &mut Context<'_>) -> Outcome<Option<Flow>> {
        let text = self.text.clone();
        let typed = match &mut self.read {
            Ok(typed) if self.executes && typed.answer.is_none() => typed,
            _ => {
                self.read(&text);
                return Ok(None);
            }
        };
        let terminal = Desk::of(context.task())?.terminal;
        let written = terminal.writes();
        let answer = match context.issue(&typed.parcel).await {
            Ok(Flow::On) => {
                let (condition, resp2) = typed.parcel.response().unwrap_or((Condition(0), 0));
                Answer::Response(condition, resp2)
            }
            // XCTL and RETURN leave CECI, as they leave a program.
            Ok(flow) => return Ok(Some(flow)),
            Err(abend) => abended(context, &typed.parcel, abend)?,
        };
        typed.answer = Some(answer);
        let filled: Vec<_> = typed
            .bound
            .iter()
            .map(|bound| (bound.variable.clone(), typed.parcel.content(bound.option)))
            .collect();
        for (variable, content) in filled {
            let filled = content.map_or(Ok(()), |content| self.variables.fill(&variable, &content));
            filled.unwrap_or_else(|why| self.message = why);
        }
        self.above = 0;
        if terminal.writes() != written {
            // Until a key is pressed it is the screen of the command, or of its program, that is seen.
            let mut desk = Desk::of(context.task())?;
            self.users = Some(terminal.drawn_now(desk.task.region.options.terminal_code_page));
            desk.read().await?;
        }
        Ok(None)
    }

    /// Shows what the last command, or its program, has shown, until a key is pressed.
    async fn users_screen(&mut self, desk: &mut Desk<'_>) -> Outcome {
        match &self.users {
            Some(users) => desk.show_drawn(users.clone()).await?,
            None => "NO COMMAND HAS SHOWN ANYTHING".clone_into(&mut self.message),
        }
        Ok(())
    }

    /// Looks at another page, from its beginning.
    fn look_at(&mut self, page: Page) {
        (self.page, self.above_aside) = (page, 0);
    }

    /// Another view, or other rows of it.
    fn turn(&mut self, aid: Aid, drawn: &Drawn, size: Size) {
        let is_value = matches!(self.page, Page::Expanded(_));
        let page = if is_value { expansion::step(size) } else { Frame(size).rows() };
        let goes_on = match self.value() {
            Some(value) => expansion::goes_on(&value, self.hexadecimal, self.above_aside, size),
            None => self.rows_above() + Frame(size).rows() < drawn.rows,
        };
        let above = self.rows_above();
        match aid {
            Aid::Pf(1 | 13) => self.look_at(Page::Help),
            Aid::Pf(2 | 14) => {
                self.hexadecimal = !self.hexadecimal;
                self.above_aside = if is_value { 0 } else { self.above_aside };
            }
            Aid::Pf(4 | 16) => self.look_at(Page::Block),
            Aid::Pf(5 | 17) => self.look_at(Page::Variables),
            Aid::Pf(7 | 19) => self.scroll(above.saturating_sub(page / 2)),
            Aid::Pf(8 | 20) if goes_on => self.scroll(above + page / 2),
            Aid::Pf(9 | 21) => self.look_at(Page::Messages),
            Aid::Pf(10 | 22) => self.scroll(above.saturating_sub(page)),
            Aid::Pf(11 | 23) if goes_on => self.scroll(above + page),
            _ => {}
        }
    }

    fn rows_above(&self) -> usize {
        if self.page == Page::Command { self.above } else { self.above_aside }
    }

    fn scroll(&mut self, above: usize) {
        if self.page == Page::Command {
            self.above = above;
        } else {
            self.above_aside = above;
        }
    }
}

/// The abend of a program to which a command has LINKed is an answer; any other one ends CECI, as does a purge.
fn abended(context: &mut Context<'_>, parcel: &Parcel, abend: Abend) -> Outcome<Answer> {
    let is_over = abend.cancel || context.task().control.is_purged();
    if is_over || parcel.command().id != spec::cmd::LINK {
        return Err(Raise::Abend(abend.code));
    }
    Ok(Answer::Abend(abend.code.to_string()))
}

/// The commands that a text may become: the verbs that begin with it, or the commands of its verb.
fn choices(text: &str) -> Vec<String> {
    let typed = text.to_ascii_uppercase();
    let mut typed = typed.split([' ', '(', ',']).filter(|word| !word.is_empty());
    let (verb, second) = (typed.next().unwrap_or_default(), typed.next().unwrap_or_default());
    let fitting = |command: &&Command| {
        let mut words = command.name.split(' ');
        let is_verb = words.next().is_some_and(|word| word.starts_with(verb));
        is_verb && (second.is_empty() || words.next().is_some_and(|word| word.starts_with(second)))
    };
    let mut found: Vec<&str> = spec::commands().iter().filter(fitting).map(|command| command.name).collect();
    if found.is_empty() {
        let of_verb = |command: &&Command| !verb.is_empty() && command.name.split(' ').next() == Some(verb);
        found = spec::commands().iter().filter(of_verb).map(|command| command.name).collect();
    }
    if verb.is_empty() || found.is_empty() {
        found = spec::commands().iter().filter_map(|command| command.name.split(' ').next()).collect();
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(str::to_owned).collect()
}

/// The reason why a command can be carried out in a program only.
fn refusal(command: &Command) -> Option<String> {
    let is_about_labels = command.group == "exception support"
        || command.options.iter().any(|option| option.kind == Kind::Label);
    is_about_labels.then(|| format!("{} needs a program, and is not carried out here.", command.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(executes: bool, text: &str) -> Session {
        Session::new(executes, Variables::of_terminal("T001"), text)
    }

    #[test]
    fn what_needs_a_program_is_refused_and_only_checked_by_cecs() {
        for text in ["PUSH HANDLE", "HANDLE ABEND CANCEL", "IGNORE CONDITION ERROR"] {
            let Err(refused) = session(true, text).read else { panic!("{text}") };
            assert!(refused[0].ends_with("needs a program, and is not carried out here."), "{refused:?}");
            assert!(session(false, text).read.is_ok(), "{text}");
        }
        for text in ["ABEND ABCODE(ABCD)", "LINK PROGRAM(A)", "XCTL PROGRAM(A)", "RETURN"] {
            assert!(session(true, text).read.is_ok(), "{text}");
        }
    }

    #[test]
    fn the_name_of_a_variable_stands_for_its_command() {
        let session = session(true, "&dfhw");
        let Ok(typed) = &session.read else { panic!("a command") };
        assert_eq!(typed.parcel.command().id, spec::cmd::WRITEQ_TS);
        assert_eq!(typed.bound.len(), 1);
        let Err(mistakes) = self::session(true, "&NONE").read else { panic!("there is none") };
        assert_eq!(mistakes, ["There is no variable &NONE."]);
    }

    #[test]
    fn words_that_may_come_next() {
        assert!(choices("").contains(&"READQ".to_owned()), "verbs alone");
        assert!(choices("DEF").iter().all(|name| name.starts_with("DEFINE ")));
        assert!(choices("DEFINE T").iter().all(|name| name.starts_with("DEFINE T")));
        assert!(choices("DEFINE XYZ").iter().all(|name| name.starts_with("DEFINE ")), "of the verb");
        assert_eq!(choices("NOSUCH"), choices(""));
    }
}
