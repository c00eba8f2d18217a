//! NEXT VALUE FOR and PREVIOUS VALUE FOR a sequence, IDENTITY_VAL_LOCAL.

use db2_values::Type;

use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, Node, Number};

/// Reads a value of a sequence; `None`: other words stand here.
pub(super) fn value(context: &mut Context<'_>) -> Result<Option<Expression>, Refusal> {
    let spot = context.reader.spot();
    let of = match () {
        () if context.reader.take_all(&["NEXT", "VALUE", "FOR"]) => Number::Next,
        () if context.reader.take_all(&["PREVIOUS", "VALUE", "FOR"]) => Number::Previous,
        () if context.reader.take_all(&["IDENTITY_VAL_LOCAL", "(", ")"]) => {
            let kind = Type::Decimal { precision: 31, scale: 0 };
            let node = Node::Numbered(Number::Identity, String::new());
            return Ok(Some(Expression { node, kind, is_nullable: true }));
        }
        () => return Ok(None),
    };
    let (_, name) = context.reader.qualified("a sequence")?;
    let Some(kind) = context.sequence(&name.text) else {
        return Err(Refusal::code(-204, name.spot, format!("there is no sequence {}", name.text)));
    };
    if of == Number::Next {
        context.takes_number(spot)?;
    }
    Ok(Some(Expression { node: Node::Numbered(of, name.text), kind, is_nullable: false }))
}
