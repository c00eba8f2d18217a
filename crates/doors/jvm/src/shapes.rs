//! Shapes of commands: a connection tells one once, by the names of the command and its options, and is held to the command's
//! record; from then on a number stands for it.

use kernel::exec::{Content, Parcel};
use spec::{Command, CommandId, Direction, Kind, OptionId, OptionSpec, Status, cmd};

use crate::limits::{AHEAD_MAX, MESSAGE_MAX, OPTIONS_MAX, SHAPES_MAX};
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

/// Commands that a message may ask for several times in a row.
const REPEATED: &[CommandId] = &[cmd::READNEXT, cmd::READPREV];

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

    /// The command once more, behind its former answer: it goes on from the areas that it has changed. The values are those of
    /// its message.
    pub fn again(&self, values: &[u8], former: &Parcel) -> Result<Parcel, Refused> {
        let mut parcel = self.filled(&mut Reader(values))?;
        for (option, _) in self.options.iter().filter(|(_, mode)| *mode == Mode::BytesBoth) {
            if let Some(content) = former.content(*option) {
                parcel.put(*option, content).map_err(|why| format!("{}: {why}", option.name()))?;
            }
        }
        Ok(parcel)
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
/// A message whose command is to be answered several times.
pub(crate) const TIMES: u8 = b'T';

/// A command that a message asks for.
pub(crate) struct Asked<'a> {
    pub shape: &'a Shape,
    pub parcel: Parcel,
    /// The message's values.
    pub values: &'a [u8],
    /// The number of times that it is to be answered; `None`: once, in the form of one answer.
    pub times: Option<usize>,
}

/// The shapes that a connection has told, by their numbers.
#[derive(Default)]
pub(crate) struct Shapes(Vec<Option<Shape>>);

impl Shapes {
    /// Reads a command.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn command<'a>(&'a mut self, body: &'a [u8]) -> Result<Asked<'a>, Refused> {
        let mut body = Reader(body);
        let mut form = body.u8().ok_or("an empty message")?;
        let mut times = None;
        if form == TIMES {
            let count = body.u8().map(usize::from).filter(|count| (1..=AHEAD_MAX).contains(count));
            times = Some(count.ok_or("a command to be answered too many times, or never")?);
            form = body.u8().ok_or("times without a command")?;
        }
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
        if times.is_some() && !REPEATED.contains(&shape.template.command().id) {
            return Err("a command that is not answered several times".to_owned());
        }
        let values = body.0;
        let parcel = shape.filled(&mut body)?;
        Ok(Asked { shape, parcel, values, times })
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
        let told = told("WRITEQ TS", &options, values());
        let Asked { shape, parcel, times, .. } = shapes.command(&told).expect("a command");
        assert_eq!(times, None);
        assert_eq!(parcel.content(opt::FROM), Some(Content::text("item")));
        assert!(parcel.has(opt::MAIN));
        assert_eq!(shape.answer(&parcel, Writer::default()).0, [0], "NUMITEMS has not been given yet");
        let mut known = Writer::default().u8(KNOWN).u16(0).0;
        known.extend(values().0);
        assert_eq!(shapes.command(&known).expect("the same").parcel, parcel);
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
    fn a_browse_goes_on_from_the_record_that_it_has_read() {
        let options = [("FILE", 1), ("RIDFLD", 5), ("INTO", 3), ("LENGTH", 6)];
        let values = Writer::default().bytes(b"F").bytes(b"0001").u32(100).i64(100);
        let twice = |count, command: &str| {
            let mut body = Writer::default().u8(TIMES).u8(count).0;
            body.extend(told(command, &options, Writer(values.0.clone())));
            body
        };
        let mut shapes = Shapes::default();
        let message = twice(20, "READNEXT");
        let asked = shapes.command(&message).expect("a command");
        assert_eq!(asked.times, Some(20));
        let mut former = asked.parcel.clone();
        former.put(opt::RIDFLD, Content::text("0002")).expect("a key");
        former.put(opt::LENGTH, Content::Number(7)).expect("a length");
        let next = asked.shape.again(asked.values, &former).expect("the next one");
        assert_eq!(next.content(opt::RIDFLD), Some(Content::text("0002")));
        assert_eq!(next.content(opt::LENGTH), Some(Content::Number(100)));
        for (count, command) in [(0, "READNEXT"), (21, "READNEXT"), (2, "READ")] {
            assert!(Shapes::default().command(&twice(count, command)).is_err(), "{count} {command}");
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
