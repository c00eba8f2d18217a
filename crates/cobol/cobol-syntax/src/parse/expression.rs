//! Operands and arithmetic expressions.

use std::rc::Rc;

use crate::functions::function;
use crate::parser::{Parsed, Parser};
use crate::reserved::REGISTERS;
use crate::tree::{
    Expression, Figurative, FunctionCall, Literal, LiteralKind, Modification, Operand, Operator, Reference,
    Subscript,
};
use crate::words::{Word, WordKind};

/// Advice about a word that is no operand.
const OPERAND_HELP: &str = "write a data name, a literal, a figurative constant or a FUNCTION";

/// Meanings of a sign among subscripts with a blank in front and none behind it.
#[derive(Clone, Copy)]
enum Signs {
    /// An operator: `I +1` is one subscript.
    Operators,
    /// An operator, but behind a number: `1 +2` are two.
    BehindNumbers,
    /// The sign of a number: `I +1` are two.
    OfNumbers,
}

impl Parser<'_> {
    /// Returns true if an operand may begin at the cursor.
    pub(crate) fn starts_operand(&self) -> bool {
        let word = self.word();
        match word.kind {
            WordKind::Name => !self.starts_header() && !self.ends_scope() && !self.starts_old_statement(),
            WordKind::Number => !self.starts_header(),
            WordKind::Literal => true,
            WordKind::Symbol => {
                matches!(&*word.text, "+" | "-")
                    && self.ahead(1).kind == WordKind::Number
                    && self.ahead(1).glued
            }
            WordKind::Reserved => {
                figurative(&word.text).is_some()
                    || matches!(&*word.text, "FUNCTION" | "ALL" | "LENGTH" | "TRUE" | "FALSE")
                    || (&*word.text == "ADDRESS" && self.is_ahead(1, "OF"))
                    || REGISTERS.contains(&&*word.text)
            }
            _ => false,
        }
    }

    /// Returns true if a paragraph or section header begins at the cursor although no full stop stands in front.
    pub(crate) fn starts_header(&self) -> bool {
        let word = self.word();
        word.area_a
            && matches!(word.kind, WordKind::Name | WordKind::Number)
            && (self.ahead(1).kind == WordKind::Period || self.is_ahead(1, "SECTION"))
    }

    /// A value.
    pub(crate) fn operand(&mut self) -> Parsed<Operand> {
        let word = self.word();
        let at = word.at;
        match word.kind {
            WordKind::Literal => Ok(Operand::Literal(self.literal()?)),
            WordKind::Number => Ok(Operand::Literal(self.literal()?)),
            WordKind::Symbol if self.starts_operand() => Ok(Operand::Literal(self.literal()?)),
            WordKind::Name if self.is_bare_function() => self.function_call().map(Operand::Function),
            WordKind::Name
                if matches!(&*word.text, "DFHRESP" | "DFHVALUE") && self.is_symbol_ahead(1, "(") =>
            {
                self.cics_value()
            }
            WordKind::Name => self.reference().map(Operand::Reference),
            WordKind::Reserved => match &*word.text {
                "FUNCTION" => {
                    self.bump();
                    self.function_call().map(Operand::Function)
                }
                "ALL" => {
                    self.bump();
                    if let Some(constant) = figurative(&self.word().text) {
                        self.bump();
                        return Ok(Operand::Figurative(constant, at));
                    }
                    let literal = self.literal()?;
                    Ok(Operand::Figurative(Figurative::All(literal), at))
                }
                "TRUE" | "FALSE" => {
                    self.bump();
                    Ok(Operand::Truth(&*word.text == "TRUE", at))
                }
                "LENGTH" => self.length_of(),
                "ADDRESS" => {
                    self.bump();
                    self.expect("OF", "write ADDRESS OF and an item of the linkage section")?;
                    Ok(Operand::AddressOf(self.reference()?, at))
                }
                text => match figurative(text) {
                    Some(constant) => {
                        self.bump();
                        Ok(Operand::Figurative(constant, at))
                    }
                    None if REGISTERS.contains(&text) => self.reference().map(Operand::Reference),
                    None => self.expected("a value", OPERAND_HELP),
                },
            },
            _ => self.expected("a value", OPERAND_HELP),
        }
    }

    fn length_of(&mut self) -> Parsed<Operand> {
        let at = self.bump().at;
        self.eat("OF");
        let what = self.operand()?;
        Ok(Operand::LengthOf(Box::new(what), at))
    }

    /// `DFHRESP (NAME)`.
    fn cics_value(&mut self) -> Parsed<Operand> {
        let table = self.any_word("DFHRESP", "")?;
        self.bump();
        let name = self.any_word("a name", "DFHRESP takes a condition's name, as in DFHRESP(NOTFND)")?;
        self.expect_symbol(")", "one name stands in the parentheses, as in DFHRESP(NOTFND)")?;
        Ok(Operand::Cics { table, name })
    }

    /// One operand or more.
    pub(crate) fn operands(&mut self) -> Parsed<Vec<Operand>> {
        let mut operands = vec![self.operand()?];
        while self.starts_operand() {
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    /// A literal, a number with its sign among them.
    pub(crate) fn literal(&mut self) -> Parsed<Literal> {
        let word = self.word();
        if word.kind == WordKind::Literal {
            self.bump();
            let (kind, text) = split_literal(&word.text);
            return Ok(Literal { kind, text, at: word.at });
        }
        let signed = word.kind == WordKind::Symbol && matches!(&*word.text, "+" | "-");
        let number = self.ahead(usize::from(signed));
        if number.kind != WordKind::Number {
            return self.expected("a literal", "write text in quotes, or a number");
        }
        self.bump();
        if signed {
            self.bump();
        }
        let float = number.text.contains(['E', 'e']);
        let sign = if signed && &*word.text == "-" { "-" } else { "" };
        let text: Rc<str> =
            if sign.is_empty() { Rc::clone(&number.text) } else { format!("-{}", number.text).into() };
        let kind = if float { LiteralKind::Float } else { LiteralKind::Number };
        Ok(Literal { kind, text, at: word.at.to(number.at) })
    }

    /// A name with qualifiers, subscripts and reference modification.
    pub(crate) fn reference(&mut self) -> Parsed<Reference> {
        let mut reference = self.plain_reference("an item")?;
        // A comma ends an argument: `A, (B + 1)` are two.
        while self.is_symbol("(") && !self.word().separated {
            if self.parenthesis_has_colon() {
                if reference.modification.is_some() {
                    break;
                }
                reference.modification = Some(Box::new(self.modification()?));
            } else if self.in_argument && self.dimensions.is_in_no_table(&reference.name.text) {
                break;
            } else if reference.subscripts.is_empty() && reference.modification.is_none() {
                reference.subscripts = self.subscripts(&reference.name.text)?;
            } else {
                break;
            }
        }
        Ok(reference)
    }

    /// A name with qualifiers.
    pub(crate) fn plain_reference(&mut self, what: &str) -> Parsed<Reference> {
        let word = self.word();
        let register = word.kind == WordKind::Reserved && REGISTERS.contains(&&*word.text);
        let help = "a name begins and ends with a letter or digit and is no reserved word";
        let name = if register { self.any_word(what, help)? } else { self.name(what, help)? };
        let mut qualifiers = Vec::new();
        while self.is_any(&["OF", "IN"]) {
            self.bump();
            let register = self.is("LINAGE-COUNTER");
            qualifiers.push(if register { self.any_word(what, help)? } else { self.name(what, help)? });
        }
        let id = self.next_use();
        Ok(Reference { id, name, qualifiers, subscripts: Vec::new(), modification: None })
    }

    /// One reference or more.
    pub(crate) fn references(&mut self) -> Parsed<Vec<Reference>> {
        let mut references = vec![self.reference()?];
        while self.starts_reference() {
            references.push(self.reference()?);
        }
        Ok(references)
    }

    /// Returns true if a name of an item may begin at the cursor.
    pub(crate) fn starts_reference(&self) -> bool {
        match self.word().kind {
            WordKind::Name => !self.starts_header() && !self.ends_scope(),
            WordKind::Reserved => REGISTERS.contains(&&*self.word().text),
            _ => false,
        }
    }

    /// Returns true if the parentheses that open at the cursor hold a colon of their own.
    fn parenthesis_has_colon(&self) -> bool {
        let mut depth = 0_usize;
        for by in 0.. {
            let word = self.ahead(by);
            match (word.kind, &*word.text) {
                (WordKind::Symbol, "(") => depth += 1,
                (WordKind::Symbol, ")") if depth <= 1 => return false,
                (WordKind::Symbol, ")") => depth -= 1,
                (WordKind::Symbol, ":") if depth == 1 => return true,
                (WordKind::Period | WordKind::End | WordKind::Exec, _) => return false,
                _ => {}
            }
        }
        false
    }

    fn modification(&mut self) -> Parsed<Modification> {
        const HELP: &str = "reference modification is (first character : length), as in NAME (1:8)";
        self.bump();
        let start = self.expression()?;
        self.expect_symbol(":", HELP)?;
        let length = if self.is_symbol(")") { None } else { Some(self.expression()?) };
        self.expect_symbol(")", HELP)?;
        Ok(Modification { start, length })
    }

    /// Subscripts. `1 +2` may be one or two: the name's tables decide.
    fn subscripts(&mut self, name: &str) -> Parsed<Vec<Subscript>> {
        let start = self.position();
        let written = self.subscripts_with(Signs::Operators)?;
        let end = self.position();
        if self.dimensions.fits(name, written.len()) || !self.has_loose_sign(start, end) {
            return Ok(written);
        }
        for signs in [Signs::BehindNumbers, Signs::OfNumbers] {
            self.go_to(start);
            let subscripts = self.subscripts_with(signs)?;
            if self.dimensions.fits(name, subscripts.len()) {
                return Ok(subscripts);
            }
        }
        // However they are taken, their number is wrong: the message shows them as they are written.
        self.go_to(end);
        Ok(written)
    }

    /// Returns true if a sign between these words stands at a number and away from the word in front of it.
    /// Subscripts within subscripts are left as they are.
    fn has_loose_sign(&self, start: usize, end: usize) -> bool {
        let words = || (1..end.saturating_sub(start)).map(|by| self.word_at(start + by));
        let nested = words().any(|word| word.kind == WordKind::Symbol && &*word.text == "(");
        let is_sign = |word: &Word| word.kind == WordKind::Symbol && matches!(&*word.text, "+" | "-");
        let mut pairs = words().zip(words().skip(1));
        !nested && pairs.any(|(sign, number)| is_sign(sign) && !sign.glued && number.glued)
    }

    fn subscripts_with(&mut self, signs: Signs) -> Parsed<Vec<Subscript>> {
        self.bump();
        let mut subscripts = Vec::new();
        while !self.is_symbol(")") {
            if self.is("ALL") {
                subscripts.push(Subscript::All(self.bump().at));
                continue;
            }
            let splits = match signs {
                Signs::Operators => false,
                Signs::BehindNumbers => self.is_kind(WordKind::Number),
                Signs::OfNumbers => true,
            };
            subscripts.push(Subscript::Value(self.expression_of(splits)?));
        }
        self.bump();
        Ok(subscripts)
    }

    /// Returns true if a function begins at the cursor without the word FUNCTION.
    fn is_bare_function(&self) -> bool {
        if !self.all_functions && self.functions.is_empty() {
            return false;
        }
        let word = self.word();
        function(&word.text).is_some() && (self.all_functions || self.functions.contains(&word.text))
    }

    fn function_call(&mut self) -> Parsed<FunctionCall> {
        let name = self.any_word("a function's name", "as in FUNCTION CURRENT-DATE")?;
        let mut call = FunctionCall { name, arguments: Vec::new(), words: Vec::new(), modification: None };
        let takes_some = function(&call.name.text).is_none_or(|record| record.arguments.most != Some(0));
        if self.is_symbol("(") && !self.parenthesis_has_colon() && takes_some {
            self.bump();
            while !self.is_symbol(")") {
                let keyword = ["LEADING", "TRAILING", "ALPHANUMERIC", "NATIONAL", "ANYCASE"];
                if self.is_any(&keyword) {
                    call.words.push(self.any_word("a word", "")?);
                    continue;
                }
                call.arguments.push(self.argument()?);
            }
            self.bump();
        }
        if self.is_symbol("(") && self.parenthesis_has_colon() {
            call.modification = Some(Box::new(self.modification()?));
        }
        Ok(call)
    }

    /// An arithmetic expression; an operand alone is one, too.
    pub(crate) fn expression(&mut self) -> Parsed<Expression> {
        self.expression_of(false)
    }

    /// An argument of a function: the next one may begin with a sign.
    fn argument(&mut self) -> Parsed<Expression> {
        self.expression_of(true)
    }

    fn expression_of(&mut self, argument: bool) -> Parsed<Expression> {
        let before = std::mem::replace(&mut self.in_argument, argument);
        let expression = self.nested(Self::sum);
        self.in_argument = before;
        expression
    }

    fn sum(&mut self) -> Parsed<Expression> {
        self.chain(Self::product, &[("+", Operator::Add), ("-", Operator::Subtract)])
    }

    fn product(&mut self) -> Parsed<Expression> {
        self.chain(Self::power, &[("*", Operator::Multiply), ("/", Operator::Divide)])
    }

    fn power(&mut self) -> Parsed<Expression> {
        self.chain(Self::signed, &[("**", Operator::Power)])
    }

    /// Terms with operators of one rank between them, from the left.
    fn chain(
        &mut self,
        term: impl Fn(&mut Self) -> Parsed<Expression>,
        operators: &[(&str, Operator)],
    ) -> Parsed<Expression> {
        let mut left = term(self)?;
        let mut length = 0;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.is_symbol(symbol)) {
            // A comma ends an argument: (A, -B) are two.
            if self.word().separated || self.begins_argument() {
                break;
            }
            length += 1;
            if length > crate::parser::NESTING_MAX * 4 {
                let at = self.word().at;
                return self.fail(at, "SPSY002", "this expression has too many terms", "cut it in two");
            }
            self.bump();
            let right = term(self)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// Operators stand between spaces; a sign that does not is that of the next argument: (5 -3) are two.
    fn begins_argument(&self) -> bool {
        self.in_argument && !self.word().glued && self.starts_operand()
    }

    fn signed(&mut self) -> Parsed<Expression> {
        if self.is_symbol("+") || self.is_symbol("-") {
            if self.starts_operand() {
                return Ok(Expression::Operand(self.operand()?));
            }
            let negative = self.is_symbol("-");
            self.bump();
            let inner = self.nested(Self::signed)?;
            return Ok(if negative { Expression::Negative(Box::new(inner)) } else { inner });
        }
        if self.eat_symbol("(") {
            let inner = self.expression()?;
            self.expect_symbol(")", "a parenthesis that opens must be closed")?;
            return Ok(inner);
        }
        self.operand().map(Expression::Operand)
    }
}

/// The figurative constant of a word.
pub(crate) fn figurative(word: &str) -> Option<Figurative> {
    Some(match word {
        "ZERO" | "ZEROS" | "ZEROES" => Figurative::Zero,
        "SPACE" | "SPACES" => Figurative::Space,
        "HIGH-VALUE" | "HIGH-VALUES" => Figurative::HighValue,
        "LOW-VALUE" | "LOW-VALUES" => Figurative::LowValue,
        "QUOTE" | "QUOTES" => Figurative::Quote,
        "NULL" | "NULLS" => Figurative::Null,
        _ => return None,
    })
}

/// Kind and text of a literal as it was written.
pub(crate) fn split_literal(written: &str) -> (LiteralKind, Rc<str>) {
    let quote_at = written.find(['\'', '"']).unwrap_or(0);
    let (prefix, quoted) = written.split_at(quote_at);
    let kind = match prefix.to_ascii_uppercase().as_str() {
        "" => LiteralKind::Text,
        "X" | "H" => LiteralKind::Hexadecimal,
        "N" => LiteralKind::National,
        "NX" => LiteralKind::NationalHexadecimal,
        "U" => LiteralKind::Utf8,
        "UX" => LiteralKind::Utf8Hexadecimal,
        "G" => LiteralKind::DoubleByte,
        "Z" => LiteralKind::NullTerminated,
        _ => LiteralKind::Bits,
    };
    let quote = quoted.chars().next().unwrap_or('\'');
    let inner = quoted.strip_prefix(quote).unwrap_or(quoted);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    (kind, inner.replace(&format!("{quote}{quote}"), &quote.to_string()).into())
}
