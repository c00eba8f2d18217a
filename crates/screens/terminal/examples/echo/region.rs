//! A region that runs no programs: its terminals show the keys they are sent.
//!
//! | key | effect |
//! |---|---|
//! | ENTER and others | shows the key, the cursor and the fields |
//! | PA1 | the same on the alternate screen |
//! | PF5 | writes with a definite response, then shows the terminal's answer |
//! | PF3 | ends the session |

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use ebcdic::CodePage;
use terminal::{
    Connected, Disconnect, FromClient, Host, Overrun, Partner, Refusal, Reservation, Session, ToClient,
    Wanted,
};
use tn3270::datastream::attribute;
use tn3270::datastream::{
    self, Address, Aid, Capabilities, Colour, Command, FieldAttribute, Input, Size, Wcc,
};
use tn3270::telnet::Reject;
use tokio::sync::mpsc;

/// The region: names in use, and the history of its terminals.
#[derive(Default)]
pub struct Echo {
    names: RefCell<BTreeSet<String>>,
    next: Cell<u32>,
    /// The reasons why terminals left, in order.
    pub left: RefCell<Vec<Disconnect>>,
    /// Terminals at present.
    pub terminals: Cell<usize>,
    /// When set, a terminal that is ready is refused with this text.
    pub closed: RefCell<Option<String>>,
}

impl Echo {
    /// Names given at present, reserved ones included.
    pub fn names(&self) -> usize {
        self.names.borrow().len()
    }
}

/// The region as the door gets it: it shares the region with its watcher.
pub struct EchoRegion(pub Rc<Echo>);

impl Host for EchoRegion {
    fn reserve(&self, wanted: &Wanted) -> Result<Box<dyn Reservation>, Refusal> {
        let name = wanted.lu.clone().unwrap_or_else(|| {
            self.0.next.set(self.0.next.get() + 1);
            format!("T{:03}", self.0.next.get())
        });
        if !self.0.names.borrow_mut().insert(name.clone()) {
            return Err(Refusal { reason: Reject::DeviceInUse, text: format!("LU {name} is in use.") });
        }
        Ok(Box::new(Name { region: Rc::clone(&self.0), name }))
    }
}

/// A name in use; dropping it frees it.
struct Name {
    region: Rc<Echo>,
    name: String,
}

impl Drop for Name {
    fn drop(&mut self) {
        self.region.names.borrow_mut().remove(&self.name);
    }
}

impl Reservation for Name {
    fn netname(&self) -> &str {
        &self.name
    }

    fn connect(self: Box<Self>, connected: Connected) -> Result<Session, Refusal> {
        if let Some(text) = self.region.closed.borrow().clone() {
            return Err(Refusal { reason: Reject::UnknownError, text });
        }
        self.region.terminals.set(self.region.terminals.get() + 1);
        let terminal = EchoTerminal { name: *self, connected, outbound: None };
        let greeting = terminal.screen(Command::EraseWrite, "READY");
        let mut boxed = Box::new(terminal);
        let (sender, receiver) = Session::queue();
        let _ = sender.try_send(ToClient::new(greeting));
        boxed.outbound = Some(sender);
        Ok(Session { terminal: boxed, outbound: receiver })
    }
}

struct EchoTerminal {
    name: Name,
    connected: Connected,
    outbound: Option<mpsc::Sender<ToClient>>,
}

impl Partner for EchoTerminal {
    fn receive(&mut self, inbound: FromClient) -> Result<(), Overrun> {
        let Some(outbound) = self.outbound.clone() else { return Ok(()) };
        let said = match inbound {
            FromClient::Attention => "ATTN".to_string(),
            FromClient::Returned => "BACK".to_string(),
            FromClient::ErrorCleared => "CLEARED".to_string(),
            FromClient::Record(record) => match datastream::Inbound::read(&record) {
                Ok(read) if read.aid == Aid::Pf(3) => {
                    self.outbound = None;
                    return Ok(());
                }
                Ok(read) if read.aid == Aid::Pf(5) => {
                    self.write_with_response(outbound);
                    return Ok(());
                }
                Ok(read) if read.aid == Aid::Pa(1) => {
                    let stream = self.screen(Command::EraseWriteAlternate, "ALTERNATE");
                    return outbound.try_send(ToClient::new(stream)).map_err(|_| Overrun);
                }
                Ok(read) => describe(&read, self.connected.capabilities.default_size),
                Err(error) => error.to_string(),
            },
        };
        outbound.try_send(ToClient::new(self.screen(Command::EraseWrite, &said))).map_err(|_| Overrun)
    }

    fn disconnected(&mut self, why: &Disconnect) {
        let region = &self.name.region;
        region.terminals.set(region.terminals.get() - 1);
        region.left.borrow_mut().push(why.clone());
    }
}

impl EchoTerminal {
    /// Writes once and, when the terminal has answered, again.
    fn write_with_response(&self, outbound: mpsc::Sender<ToClient>) {
        let mut first = datastream::Outbound::write(Command::Write, Wcc::default());
        first.set_buffer_address(Address(0));
        let (first, answer) = ToClient::with_response(first.finish());
        let done = |outcome| self.screen(Command::EraseWrite, outcome);
        let [positive, negative] = [done("RESPONSE POSITIVE"), done("RESPONSE NEGATIVE")];
        tokio::task::spawn_local(async move {
            if outbound.send(first).await.is_err() {
                return;
            }
            let second = match answer.await {
                Ok(tn3270::telnet::Outcome::Positive) => positive,
                Ok(tn3270::telnet::Outcome::Negative(_)) => negative,
                Err(_) => return,
            };
            let _ = outbound.send(ToClient::new(second)).await;
        });
    }

    /// A title, the terminal's capabilities, a line of text, and a field to type into; the last row shows the size.
    fn screen(&self, command: Command, text: &str) -> Vec<u8> {
        let capabilities = &self.connected.capabilities;
        let size = match command {
            Command::EraseWriteAlternate => capabilities.alternate_size,
            _ => capabilities.default_size,
        };
        let title = format!("ECHO {} {}", self.name.name, self.connected.device);
        let mut stream = datastream::Outbound::write(command, Wcc::RESTORE);
        let protected = FieldAttribute::default().protected(true);
        let mut line = |row: u16, colour: Colour, text: &str| {
            stream.set_buffer_address(Address::at(size, row, 1));
            match capabilities.colour {
                true => stream.start_field_extended(protected, [(attribute::COLOUR, colour.code())]),
                false => stream.start_field(protected),
            };
            stream.text(&CodePage::Ibm037.encode(text));
        };
        line(1, Colour::Turquoise, &title);
        line(2, Colour::Blue, &ability(capabilities));
        line(3, Colour::Yellow, text);
        line(size.rows, Colour::Neutral, &format!("{} ROWS {} COLUMNS", size.rows, size.columns));
        stream
            .set_buffer_address(Address::at(size, 5, 1))
            .start_field(FieldAttribute::default())
            .insert_cursor()
            .set_buffer_address(Address::at(size, 5, 40))
            .start_field(protected.numeric(true));
        stream.finish()
    }
}

fn ability(capabilities: &Capabilities) -> String {
    let Capabilities { alternate_size: Size { rows, columns }, colour, highlight, .. } = capabilities;
    let page = capabilities.character_set.map_or("NONE".to_string(), |set| set.page.to_string());
    format!("ALTERNATE {rows}X{columns} COLOUR {colour} HIGHLIGHT {highlight} CODE PAGE {page}")
        .to_uppercase()
}

fn describe(read: &datastream::Inbound, size: Size) -> String {
    let text = |data: &[u8]| data.iter().map(|&byte| CodePage::Ibm037.shown(byte)).collect::<String>();
    let place =
        |address: Address| format!("{}/{}", address.0 / size.columns + 1, address.0 % size.columns + 1);
    let at = read.cursor().map_or(String::new(), |cursor| format!(" AT {}", place(cursor)));
    let input = match &read.input {
        Input::None | Input::Structured(_) => String::new(),
        Input::Unformatted { data, .. } => format!(" UNFORMATTED '{}'", text(data)),
        Input::Fields { fields, .. } => fields
            .iter()
            .map(|field| format!(" FIELD {} '{}'", place(field.address), text(&field.data)))
            .collect(),
    };
    format!("{:?}{at}{input}", read.aid)
}
