//! Stand-ins for programs and for the outcomes of commands.
//!
//! `stub PROGRAM COPYBOOK` takes the program's place from there on: its lines are what a LINK leaves in the COMMAREA, field by field, or
//! in containers; `abend CODE` has it abend. A `called` block shows what it was given last. `conditions` has lines
//! `READ FILE(CUSTOMER) => IOERR`: such a command raises that, and nothing is done; the next block takes the place of all of them.

use std::sync::Arc;

use copybook::Layout;
use kernel::dispatcher::{Context, SuppliedProgram, SuppliedWaiting};
use kernel::exec::{Call, Flow, Waiting, Watcher};
use kernel::name::Name8;
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::task::Task;
use parking_lot::Mutex;
use spec::{CommandId, Condition, OptionId};

use crate::calls::{self, Data, Words};
use crate::document::Block;
use crate::house::House;
use crate::layout;

/// The beginning of the line that has a stub abend.
const ABEND: &str = "abend ";

/// Stands in for a program.
pub struct Stub {
    /// Its program.
    pub program: String,
    answer: Answer,
    given: Arc<Mutex<Option<Data>>>,
}

/// The work of a stub.
#[derive(Clone)]
enum Answer {
    Abend(String),
    /// Fields of the COMMAREA.
    Fields(Arc<Layout>, Vec<String>),
    Data(Data),
}

impl Stub {
    /// The stub of a block.
    ///
    /// # Errors
    /// The line, from 0 within the block, and what is wrong with it.
    pub fn new(house: &House, block: &Block) -> Result<Self, (usize, String)> {
        let words = Words::read(block).map_err(|what| (0, what))?;
        let abend = block.text.first().and_then(|line| line.trim().strip_prefix(ABEND));
        let answer = match (abend, words.copybook) {
            (Some(code), _) => Answer::Abend(code.trim().to_owned()),
            (None, Some(copybook)) => {
                let layout =
                    layout::layout(&house.root, &house.config, copybook).map_err(|what| (0, what))?;
                layout::record(&layout, &block.text)?;
                Answer::Fields(Arc::new(layout), block.text.clone())
            }
            (None, None) => Answer::Data(calls::data(house, block, &words)?),
        };
        Ok(Self { program: words.program.to_owned(), answer, given: Arc::default() })
    }

    /// Takes the place of its program.
    pub fn install(&self, region: &Region) {
        let stands_in = StandsIn { answer: self.answer.clone(), given: Arc::clone(&self.given) };
        Programs::of(region).install(Program::supplied(Name8::from(self.program.as_str()), stands_in));
    }

    /// The data that it was given last; `None`: it was not called.
    pub fn given(&self) -> Option<Data> {
        self.given.lock().clone()
    }
}

struct StandsIn {
    answer: Answer,
    given: Arc<Mutex<Option<Data>>>,
}

impl SuppliedProgram for StandsIn {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            let (commarea, channel) = (context.commarea()?, context.level().channel.clone());
            *self.given.lock() = Some(match (&commarea, &channel) {
                (Some(bytes), _) => Data::Commarea(bytes.clone()),
                (None, Some(channel)) => Data::Channel(calls::contents(channel)),
                (None, None) => Data::Nothing,
            });
            match &self.answer {
                Answer::Abend(code) => return Err(Raise::abend(code)),
                Answer::Fields(layout, lines) => {
                    let changed = layout::changed(layout, &commarea.unwrap_or_default(), lines);
                    context.set_commarea(&changed)?;
                }
                Answer::Data(Data::Commarea(bytes)) => context.set_commarea(bytes)?,
                Answer::Data(Data::Channel(containers)) => {
                    if let Some(channel) = &channel {
                        calls::put(channel, containers);
                    }
                }
                Answer::Data(Data::Nothing) => {}
            }
            Ok(Flow::Return)
        })
    }
}

/// Commands that raise conditions instead of being done.
#[derive(Default)]
pub struct Conditions(Mutex<Vec<Rule>>);

/// A command that raises a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    command: CommandId,
    options: Vec<(OptionId, String)>,
    condition: Condition,
    resp2: i32,
}

impl Conditions {
    /// Raises what a block says from here on.
    ///
    /// # Errors
    /// The line, from 0 within the block, and what is wrong with it.
    pub fn set(&self, lines: &[String]) -> Result<(), (usize, String)> {
        let rules = (0..).zip(lines).filter(|(_, line)| !line.trim().is_empty());
        let rules =
            rules.map(|(at, line)| rule(line).map_err(|what| (at, what))).collect::<Result<_, _>>()?;
        *self.0.lock() = rules;
        Ok(())
    }

    fn raised(&self, call: &Call<'_>) -> Outcome {
        let rules = self.0.lock();
        let is_meant = |rule: &&Rule| {
            rule.command == call.command()
                && rule.options.iter().all(|(option, value)| {
                    let given = call.bytes(*option).ok().flatten();
                    given.is_some_and(|given| given.trim_ascii_end() == value.as_bytes())
                })
        };
        rules.iter().find(is_meant).map_or(Ok(()), |rule| Err(rule.condition.raise(rule.resp2)))
    }
}

impl Watcher for Conditions {
    fn before<'a>(&'a self, _: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        let raised = self.raised(call);
        Box::pin(async move { raised })
    }

    fn after<'a>(&'a self, _: &'a mut Task, _: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        Box::pin(async move { outcome })
    }
}

/// Returns the fault of a line of a `conditions` block.
pub fn fault(line: &str) -> Option<String> {
    if line.trim().is_empty() { None } else { rule(line).err() }
}

fn rule(line: &str) -> Result<Rule, String> {
    let (command, raised) = line
        .split_once("=>")
        .ok_or_else(|| format!("{line}: a line is COMMAND OPTION(VALUE) => CONDITION"))?;
    let mut raised = raised.split_whitespace();
    let name = raised.next().unwrap_or_default();
    let condition = spec::condition_named(name).ok_or_else(|| format!("there is no condition {name}"))?;
    let resp2 = raised.next().map_or(Ok(0), str::parse).map_err(|_| format!("{line}: RESP2 is a number"))?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let length = words.iter().take_while(|word| !word.contains('(')).count();
    let name = words[..length].join(" ");
    let command = spec::find(&name).ok_or_else(|| format!("there is no command {name}"))?;
    let options = words[length..].iter().map(|word| {
        let (name, value) = word
            .strip_suffix(')')
            .and_then(|word| word.split_once('('))
            .ok_or_else(|| format!("{word}: an option is NAME(VALUE)"))?;
        let option = command.all_options().find(|option| option.id.name().eq_ignore_ascii_case(name));
        let option = option.ok_or_else(|| format!("{} has no option {name}", command.name))?;
        Ok((option.id, value.trim_matches('\'').to_owned()))
    });
    let options = options.collect::<Result<_, String>>()?;
    Ok(Rule { command: command.id, options, condition, resp2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_command_and_its_condition() {
        let read = rule("READ FILE(BKCUST) => IOERR 7").expect("a rule");
        assert_eq!((read.condition.name(), read.resp2, read.options.len()), ("IOERR", 7, 1));
        assert_eq!(read.options[0].1, "BKCUST");
        for wrong in ["READ FILE(A)", "RED FILE(A) => IOERR", "READ FILE(A) => OOPS", "READ FELI(A) => IOERR"]
        {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
        assert_eq!(fault(""), None);
    }
}
