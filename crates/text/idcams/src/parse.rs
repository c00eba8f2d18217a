//! From commands as words to statements.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace, nearest};
use jcl::{Input, Tokens};

use crate::command::Command;
use crate::keywords::whole;
use crate::nodes::{Node, commands};
use crate::parameters::Parameters;
use crate::statement::{Code, Condition, Relation, Statement, Step};
use crate::{define, operate};

/// The utility whose SYSIN is read where the text is a job.
const UTILITY: &str = "IDCAMS";

/// The commands that are understood.
const VERBS: [&str; 11] = [
    "DEFINE", "DELETE", "ALTER", "BLDINDEX", "REPRO", "PRINT", "LISTCAT", "VERIFY", "EXPORT", "IMPORT",
    "EXAMINE",
];

/// Commands about disks and catalogues, passed over.
const ADMINISTRATION: [&str; 6] = ["ALLOCATE", "DIAGNOSE", "DCOLLECT", "SETCACHE", "SHCDS", "CREATE"];

/// Greatest depth of conditions; the published limit is 10.
const MAX_NESTING: usize = 10;

/// Commands of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Its IDCAMS steps in order; one for a text that is no job.
    pub steps: Vec<Step>,
    /// Messages about it.
    pub messages: Vec<Diagnostic>,
    /// The text after tokens and symbols are replaced: in-stream lines are counted in it.
    pub source: Arc<Source>,
}

/// Reads IDCAMS commands, or the SYSIN of the IDCAMS steps of a job. Tokens are replaced first.
pub fn parse(source: &Arc<Source>, tokens: &Tokens) -> Parsed {
    let mut parsed = Parsed { steps: Vec::new(), messages: Vec::new(), source: Arc::clone(source) };
    for input in jcl::inputs(source, UTILITY, tokens) {
        parsed.source = Arc::clone(&input.source);
        let lines = commands(&input, &mut parsed.messages);
        let mut parser =
            Parser { input: &input, lines: &lines, line: 0, depth: 0, messages: &mut parsed.messages };
        let statements = parser.statements(false);
        parsed.steps.push(Step { name: input.step.as_ref().map(|step| step.name.clone()), statements });
    }
    parsed.messages.sort_by_key(|message| message.place.as_ref().map(|place| (place.line, place.column)));
    parsed
}

struct Parser<'a, 'm> {
    input: &'a Input,
    /// The commands, each as its words.
    lines: &'a [Vec<Node>],
    /// The next one.
    line: usize,
    /// Number of open conditions.
    depth: usize,
    messages: &'m mut Vec<Diagnostic>,
}

impl<'a> Parser<'a, '_> {
    fn say(&mut self, message: Diagnostic) {
        self.messages.push(message);
    }

    fn next_line(&mut self) -> Option<&'a [Node]> {
        let line = self.lines.get(self.line)?;
        self.line += 1;
        Some(line)
    }

    /// The statements up to the end, or up to END in a block.
    fn statements(&mut self, in_block: bool) -> Vec<Statement> {
        let mut statements = Vec::new();
        while let Some(words) = self.next_line() {
            if in_block && words[0].is("END") {
                return statements;
            }
            statements.extend(self.statement(words));
        }
        statements
    }

    fn statement(&mut self, words: &'a [Node]) -> Option<Statement> {
        let first = words.first()?;
        if self.depth > MAX_NESTING {
            let message = format!("conditions are nested more than {MAX_NESTING} deep");
            self.say(
                Diagnostic::error("SPID017", message)
                    .at(first.place.clone())
                    .help("say it with SET and less nesting"),
            );
            return None;
        }
        self.depth += 1;
        let statement = self.statement_of(first, words);
        self.depth -= 1;
        statement
    }

    fn statement_of(&mut self, first: &Node, words: &'a [Node]) -> Option<Statement> {
        match first.text.as_str() {
            "IF" => self.condition(words),
            "SET" => self.set(words),
            "CANCEL" => Some(Statement::Cancel(first.place.clone())),
            "PARM" => None,
            "ELSE" | "END" | "THEN" | "DO" => {
                let message = format!("{} belongs to no IF", first.text);
                self.say(
                    Diagnostic::error("SPID014", message)
                        .at(first.place.clone())
                        .help("IF … THEN must end in a hyphen where its command stands on the next line"),
                );
                self.statement(&words[1..])
            }
            _ => self.command(words).map(|command| Statement::Command(Box::new(command))),
        }
    }

    /// IF code relation number THEN clause, and the ELSE that may follow.
    fn condition(&mut self, words: &'a [Node]) -> Option<Statement> {
        let place = words[0].place.clone();
        let condition = condition_of(words.get(1..4).unwrap_or_default());
        let (Some(condition), Some(true)) = (condition, words.get(4).map(|word| word.is("THEN"))) else {
            self.say(
                Diagnostic::error("SPID015", "this is not a condition")
                    .at(place)
                    .help("IF LASTCC or MAXCC, a comparison (EQ, NE, GT, LT, GE, LE), a number, THEN"),
            );
            return None;
        };
        let clause = &words[5..];
        let alternative = clause.iter().position(|word| word.is("ELSE"));
        let then = self.clause(&clause[..alternative.unwrap_or(clause.len())]);
        let otherwise = match alternative {
            Some(at) => self.clause(&clause[at + 1..]),
            None if self.lines.get(self.line).is_some_and(|line| line[0].is("ELSE")) => {
                let line = self.next_line().unwrap_or_default();
                self.clause(&line[1..])
            }
            None => Vec::new(),
        };
        Some(Statement::If { condition, then, otherwise, place })
    }

    /// The text after THEN or ELSE: nothing, a statement, or a block.
    fn clause(&mut self, words: &'a [Node]) -> Vec<Statement> {
        match words.first() {
            None => Vec::new(),
            Some(first) if first.is("DO") => {
                let mut statements: Vec<Statement> = Vec::new();
                let rest = &words[1..];
                let end = rest.iter().position(|word| word.is("END"));
                statements.extend(self.statement(&rest[..end.unwrap_or(rest.len())]));
                if end.is_none() {
                    statements.extend(self.statements(true));
                }
                statements
            }
            Some(_) => self.statement(words).into_iter().collect(),
        }
    }

    fn set(&mut self, words: &'a [Node]) -> Option<Statement> {
        let place = words[0].place.clone();
        let condition = condition_of(words.get(1..4).unwrap_or_default());
        match condition.filter(|condition| condition.relation == Relation::Equal) {
            Some(Condition { code, value, .. }) => Some(Statement::Set { code, value, place }),
            None => {
                let message = Diagnostic::error("SPID016", "SET takes MAXCC or LASTCC and a number");
                self.say(message.at(place).help("as in SET MAXCC = 0"));
                None
            }
        }
    }

    fn command(&mut self, words: &'a [Node]) -> Option<Command> {
        let verb = &words[0];
        let parameters = parameters_of(words);
        let read: fn(Parameters<'_, '_>) -> Option<Command> = match whole(&verb.text) {
            "DEFINE" => define::define,
            "DELETE" => operate::delete,
            "ALTER" => operate::alter,
            "BLDINDEX" => operate::build_index,
            "REPRO" => operate::repro,
            "PRINT" => operate::print,
            "LISTCAT" => operate::list_catalog,
            "VERIFY" => operate::verify,
            "EXPORT" => operate::export,
            "IMPORT" => operate::import,
            "EXAMINE" => operate::examine,
            _ => {
                self.unknown(verb);
                return None;
            }
        };
        let place: TextPlace = verb.place.clone();
        read(Parameters::new(&verb.text, &parameters, place, self.input.step.as_ref(), self.messages))
    }

    fn unknown(&mut self, verb: &Node) {
        if ADMINISTRATION.contains(&verb.text.as_str()) {
            let message = Diagnostic::warning("SPID001", format!("{} does nothing here", verb.text));
            self.say(message.at(verb.place.clone()).help("it is about disks and catalogues of z/OS"));
            return;
        }
        let help = match nearest(&verb.text, VERBS) {
            Some(meant) => format!("did you mean {meant}?"),
            None => {
                "a command goes on in the next line only after a hyphen: look at the line before".to_owned()
            }
        };
        let message = Diagnostic::error("SPID001", format!("{} is not a command of IDCAMS", verb.text));
        self.say(message.at(verb.place.clone()).help(help));
    }
}

/// The words after the verb. A list right after it, as in `DELETE (A B)`, is a word of its own.
fn parameters_of(words: &[Node]) -> Vec<Node> {
    let verb = &words[0];
    let list = verb.list.as_ref().map(|_| Node { text: String::new(), ..verb.clone() });
    list.into_iter().chain(words[1..].iter().cloned()).collect()
}

/// A comparison: `LASTCC`, `=`, `0`.
fn condition_of(words: &[Node]) -> Option<Condition> {
    let [code, relation, value] = words else { return None };
    let code = match code.text.as_str() {
        "LASTCC" => Code::Last,
        "MAXCC" => Code::Max,
        _ => return None,
    };
    Some(Condition { code, relation: Relation::named(&relation.text)?, value: value.text.parse().ok()? })
}
