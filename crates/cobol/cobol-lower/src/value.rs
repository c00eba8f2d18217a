//! The value of a function.

use cobol_ir::program::{Number, Text, TextFunction};
use cobol_syntax::tree::FunctionCall;

/// The value of a function.
pub(crate) enum Value {
    Number(Number),
    Text(Text),
}

/// TRIM at the ends that are named, or at both.
pub(super) fn trim(call: &FunctionCall, text: Text) -> TextFunction {
    let has = |word: &str| call.words.iter().any(|own| &*own.text == word);
    let (leading, trailing) = (has("LEADING"), has("TRAILING"));
    TextFunction::Trim { text, leading: leading || !trailing, trailing: trailing || !leading }
}
