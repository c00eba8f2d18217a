//! The life of one connection: negotiation, query, session, farewell.

use std::collections::VecDeque;

use ebcdic::CodePage;
use tn3270::datastream::{
    self, Address, Aid, Capabilities, Command, FieldAttribute, Input, Wcc, read_partition_query,
    read_query_reply,
};
use tn3270::telnet::{DeviceKind, DeviceType, Event, Outcome, Reject, Request, RequestedLu};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::host::{
    Caller, Connected, Disconnect, Form, FromClient, Host, Partner, Refusal, Reservation, Session, ToClient,
    Wanted,
};
use crate::limits::{Limits, RESPONSES_MAX};
use crate::link::Link;
use crate::service::Service;

/// A user who has not answered in time gets a message.
const TOO_SLOW: &str = "The terminal did not negotiate in time.";

/// Runs a connection to its end: the last message to the client is in the link's output, not yet sent.
pub(crate) async fn run<S: AsyncRead + AsyncWrite>(
    link: &mut Link<S>,
    region: &dyn Host,
    caller: Caller,
    limits: &Limits,
) -> Disconnect {
    let mut client = Client { link, caller, device: None, reservation: None };
    let negotiated = timeout(limits.negotiation_max, client.negotiate(region, limits)).await;
    let why = match negotiated {
        Ok(Ok(session)) => converse(link, session).await,
        Ok(Err(why)) => why,
        Err(_elapsed) => {
            link.server.turn_away(TOO_SLOW);
            Disconnect::NegotiationTimeout
        }
    };
    link.server.unbind();
    why
}

/// A client that has no session yet.
struct Client<'a, S> {
    link: &'a mut Link<S>,
    caller: Caller,
    device: Option<DeviceType>,
    reservation: Option<Box<dyn Reservation>>,
}

impl<S: AsyncRead + AsyncWrite> Client<'_, S> {
    async fn negotiate(&mut self, region: &dyn Host, limits: &Limits) -> Result<Session, Disconnect> {
        let kind = loop {
            match self.next_event().await? {
                Event::Request(request) => self.decide(region, request),
                Event::Ready(kind) => break kind,
                _ => {}
            }
        };
        let (Some(reservation), Some(device)) = (self.reservation.take(), self.device.take()) else {
            return Err(Disconnect::ClientClosed);
        };
        let mut capabilities = Capabilities::unqueried(device.alternate_size());
        if device.is_extended() {
            // The terminal's answer, not its name, gives colour, highlighting and size.
            self.link.server.send(&read_partition_query(), false);
            // A terminal that does not answer counts as one that cannot.
            if let Ok(answered) = timeout(limits.query_max, self.query_reply()).await {
                read_query_reply(&mut capabilities, &answered?);
            }
        }
        let (caller, printer) = (self.caller.clone(), self.link.server.printer());
        let connected = Connected { device, caller, capabilities, kind, printer };
        reservation.connect(connected).map_err(|refusal| match printer {
            None => self.refuse_on_screen(refusal),
            // A printer's output is no place for a text to a user.
            Some(_) => Disconnect::Refused(refusal.text),
        })
    }

    /// Gives the client a name or refuses.
    fn decide(&mut self, region: &dyn Host, request: Request) {
        // Asking again gives back the earlier name.
        self.reservation = None;
        let lu = match reserve(region, request.clone(), self.caller.clone()) {
            Ok(reservation) => {
                self.link.server.prefer(reservation.language());
                self.reservation.insert(reservation).netname().to_string()
            }
            Err(Refusal { reason, text }) => return self.link.server.refuse(reason, &text),
        };
        self.device = Some(request.device);
        self.link.server.assign(&lu);
    }

    /// The structured fields of the terminal's answer. Other records meanwhile are from a user who has seen no screen
    /// yet, and are left out.
    async fn query_reply(&mut self) -> Result<Vec<Vec<u8>>, Disconnect> {
        loop {
            let Event::Record(record) = self.next_event().await? else { continue };
            if let Ok(datastream::Inbound { aid: Aid::StructuredField, input: Input::Structured(fields) }) =
                datastream::Inbound::read(&record)
            {
                return Ok(fields);
            }
        }
    }

    async fn next_event(&mut self) -> Result<Event, Disconnect> {
        loop {
            match self.link.server.event() {
                Some(Event::Ended(ending)) => return Err(ending.into()),
                Some(event) => return Ok(event),
                None => self.link.step().await?,
            }
        }
    }

    /// The terminal is a 3270 already: a text for it is a screen.
    fn refuse_on_screen(&mut self, refusal: Refusal) -> Disconnect {
        let mut screen = datastream::Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        screen
            .set_buffer_address(Address(0))
            .start_field(FieldAttribute::default().protected(true))
            .text(&CodePage::Ibm037.encode(&refusal.text));
        self.link.server.send(&screen.finish(), false);
        Disconnect::Refused(refusal.text)
    }
}

fn reserve(region: &dyn Host, request: Request, caller: Caller) -> Result<Box<dyn Reservation>, Refusal> {
    let refusal = |reason, text: &str| Err(Refusal { reason, text: text.to_string() });
    let is_printer = request.device.kind() == DeviceKind::Printer;
    if request.device.kind() == DeviceKind::Other {
        return refusal(Reject::InvalidDeviceType, "Only 3270 displays and printers are served here.");
    }
    let (lu, printer_of) = match request.lu {
        Some(RequestedLu::Associate(_)) if !is_printer => {
            return refusal(Reject::UnsupportedRequest, "Only a printer can belong to a display.");
        }
        Some(RequestedLu::Associate(lu)) => (None, Some(lu)),
        Some(RequestedLu::Connect(lu)) => (Some(lu).filter(|lu| !lu.is_empty()), None),
        None => (None, None),
    };
    region.reserve(&Wanted { lu, printer_of, device: request.device, caller })
}

/// Tells the region that its terminal is gone, whatever ends this connection: also when its task is dropped.
struct Attached {
    terminal: Box<dyn Partner>,
    why: Disconnect,
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.terminal.disconnected(&self.why);
    }
}

/// A definite response that the region waits for.
struct Awaited {
    sequence: u16,
    waiting: oneshot::Sender<Outcome>,
}

/// The session: records both ways until one end leaves.
async fn converse<S: AsyncRead + AsyncWrite>(link: &mut Link<S>, session: Session) -> Disconnect {
    let Session { terminal, mut outbound } = session;
    let mut attached = Attached { terminal, why: Disconnect::DoorClosed };
    let mut awaited: VecDeque<Awaited> = VecDeque::new();
    let mut service = Service::default();
    link.begin_session();
    let why = loop {
        if let Err(why) = take_events(link, &mut attached, &mut awaited, &mut service) {
            break why;
        }
        while let Some(next) = service.next() {
            send(link, next, &mut awaited);
        }
        if awaited.len() == RESPONSES_MAX {
            // Answers that no task waits for any more do not count.
            awaited.retain(|awaited| !awaited.waiting.is_closed());
        }
        let may_send = service.takes(link.has_room() && awaited.len() < RESPONSES_MAX);
        tokio::select! {
            stepped = link.step() => if let Err(why) = stepped { break why },
            next = outbound.recv(), if may_send => match next {
                Some(next) if service.is_open() => service.hold(next),
                Some(next) => send(link, next, &mut awaited),
                None => break Disconnect::RegionEnded,
            },
        }
    };
    attached.why = why.clone();
    why
}

fn take_events<S: AsyncRead + AsyncWrite>(
    link: &mut Link<S>,
    attached: &mut Attached,
    awaited: &mut VecDeque<Awaited>,
    service: &mut Service,
) -> Result<(), Disconnect> {
    while let Some(event) = link.server.event() {
        let inbound = match event {
            // A printer of plain TN3270 reports its state (RFC 1646): no task waits for that.
            Event::Record(_) if link.server.printer().is_some() => continue,
            Event::Record(record) => FromClient::Record(record),
            Event::Attention => FromClient::Attention,
            Event::ErrorCleared => FromClient::ErrorCleared,
            Event::SystemRequest if service.toggle() => FromClient::Returned,
            Event::SystemRequest => continue,
            // Only a user who has gone to the service sends it a line.
            Event::ServiceText(_) if !service.is_open() => continue,
            Event::ServiceText(text) => {
                link.server.send_service_text(&service.answer(&text)?);
                continue;
            }
            Event::Response { sequence, outcome } => {
                answer(awaited, sequence, outcome);
                continue;
            }
            Event::Ended(ending) => return Err(ending.into()),
            Event::TimingMark | Event::StartTls | Event::Request(_) | Event::Ready(_) => continue,
        };
        attached.terminal.receive(inbound).map_err(|_overrun| Disconnect::Overrun)?;
    }
    Ok(())
}

fn answer(awaited: &mut VecDeque<Awaited>, sequence: u16, outcome: Outcome) {
    if let Some(at) = awaited.iter().position(|awaited| awaited.sequence == sequence)
        && let Some(found) = awaited.remove(at)
    {
        // The waiting task may have gone.
        let _ = found.waiting.send(outcome);
    }
}

fn send<S: AsyncRead + AsyncWrite>(link: &mut Link<S>, next: ToClient, awaited: &mut VecDeque<Awaited>) {
    let wants = next.response.is_some();
    let sequence = match next.form {
        Form::Stream => link.server.send(&next.stream, wants),
        Form::Scs => link.server.send_scs(&next.stream, wants),
        Form::EndOfJob => {
            link.server.end_print_job();
            None
        }
    };
    match (next.response, sequence) {
        (Some(waiting), Some(sequence)) => awaited.push_back(Awaited { sequence, waiting }),
        (Some(waiting), None) => {
            let _ = waiting.send(Outcome::Positive);
        }
        (None, _) => {}
    }
}
