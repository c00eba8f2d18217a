//! From the words of a block to the command's record and its options.

use std::collections::BTreeSet;

use diagnostics::Diagnostic;
use spec::syntax::{self, Word};
use spec::{Direction, Kind, OptionId, OptionSpec, Status, opt};

use cobol_source::exec::Item;
use diagnostics::Severity;

use crate::asked::{Argument, Command};
use crate::messages::{Messages, did_you_mean};
use crate::token;

/// Greatest lengths of the names that options take.
const NAME_LENGTHS: [(OptionId, usize); 12] = [
    (opt::PROGRAM, 8),
    (opt::FILE, 8),
    (opt::MAPSET, 8),
    (opt::MAP, 7),
    (opt::TRANSID, 4),
    (opt::TRANSACTION, 4),
    (opt::TERMID, 4),
    (opt::SYSID, 4),
    (opt::ABCODE, 4),
    (opt::REQID, 8),
    (opt::CHANNEL, 16),
    (opt::CONTAINER, 16),
];

/// Finds the command of a block's items and checks its options; `None` if something is wrong, which was reported. The number of the
/// command is not known here.
pub(crate) fn check(items: &[Item], unbuilt: Severity, messages: &mut Messages) -> Option<Command> {
    let (verb, rest) = items.split_first()?;
    let mut checker = Checker { failed: false, unbuilt, messages };
    let words: Vec<Word<'_>> = rest.iter().map(word).collect();
    let record = syntax::find(&verb.name, &words).or_else(|| {
        checker.fail(verb, unknown_command(verb, rest));
        None
    })?;
    let mut command = Command {
        statement: 0,
        record,
        arguments: Vec::new(),
        keywords: Vec::new(),
        unbuilt: record.status == Status::NotYet,
        map: None,
    };
    if command.unbuilt {
        checker.unbuilt(verb, "SPTR040", record.name);
    }
    for (number, item) in (1_u16..).zip(rest) {
        checker.option(&mut command, number, item, &words);
    }
    checker.sets(&command, verb);
    (!checker.failed).then_some(command)
}

/// A word of a block as the rules of the records see it.
fn word(item: &Item) -> Word<'_> {
    Word { name: &item.name, has_value: item.argument.is_some() }
}

fn unknown_command(verb: &Item, rest: &[Item]) -> Diagnostic {
    let of_verb = |name: &&str| name.split(' ').next() == Some(&verb.name);
    let names: Vec<&str> = spec::commands().iter().map(|c| c.name).filter(of_verb).collect();
    if names.is_empty() {
        let verbs: BTreeSet<&str> =
            spec::commands().iter().filter_map(|c| c.name.split(' ').next()).collect();
        return Diagnostic::error("SPTR030", format!("{} is not an EXEC CICS command", verb.name))
            .label("no command starts with this word")
            .help(did_you_mean(&verb.name, verbs, "docs/compat/interface.md lists all commands"));
    }
    let written = rest.first().map_or("", |item| &item.name);
    let seconds = names.iter().filter_map(|name| name.split(' ').nth(1));
    let all = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 8 { ", …" } else { "" };
    Diagnostic::error("SPTR031", format!("{} {written} is not an EXEC CICS command", verb.name))
        .label("no command consists of these words")
        .help(did_you_mean(written, seconds, format!("there are {all}{more}")))
}

struct Checker<'m> {
    failed: bool,
    /// The severity of what is not built.
    unbuilt: Severity,
    messages: &'m mut Messages,
}

impl Checker<'_> {
    fn fail(&mut self, item: &Item, message: Diagnostic) {
        self.failed = true;
        self.messages.add(item.at, message);
    }

    /// A command or an option that is known and not built.
    fn unbuilt(&mut self, item: &Item, code: &'static str, what: &str) {
        let message = format!("{what} is not built yet");
        if self.unbuilt == Severity::Error {
            let help = "docs/compat/interface.md lists what is; not-yet = \"warn\" in [compile] lets the program run up to here";
            return self.fail(item, Diagnostic::error(code, message).help(help));
        }
        let message = Diagnostic::warning(code, message).label("answers INVREQ when it is executed");
        self.messages.add(item.at, message.help("docs/compat/interface.md lists what is built"));
    }

    fn option(&mut self, into: &mut Command, number: u16, item: &Item, all: &[Word<'_>]) {
        let command = into.record;
        if command.is_named_by(word(item), all) {
            return;
        }
        let Some(option) = command.takes(&item.name) else {
            let names = command.options.iter().chain(&syntax::COMMON).map(|option| option.name);
            let message = format!("{} is not an option of {}", item.name, command.name);
            let help = did_you_mean(
                &item.name,
                names,
                format!("docs/compat/interface.md lists the options of {}", command.name),
            );
            return self.fail(item, Diagnostic::error("SPTR032", message).label("not known here").help(help));
        };
        if into.has(option.id) {
            return self.twice(item, option, command);
        }
        if option.not_yet {
            into.unbuilt = true;
            self.unbuilt(item, "SPTR041", &format!("{} of {}", option.name, command.name));
        }
        // A region answers INVREQ; a batch program has it answered.
        into.unbuilt |= option.external;
        match &item.argument {
            Some(_) if option.kind == Kind::Keyword => {
                let message = format!("{} takes no value", option.name);
                self.fail(item, Diagnostic::error("SPTR035", message).help("leave out the parentheses"));
            }
            Some(argument) => {
                self.argument(item, option, argument);
                into.arguments.push(Argument { option, item: number });
            }
            None if option.kind == Kind::Keyword || option.value_optional => into.keywords.push(option.id),
            None => {
                let message = format!("{} needs a value", option.name);
                let help = format!("write {}({})", option.name, example(option));
                self.fail(item, Diagnostic::error("SPTR034", message).label("no parentheses").help(help));
            }
        }
    }

    /// A keyword means no more the second time; of two values only one can be meant.
    fn twice(&mut self, item: &Item, option: &OptionSpec, command: &spec::Command) {
        let message = format!("{} has the option {} twice", command.name, option.name);
        if item.argument.is_none() {
            let message = Diagnostic::warning("SPTR033", message).label("the second one is ignored");
            return self.messages.add(item.at, message);
        }
        self.fail(item, Diagnostic::error("SPTR033", message).label("the second one"));
    }

    fn argument(&mut self, item: &Item, option: &OptionSpec, argument: &[token::Token]) {
        let message = match argument {
            [] => Diagnostic::error("SPTR034", format!("{} needs a value", option.name))
                .label("nothing in its parentheses"),
            [only] if option.direction == Direction::Out && only.kind == token::Kind::Literal => {
                let message = format!("{} needs a data area to put its value in", option.name);
                Diagnostic::error("SPTR036", message).label("given a literal")
            }
            [only] => return self.length_of_name(item, option, only),
            _ => return,
        };
        self.fail(item, message.help(format!("write {}({})", option.name, example(option))));
    }

    /// Warns of a name in quotes that is longer than such names are: what is too much is not looked at.
    fn length_of_name(&mut self, item: &Item, option: &OptionSpec, argument: &token::Token) {
        let Some(&(_, longest)) = NAME_LENGTHS.iter().find(|(id, _)| *id == option.id) else { return };
        let Some(name) = argument.literal_value().filter(|_| option.kind == Kind::Name) else { return };
        let name = name.trim_end();
        if name.chars().count() <= longest {
            return;
        }
        let cut: String = name.chars().take(longest).collect();
        let message = format!("{} takes a name of up to {longest} characters", option.name);
        let message = Diagnostic::warning("SPTR044", message).label(format!("{cut} is what it means"));
        self.messages.add(item.at, message.help("shorten the name"));
    }

    /// Sets of options of which one must be there, or at most one; where an option could not be read, what is missing
    /// may be just that.
    fn sets(&mut self, command: &Command, verb: &Item) {
        if self.failed {
            return;
        }
        let names = |set: &[OptionId]| set.iter().map(|id| id.name()).collect::<Vec<_>>();
        for set in command.record.missing(|id| command.has(id)) {
            let message = format!("{} needs {}", command.record.name, names(set).join(" or "));
            self.fail(verb, Diagnostic::error("SPTR037", message).label("an option is missing"));
        }
        for there in command.record.clashing(|id| command.has(id)) {
            let message =
                format!("{} takes only one of {}", command.record.name, names(&there).join(" and "));
            self.fail(verb, Diagnostic::error("SPTR038", message).help("leave out all but one"));
        }
        if command.arguments.len() > spec::call::ARGUMENTS_MAX {
            let message = format!("more than {} options with a value", spec::call::ARGUMENTS_MAX);
            self.fail(verb, Diagnostic::error("SPTR039", message).help("ask for them in two commands"));
        }
    }
}

/// Example of a text in an option's parentheses.
fn example(option: &OptionSpec) -> &'static str {
    match (option.kind, option.direction) {
        (Kind::Label, _) => "paragraph-name",
        (Kind::Pointer, _) => "ADDRESS OF record",
        (_, Direction::Out) => "data-area",
        (Kind::Name, _) => "'NAME'",
        _ => "value",
    }
}
