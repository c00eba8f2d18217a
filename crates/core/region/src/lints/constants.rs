//! Items that keep their VALUE: what a program's text shows them to hold.

use cobol_check::{CheckedProgram, NameTarget};
use cobol_data::{Area, Item, ItemId};
use cobol_syntax::Block;
use cobol_syntax::tree::{Expression, Literal, LiteralKind, Operand, StatementKind};
use spec::Direction;

use super::Used;

/// A program with what it changes.
pub(super) struct Constants<'a> {
    program: &'a CheckedProgram,
    /// The items that statements may change.
    changed: Vec<ItemId>,
}

/// Options whose areas other programs may change.
const PASSED_ON: [&str; 2] = ["COMMAREA", "INPUTMSG"];

impl<'a> Constants<'a> {
    pub(super) fn of(program: &'a CheckedProgram, blocks: &[Block]) -> Self {
        let uses = program.uses.iter().filter(|one| one.changes);
        let mut changed: Vec<ItemId> = uses
            .filter_map(|one| match one.target {
                NameTarget::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        cobol_check::each_statement(&program.syntax, &mut |statement| {
            let StatementKind::Exec(exec) = &statement.kind else { return };
            let used = Used::of(exec, blocks);
            for (option, value) in &exec.operands {
                let goes_in = used.as_ref().is_some_and(|used| {
                    let option = used.item(*option).and_then(|item| used.command.takes(&item.name));
                    option.is_some_and(|option| {
                        option.direction == Direction::In && !PASSED_ON.contains(&option.name)
                    })
                });
                if let (false, Some(Operand::Reference(reference))) = (goes_in, value.operand()) {
                    changed.extend(program.item(reference.id).map(|(id, _)| id));
                }
            }
        });
        // SET of a condition-name changes the item that it belongs to.
        let items = &program.items;
        let changed = changed.into_iter().map(|id| match items.get(id) {
            Item { level: 88, parent: Some(parent), .. } => *parent,
            _ => id,
        });
        Self { program, changed: changed.collect() }
    }

    /// The literal that an expression is, or that the item has which it names.
    pub(super) fn literal(&self, expression: &'a Expression) -> Option<&'a Literal> {
        match expression.operand()? {
            Operand::Literal(literal) => Some(literal),
            Operand::Reference(reference)
                if reference.subscripts.is_empty() && reference.modification.is_none() =>
            {
                let (id, item) = self.program.item(reference.id)?;
                match item.values.as_slice() {
                    [value] if value.to.is_none() && self.keeps_value(id, item) => match &value.from {
                        Operand::Literal(literal) => Some(literal),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The name that an expression is.
    pub(super) fn name(&self, expression: &'a Expression) -> Option<String> {
        let literal = self.literal(expression).filter(|literal| literal.kind == LiteralKind::Text)?;
        Some(literal.text.trim_end().to_owned()).filter(|name| !name.is_empty())
    }

    /// The whole number that an expression is.
    pub(super) fn number(&self, expression: &'a Expression) -> Option<usize> {
        let literal = self.literal(expression).filter(|literal| literal.kind == LiteralKind::Number)?;
        literal.text.trim_start_matches('+').parse().ok()
    }

    fn keeps_value(&self, id: ItemId, item: &Item) -> bool {
        let items = &self.program.items;
        let plain = item.area == Area::WorkingStorage
            && item.parts.is_empty()
            && item.dimensions.is_empty()
            && !(item.global || item.external || item.within_redefinition || item.redefines.is_some());
        let span =
            |item: &Item, length: usize| (item.record, item.offset, item.offset.saturating_add(length));
        let (record, from, to) = span(item, item.length);
        let overlaps = |other: ItemId| {
            let (own, start, end) = span(items.get(other), items.extent(other));
            own == record && start < to && from < end
        };
        let redefined = || {
            items.all().any(|(_, other)| {
                other.redefines.is_some_and(|of| {
                    let (own, start, end) = span(items.get(of), items.extent(of).max(other.length));
                    own == record && start < to && from < end
                })
            })
        };
        plain && !self.changed.iter().any(|other| *other == id || overlaps(*other)) && !redefined()
    }
}
