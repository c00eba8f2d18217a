//! Shapes of commands: a connection tells one once, by the names of the command and its options, and is held to the command's
//! record; from then on a number stands for it.

use kernel::exec::{Content, Parcel};
use spec::{Command, CommandId, Direction, Kind, OptionId, OptionSpec, Status, cmd};

use crate::limits::{MESSAGE_MAX, OPTIONS_MAX, SHAPES_MAX};
use crate::wire::{Reader, Writer};

/// Reasons why a message is not taken.
pub(crate) type Refused = String;

/// The way of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Keyword,
    BytesIn,
    NumberIn,
    BytesOut,
    NumberOut,
    BytesBoth,
    NumberBoth,
}

/// All modes, by their numbers.
const MODES: [Mode; 7] = [
    Mode::Keyword,
    Mode::BytesIn,
    Mode::NumberIn,
    Mode::BytesOut,
    Mode::NumberOut,
    Mode::BytesBoth,
    Mode::NumberBoth,
];

/// Bytes of a number's field.
const FULLWORD: usize = 4;

impl Mode {
    fn gives(self) -> bool {
        matches!(self, Self::BytesOut | Self::NumberOut | Self::BytesBoth | Self::NumberBoth)
    }

    /// Returns true if an option's record has values of this kind.
    fn fits(self, option: &OptionSpec) -> bool {
        let direction = match self {
            Self::Keyword => return option.kind == Kind::Keyword || option.value_optional,
            Self::BytesIn | Self::NumberIn => option.direction != Direction::Out,
            Self::BytesOut | Self::NumberOut => option.direction != Direction::In,
            Self::BytesBoth | Self::NumberBoth => option.direction == Direction::InOut,
        };
        // Addresses and labels are of no use beyond the process.
        direction && !matches!(option.kind, Kind::Keyword | Kind::Pointer | Kind::Label)
    }
}

/// Commands that pass control, or set what only a program of this process can have.
const NOT_FROM_JAVA: &[CommandId] = &[
    cmd::RETURN,
    cmd::XCTL,
    cmd::HANDLE_ABEND,
    cmd::HANDLE_AID,
    cmd::HANDLE_CONDITION,
    cmd::IGNORE_CONDITION,
    cmd::PUSH_HANDLE,
    cmd::POP_HANDLE,
];

/// A command with its options, ready for values.
pub(crate) struct Shape {
    template: Parcel,
    options: Vec<(OptionId, Mode)>,
}

impl Shape {
    /// Reads a shape, and holds it to the command's record.
    fn read(body: &mut Reader<'_>) -> Result<Self, Refused> {
        let name = body.text().ok_or("a shape without a command")?;
        let command =
            spec::find(name).ok_or_else(|| format!("there is no command {}", name.escape_debug()))?;
        if command.status == Status::NotYet || NOT_FROM_JAVA.contains(&command.id) {
            return Err(format!("{name} is not for Java programs"));
        }
        let count = usize::from(body.u8().ok_or("a shape without options")?);
        if count > OPTIONS_MAX {
            return Err(format!("a shape of {count} options"));
        }
        let mut shape = Self { template: Parcel::new(command.id), options: Vec::with_capacity(count) };
        for _ in 0..count {
            shape.option(command, body)?;
        }
        shape.complete(command)?;
        Ok(shape)
    }

    fn option(&mut self, command: &Command, body: &mut Reader<'_>) -> Result<(), Refused> {
        let name = body.text().ok_or("an option without a name")?;
        let mode = body.u8().and_then(|mode| MODES.get(usize::from(mode)).copied());
        let mode = mode.ok_or("an option of no kind")?;
        let refused = || format!("{} has no such option {}", command.name, name.escape_debug());
        let option = command.option(name).ok_or_else(refused)?;
        if !option.is_for_regions() || !mode.fits(option) {
            return Err(refused());
        }
        let held = match mode {
            Mode::Keyword => self.template.keyword(option.id),
            Mode::BytesIn | Mode::BytesBoth => self.template.give(option.id, Content::Bytes(Vec::new())),
            Mode::NumberIn | Mode::NumberBoth => self.template.give(option.id, Content::Number(0)),
            Mode::BytesOut | Mode::NumberOut => self.template.room(option.id, FULLWORD),
        };
        held.map_err(|why| format!("{} {name}: {why}", command.name))?;
        self.options.push((option.id, mode));
        Ok(())
    }

    /// Checks what a compiler checks of a program's command.
    fn complete(&self, command: &Command) -> Result<(), Refused> {
        let count = |set: &[OptionId]| set.iter().filter(|option| self.template.has(**option)).count();
        let is_missing = command.required.iter().any(|set| count(set) == 0);
        let is_too_much = command.exclusive.iter().any(|set| count(set) > 1);
        match is_missing || is_too_much {
            true => Err(format!("{} lacks an option, or has two that exclude each other", command.name)),
            false => Ok(()),
        }
    }

    /// The command with the values of a message.
    fn filled(&self, body: &mut Reader<'_>) -> Result<Parcel, Refused> {
        const SHORT: &str = "a command with too few values";
        let mut parcel = self.template.clone();
        for (option, mode) in &self.options {
            let put = match mode {
                Mode::Keyword | Mode::NumberOut => Ok(()),
                Mode::BytesIn | Mode::BytesBoth => {
                    parcel.put(*option, Content::Bytes(body.bytes().ok_or(SHORT)?.to_vec()))
                }
                Mode::NumberIn | Mode::NumberBoth => {
                    parcel.put(*option, Content::Number(body.i64().ok_or(SHORT)?))
                }
                Mode::BytesOut => {
                    let room = usize::try_from(body.u32().ok_or(SHORT)?).unwrap_or(usize::MAX);
                    if room > MESSAGE_MAX {
                        return Err(format!("room for {room} bytes"));
                    }
                    parcel.empty(*option, room)
                }
            };
            put.map_err(|why| format!("{}: {why}", option.name()))?;
        }
        match body.is_at_end() {
            true => Ok(parcel),
            false => Err("a command with more than its values".to_owned()),
        }
    }

    /// Adds what the command has given to an answer.
    pub fn answer(&self, parcel: &Parcel, body: Writer) -> Writer {
        let given = self.options.iter().filter(|(_, mode)| mode.gives());
        given.fold(body, |body, (option, _)| match parcel.content(*option) {
            Some(Content::Bytes(bytes)) => body.u8(1).bytes(&bytes),
            Some(Content::Number(number)) => body.u8(2).i64(number),
            Some(Content::Nothing | Content::Pointer(_)) | None => body.u8(0),
        })
    }
}

/// A message that has a known shape.
pub(crate) const KNOWN: u8 = b'C';
/// A message that tells its shape.
pub(crate) const DEFINED: u8 = b'D';

/// The shapes that a connection has told, by their numbers.
#[derive(Default)]
pub(crate) struct Shapes(Vec<Option<Shape>>);

impl Shapes {
    /// Reads a command.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn command(&mut self, body: &[u8]) -> Result<(&Shape, Parcel), Refused> {
        let mut body = Reader(body);
        let form = body.u8().ok_or("an empty message")?;
        let number = usize::from(body.u16().ok_or("a command without a shape")?);
        if number >= SHAPES_MAX {
            return Err(format!("the shape {number}"));
        }
        match form {
            KNOWN => {}
            DEFINED => {
                if self.0.get(number).is_some_and(Option::is_some) {
                    return Err(format!("the shape {number} a second time"));
                }
                let shape = Shape::read(&mut body)?;
                if self.0.len() <= number {
                    self.0.resize_with(number + 1, || None);
                }
                self.0[number] = Some(shape);
            }
            _ => return Err(format!("a message of the unknown form {form}")),
        }
        let shape = self.0.get(number).and_then(Option::as_ref);
        let shape = shape.ok_or_else(|| format!("the unknown shape {number}"))?;
        let parcel = shape.filled(&mut body)?;
        Ok((shape, parcel))
    }
}

#[cfg(test)]
mod tests {
    use spec::opt;

    use super::*;

    /// A message with a shape: options as `name mode`.
    fn told(command: &str, options: &[(&str, u8)], values: Writer) -> Vec<u8> {
        let head = Writer::default().u8(DEFINED).u16(0).text(command).u8(options.len() as u8);
        let mut body = options.iter().fold(head, |body, (name, mode)| body.text(name).u8(*mode)).0;
        body.extend(values.0);
        body
    }

    #[test]
    fn a_shape_is_told_once_and_then_known_by_its_number() {
        let mut shapes = Shapes::default();
        let values = || Writer::default().bytes(b"QUEUE").bytes(b"item").i64(4);
        let options = [("QUEUE", 1), ("FROM", 1), ("LENGTH", 2), ("NUMITEMS", 4), ("MAIN", 0)];
        let (shape, parcel) = shapes.command(&told("WRITEQ TS", &options, values())).expect("a command");
        assert_eq!(parcel.content(opt::FROM), Some(Content::text("item")));
        assert!(parcel.has(opt::MAIN));
        assert_eq!(shape.answer(&parcel, Writer::default()).0, [0], "NUMITEMS has not been given yet");
        let mut known = Writer::default().u8(KNOWN).u16(0).0;
        known.extend(values().0);
        let (_, again) = shapes.command(&known).expect("the same");
        assert_eq!(again, parcel);
    }

    /// A command, its options with their kinds, and a part of the words that refuse it.
    type Refused = (&'static str, &'static [(&'static str, u8)], &'static str);

    #[test]
    fn whatever_the_record_does_not_have_is_refused() {
        let table: [Refused; 10] = [
            ("STEAL", &[], "no command STEAL"),
            ("RETURN", &[], "not for Java"),
            ("HANDLE ABEND", &[], "not for Java"),
            ("READQ TS", &[("QUEUE", 1), ("SET", 3)], "no such option SET"),
            ("READQ TS", &[("QUEUE", 3), ("INTO", 3)], "no such option QUEUE"),
            ("READQ TS", &[("QUEUE", 9), ("INTO", 3)], "an option of no kind"),
            ("READQ TS", &[("QUEUE", 1), ("QUEUE", 1)], "there already"),
            ("READQ TS", &[("QUEUE", 1)], "lacks an option"),
            ("READQ TS", &[("QUEUE", 1), ("QNAME", 1), ("INTO", 3)], "exclude each other"),
            ("DELETEQ TS", &[("QUEUE", 1)], "more than its values"),
        ];
        for (command, options, why) in table {
            let values = Writer::default().bytes(b"Q").bytes(b"Q").i32(4).i64(0);
            let refused =
                Shapes::default().command(&told(command, options, values)).map(drop).expect_err(why);
            assert!(refused.contains(why), "{command}: {refused}");
        }
    }

    #[test]
    fn no_bytes_of_a_message_do_harm() {
        let options = [("QUEUE", 1), ("INTO", 3), ("LENGTH", 6), ("ITEM", 2)];
        let good = told("READQ TS", &options, Writer::default().bytes(b"Q").u32(100).i64(100).i64(1));
        assert!(Shapes::default().command(&good).is_ok());
        let mut random = fastrand::Rng::with_seed(36);
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            bytes.truncate(random.usize(..=bytes.len()));
            // It is a command or it is refused: it never takes the region down.
            let _ = Shapes::default().command(&bytes).map(drop);
        }
    }
}
