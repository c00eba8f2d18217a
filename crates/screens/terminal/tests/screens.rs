//! The crate's own screen beside a real one: both are sent the same streams and must then hold, show and send the same.
//!
//! The other screen is s3270's; without it the test says so and passes. A failure names its stream in hexadecimal.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::process::Stdio;
use std::rc::Rc;

use ebcdic::CodePage;
use ports::{Ending, serve};
use terminal::{
    Connected, Disconnect, Door, FromClient, Host, Limits, Overrun, Partner, Refusal, Reservation, Session,
    ToClient, Wanted, Welcome,
};
use tn3270::datastream::{self, Address, Aid, Capabilities, Command, FieldAttribute, Size, Wcc, attribute};
use tn3270::screen::{Refused, Screen, ScreenField};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

/// Streams compared in one run; the same every time.
const STREAMS: u32 = 200;
/// Orders in one stream.
const ORDERS: u32 = 25;
/// Keys pressed after each stream.
const KEYS: u32 = 6;

/// The region's next stream, and the last record that it got.
#[derive(Default)]
struct Canvas {
    next: RefCell<Vec<u8>>,
    received: RefCell<Vec<u8>>,
}

struct CanvasRegion(Rc<Canvas>);

impl Host for CanvasRegion {
    fn reserve(&self, _: &Wanted) -> Result<Box<dyn Reservation>, Refusal> {
        Ok(Box::new(Place(Rc::clone(&self.0))))
    }
}

struct Place(Rc<Canvas>);

impl Reservation for Place {
    fn netname(&self) -> &str {
        "CANVAS"
    }

    fn connect(self: Box<Self>, _: Connected) -> Result<Session, Refusal> {
        let (sender, outbound) = Session::queue();
        let _ = sender.try_send(ToClient::new(opening()));
        Ok(Session { terminal: Box::new(Easel { canvas: self.0, sender }), outbound })
    }
}

/// The first screen: one field, for s3270 to see that it is there.
fn opening() -> Vec<u8> {
    let mut stream = datastream::Outbound::write(Command::EraseWrite, Wcc::RESTORE);
    stream.start_field(FieldAttribute::default()).insert_cursor();
    stream.finish()
}

struct Easel {
    canvas: Rc<Canvas>,
    sender: mpsc::Sender<ToClient>,
}

impl Partner for Easel {
    fn receive(&mut self, inbound: FromClient) -> Result<(), Overrun> {
        if let FromClient::Record(record) = inbound {
            *self.canvas.received.borrow_mut() = record;
        }
        self.sender.try_send(ToClient::new(self.canvas.next.borrow().clone())).map_err(|_| Overrun)
    }

    fn disconnected(&mut self, _: &Disconnect) {}
}

/// A real terminal, driven line by line.
struct S3270 {
    _process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl S3270 {
    async fn connect(address: SocketAddr) -> io::Result<Self> {
        let mut command = tokio::process::Command::new("s3270");
        let options = [
            "-model",
            "3279-2-E",
            "-codepage",
            "cp037",
            "-xrm",
            "s3270.numericLock: true",
            "-clear",
            "blankFill",
        ];
        command.args(options).arg(address.to_string());
        command.kill_on_drop(true).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(io::Error::other("s3270 is not installed: `scripts/install test` installs it"));
            }
            spawned => spawned?,
        };
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self { _process: process, input, output: BufReader::new(output) })
    }

    /// Runs an action; its data lines and its status line.
    async fn act(&mut self, action: &str) -> io::Result<(Vec<String>, String)> {
        self.input.write_all(format!("{action}\n").as_bytes()).await?;
        let (mut data, mut status) = (Vec::new(), String::new());
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match (line.trim_end(), line.strip_prefix("data: ")) {
                (_, Some(text)) => data.push(text.trim_end().to_string()),
                ("ok", _) => return Ok((data, status)),
                ("error", _) => return Err(io::Error::other(format!("{action}: {data:?}"))),
                (other, _) => status = other.to_string(),
            }
        }
    }

    /// The buffer as words, one a position, and the cursor's address.
    async fn buffer(&mut self) -> io::Result<(Vec<String>, u16)> {
        let (rows, status) = self.act("ReadBuffer(Ebcdic)").await?;
        let words =
            rows.iter().flat_map(|row| row.split_whitespace()).filter(|word| !word.starts_with("SA("));
        let place: Vec<u16> = status.split(' ').skip(8).take(2).filter_map(|n| n.parse().ok()).collect();
        Ok((words.map(normal).collect(), place[0] * Size::MODEL_2.columns + place[1]))
    }
}

/// A key that does not call the region.
#[derive(Clone, Copy, Debug)]
enum Key {
    Letter,
    Digit,
    Inserted,
    Tab,
    BackTab,
    Home,
    NewLine,
    EraseEndOfField,
    EraseInput,
    Delete,
}

impl Key {
    const ALL: [Key; 10] = [
        Key::Letter,
        Key::Digit,
        Key::Inserted,
        Key::Tab,
        Key::BackTab,
        Key::Home,
        Key::NewLine,
        Key::EraseEndOfField,
        Key::EraseInput,
        Key::Delete,
    ];

    /// In a field that goes on at the screen's start, and without fields, s3270 inserts otherwise.
    fn is_comparable(self, screen: &Screen) -> bool {
        let (row, column) = screen.cursor_row_column();
        let ends = |field: ScreenField| field.start.0 + field.len < screen.size().addresses();
        !matches!(self, Key::Inserted) || screen.field_at(row, column).is_some_and(ends)
    }

    /// A key that is refused does nothing; RESET makes up for it.
    fn press(self, screen: &mut Screen) {
        match self {
            Key::Tab => screen.tab(),
            Key::BackTab => screen.back_tab(),
            Key::Home => screen.home(),
            Key::NewLine => screen.new_line(),
            _ => {
                let _ = self.change(screen);
            }
        }
        screen.reset();
    }

    /// The keys that a field may refuse.
    fn change(self, screen: &mut Screen) -> Result<(), Refused> {
        screen.set_insert(matches!(self, Key::Inserted));
        match self {
            Key::Letter => screen.type_character('k'),
            Key::Digit => screen.type_character('7'),
            Key::Inserted => screen.type_character('4'),
            Key::EraseEndOfField => screen.erase_end_of_field(),
            Key::EraseInput => screen.erase_input(),
            Key::Delete => screen.delete(),
            Key::Tab | Key::BackTab | Key::Home | Key::NewLine => Ok(()),
        }
    }

    async fn press_other(self, other: &mut S3270) -> io::Result<()> {
        let action = match self {
            Key::Inserted => "Insert() Key(4)",
            Key::Letter => "Key(k)",
            Key::Digit => "Key(7)",
            Key::Tab => "Tab",
            Key::BackTab => "BackTab",
            Key::Home => "Home",
            Key::NewLine => "Newline",
            Key::EraseEndOfField => "EraseEOF",
            Key::EraseInput => "EraseInput",
            Key::Delete => "Delete",
        };
        // An action that is refused is an error of s3270's; RESET makes up for it.
        let _ = other.act(action).await;
        if matches!(self, Key::EraseInput) {
            // It may stop at a field without characters, where Home does not.
            other.act("Home").await?;
        }
        other.act("Reset").await.map(drop)
    }
}

/// A word of s3270's in the form of [`words`]: of a field its attribute, highlighting and colour.
fn normal(word: &str) -> String {
    let Some(pairs) = word.strip_prefix("SF(") else { return word.to_string() };
    let value = |kind: &str| {
        let pair = pairs.trim_end_matches(')').split(',').find_map(|pair| pair.strip_prefix(kind));
        pair.and_then(|value| u8::from_str_radix(value, 16).ok()).unwrap_or(0)
    };
    field_word(FieldAttribute::of(value("c0=")), value("41="), value("42="))
}

fn field_word(attribute: FieldAttribute, highlight: u8, colour: u8) -> String {
    // s3270 shows the default highlighting as normal.
    let highlight = if highlight == 0xF0 { 0 } else { highlight };
    format!("SF({:02x},{highlight:02x},{colour:02x})", attribute.code())
}

/// Our own buffer in s3270's words.
fn words(screen: &Screen) -> Vec<String> {
    let Size { rows, columns } = screen.size();
    let places = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
    places
        .map(|(row, column)| {
            let cell = screen.cell(row, column);
            match cell.field {
                Some(field) => field_word(field, cell.extended.highlight, cell.extended.colour),
                None if cell.graphic => format!("GE({:02x})", cell.character),
                None => format!("{:02x}", cell.character),
            }
        })
        .collect()
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u16) -> u16 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u16
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.below(choices.len() as u16))]
    }

    fn address(&mut self) -> Address {
        // Mostly near each other, so that fields and text meet.
        let spread = self.of(&[160, 160, 160, 1920]);
        Address((self.of(&[0, 1800]) + self.below(spread)) % Size::MODEL_2.addresses())
    }

    fn attribute(&mut self) -> FieldAttribute {
        FieldAttribute::of(self.below(0x40) as u8)
    }

    fn pair(&mut self) -> (u8, u8) {
        self.of(&[
            (attribute::COLOUR, 0xF2),
            (attribute::COLOUR, 0x00),
            (attribute::HIGHLIGHT, 0xF4),
            (attribute::HIGHLIGHT, 0xF1),
        ])
    }

    /// Program Tab, perhaps after text, perhaps twice. There are always two fields for it in the middle of the screen:
    /// from the start of the only one there is, s3270 would not move.
    fn program_tab<'a>(&mut self, stream: &'a mut datastream::Outbound) -> &'a mut datastream::Outbound {
        let at = self.address();
        for middle in [700, 1_100] {
            stream.set_buffer_address(Address(middle)).start_field(FieldAttribute::default()).text(&[0x40]);
        }
        stream.set_buffer_address(at);
        if self.below(2) == 0 {
            stream.text(&CodePage::Ibm037.encode("X"));
        }
        if self.below(2) == 0 {
            stream.program_tab();
        }
        stream.program_tab()
    }

    /// A stream of all orders in any order. A field is modified only where one has just been started.
    fn stream(&mut self) -> Vec<u8> {
        let mut stream = datastream::Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        for _ in 0..ORDERS {
            match self.below(12) {
                0 | 1 => stream.set_buffer_address(self.address()),
                2 => stream.start_field(self.attribute()),
                3 => {
                    let (attribute, pair) = (self.attribute(), self.pair());
                    stream.start_field_extended(attribute, [pair])
                }
                4 => {
                    let (at, attribute, pair) = (self.address(), self.attribute(), self.pair());
                    stream.set_buffer_address(at).start_field(self.attribute()).set_buffer_address(at);
                    stream.modify_field([(attribute::FIELD, attribute.code()), pair])
                }
                5 => {
                    let (kind, value) = self.pair();
                    stream.set_attribute(kind, value)
                }
                6 => stream.insert_cursor(),
                7 => self.program_tab(&mut stream),
                8 => {
                    let (stop, character) = (self.address(), self.of(&[0x00, 0x5C, 0x60]));
                    stream.repeat_to_address(stop, character)
                }
                9 => {
                    // Without an address before it s3270 goes by the field it was in before.
                    stream.set_buffer_address(self.address());
                    stream.erase_unprotected_to_address(self.address())
                }
                10 => stream.graphic_escape(self.of(&[0xC4, 0xC5])),
                _ => stream.text(&CodePage::Ibm037.encode(self.of(&[
                    "A",
                    "TEXT",
                    "12 4",
                    "a long line of text",
                ]))),
            };
        }
        stream.finish()
    }
}

#[tokio::test]
async fn s3270_holds_shows_and_sends_the_same() {
    let canvas = Rc::new(Canvas::default());
    let door = Door::new(Rc::new(CanvasRegion(Rc::clone(&canvas))), "CANVAS", Limits::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let ending = Ending::default();
    let welcome = |stream, peer| Rc::clone(&door).welcome(Welcome::Plain, stream, peer);
    let compared = LocalSet::new()
        .run_until(async {
            tokio::select! {
                () = serve(listener, &ending, welcome) => panic!("nobody closes the door"),
                compared = compare(&canvas, address) => compared,
            }
        })
        .await;
    compared.expect("s3270 does as it is told");
}

async fn compare(canvas: &Canvas, address: SocketAddr) -> io::Result<()> {
    let mut other = S3270::connect(address).await?;
    other.act("Wait(InputField)").await?;
    let mut dice = Dice(1);
    let mut screen = Screen::new(Capabilities::unqueried(Size::MODEL_2), CodePage::Ibm037);
    screen.apply(&opening()).expect("a good stream");
    let mut last = String::from("the opening");
    for _ in 0..STREAMS {
        let stream = dice.stream();
        let shown = stream.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
        *canvas.next.borrow_mut() = stream.clone();
        let mut keys = Vec::new();
        for _ in 0..KEYS {
            let key = dice.of(&Key::ALL);
            if !key.is_comparable(&screen) {
                continue;
            }
            key.press(&mut screen);
            key.press_other(&mut other).await?;
            keys.push(key);
            same(&mut other, &screen, &format!("after {keys:?} on {last}")).await?;
        }
        let sent = screen.press(Aid::Pf(1)).expect("a free keyboard");
        other.act("PF(1)").await?;
        assert_eq!(*canvas.received.borrow(), sent, "the record after {keys:?} on {last}");
        screen.apply(&stream).expect("a good stream");
        same(&mut other, &screen, &format!("after {shown}")).await?;
        last = shown;
    }
    Ok(())
}

/// Checks that both screens have the same content and cursor.
async fn same(other: &mut S3270, screen: &Screen, when: &str) -> io::Result<()> {
    let (theirs, cursor) = other.buffer().await?;
    let ours = words(screen);
    assert_eq!(theirs.len(), ours.len(), "the size {when}");
    let different = theirs.iter().zip(&ours).enumerate().find(|(_, (theirs, ours))| theirs != ours);
    assert_eq!(different, None, "position, theirs and ours {when}");
    assert_eq!(cursor, screen.cursor().0, "the cursor {when}");
    Ok(())
}
