//! COND and IF: the conditions on which steps run.

use super::operands::Value;

/// A step that a condition or a reference names; one of a procedure perhaps by both names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepName {
    /// The step of the job; the step of a procedure, where it stands alone within one.
    pub step: String,
    /// The step of the procedure that it runs.
    pub procedure_step: Option<String>,
}

/// A comparison of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says its name")]
pub enum Relation {
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
}

impl Relation {
    fn named(text: &str) -> Option<Self> {
        Some(match text {
            ">" | "GT" => Self::Greater,
            ">=" | "GE" | "NL" | "¬<" => Self::GreaterOrEqual,
            "=" | "EQ" => Self::Equal,
            "¬=" | "NE" => Self::NotEqual,
            "<" | "LT" => Self::Less,
            "<=" | "LE" | "NG" | "¬>" => Self::LessOrEqual,
            _ => return None,
        })
    }

    /// Returns true if the left number stands in this relation to the right one.
    pub fn holds(self, left: i32, right: i32) -> bool {
        match self {
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
        }
    }
}

/// A test of COND=: the step is bypassed if `code relation own` holds for the return code of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The code that is compared with those of steps.
    pub code: i32,
    /// The comparison.
    pub relation: Relation,
    /// The step that is meant; `None` for any of them.
    pub step: Option<StepName>,
}

/// COND= of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cond {
    /// Any of them keeps the step from being run.
    pub tests: Vec<Test>,
    /// The step runs also after an abend.
    pub even: bool,
    /// The step runs only after an abend.
    pub only: bool,
}

/// The end of an earlier step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With this return code.
    Code(i32),
    /// Abnormally, with this completion code: `S0C7`, `U4038`.
    Abend(String),
    /// It was not run.
    Bypassed,
}

/// A step that is over.
#[derive(Clone, Debug)]
pub struct Past {
    /// Its name in the job.
    pub step: String,
    /// Its name in the procedure.
    pub procedure_step: Option<String>,
    /// Its end.
    pub end: End,
}

impl StepName {
    /// Reads `STEP` or `STEP.PROCSTEP`.
    pub(super) fn read(text: &str) -> Self {
        match text.split_once('.') {
            Some((step, inner)) => Self { step: step.to_owned(), procedure_step: Some(inner.to_owned()) },
            None => Self { step: text.to_owned(), procedure_step: None },
        }
    }

    /// Returns true if a step of this name is meant. `within`: the step of the job from which it is looked at.
    pub fn means(&self, step: &str, procedure_step: Option<&str>, within: &str) -> bool {
        match (&self.procedure_step, procedure_step) {
            (Some(inner), own) => self.step == step && own == Some(inner),
            (None, Some(own)) if self.step == own && step == within => true,
            (None, _) => self.step == step,
        }
    }

    fn means_past(&self, past: &Past, within: &str) -> bool {
        self.means(&past.step, past.procedure_step.as_deref(), within)
    }
}

impl Test {
    /// Returns true if the test keeps a step of this name from being run.
    pub fn bypasses(&self, past: &[Past], within: &str) -> bool {
        let meant = |past: &&Past| self.step.as_ref().is_none_or(|name| name.means_past(past, within));
        past.iter().filter(meant).any(|past| match past.end {
            End::Code(own) => self.relation.holds(self.code, own),
            _ => false,
        })
    }
}

/// Reads the tests of COND= of a JOB or an EXEC statement; `None` if they are not understood.
pub(super) fn cond(value: &Value) -> Option<Cond> {
    let mut cond = Cond::default();
    let parts = value.list();
    let is_one_test = value.is_list() && !parts.first().is_some_and(Value::is_list) && parts.len() > 1;
    let tests = if is_one_test && !is_word(&parts[0]) { vec![value.clone()] } else { parts };
    for part in tests {
        match part.upper().as_str() {
            "EVEN" => cond.even = true,
            "ONLY" => cond.only = true,
            _ => cond.tests.push(test(&part)?),
        }
    }
    Some(cond)
}

fn is_word(value: &Value) -> bool {
    matches!(value.upper().as_str(), "EVEN" | "ONLY")
}

fn test(value: &Value) -> Option<Test> {
    let parts: Vec<String> = value.list().iter().map(Value::upper).collect();
    let (code, relation, step) = match &parts[..] {
        [code, relation] => (code, relation, None),
        [code, relation, step] => (code, relation, Some(StepName::read(step))),
        _ => return None,
    };
    let code = code.parse().ok().filter(|code| (0..=4095).contains(code))?;
    let relation =
        if relation.chars().all(char::is_alphabetic) { Relation::named(relation)? } else { return None };
    Some(Test { code, relation, step })
}

/// The expression of an IF statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// All of them.
    And(Vec<Self>),
    /// One of them.
    Or(Vec<Self>),
    /// The contrary.
    Not(Box<Self>),
    /// A return code.
    Code(Option<StepName>, Relation, i32),
    /// ABEND: an abend has happened, or not.
    Abend(Option<StepName>, bool),
    /// ABENDCC: an abend with this code has happened; with `false`, none with it.
    AbendCode(Option<StepName>, bool, String),
    /// RUN: the step was run, or not.
    Run(Option<StepName>, bool),
}

impl Expression {
    /// Returns true if it holds after these steps.
    pub fn holds(&self, past: &[Past], within: &str) -> bool {
        let of = |name: &Option<StepName>| -> Vec<&Past> {
            let meant = |past: &&Past| name.as_ref().is_none_or(|name| name.means_past(past, within));
            past.iter().filter(meant).collect()
        };
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(past, within)),
            Self::Or(all) => all.iter().any(|one| one.holds(past, within)),
            Self::Not(inner) => !inner.holds(past, within),
            Self::Code(name, relation, value) => {
                let codes = of(name).into_iter().filter_map(|past| match past.end {
                    End::Code(code) => Some(code),
                    _ => None,
                });
                let greatest = codes.max().or(if name.is_none() { Some(0) } else { None });
                greatest.is_some_and(|code| relation.holds(code, *value))
            }
            Self::Abend(name, yes) => {
                let mut known = of(name).into_iter();
                let is = known.any(|past| matches!(past.end, End::Abend(_)));
                is == *yes
            }
            Self::AbendCode(name, equal, code) => {
                let codes: Vec<&str> = of(name)
                    .into_iter()
                    .filter_map(|past| match &past.end {
                        End::Abend(own) => Some(own.as_str()),
                        _ => None,
                    })
                    .collect();
                codes.last().is_some_and(|own| (own == code) == *equal)
            }
            Self::Run(name, yes) => {
                let is = of(name).into_iter().any(|past| past.end != End::Bypassed);
                is == *yes
            }
        }
    }

    /// Returns true if it looks at abends: then its steps run also after one.
    pub fn looks_at_abends(&self) -> bool {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().any(Self::looks_at_abends),
            Self::Not(inner) => inner.looks_at_abends(),
            Self::Abend(..) | Self::AbendCode(..) => true,
            Self::Code(..) | Self::Run(..) => false,
        }
    }

    /// Adds the steps that it names to a list.
    pub(super) fn names(&self, out: &mut Vec<StepName>) {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().for_each(|one| one.names(out)),
            Self::Not(inner) => inner.names(out),
            Self::Code(name, ..) | Self::Abend(name, _) | Self::AbendCode(name, ..) | Self::Run(name, _) => {
                out.extend(name.clone());
            }
        }
    }
}

/// The greatest depth of nested parentheses.
const DEPTH_MAX: usize = 32;

/// Reads the expression between IF and THEN; `None` if it is not understood.
pub(super) fn expression(text: &str) -> Option<Expression> {
    let words = words(&text.to_ascii_uppercase());
    let mut words = &words[..];
    if words.last().is_some_and(|word| word == "THEN") {
        words = &words[..words.len() - 1];
    }
    let mut parser = Parser { words, at: 0, depth: 0 };
    let found = parser.any()?;
    (parser.at == words.len()).then_some(found)
}

/// Returns the words of an expression; each sign in one form.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            ' ' => {}
            '(' | ')' | '&' | '|' | '=' => out.push(c.into()),
            '>' | '<' | '¬' | '^' | '!' => {
                let c = if matches!(c, '^' | '!') { '¬' } else { c };
                let mut sign = String::from(c);
                if let Some(next) =
                    characters.next_if(|next| *next == '=' || c == '¬' && "<>".contains(*next))
                {
                    sign.push(next);
                }
                out.push(sign);
            }
            c => {
                let mut word = String::from(c);
                while let Some(next) = characters.next_if(|next| !" ()&|=><¬^!".contains(*next)) {
                    word.push(next);
                }
                out.push(word);
            }
        }
    }
    out
}

struct Parser<'a> {
    words: &'a [String],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<&str> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    fn takes(&mut self, names: &[&str]) -> bool {
        let there = self.words.get(self.at).is_some_and(|word| names.contains(&word.as_str()));
        self.at += usize::from(there);
        there
    }

    fn any(&mut self) -> Option<Expression> {
        let mut parts = vec![self.all()?];
        while self.takes(&["|", "OR"]) {
            parts.push(self.all()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expression::Or(parts) })
    }

    fn all(&mut self) -> Option<Expression> {
        let mut parts = vec![self.one()?];
        while self.takes(&["&", "AND"]) {
            parts.push(self.one()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expression::And(parts) })
    }

    fn one(&mut self) -> Option<Expression> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let found = self.nested();
        self.depth -= 1;
        found
    }

    fn nested(&mut self) -> Option<Expression> {
        if self.takes(&["¬", "NOT"]) {
            return Some(Expression::Not(Box::new(self.one()?)));
        }
        if self.takes(&["("]) {
            let inner = self.any()?;
            return self.takes(&[")"]).then_some(inner);
        }
        let word = self.next()?.to_owned();
        let (name, keyword) = match word.rsplit_once('.') {
            Some((name, keyword)) => (Some(StepName::read(name)), keyword.to_owned()),
            None => (None, word),
        };
        match keyword.as_str() {
            "RC" => {
                let relation = Relation::named(self.next()?)?;
                let value = self.next()?.parse().ok()?;
                Some(Expression::Code(name, relation, value))
            }
            "ABENDCC" => {
                let equal = self.equality()?;
                let code = self.next()?.to_owned();
                Some(Expression::AbendCode(name, equal, code))
            }
            "ABEND" => Some(Expression::Abend(name, self.truth()?)),
            "RUN" => Some(Expression::Run(name, self.truth()?)),
            _ => None,
        }
    }

    fn equality(&mut self) -> Option<bool> {
        match Relation::named(self.next()?)? {
            Relation::Equal => Some(true),
            Relation::NotEqual => Some(false),
            _ => None,
        }
    }

    /// Reads `= TRUE`, `= FALSE`, or nothing, which means true.
    fn truth(&mut self) -> Option<bool> {
        let compares = self.words.get(self.at).is_some_and(|word| Relation::named(word).is_some());
        if !compares {
            return Some(true);
        }
        let equal = self.equality()?;
        match self.next()? {
            "TRUE" => Some(equal),
            "FALSE" => Some(!equal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(step: &str, end: End) -> Past {
        Past { step: step.into(), procedure_step: None, end }
    }

    #[test]
    fn expressions_of_if_look_at_steps() {
        let good = [past("A", End::Code(4)), past("B", End::Code(0)), past("C", End::Bypassed)];
        let bad = [past("A", End::Abend("S0C7".into()))];
        for (text, past, holds) in [
            ("RC = 4 THEN", &good[..], Some(true)),
            ("(RC <= 4) THEN", &good, Some(true)),
            ("A.RC GT 4 | B.RC EQ 0 THEN", &good, Some(true)),
            ("A.RC NG 3 AND B.RC = 0", &good, Some(false)),
            ("NOT (A.RC = 4)", &good, Some(false)),
            ("¬ABEND & RC ¬= 8", &good, Some(true)),
            ("C.RUN", &good, Some(false)),
            ("C.RC = 0", &good, Some(false)),
            ("A.RUN = TRUE & C.RUN = FALSE", &good, Some(true)),
            ("ABEND", &bad, Some(true)),
            ("ABEND = FALSE", &bad, Some(false)),
            ("ABENDCC = S0C7", &bad, Some(true)),
            ("A.ABENDCC NE U0016", &bad, Some(true)),
            ("RC", &good, None),
            ("RC = X", &good, None),
            ("(RC = 0", &good, None),
            ("", &good, None),
        ] {
            let found = expression(text).map(|found| found.holds(past, ""));
            assert_eq!(found, holds, "{text}");
        }
    }
}
