//! ADD, SUBTRACT, MULTIPLY, DIVIDE, COMPUTE.

use crate::parser::{Parsed, Parser};
use crate::tree::{Arithmetic, ArithmeticVerb, Operand, Receiver, StatementKind};

impl Parser<'_> {
    pub(super) fn arithmetic(&mut self, verb: &str) -> Parsed<StatementKind> {
        let corresponding =
            matches!(verb, "ADD" | "SUBTRACT") && self.eat_any(&["CORRESPONDING", "CORR"]).is_some();
        let operands = self.operands()?;
        let (verb, middle) = match verb {
            "ADD" => (ArithmeticVerb::Add, "TO"),
            "SUBTRACT" => (ArithmeticVerb::Subtract, "FROM"),
            "MULTIPLY" => (ArithmeticVerb::Multiply, "BY"),
            _ if self.is("BY") => (ArithmeticVerb::DivideBy, "BY"),
            _ => (ArithmeticVerb::DivideInto, "INTO"),
        };
        let mut statement = Arithmetic {
            verb,
            corresponding,
            operands,
            base: Vec::new(),
            receivers: Vec::new(),
            giving: false,
            remainder: None,
            handlers: Default::default(),
        };
        self.arithmetic_targets(&mut statement, middle)?;
        if self.eat("REMAINDER") {
            statement.remainder = Some(self.receiver()?);
        }
        statement.handlers = self.handlers()?;
        Ok(StatementKind::Arithmetic(Box::new(statement)))
    }

    fn arithmetic_targets(&mut self, statement: &mut Arithmetic, middle: &str) -> Parsed<()> {
        if self.eat(middle) {
            // What follows is the receivers, or operands where GIVING comes behind them.
            let (base, rounded) = self.operands_with_rounded()?;
            if !self.is("GIVING") {
                for (operand, rounded) in base.into_iter().zip(rounded) {
                    match operand {
                        Operand::Reference(item) => statement.receivers.push(Receiver { item, rounded }),
                        other => {
                            let message = "this takes a result, and is no item";
                            return self.fail(
                                other.at(),
                                "SPSY030",
                                message,
                                "name an item, or write GIVING and one",
                            );
                        }
                    }
                }
                return Ok(());
            }
            statement.base = base;
        } else if statement.verb != ArithmeticVerb::Add || !self.is("GIVING") {
            let help = format!("write {middle} and where the result goes, or GIVING");
            return self.expected(middle, &help);
        }
        self.bump();
        statement.giving = true;
        statement.receivers = self.receivers()?;
        Ok(())
    }

    fn operands_with_rounded(&mut self) -> Parsed<(Vec<Operand>, Vec<bool>)> {
        let (mut operands, mut rounded) = (Vec::new(), Vec::new());
        loop {
            operands.push(self.operand()?);
            rounded.push(self.eat("ROUNDED"));
            if !self.starts_operand() {
                return Ok((operands, rounded));
            }
        }
    }

    fn receiver(&mut self) -> Parsed<Receiver> {
        let item = self.reference()?;
        let rounded = self.eat("ROUNDED");
        if rounded && self.is("MODE") {
            let at = self.word().at;
            return self.fail(
                at,
                "SPSY091",
                "ROUNDED MODE is of later standards",
                "ROUNDED alone rounds half away from zero",
            );
        }
        Ok(Receiver { item, rounded })
    }

    fn receivers(&mut self) -> Parsed<Vec<Receiver>> {
        let mut receivers = vec![self.receiver()?];
        while self.starts_reference() {
            receivers.push(self.receiver()?);
        }
        Ok(receivers)
    }

    pub(super) fn compute(&mut self) -> Parsed<StatementKind> {
        let receivers = self.receivers()?;
        if !self.eat_symbol("=") && !self.eat("EQUAL") {
            return self.expected("=", "COMPUTE item = expression");
        }
        let value = self.expression()?;
        let handlers = self.handlers()?;
        Ok(StatementKind::Compute { receivers, value, handlers })
    }
}
