//! Conditions and values in directives.

use std::collections::HashMap;

use super::value::{self, Value};
use crate::origin::At;
use crate::token::{Kind, Token};

/// The reason for which a directive cannot be read.
#[derive(Debug)]
pub(super) struct Mistake {
    /// Its place, if that is not the directive itself.
    pub(super) at: Option<At>,
    /// The words that are expected there.
    pub(super) expected: String,
    /// Advice.
    pub(super) help: String,
}

impl Mistake {
    pub(super) fn of(expected: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at: None, expected: expected.into(), help: help.into() }
    }

    pub(super) fn at(self, at: At) -> Self {
        Self { at: Some(at), ..self }
    }
}

type Read<T> = Result<T, Mistake>;

/// A reader of the words of a directive.
pub(super) struct Expression<'a> {
    tokens: &'a [Token],
    at: usize,
    variables: &'a HashMap<String, Value>,
    /// Parentheses and NOTs that are open.
    depth: usize,
}

/// Parentheses within parentheses, at most.
const DEPTH_MAX: usize = 32;

/// A relational operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    Greater,
}

impl<'a> Expression<'a> {
    pub(super) fn new(tokens: &'a [Token], variables: &'a HashMap<String, Value>) -> Self {
        Self { tokens, at: 0, variables, depth: 0 }
    }

    /// Reads a condition, and nothing after it.
    pub(super) fn whole_condition(mut self) -> Read<bool> {
        let holds = self.condition()?;
        self.end()?;
        Ok(holds)
    }

    /// Reads a literal or an arithmetic expression, and nothing after it.
    pub(super) fn whole_value(mut self) -> Read<Value> {
        let value = self.value()?;
        self.end()?;
        Ok(value)
    }

    /// Reads the object after WHEN for a subject that is a value: a value, or a range of numbers.
    pub(super) fn whole_object(mut self, subject: &Value) -> Read<bool> {
        let from = self.value()?;
        if !self.eat(&["THRU", "THROUGH"]) {
            self.end()?;
            return self.equal(subject, &from);
        }
        let to = self.value()?;
        self.end()?;
        match (subject, from, to) {
            (Value::Number(subject), Value::Number(from), Value::Number(to)) => {
                Ok((from..=to).contains(subject))
            }
            _ => Err(self.mistake("numbers around THRU", "compare texts and booleans one by one")),
        }
    }

    fn condition(&mut self) -> Read<bool> {
        let mut holds = self.terms()?;
        while self.eat(&["OR"]) {
            holds |= self.terms()?;
        }
        Ok(holds)
    }

    fn terms(&mut self) -> Read<bool> {
        let mut holds = self.term()?;
        while self.eat(&["AND"]) {
            holds &= self.term()?;
        }
        Ok(holds)
    }

    fn term(&mut self) -> Read<bool> {
        self.deeper()?;
        let holds = if self.eat(&["NOT"]) { !self.term()? } else { self.primary()? };
        self.depth -= 1;
        Ok(holds)
    }

    fn primary(&mut self) -> Read<bool> {
        let start = self.at;
        if let Some(defined) = self.defined() {
            return Ok(defined);
        }
        // In front of a relational operator, parentheses hold arithmetic; else a condition.
        if self.symbol("(") {
            let relation = self.relation_from(start);
            if let Ok(Some(holds)) = relation {
                return Ok(holds);
            }
            self.at = start + 1;
            let holds = self.condition()?;
            self.close()?;
            return Ok(holds);
        }
        match self.relation_from(start)? {
            Some(holds) => Ok(holds),
            None => {
                self.at = start;
                match self.value()? {
                    Value::Boolean(holds) => Ok(holds),
                    _ => Err(self.mistake("a relational operator", "compare it: >>IF name = value")),
                }
            }
        }
    }

    /// `name [IS] [NOT] DEFINED`.
    fn defined(&mut self) -> Option<bool> {
        let name = self.tokens.get(self.at).filter(|token| token.kind == Kind::Word && !token.is_number())?;
        let mut next = self.at + 1;
        let word = |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| token.is(word));
        next += usize::from(word(next, "IS"));
        let negated = word(next, "NOT");
        next += usize::from(negated);
        if !word(next, "DEFINED") {
            return None;
        }
        self.at = next + 1;
        Some(self.variables.contains_key(&name.upper()) != negated)
    }

    /// Reads a relation that begins at a word; `None` if no operator follows the value there.
    fn relation_from(&mut self, start: usize) -> Read<Option<bool>> {
        self.at = start;
        let left = self.value()?;
        let Some((negated, relations)) = self.operator() else { return Ok(None) };
        let right = self.value()?;
        let holds = match (&left, &right, relations) {
            (_, _, [Relation::Equal]) => self.equal(&left, &right)?,
            (Value::Number(left), Value::Number(right), _) => {
                relations.iter().any(|relation| match relation {
                    Relation::Equal => left == right,
                    Relation::Less => left < right,
                    Relation::Greater => left > right,
                })
            }
            _ => {
                return Err(self
                    .mistake("numbers around this operator", "texts and booleans may only be equal or not"));
            }
        };
        Ok(Some(holds != negated))
    }

    fn equal(&self, left: &Value, right: &Value) -> Read<bool> {
        if std::mem::discriminant(left) == std::mem::discriminant(right) {
            return Ok(left == right);
        }
        Err(self.mistake(
            &format!("{} and not {}", left.kind(), right.kind()),
            "both sides are numbers, or texts, or booleans",
        ))
    }

    fn operator(&mut self) -> Option<(bool, &'static [Relation])> {
        use Relation::{Equal, Greater, Less};
        let start = self.at;
        self.eat(&["IS"]);
        let mut negated = self.eat(&["NOT"]);
        let symbols = ["<", "=", ">"].map(|symbol| self.at_symbol(self.at, symbol));
        let then = |this: &Self, symbol: &str| this.at_symbol(this.at + 1, symbol);
        let (relations, width): (&[Relation], usize) = match symbols {
            [true, _, _] if then(self, "=") => (&[Less, Equal], 2),
            [true, _, _] if then(self, ">") => {
                negated = !negated;
                (&[Equal], 2)
            }
            [true, _, _] => (&[Less], 1),
            [_, true, _] => (&[Equal], 1),
            [_, _, true] if then(self, "=") => (&[Greater, Equal], 2),
            [_, _, true] => (&[Greater], 1),
            _ => (&[], 0),
        };
        if width > 0 {
            self.at += width;
            return Some((negated, relations));
        }
        let relations: &[Relation] = if self.eat(&["EQUAL"]) {
            self.eat(&["TO"]);
            &[Equal]
        } else if self.eat(&["LESS"]) {
            self.eat(&["THAN"]);
            if self.or_equal() { &[Less, Equal] } else { &[Less] }
        } else if self.eat(&["GREATER"]) {
            self.eat(&["THAN"]);
            if self.or_equal() { &[Greater, Equal] } else { &[Greater] }
        } else {
            self.at = start;
            return None;
        };
        Some((negated, relations))
    }

    /// `OR EQUAL [TO]`.
    fn or_equal(&mut self) -> bool {
        let behind = self.tokens.get(self.at + 1).is_some_and(|token| token.is("EQUAL"));
        let here = behind && self.eat(&["OR"]);
        if here {
            self.at += 1;
            self.eat(&["TO"]);
        }
        here
    }

    /// A literal, a variable or an arithmetic expression.
    fn value(&mut self) -> Read<Value> {
        let mut left = self.product()?;
        loop {
            let plus = self.symbol("+");
            if !plus && !self.symbol("-") {
                return Ok(left);
            }
            let right = self.product()?;
            let sum = if plus { i64::checked_add } else { i64::checked_sub };
            left = self.calculate(left, right, sum)?;
        }
    }

    fn product(&mut self) -> Read<Value> {
        let mut left = self.factor()?;
        loop {
            let times = self.symbol("*");
            if !times && !self.symbol("/") {
                return Ok(left);
            }
            let right = self.factor()?;
            let product = if times { i64::checked_mul } else { i64::checked_div };
            left = self.calculate(left, right, product)?;
        }
    }

    fn calculate(&self, left: Value, right: Value, how: fn(i64, i64) -> Option<i64>) -> Read<Value> {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => {
                how(left, right).map(Value::Number).ok_or_else(|| {
                    self.mistake(
                        "a result that is a number",
                        "the result is too great, or something is divided by zero",
                    )
                })
            }
            _ => Err(self.mistake("numbers", "text and booleans cannot be calculated with")),
        }
    }

    fn factor(&mut self) -> Read<Value> {
        self.deeper()?;
        let value = self.signed()?;
        self.depth -= 1;
        Ok(value)
    }

    fn signed(&mut self) -> Read<Value> {
        if self.symbol("-") {
            let value = self.factor()?;
            return self.calculate(Value::Number(0), value, i64::checked_sub);
        }
        if self.symbol("+") {
            return self.factor();
        }
        if self.symbol("(") {
            let value = self.value()?;
            self.close()?;
            return Ok(value);
        }
        const VALUE: &str = "a literal, a compilation variable or an arithmetic expression of whole numbers";
        let Some(token) = self.tokens.get(self.at) else { return Err(self.mistake(VALUE, EXAMPLE)) };
        let value = match token.kind {
            Kind::Literal => value::literal(&token.text),
            Kind::Word if token.is_number() => token.text.parse().ok().map(Value::Number),
            Kind::Word => match self.variables.get(&token.upper()) {
                Some(value) => Some(value.clone()),
                None => {
                    let name = token.upper();
                    let help = format!(
                        "write >>DEFINE {name} AS value in front of it; a value from CBL DEFINE({name}=value) needs >>DEFINE {name} AS PARAMETER"
                    );
                    return Err(
                        self.mistake(&format!("a compilation variable, and {name} is none here"), &help)
                    );
                }
            },
            _ => None,
        };
        let value = value.ok_or_else(|| self.mistake(VALUE, EXAMPLE))?;
        self.at += 1;
        Ok(value)
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.mistake("fewer parentheses", "write it more simply"));
        }
        Ok(())
    }

    fn close(&mut self) -> Read<()> {
        if self.symbol(")") { Ok(()) } else { Err(self.mistake("a closing parenthesis", EXAMPLE)) }
    }

    fn end(&self) -> Read<()> {
        if self.at == self.tokens.len() {
            Ok(())
        } else {
            Err(self.mistake("nothing more on this line", EXAMPLE))
        }
    }

    fn eat(&mut self, words: &[&str]) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.is_any(words));
        self.at += usize::from(found);
        found
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(self.at, symbol);
        self.at += usize::from(found);
        found
    }

    fn at_symbol(&self, at: usize, symbol: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_symbol(symbol))
    }

    fn mistake(&self, expected: &str, help: &str) -> Mistake {
        let at = self.tokens.get(self.at).or(self.tokens.last()).map(|token| token.at);
        Mistake { at, ..Mistake::of(expected, help) }
    }
}

const EXAMPLE: &str = "as in >>IF TESTING IS DEFINED AND LEVEL >= 2";
