//! Parameter markers of a prepared statement: each has the type of what it stands beside, by the published rules.
//!
//! A marker is read without a type; the place where it meets others gives it one. What nothing has given a type is a text.

use db2::Kind;
use db2::package::Spot;
use db2_values::Type;

use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, Node};

/// The type of a marker before it has one: no variable and no column is so short.
const OPEN: Type = Type::VarChar(0);
/// The type of one that got none, and of texts beside which nothing says how long they are.
pub(crate) const TEXT: Type = Type::VarChar(4000);

fn is_open(value: &Expression) -> bool {
    value.kind == OPEN && matches!(value.node, Node::Variable(_))
}

impl Context<'_> {
    /// Reads a marker.
    ///
    /// # Errors
    /// -104: the statement is a program's own, which has host variables.
    pub(crate) fn marker(&mut self) -> Result<Expression, Refusal> {
        let Some(kinds) = &self.markers else { return Err(self.reader.unexpected("a host variable")) };
        let before = self.reader.between(0, self.reader.mark());
        let number = before.iter().filter(|token| token.kind == Kind::Marker).count();
        let kind = kinds.get(number).copied().flatten().unwrap_or(OPEN);
        self.reader.next();
        Ok(Expression { node: Node::Variable(number as u32), kind, is_nullable: true })
    }

    /// Gives a value a type, if it is a marker without one.
    pub(crate) fn give(&mut self, value: &mut Expression, kind: Type) {
        if !is_open(value) || kind == OPEN {
            return;
        }
        value.kind = kind;
        if let (Some(kinds), Node::Variable(number)) = (&mut self.markers, &value.node)
            && let Some(known) = kinds.get_mut(*number as usize)
        {
            known.get_or_insert(kind);
        }
    }

    /// Gives markers among values the type of the first that has one.
    pub(crate) fn alike(&mut self, values: &mut [&mut Expression]) {
        let known = values.iter().find(|value| !is_open(value) && value.node != Node::Null);
        if let Some(kind) = known.map(|value| value.kind) {
            values.iter_mut().for_each(|value| self.give(value, kind));
        }
    }

    /// Two values that are compared.
    ///
    /// # Errors
    /// -417: both are markers.
    pub(crate) fn compares(
        &mut self,
        left: &mut Expression,
        right: &mut Expression,
        spot: Spot,
    ) -> Result<(), Refusal> {
        if is_open(left) && is_open(right) {
            return Err(two_markers(spot));
        }
        self.alike(&mut [left, right]);
        Ok(())
    }

    /// Two operands of arithmetic.
    ///
    /// # Errors
    /// -417: both are markers. -418: one is, and the other is a date or a time.
    pub(crate) fn calculates(
        &mut self,
        left: &mut Expression,
        right: &mut Expression,
        spot: Spot,
    ) -> Result<(), Refusal> {
        let other = match (is_open(left), is_open(right)) {
            (false, false) => return Ok(()),
            (true, true) => return Err(two_markers(spot)),
            (true, false) => right.kind,
            (false, true) => left.kind,
        };
        if other.is_datetime() {
            return Err(Refusal::code(-418, spot, "a marker beside a date or a time has no type")
                .help("give it one by CAST, or write a duration: ? DAYS"));
        }
        let kind = if other.is_number() { other } else { Type::Double };
        self.give(left, kind);
        self.give(right, kind);
        Ok(())
    }
}

fn two_markers(spot: Spot) -> Refusal {
    Refusal::code(-417, spot, "two markers beside each other have no type")
        .help("give one of them a type by CAST")
}
