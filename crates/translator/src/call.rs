//! A command as a CALL: descriptor, arguments, and what must be done before and behind it.

use diagnostics::Diagnostic;
use spec::{Direction, Kind, OptionId, OptionSpec, cmd, opt};

use crate::exec::{Block, Item};
use crate::grammar::Call;
use crate::jumps::NEXT;
use crate::messages::Messages;
use crate::origin::At;
use crate::token::{Lay, Token, phrase, text_of};
use crate::values;

/// Pointers that stand for `ADDRESS OF x`: this and a number from 1.
pub(crate) const POINTER: &str = "DFHEIP";
/// Numbers that stand for arithmetic: this and a number from 1.
pub(crate) const NUMBER: &str = "DFHEIX";
/// Where the called function's value is put. It is a pointer because that is the one form of RETURNING for which the
/// compiler stores the value in place; its low half is [`GO`].
pub(crate) const RETURNED: &str = "DFHEIRET";
/// The label to go to, from 1, or 0.
pub(crate) const GO: &str = "DFHEIGO";

/// What a program's statements need in its working storage, and the labels of its HANDLE commands.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// Most pointers in one statement.
    pub(crate) pointers: usize,
    /// Most numbers in one statement.
    pub(crate) numbers: usize,
    /// Paragraphs and sections, as first written, and where; the first has number 1.
    labels: Vec<(String, At)>,
}

impl Needs {
    /// The number of the label that an option names, from 1.
    pub(crate) fn label(&mut self, argument: &[Token], option: At) -> usize {
        let name = text_of(argument).to_ascii_uppercase();
        let found = self.labels.iter().position(|(label, _)| *label == name);
        let at = found.unwrap_or_else(|| {
            self.labels.push((name, argument.first().map_or(option, |word| word.at)));
            self.labels.len() - 1
        });
        at + 1
    }

    /// `GO TO … DEPENDING ON …`, if the program has labels. A statement stands behind it for the reason of [`crate::jumps`].
    pub(crate) fn jump(&self, at: At) -> Option<Token> {
        let labels: Vec<&str> = self.labels.iter().map(|(label, _)| label.as_str()).collect();
        (!labels.is_empty())
            .then(|| Token::line(format!("GO TO {} DEPENDING ON {GO} {NEXT}", labels.join(" ")), at))
    }

    /// The first such jump of a program: each label stands in it as of the line where the user has written it, which is
    /// where the compiler finds that there is no such paragraph.
    pub(crate) fn first_jump(&self, at: At) -> Vec<Token> {
        if self.labels.is_empty() {
            return Vec::new();
        }
        let mut jump = vec![Token::line("GO TO", at)];
        jump.extend(self.labels.iter().map(|(label, written)| Token::made(label.as_str(), *written)));
        jump.push(Token::made(format!("DEPENDING ON {GO} {NEXT}"), at));
        jump
    }
}

/// The call of a function that has to do with the program's environment.
pub(crate) fn returning(at: At) -> Token {
    Token::line(format!("RETURNING INTO {RETURNED} END-CALL"), at)
}

/// The statements that take the place of a block; all labels of the program must be known.
pub(crate) fn write(
    call: &Call<'_>,
    block: &Block,
    end: At,
    statement: u16,
    needs: &mut Needs,
    messages: &mut Messages,
) -> Vec<Token> {
    let mut writer = Writer { needs, messages, parts: Parts::default() };
    for (option, item) in &call.arguments {
        writer.argument(option, item);
    }
    writer.map_default(call);
    let Parts { options, before, arguments, behind, pointers, numbers } = writer.parts;
    let mut descriptor = spec::call::encode(call.command.id, statement, &options, &call.keywords);
    if call.unbuilt {
        spec::call::mark_unbuilt(&mut descriptor);
    }
    let hex: String = descriptor.iter().map(|byte| format!("{byte:02X}")).collect();
    let mut out = before;
    out.push(Token::line(format!("CALL '{}' USING X'{hex}'", spec::call::EXEC_SYMBOL), block.at));
    out.extend(arguments);
    out.push(returning(end));
    out.extend(behind);
    out.extend(needs.jump(end));
    needs.pointers = needs.pointers.max(pointers);
    needs.numbers = needs.numbers.max(numbers);
    out
}

/// The parts of one call.
#[derive(Default)]
struct Parts {
    options: Vec<OptionId>,
    before: Vec<Token>,
    arguments: Vec<Token>,
    behind: Vec<Token>,
    pointers: usize,
    numbers: usize,
}

struct Writer<'a> {
    needs: &'a mut Needs,
    messages: &'a mut Messages,
    parts: Parts,
}

impl Writer<'_> {
    fn argument(&mut self, option: &OptionSpec, item: &Item) {
        self.parts.options.push(option.id);
        let argument = item.argument.as_deref().unwrap_or(&[]);
        let argument = values::replace(argument, self.messages);
        if option.kind == Kind::Label {
            let number = self.needs.label(&argument, item.at);
            return self.parts.arguments.push(Token::made(number.to_string(), item.at));
        }
        match form(&argument) {
            Form::Plain => self.parts.arguments.extend(following(argument)),
            Form::Constant(text) => self.parts.arguments.push(Token::made(text, item.at)),
            Form::Null => self.pointer(item.at, "NULL".to_string(), None),
            Form::Address => {
                let address = text_of(&argument);
                let out = option.direction != Direction::In;
                self.pointer(item.at, address.clone(), out.then_some(address));
            }
            Form::Arithmetic => self.number(option, item, argument),
        }
    }

    /// Passes a pointer that holds an address, which goes back where it came from if the command may change it.
    fn pointer(&mut self, at: At, value: String, back: Option<String>) {
        self.parts.pointers += 1;
        let pointer = format!("{POINTER}{}", self.parts.pointers);
        self.parts.before.push(Token::line(format!("SET {pointer} TO {value}"), at));
        self.parts.behind.extend(back.map(|back| Token::line(format!("SET {back} TO {pointer}"), at)));
        self.parts.arguments.push(Token::made(pointer, at));
    }

    fn number(&mut self, option: &OptionSpec, item: &Item, argument: Vec<Token>) {
        if option.direction == Direction::Out {
            let message = format!("{} needs a data area to put its value in", option.name);
            let message = Diagnostic::error("SPTR036", message).label("given an expression");
            return self.messages.add(item.at, message.help("compute it into a data item first"));
        }
        self.parts.numbers += 1;
        let number = format!("{NUMBER}{}", self.parts.numbers);
        self.parts.before.push(Token::line(format!("COMPUTE {number} ="), item.at));
        self.parts.before.extend(following(argument));
        self.parts.arguments.push(Token::made(number, item.at));
    }

    /// The symbolic map's area, where the program leaves FROM or INTO out.
    fn map_default(&mut self, call: &Call<'_>) {
        let leaves_out = |options: &[OptionId]| {
            let there = |o: &OptionId| call.argument(*o).is_some() || call.keywords.contains(o);
            !options.iter().any(there)
        };
        let (option, suffix) = match call.command.id {
            cmd::SEND_MAP if leaves_out(&[opt::FROM, opt::MAPONLY]) => (opt::FROM, 'O'),
            cmd::RECEIVE_MAP if leaves_out(&[opt::INTO, opt::SET]) => (opt::INTO, 'I'),
            _ => return,
        };
        let Some(map) = call.argument(opt::MAP) else { return };
        let argument = map.argument.as_deref().unwrap_or(&[]);
        match argument {
            [name] if name.literal_value().is_some() => {
                let area = format!("{}{suffix}", name.literal_value().unwrap_or_default().trim());
                self.parts.options.push(option);
                self.parts.arguments.push(Token::made(area, map.at));
            }
            _ => {
                let message =
                    format!("{} of a map named at run time needs {}", call.command.name, option.name());
                let help = format!("write {}(area), the symbolic map's record", option.name());
                self.messages.add(map.at, Diagnostic::error("SPTR042", message).help(help));
            }
        }
    }
}

/// What an argument is to COBOL.
enum Form {
    /// What a CALL takes: an identifier, a literal, a number, LENGTH OF, a function.
    Plain,
    /// A figurative constant, which CALL does not take, as a literal.
    Constant(&'static str),
    Null,
    Address,
    Arithmetic,
}

const FIGURATIVE: [(&str, &str); 11] = [
    ("SPACE", "' '"),
    ("SPACES", "' '"),
    ("ZERO", "0"),
    ("ZEROS", "0"),
    ("ZEROES", "0"),
    ("LOW-VALUE", "X'00'"),
    ("LOW-VALUES", "X'00'"),
    ("HIGH-VALUE", "X'FF'"),
    ("HIGH-VALUES", "X'FF'"),
    ("QUOTE", "'\"'"),
    ("QUOTES", "'\"'"),
];

fn form(argument: &[Token]) -> Form {
    if let [word] = argument {
        let constant = FIGURATIVE.iter().find(|(name, _)| word.is(name));
        return match constant {
            Some((_, text)) => Form::Constant(text),
            None if word.is_any(&["NULL", "NULLS"]) => Form::Null,
            None => Form::Plain,
        };
    }
    if phrase(argument, 0, &["ADDRESS", "OF"]) {
        return Form::Address;
    }
    if is_arithmetic(argument) { Form::Arithmetic } else { Form::Plain }
}

/// Whether an operator stands outside of parentheses, or the whole begins with one; a signed number is no arithmetic.
fn is_arithmetic(argument: &[Token]) -> bool {
    let sign = |t: &Token| t.is_symbol("-") || t.is_symbol("+");
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

/// The argument behind what stands before it.
fn following(mut argument: Vec<Token>) -> Vec<Token> {
    if let Some(first) = argument.first_mut() {
        first.lay = Lay::Gap(1);
    }
    argument
}
