//! The arguments of a command: what cannot be one.

use cobol_source::exec::Item;
use diagnostics::Diagnostic;
use spec::{Direction, Kind, OptionId, OptionSpec, cmd, opt};

use crate::asked::Command;
use crate::messages::Messages;
use crate::token::{Token, phrase};
use crate::values;

/// Looks at the arguments of a command, and names the symbolic map that it leaves out.
pub(crate) fn check(command: &mut Command, items: &[Item], messages: &mut Messages) {
    for argument in &command.arguments {
        if let Some(item) = items.get(usize::from(argument.item)) {
            self::argument(argument.option, item, messages);
        }
    }
    map_default(command, items, messages);
}

fn argument(option: &OptionSpec, item: &Item, messages: &mut Messages) {
    let argument = item.argument.as_deref().unwrap_or(&[]);
    let mut at = 0;
    while at < argument.len() {
        at = values::check(argument, at, messages).unwrap_or(at + 1);
    }
    if option.kind != Kind::Label && option.direction == Direction::Out && is_arithmetic(argument) {
        let message = format!("{} needs a data area to put its value in", option.name);
        let message = Diagnostic::error("SPTR036", message).label("given an expression");
        messages.add(item.at, message.help("compute it into a data item first"));
    }
}

/// The symbolic map's area is meant where FROM or INTO is left out: the map must have a name in the text.
fn map_default(command: &mut Command, items: &[Item], messages: &mut Messages) {
    let leaves_out = |options: &[OptionId]| !options.iter().any(|option| command.has(*option));
    let (option, suffix) = match command.record.id {
        cmd::SEND_MAP if leaves_out(&[opt::FROM, opt::MAPONLY]) => (opt::FROM, 'O'),
        cmd::RECEIVE_MAP if leaves_out(&[opt::INTO, opt::SET]) => (opt::INTO, 'I'),
        _ => return,
    };
    let map = command.argument(opt::MAP).and_then(|map| items.get(usize::from(map.item)));
    let Some(map) = map else { return };
    if let Some([name]) = map.argument.as_deref()
        && let Some(name) = name.literal_value()
    {
        command.map = Some((option, format!("{}{suffix}", name.trim().to_uppercase())));
        return;
    }
    let message = format!("{} of a map named at run time needs {}", command.record.name, option.name());
    let help = format!("write {}(area), the symbolic map's record", option.name());
    messages.add(map.at, Diagnostic::error("SPTR042", message).help(help));
}

/// Returns true if an operator stands outside of parentheses, or the whole begins with one. A signed number is no arithmetic.
fn is_arithmetic(argument: &[Token]) -> bool {
    let sign = |token: &Token| token.is_symbol("-") || token.is_symbol("+");
    if argument.len() < 2 || phrase(argument, 0, &["ADDRESS", "OF"]) {
        return false;
    }
    if let [first, number] = argument
        && sign(first)
        && number.is_number()
    {
        return false;
    }
    let mut depth = 0_i32;
    argument.iter().enumerate().any(|(at, token)| {
        let opens = token.is_symbol("(");
        depth += i32::from(opens) - i32::from(token.is_symbol(")"));
        let operator = sign(token) || token.is_symbol("*") || token.is_symbol("/");
        (opens && at == 0) || (operator && depth == 0)
    })
}
