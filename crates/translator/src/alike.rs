//! Zoned numbers without a sign that are alike: of one size, with the decimal point in one place.
//!
//! The compiler compares and moves two of them as bytes, whatever the bytes are. So the second of two that are compared,
//! and what is moved to another, becomes `FUNCTION ABS (…)` of itself: the same number, by a function of the host, which
//! compares digits, and takes a sign off what it moves.

use std::collections::{HashMap, HashSet};

use crate::data::Items;
use crate::edits::Edits;
use crate::phrases::is_verb;
use crate::token::{Kind, Token};
use crate::unit::Unit;

/// Marks the numbers of one program's procedure division.
pub(crate) fn mark(tokens: &[Token], unit: &Unit, items: &Items, edits: &mut Edits) {
    let Some(from) = unit.procedure else { return };
    let mut shapes: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.list.iter().enumerate() {
        if let Some(name) = item.name.as_deref() {
            shapes.entry(name).or_default().push(at);
        }
    }
    let mut reader =
        Reader { tokens, end: unit.tokens.end, items, named: shapes, marked: HashSet::new(), edits };
    reader.statements(from);
}

/// Digits before and behind the decimal point.
type Shape = (usize, usize);

/// An identifier: its words, and its shape if it is a zoned number without a sign.
struct Operand {
    end: usize,
    shape: Option<Shape>,
}

struct Reader<'a> {
    tokens: &'a [Token],
    end: usize,
    items: &'a Items,
    /// All items by their names.
    named: HashMap<&'a str, Vec<usize>>,
    /// Where what is marked begins.
    marked: HashSet<usize>,
    edits: &'a mut Edits,
}

impl Reader<'_> {
    fn statements(&mut self, from: usize) {
        let mut at = from;
        while at < self.end {
            let token = &self.tokens[at];
            at = if token.is_any(&["EXEC", "EXECUTE"]) {
                self.position(at, |token| token.is("END-EXEC"))
            } else if token.is("COMPUTE") {
                // The first sign of equality is no relation.
                self.position(at, |token| token.is_symbol("=") || token.is("EQUAL")) + 1
            } else {
                if token.is("MOVE") {
                    self.moves(at + 1);
                } else if token.is("EVALUATE") {
                    self.selection(at + 1);
                } else if token.kind == Kind::Word {
                    self.relation(at);
                }
                at + 1
            };
        }
    }

    /// The first such token from a place on in the same sentence, or its end.
    fn position(&self, at: usize, is: impl Fn(&Token) -> bool) -> usize {
        let rest = &self.tokens[at..self.end];
        rest.iter().position(|token| is(token) || token.is_period()).map_or(self.end, |length| at + length)
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        self.token(at).is_some_and(|token| token.is_any(words))
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens[..self.end].get(at)
    }

    /// `MOVE source TO target …`
    fn moves(&mut self, at: usize) {
        let Some(Operand { end, shape: Some(shape) }) = self.operand(at) else { return };
        if !self.is_any(end, &["TO"]) {
            return;
        }
        let mut target = end + 1;
        while let Some(operand) = self.operand(target) {
            if operand.shape == Some(shape) {
                return self.mark(at, end);
            }
            target = operand.end;
        }
    }

    /// `subject [IS] [NOT] operator object [{AND | OR} [NOT] [operator] object] …`, if it begins here.
    fn relation(&mut self, at: usize) {
        // Most words are no subjects: what is quickest to see is looked at first.
        if self.is_within_expression(at) || !self.named.contains_key(&*self.tokens[at].upper()) {
            return;
        }
        let Some(Operand { end, shape: Some(shape) }) = self.operand(at) else { return };
        let Some(mut object) = self.operator(end) else { return };
        let mut is_first = true;
        loop {
            let operand = self.operand(object);
            let behind = operand.as_ref().map_or(object + 1, |operand| operand.end);
            let ends = self.ends_object(behind);
            if operand.is_some_and(|operand| operand.shape == Some(shape))
                && (ends || is_first && !self.is_arithmetic(behind))
            {
                self.mark(object, behind);
            }
            if !ends || !self.is_any(behind, &["AND", "OR"]) {
                return;
            }
            let next = behind + 1 + usize::from(self.is_any(behind + 1, &["NOT"]));
            object = self.operator(next).unwrap_or(next);
            is_first = false;
        }
    }

    /// `EVALUATE subject [ALSO subject] … WHEN object [THRU object] [ALSO object …] … …`
    fn selection(&mut self, at: usize) {
        let mut subjects = Vec::new();
        let mut subject = at;
        let mut at = loop {
            let end = self.position(subject, |token| token.is_any(&["ALSO", "WHEN"]));
            let operand = self.operand(subject).filter(|operand| operand.end == end);
            subjects.push(operand.and_then(|operand| operand.shape));
            if !self.is_any(end, &["ALSO"]) {
                break end;
            }
            subject = end + 1;
        };
        if subjects.iter().all(Option::is_none) {
            return;
        }
        let mut depth = 0_usize;
        while let Some(token) = self.token(at).filter(|token| !token.is_period()) {
            match () {
                () if token.is("EVALUATE") => depth += 1,
                () if token.is("END-EVALUATE") && depth == 0 => return,
                () if token.is("END-EVALUATE") => depth -= 1,
                () if token.is("WHEN") && depth == 0 => self.objects(at + 1, &subjects),
                () => {}
            }
            at += 1;
        }
    }

    /// The objects of one WHEN, each beside its subject.
    fn objects(&mut self, mut at: usize, subjects: &[Option<Shape>]) {
        for shape in subjects {
            at += usize::from(self.is_any(at, &["NOT"]));
            loop {
                let operand = self.operand(at);
                let end = operand.as_ref().map_or(at + 1, |operand| operand.end);
                if !self.ends_object(end) {
                    return;
                }
                if let Some(Operand { shape: Some(own), .. }) = operand
                    && Some(own) == *shape
                {
                    self.mark(at, end);
                }
                at = end + 1;
                if !self.is_any(end, &["THRU", "THROUGH"]) {
                    break;
                }
            }
            if !self.is_any(at - 1, &["ALSO"]) {
                return;
            }
        }
    }

    /// Whether an operand that stands in front of this is the whole object of a condition.
    fn ends_object(&self, at: usize) -> bool {
        const BEHIND: [&str; 9] = ["AND", "OR", "THEN", "WHEN", "ALSO", "THRU", "THROUGH", "NEXT", "AFTER"];
        self.token(at).is_none_or(|token| {
            token.is_period() || token.is_symbol(")") || token.is_any(&BEHIND) || is_verb(token)
        })
    }

    /// Behind the operator of a relation.
    fn operator(&self, at: usize) -> Option<usize> {
        let behind = |at: usize, word: &str| at + usize::from(self.is_any(at, &[word]));
        let sign = |at: usize, signs: &[&str]| {
            self.token(at).is_some_and(|token| signs.iter().any(|sign| token.is_symbol(sign)))
        };
        let at = behind(behind(at, "IS"), "NOT");
        match () {
            () if sign(at, &["="]) => Some(at + 1),
            () if sign(at, &["<", ">"]) => Some(at + 1 + usize::from(sign(at + 1, &["=", ">"]))),
            () if self.is_any(at, &["EQUAL"]) => Some(behind(at + 1, "TO")),
            () if self.is_any(at, &["GREATER", "LESS"]) => {
                let at = behind(at + 1, "THAN");
                let or_equal = self.is_any(at, &["OR"]) && self.is_any(at + 1, &["EQUAL"]);
                Some(if or_equal { behind(at + 2, "TO") } else { at })
            }
            () => None,
        }
    }

    /// Whether an operator of arithmetic stands here.
    fn is_arithmetic(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| ["+", "-", "*", "/"].iter().any(|sign| token.is_symbol(sign)))
    }

    /// Whether what begins here is a part of an expression, or qualifies a name.
    fn is_within_expression(&self, at: usize) -> bool {
        self.is_arithmetic(at - 1) || self.is_any(at - 1, &["OF", "IN", "FUNCTION"])
    }

    /// The identifier that begins here, with its qualifiers and subscripts. What is taken out of it by position is no
    /// number.
    fn operand(&self, at: usize) -> Option<Operand> {
        let found = self.named.get(&*self.token(at)?.upper())?;
        let mut qualifiers = Vec::new();
        let mut end = at + 1;
        while self.is_any(end, &["OF", "IN"]) {
            qualifiers.push(self.token(end + 1)?.upper());
            end += 2;
        }
        let mut is_part = false;
        while self.token(end).is_some_and(|token| token.is_symbol("(")) {
            let close = self.closing(end)?;
            is_part |= self.tokens[end..close].iter().any(|token| token.is_symbol(":"));
            end = close + 1;
        }
        let mut meant = found.iter().filter(|item| self.is_qualified(**item, &qualifiers));
        let item = meant.next().filter(|_| !is_part && meant.next().is_none());
        Some(Operand { end, shape: item.and_then(|item| self.items.unsigned(*item)) })
    }

    /// Where the parenthesis that opens here is closed.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let rest = self.tokens[open..self.end].iter();
        let length = rest.take_while(|token| !token.is_period()).position(|token| {
            depth += usize::from(token.is_symbol("("));
            depth -= usize::from(token.is_symbol(")"));
            depth == 0
        });
        length.map(|length| open + length)
    }

    /// Whether an item lies in groups of these names, the innermost first.
    fn is_qualified(&self, item: usize, qualifiers: &[String]) -> bool {
        let mut groups =
            self.items.above(item).skip(1).filter_map(|group| self.items.list[group].name.as_ref());
        qualifiers.iter().all(|qualifier| groups.any(|group| group == qualifier))
    }

    /// Makes a number what the function answers of it.
    fn mark(&mut self, start: usize, end: usize) {
        if self.marked.insert(start) {
            let [first, last] = [start, end - 1].map(|at| self.tokens[at].at);
            self.edits.insert(start, vec![Token::made("FUNCTION ABS (", first)]);
            self.edits.insert(end, vec![Token::made(")", last)]);
        }
    }
}
