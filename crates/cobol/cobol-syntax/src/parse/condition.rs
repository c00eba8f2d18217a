//! Conditions: relations in signs and words, class and sign tests, abbreviations, parentheses.

use crate::parser::{Parsed, Parser};
use crate::tree::{Class, Condition, Expression, Relation, Sign};
use crate::words::WordKind;

impl Parser<'_> {
    /// A condition.
    pub(crate) fn condition(&mut self) -> Parsed<Condition> {
        self.nested(Self::any_of)
    }

    fn any_of(&mut self) -> Parsed<Condition> {
        let mut list = vec![self.all_of()?];
        while self.eat("OR") {
            list.push(self.all_of()?);
        }
        Ok(if list.len() == 1 { list.swap_remove(0) } else { Condition::Or(list) })
    }

    fn all_of(&mut self) -> Parsed<Condition> {
        let mut list = vec![self.negated()?];
        while self.eat("AND") {
            list.push(self.negated()?);
        }
        Ok(if list.len() == 1 { list.swap_remove(0) } else { Condition::And(list) })
    }

    fn negated(&mut self) -> Parsed<Condition> {
        // NOT in front of an operator belongs to it.
        if self.is("NOT") && !self.is_operator_ahead(1) {
            let at = self.bump().at;
            let inner = self.nested(Self::negated)?;
            return Ok(Condition::Not(Box::new(inner), at));
        }
        self.simple()
    }

    fn simple(&mut self) -> Parsed<Condition> {
        if self.starts_relation() {
            return self.relation(None);
        }
        if self.is_symbol("(") && self.parenthesis_holds_condition() {
            self.bump();
            let inner = self.condition()?;
            self.expect_symbol(")", "a parenthesis that opens must be closed")?;
            // `EVALUATE (A * 9)`: a value in parentheses is that value.
            return Ok(match inner {
                Condition::Bare(_) => inner,
                inner => Condition::Group(Box::new(inner)),
            });
        }
        let subject = self.expression()?;
        self.tested(subject)
    }

    /// Test of a subject that has been read.
    fn tested(&mut self, subject: Expression) -> Parsed<Condition> {
        if self.starts_relation() {
            return self.relation(Some(subject));
        }
        let is = usize::from(self.is("IS"));
        let not = usize::from(self.is_ahead(is, "NOT"));
        let word = self.ahead(is + not);
        let class = match &*word.text {
            _ if !matches!(word.kind, WordKind::Reserved | WordKind::Name) => None,
            "NUMERIC" => Some(Class::Numeric),
            "ALPHABETIC" => Some(Class::Alphabetic),
            "ALPHABETIC-LOWER" => Some(Class::AlphabeticLower),
            "ALPHABETIC-UPPER" => Some(Class::AlphabeticUpper),
            "DBCS" => Some(Class::DoubleByte),
            "KANJI" => Some(Class::Kanji),
            _ => None,
        };
        if let Some(class) = class {
            self.go_to(self.position() + is + not + 1);
            return Ok(Condition::Class { subject, not: not == 1, class });
        }
        let sign = match &*word.text {
            _ if word.kind != WordKind::Reserved => None,
            "POSITIVE" => Some(Sign::Positive),
            "NEGATIVE" => Some(Sign::Negative),
            "ZERO" | "ZEROS" | "ZEROES" => Some(Sign::Zero),
            _ => None,
        };
        if let Some(sign) = sign {
            self.go_to(self.position() + is + not + 1);
            return Ok(Condition::Sign { subject, not: not == 1, sign });
        }
        // A class of SPECIAL-NAMES needs no IS; behind it any name is taken for one.
        if word.kind == WordKind::Name && (is + not > 0 || self.classes.contains(&word.text)) {
            self.go_to(self.position() + is + not);
            let class = Class::Named(self.plain_reference("a class name")?);
            return Ok(Condition::Class { subject, not: not == 1, class });
        }
        if is + not > 0 {
            self.go_to(self.position() + is + not);
            return self.expected("an operator or a class", "as in IS NOT EQUAL TO, IS NUMERIC, IS POSITIVE");
        }
        Ok(Condition::Bare(subject))
    }

    /// Returns true if a relational operator begins some words ahead, perhaps behind IS and NOT.
    fn is_operator_ahead(&self, by: usize) -> bool {
        let word = self.ahead(by);
        match word.kind {
            WordKind::Symbol => matches!(&*word.text, "=" | "<" | ">" | "<=" | ">=" | "<>"),
            WordKind::Reserved | WordKind::Name => {
                matches!(&*word.text, "EQUAL" | "GREATER" | "LESS" | "EQUALS" | "UNEQUAL" | "EXCEEDS")
            }
            _ => false,
        }
    }

    fn starts_relation(&self) -> bool {
        let is = usize::from(self.is("IS"));
        let not = usize::from(self.is_ahead(is, "NOT"));
        self.is_operator_ahead(is + not)
    }

    fn relation(&mut self, subject: Option<Expression>) -> Parsed<Condition> {
        self.eat("IS");
        let not = self.eat("NOT");
        let at = self.word().at;
        let relation = self.relational_operator();
        let relation = if not { relation.opposite() } else { relation };
        if self.is_symbol("(") && self.parenthesis_holds_condition() {
            return self.relation_with_group(subject, relation, at);
        }
        let object = self.expression()?;
        Ok(Condition::Relation { subject, relation, object, at })
    }

    /// `x = (a OR b)`: the comparison holds for each object in the parentheses.
    fn relation_with_group(
        &mut self,
        subject: Option<Expression>,
        relation: Relation,
        at: cobol_source::At,
    ) -> Parsed<Condition> {
        self.bump();
        let inner = self.condition()?;
        self.expect_symbol(")", "a parenthesis that opens must be closed")?;
        Ok(Condition::Group(Box::new(inner.compared(&subject, relation, at))))
    }

    /// The operator at the cursor, which is one.
    pub(crate) fn relational_operator(&mut self) -> Relation {
        let word = self.bump();
        match &*word.text {
            "=" | "EQUALS" => Relation::Equal,
            "<>" | "UNEQUAL" => {
                self.eat("TO");
                Relation::Unequal
            }
            ">=" => Relation::GreaterOrEqual,
            "<=" => Relation::LessOrEqual,
            ">" | "GREATER" | "EXCEEDS" => self.or_equal(Relation::Greater, Relation::GreaterOrEqual),
            "<" | "LESS" => self.or_equal(Relation::Less, Relation::LessOrEqual),
            _ => {
                self.eat("TO");
                Relation::Equal
            }
        }
    }

    fn or_equal(&mut self, without: Relation, with: Relation) -> Relation {
        self.eat("THAN");
        if self.is("OR") && (self.is_ahead(1, "EQUAL") || self.is_symbol_ahead(1, "=")) {
            self.bump();
            self.bump();
            self.eat("TO");
            return with;
        }
        without
    }

    /// `[IS] [NOT] operator` as START has it, without a subject.
    pub(crate) fn eat_relation(&mut self) -> Option<Relation> {
        if !self.starts_relation() {
            return None;
        }
        self.eat("IS");
        let not = self.eat("NOT");
        let relation = self.relational_operator();
        Some(if not { relation.opposite() } else { relation })
    }

    /// Returns true if the parentheses at the cursor hold a condition, and not the first part of an expression.
    fn parenthesis_holds_condition(&self) -> bool {
        const WORDS: [&str; 18] = [
            "AND",
            "OR",
            "NOT",
            "IS",
            "EQUAL",
            "EQUALS",
            "GREATER",
            "LESS",
            "UNEQUAL",
            "EXCEEDS",
            "NUMERIC",
            "ALPHABETIC",
            "ALPHABETIC-LOWER",
            "ALPHABETIC-UPPER",
            "POSITIVE",
            "NEGATIVE",
            "DBCS",
            "KANJI",
        ];
        let mut depth = 0_usize;
        for by in 0.. {
            let word = self.ahead(by);
            match (word.kind, &*word.text) {
                (WordKind::Symbol, "(") => depth += 1,
                (WordKind::Symbol, ")") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let next = self.ahead(by + 1);
                        let arithmetic = next.kind == WordKind::Symbol
                            && matches!(&*next.text, "+" | "-" | "*" | "/" | "**");
                        let is = by + 1 + usize::from(self.is_ahead(by + 1, "IS"));
                        let not = is + usize::from(self.is_ahead(is, "NOT"));
                        let class = self
                            .is_any_ahead(not, &["NUMERIC", "POSITIVE", "NEGATIVE", "ALPHABETIC"])
                            || (not > by + 1 && self.is_any_ahead(not, &["ZERO", "ZEROS", "ZEROES"]));
                        return !(arithmetic || self.is_operator_ahead(not) || class);
                    }
                }
                (WordKind::Symbol, "=" | "<" | ">" | "<=" | ">=" | "<>") => return true,
                (WordKind::Reserved | WordKind::Name, text) if WORDS.contains(&text) => return true,
                (WordKind::Period | WordKind::End | WordKind::Exec, _) => return false,
                _ => {}
            }
        }
        false
    }
}

impl Condition {
    /// The same with each operand that stands alone compared with a subject.
    fn compared(self, subject: &Option<Expression>, relation: Relation, at: cobol_source::At) -> Self {
        let all =
            |list: Vec<Self>| list.into_iter().map(|part| part.compared(subject, relation, at)).collect();
        match self {
            Self::Or(list) => Self::Or(all(list)),
            Self::And(list) => Self::And(all(list)),
            Self::Not(inner, not) => Self::Not(Box::new(inner.compared(subject, relation, at)), not),
            Self::Bare(object) => Self::Relation { subject: subject.clone(), relation, object, at },
            other => other,
        }
    }
}

impl Relation {
    /// The operator with NOT.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
            Self::Greater => Self::LessOrEqual,
            Self::Less => Self::GreaterOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::LessOrEqual => Self::Greater,
        }
    }
}
