//! Conditional compilation: which lines of a source count.
//!
//! `>>DEFINE`, `>>IF`, `>>EVALUATE` are obeyed line by line while a source is read, in the program and in its copybooks: a line that
//! does not count is never taken apart into words, so it may hold anything.

mod expression;
mod value;

use std::collections::HashMap;

use diagnostics::Diagnostic;

use crate::directives::{self, Standing};
use crate::messages::Messages;
use crate::options::CompilerOption;
use crate::origin::At;
use crate::token::{Kind, Token};

use expression::{Expression, Mistake};
use value::Value;

/// The state of conditional compilation at a line of a source.
#[derive(Debug)]
pub(crate) struct Conditional {
    /// Compilation variables, by their names in upper case.
    variables: HashMap<String, Value>,
    /// The values of the option DEFINE, for `>>DEFINE … AS PARAMETER`.
    parameters: HashMap<String, Value>,
    /// The IFs and EVALUATEs that are open, the outermost first.
    levels: Vec<Level>,
    /// The number of them that were open when the present member began.
    base: usize,
}

/// An IF or EVALUATE that is open.
#[derive(Debug)]
struct Level {
    at: At,
    subject: Subject,
    /// Lines around it count.
    outer: bool,
    /// Lines of the present branch count.
    active: bool,
    /// A branch has been taken, or cannot be told from the others because of a mistake.
    taken: bool,
    /// The last branch has begun: ELSE or WHEN OTHER.
    last: bool,
}

/// The thing that branches are chosen by.
#[derive(Debug)]
enum Subject {
    If,
    /// `>>EVALUATE TRUE`, and one whose lines do not count.
    True,
    Value(Value),
}

impl Subject {
    fn end(&self) -> &'static str {
        match self {
            Self::If => ">>END-IF",
            _ => ">>END-EVALUATE",
        }
    }
}

/// The variables that the compiler defines.
fn predefined(options: &[CompilerOption]) -> HashMap<String, Value> {
    let asked = |names: &[&str]| {
        options.iter().rev().find(|option| names.contains(&option.name.as_str())).map(|o| o.value.clone())
    };
    let switch = |on: &[&str], off: &[&str], otherwise: bool| {
        let names: Vec<&str> = on.iter().chain(off).copied().collect();
        let last = options.iter().rev().find(|option| names.contains(&option.name.as_str()));
        Value::Boolean(last.map_or(otherwise, |option| on.contains(&option.name.as_str())))
    };
    let level = |names: &[&str], otherwise: i64| {
        Value::Number(asked(names).and_then(|value| value.parse().ok()).unwrap_or(otherwise))
    };
    HashMap::from([
        ("IGY-ARCH".into(), level(&["ARCH"], 10)),
        ("IGY-CICS".into(), switch(&["CICS"], &["NOCICS"], true)),
        ("IGY-COMPILER-VRM".into(), Value::Number(60_400)),
        ("IGY-DLL".into(), switch(&["DLL"], &["NODLL"], false)),
        ("IGY-DYNAM".into(), switch(&["DYNAM", "DYN"], &["NODYNAM", "NODYN"], false)),
        ("IGY-LP".into(), level(&["LP"], 32)),
        ("IGY-OPTIMIZE".into(), level(&["OPTIMIZE", "OPT"], 0)),
        ("IGY-SQL".into(), switch(&["SQL"], &["NOSQL"], true)),
        ("IGY-SQLIMS".into(), Value::Boolean(false)),
        ("IGY-THREAD".into(), switch(&["THREAD"], &["NOTHREAD"], false)),
    ])
}

impl Conditional {
    /// The state in front of a source with these options.
    pub(crate) fn new(options: &[CompilerOption]) -> Self {
        let defined = options.iter().filter(|option| ["DEFINE", "DEF"].contains(&option.name.as_str()));
        let parameters = defined.flat_map(|option| value::parameters(&option.written)).collect();
        Self { variables: predefined(options), parameters, levels: Vec::new(), base: 0 }
    }

    /// Returns true if lines count at this place.
    pub(crate) fn counts(&self) -> bool {
        self.levels.last().is_none_or(|level| level.active)
    }

    /// Begins a member; the answer is for [`Self::leave`].
    pub(crate) fn enter(&mut self) -> usize {
        std::mem::replace(&mut self.base, self.levels.len())
    }

    /// Ends a member: what it has left open is a mistake.
    pub(crate) fn leave(&mut self, base: usize, messages: &mut Messages) {
        for level in self.levels.drain(self.base..) {
            let end = level.subject.end();
            let message = Diagnostic::error("SPTR015", format!("this directive has no {end}"))
                .label("opened here")
                .help(format!("write {end} in the same source or copybook"));
            messages.add(level.at, message);
        }
        self.base = base;
    }

    /// Obeys a directive, whose words are given.
    pub(crate) fn obey(&mut self, words: &[Token], at: At, messages: &mut Messages) {
        let (name, operands) = match name_of(words) {
            Some(found) => found,
            None if self.counts() => {
                return messages.add(at, unreadable("a directive's name", directives::HELP));
            }
            None => return,
        };
        let counts = self.counts();
        let read = match name.as_str() {
            "IF" => self.begin_if(operands, at),
            "ELIF" | "ELSE-IF" => self.else_if(operands),
            "ELSE" => self.otherwise(operands, "IF"),
            "END-IF" => self.end(operands, "IF"),
            "EVALUATE" => self.begin_evaluate(operands, at),
            "WHEN" => self.when(operands),
            "END-EVALUATE" => self.end(operands, "EVALUATE"),
            "END" if words[0].text.starts_with('$') => self.end(operands, "IF"),
            _ if !counts => Ok(()),
            "DEFINE" => self.define(operands),
            _ => return tell(&name, words[0].text.starts_with('$'), at, messages),
        };
        if let Err(mistake) = read {
            let at = mistake.at.unwrap_or(at);
            messages.add(at, unreadable(&mistake.expected, &mistake.help));
        }
    }

    fn open(&mut self, at: At, subject: Subject) -> &mut Level {
        let outer = self.counts();
        let (active, taken, last) = (false, !outer, false);
        self.levels.push(Level { at, subject, outer, active, taken, last });
        let top = self.levels.len() - 1;
        &mut self.levels[top]
    }

    fn begin_if(&mut self, operands: &[Token], at: At) -> Result<(), Mistake> {
        if !self.counts() {
            self.open(at, Subject::If);
            return Ok(());
        }
        let holds = Expression::new(operands, &self.variables).whole_condition();
        let level = self.open(at, Subject::If);
        // With a mistake, no branch counts: what is in them would only be told because of it.
        level.taken = holds.as_ref().map_or(true, |holds| *holds);
        level.active = holds.as_ref().is_ok_and(|holds| *holds);
        holds.map(|_| ())
    }

    /// The innermost level of this member, if it is of that kind and not in its last branch.
    fn branch(&mut self, kind: &str, directive: &str) -> Result<&mut Level, Mistake> {
        let base = self.base;
        let inner = self.levels.len() > base;
        let level = self
            .levels
            .last_mut()
            .filter(|level| inner && matches!(level.subject, Subject::If) == (kind == "IF"));
        match level {
            Some(level) if level.last && !directive.starts_with("END") => {
                let last = if kind == "IF" { ">>ELSE" } else { ">>WHEN OTHER" };
                Err(Mistake::of(
                    format!("nothing behind {last} but >>END-{kind}"),
                    "take the branch out, or write it before the last one",
                ))
            }
            Some(level) => Ok(level),
            None => Err(Mistake::of(
                format!(">>{kind} in front of >>{directive}"),
                format!("a >>{kind} of the same source or copybook is still open where >>{directive} stands"),
            )),
        }
    }

    fn else_if(&mut self, operands: &[Token]) -> Result<(), Mistake> {
        let level = self.branch("IF", "ELIF")?;
        level.active = false;
        if level.taken || !level.outer {
            return Ok(());
        }
        let holds = Expression::new(operands, &self.variables).whole_condition();
        self.choose(holds)
    }

    /// Takes the present branch if its condition holds, and none of them if it is a mistake.
    fn choose(&mut self, holds: Result<bool, Mistake>) -> Result<(), Mistake> {
        if let Some(level) = self.levels.last_mut() {
            level.active = holds.as_ref().is_ok_and(|holds| *holds);
            level.taken = holds.as_ref().map_or(true, |holds| *holds);
        }
        holds.map(|_| ())
    }

    fn otherwise(&mut self, operands: &[Token], kind: &str) -> Result<(), Mistake> {
        let directive = if kind == "IF" { "ELSE" } else { "WHEN OTHER" };
        let level = self.branch(kind, directive)?;
        level.active = level.outer && !level.taken;
        level.taken = true;
        level.last = true;
        nothing_more(operands)
    }

    fn end(&mut self, operands: &[Token], kind: &str) -> Result<(), Mistake> {
        let outer = self.branch(kind, &format!("END-{kind}"))?.outer;
        self.levels.pop();
        if outer { nothing_more(operands) } else { Ok(()) }
    }

    fn begin_evaluate(&mut self, operands: &[Token], at: At) -> Result<(), Mistake> {
        let is_true = matches!(operands, [word] if word.is("TRUE"));
        if is_true || !self.counts() {
            self.open(at, Subject::True);
            return Ok(());
        }
        let value = Expression::new(operands, &self.variables).whole_value();
        match value {
            Ok(value) => {
                self.open(at, Subject::Value(value));
                Ok(())
            }
            Err(mistake) => {
                self.open(at, Subject::True).taken = true;
                Err(mistake)
            }
        }
    }

    fn when(&mut self, operands: &[Token]) -> Result<(), Mistake> {
        if let [word] = operands
            && word.is("OTHER")
        {
            return self.otherwise(&[], "EVALUATE");
        }
        let level = self.branch("EVALUATE", "WHEN")?;
        level.active = false;
        if level.taken || !level.outer {
            return Ok(());
        }
        let holds = match &level.subject {
            Subject::Value(subject) => {
                let subject = subject.clone();
                Expression::new(operands, &self.variables).whole_object(&subject)
            }
            _ => Expression::new(operands, &self.variables).whole_condition(),
        };
        self.choose(holds)
    }

    fn define(&mut self, operands: &[Token]) -> Result<(), Mistake> {
        const FORM: &str = ">>DEFINE name AS value [OVERRIDE], AS PARAMETER [OVERRIDE], or AS OFF";
        let name = operands.first().filter(|token| token.kind == Kind::Word && !token.is_number());
        let Some(name) = name else { return Err(Mistake::of("the name of a compilation variable", FORM)) };
        let (name, at) = (name.upper(), name.at);
        if name.starts_with("IGY-") {
            return Err(Mistake::of(
                "a name that is not the compiler's own",
                "begin it with something else than IGY-",
            )
            .at(at));
        }
        let mut rest = &operands[1..];
        if let [word, behind @ ..] = rest
            && word.is("AS")
        {
            rest = behind;
        }
        let replaces = rest.last().is_some_and(|word| word.is("OVERRIDE"));
        rest = &rest[..rest.len() - usize::from(replaces)];
        let value = match rest {
            [word] if word.is("OFF") => {
                self.variables.remove(&name);
                return Ok(());
            }
            [word] if word.is("PARAMETER") => match self.parameters.get(&name) {
                Some(value) => value.clone(),
                None => return Ok(()),
            },
            [] if operands.len() == 1 => Value::Boolean(true),
            [] => return Err(Mistake::of("a value", FORM).at(at)),
            _ => Expression::new(rest, &self.variables).whole_value()?,
        };
        if !replaces && self.variables.get(&name).is_some_and(|before| *before != value) {
            let help = format!("write OVERRIDE behind the value, or >>DEFINE {name} AS OFF in front of it");
            return Err(Mistake::of(format!("the value that {name} has already"), help).at(at));
        }
        self.variables.insert(name, value);
        Ok(())
    }
}

/// Returns the directive's name in upper case, and the words after it.
fn name_of(words: &[Token]) -> Option<(String, &[Token])> {
    // A full stop at the end is no part of it.
    let words = match words {
        [words @ .., last] if last.is_period() => words,
        words => words,
    };
    match words {
        [first, second, name, operands @ ..]
            if first.is_symbol(">") && second.is_symbol(">") && name.kind == Kind::Word =>
        {
            Some((name.upper(), operands))
        }
        [first, operands @ ..] if first.kind == Kind::Word => {
            Some((first.upper().trim_start_matches('$').to_owned(), operands))
                .filter(|(name, _)| !name.is_empty())
        }
        _ => None,
    }
}

fn nothing_more(operands: &[Token]) -> Result<(), Mistake> {
    match operands.first() {
        None => Ok(()),
        Some(more) => Err(Mistake::of("nothing more on this line", "begin a new line").at(more.at)),
    }
}

fn unreadable(expected: &str, help: &str) -> Diagnostic {
    Diagnostic::error("SPTR016", "this directive cannot be read")
        .label(format!("expected {expected}"))
        .help(help)
}

/// Says of a directive that is no part of conditional compilation what it means here.
fn tell(name: &str, of_another_system: bool, at: At, messages: &mut Messages) {
    match directives::standing(name, of_another_system) {
        Standing::Harmless => {}
        Standing::WithoutEffect(why) => {
            let shown = if of_another_system { format!("${name}") } else { format!(">>{name}") };
            let message = Diagnostic::warning("SPTR017", format!("{shown} has no effect here"));
            messages.add(at, message.help(why));
        }
        Standing::Unknown => {
            let message = Diagnostic::error("SPTR018", format!("there is no directive >>{name}"));
            messages.add(at, message.help(directives::help(name)));
        }
    }
}

#[cfg(test)]
mod tests;
