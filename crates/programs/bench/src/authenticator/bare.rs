//! The floor of an authentication: a bare epoll server that does the same work on sockets and nothing else. A connection
//! is accepted, 137 bytes come in, the security module is asked over a connection that is kept, 106 bytes go out, the
//! connection is closed. Its request is the very command of the Authenticator; it knows no accounts.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, accept_with, getsockname, recv, send};

use crate::client::{ANSWER, MESSAGE};
use crate::sockets::{FLAGS, open};

/// The word that makes this program the bare server.
pub(crate) const WORD: &str = "bare-authenticator";
/// Its first words, before its address.
pub(crate) const LISTENS: &str = "the bare server listens on ";

/// Bytes of a response of the HSM: length, header, `F3`, error code, counter, time block.
const VERDICT: usize = 30;
/// The place of its error code.
const ERROR_AT: usize = 8;
/// The place of track 2 in a request.
const TRACK: std::ops::Range<usize> = 62..99;
/// The place of the counter's last digits in it.
const COUNTER: std::ops::Range<usize> = 30..35;

/// The places of fields in a request and in the answer, with their lengths.
const ECHOED: [(usize, usize, usize); 6] =
    [(14, 14, 34), (99, 48, 12), (111, 68, 8), (119, 76, 15), (134, 103, 3), (42, 60, 6)];

/// `HSM-ADDRESS CRYPTOGRAM`: serves until it is killed.
pub(crate) fn run(arguments: &[String]) -> io::Result<()> {
    let [hsm, key] = arguments else { return Err(io::ErrorKind::InvalidInput.into()) };
    let hsm = TcpStream::connect(hsm.as_str())?;
    hsm.set_nodelay(true)?;
    hsm.set_nonblocking(true)?;
    let listening = open()?;
    let address = SocketAddr::try_from(getsockname(&listening)?)?;
    println!("{LISTENS}{address}");
    io::stdout().flush()?;
    Server { listening, hsm: hsm.into(), key: key.clone(), clients: Vec::new(), asked: VecDeque::new() }.run()
}

struct Server {
    listening: OwnedFd,
    hsm: OwnedFd,
    /// The cryptogram of the portfolio's master key.
    key: String,
    /// By the number of their descriptors.
    clients: Vec<Option<Client>>,
    /// Those whose commands are on their way; the HSM answers in order.
    asked: VecDeque<RawFd>,
}

struct Client {
    fd: OwnedFd,
    answer: [u8; ANSWER],
}

impl Server {
    fn run(mut self) -> io::Result<()> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let watch = |fd: &OwnedFd| {
            let data = epoll::EventData::new_u64(fd.as_raw_fd() as u64);
            epoll::add(&epoll, fd, data, epoll::EventFlags::IN)
        };
        watch(&self.listening)?;
        watch(&self.hsm)?;
        let (listening, hsm) = (self.listening.as_raw_fd(), self.hsm.as_raw_fd());
        let mut events = Vec::with_capacity(256);
        let mut buffer = Vec::with_capacity(16 * 1024);
        loop {
            events.clear();
            match epoll::wait(&epoll, spare_capacity(&mut events), None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                buffer.clear();
                match event.data.u64() as RawFd {
                    fd if fd == listening => {
                        if let Ok(fd) = accept_with(&self.listening, FLAGS) {
                            watch(&fd)?;
                            self.accepted(fd);
                        }
                    }
                    fd if fd == hsm => self.verdicts(&mut buffer)?,
                    fd => self.request(fd, &mut buffer)?,
                }
            }
        }
    }

    fn accepted(&mut self, fd: OwnedFd) {
        let place = fd.as_raw_fd() as usize;
        if self.clients.len() <= place {
            self.clients.resize_with(place + 1, || None);
        }
        self.clients[place] = Some(Client { fd, answer: [b'0'; ANSWER] });
    }

    /// A request comes in and goes to the HSM. A client that hangs up or sends something else is forgotten.
    fn request(&mut self, number: RawFd, buffer: &mut Vec<u8>) -> io::Result<()> {
        let place = number as usize;
        let Some(client) = self.clients.get_mut(place).and_then(Option::as_mut) else { return Ok(()) };
        match recv(client.fd.as_fd(), spare_capacity(buffer), RecvFlags::empty()) {
            Ok((MESSAGE, _)) => {}
            Err(Errno::WOULDBLOCK) => return Ok(()),
            _ => {
                self.clients[place] = None;
                return Ok(());
            }
        }
        client.answer = answer(buffer);
        let command = command(&self.key, buffer);
        send(self.hsm.as_fd(), &command, SendFlags::NOSIGNAL)?;
        self.asked.push_back(number);
        Ok(())
    }

    /// Verdicts come in, and answers go out.
    fn verdicts(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        match recv(self.hsm.as_fd(), spare_capacity(buffer), RecvFlags::empty()) {
            Ok((0, _)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(Errno::WOULDBLOCK) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        for verdict in buffer.chunks(VERDICT) {
            let client = self.asked.pop_front().and_then(|number| self.clients[number as usize].take());
            if let Some(client) = client
                && verdict.get(ERROR_AT..ERROR_AT + 2) == Some(b"00")
            {
                // A client that does not want its answer any more is closed like the others.
                let _ = send(client.fd.as_fd(), &client.answer, SendFlags::NOSIGNAL);
            }
        }
        Ok(())
    }
}

/// The frame of the command that asks whether the code in a request is good. Its last counter is the one before.
fn command(key: &str, request: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(128);
    let track = &request[TRACK];
    // The length, which is known at the end; the header; the command.
    frame.extend([0, 0]);
    frame.extend(b"0000F2");
    frame.extend(key.as_bytes());
    frame.extend(&track[..16]);
    frame.push(b';');
    frame.extend(&request[56..58]);
    frame.extend(&track[17..24]);
    frame.extend(before(&track[COUNTER]));
    // Window, time block, tolerance; no time block in the code.
    frame.extend(b"0050000000000000010");
    frame.push(b'6');
    frame.extend(&track[24..30]);
    frame.push(b'5');
    frame.extend(&track[COUNTER]);
    frame.push(b'1');
    frame.push(track[35]);
    let length = (frame.len() - 2) as u16;
    frame[..2].copy_from_slice(&length.to_be_bytes());
    frame
}

/// The counter before, in ten digits.
fn before(digits: &[u8]) -> [u8; 10] {
    let mut counter = [b'0'; 10];
    let mut last =
        digits.iter().fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0')).saturating_sub(1);
    for digit in counter.iter_mut().rev() {
        *digit += (last % 10) as u8;
        last /= 10;
    }
    counter
}

/// The response to a request whose code is good.
fn answer(request: &[u8]) -> [u8; ANSWER] {
    let mut answer = [b'0'; ANSWER];
    answer[..14].copy_from_slice(b"\x00\x680110\x32\x20\x00\x00\x0e\xc1\x80\x00");
    for (from, to, length) in ECHOED {
        answer[to..to + length].copy_from_slice(&request[from..from + length]);
    }
    answer[91..94].copy_from_slice(b"009");
    answer
}

#[cfg(test)]
mod tests {
    use card::answer::Answer;
    use card::digits::Digits;
    use card::ftsc::Layout;
    use card::iso8583::{Message, PREFIX_LENGTH, Request, Response};
    use card::key::Key;
    use card::track2::Track2;
    use hsm::{KeyType, Lmk, Module};
    use load::kind::Kind;
    use load::simulator::{Occasion, Portfolio, SimulatedCard};

    use super::*;

    #[test]
    fn the_hsm_says_that_a_good_card_is_good_and_so_does_the_answer() {
        let hsm = Module::new(Lmk::test(), 4, 1);
        let key = hsm.load_clear_key(&Key::test(), KeyType::Portfolio);
        let mut card = SimulatedCard::new(Track2::parse("4999990000000015=3012201").expect("a track"));
        card.made = 41;
        let portfolio = Portfolio { master: Key::test(), layout: Layout::SAMPLE };
        let occasion = Occasion { terminal: *b"T0000001", number: 7, sent: Digits::of(0), time_block: 0 };
        let request = card.attempt(Kind::Valid, &portfolio, &occasion).expect("a fit card").bytes;

        let verdict = hsm.answer(&command(&key, &request)[2..]).expect("a verdict");
        assert_eq!(&verdict, b"0000F30000000000420000000000");
        assert_eq!(verdict.len() + 2, VERDICT);

        let answer = answer(&request);
        let response = Message::decode(&answer[PREFIX_LENGTH..]).and_then(|message| Response::read(&message));
        let request = Message::decode(&request[PREFIX_LENGTH..]).and_then(|message| Request::read(&message));
        let (response, request) = (response.expect("a response"), request.expect("a request"));
        assert_eq!((response.answer, response.reference), (Answer::Authentic, request.reference));
        assert_eq!((response.terminal, response.merchant), (request.terminal, request.merchant));
    }
}
