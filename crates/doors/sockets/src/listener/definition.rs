//! A listener's definition: the operands of EZACICD TYPE=LISTENER as values.

use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, Source, nearest};
use kernel::name::{Name, Name8, TransactionName};

use super::text::{Macro, Operand, code, macros};
use crate::address::Family;

/// A listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its transaction, which is also its name.
    pub transaction: TransactionName,
    /// The port; 0: any free one.
    pub port: u16,
    /// The family of its socket.
    pub family: Family,
    /// Connections that may wait to be accepted.
    pub backlog: i32,
    /// Sockets at once: its own, and those that are not taken yet.
    pub sockets_max: usize,
    /// True if it starts with the region.
    pub immediate: bool,
    /// The time that a child has to take its socket.
    pub give_time: Duration,
    /// The time that a client has to send its first message; `None`: no limit.
    pub read_time: Option<Duration>,
    /// The program that has a say in each connection.
    pub exit: Option<Name8>,
    /// On whose behalf children run; `None`: the region's default user.
    pub user: Option<Name8>,
    /// The transient data queue that also gets its messages, if it is defined.
    pub error_queue: Name<4>,
    /// The form of its messages, and the start of its children.
    pub format: Format,
}

/// The two kinds of listeners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// The client names the transaction.
    Standard {
        /// Bytes that must be there before the message is looked at.
        message_min: usize,
        /// True if the message comes in ASCII; it is translated from EBCDIC otherwise.
        ascii: bool,
        /// True if user data come in ASCII, or as binary data, where the rest comes in EBCDIC.
        user_ascii: bool,
    },
    /// The definition names it.
    Enhanced {
        /// The child's transaction; blank: the exit names it.
        transaction: TransactionName,
        /// The way in which it is started.
        start: StartKind,
        /// After how long, with interval control.
        delay: Duration,
        /// Bytes to read from the client first.
        message_length: usize,
        /// True if they are left for the child to read again.
        peek: bool,
        /// True if messages to the client are in EBCDIC.
        ebcdic: bool,
    },
}

/// The way in which a child is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartKind {
    /// At once.
    Task,
    /// By interval control.
    Interval,
    /// By a record for a transient data queue of the transaction's name.
    TransientData,
}

/// Longest message that an enhanced listener reads.
pub const MESSAGE_LENGTH_MAX: usize = 999;

/// Keys of TYPE=LISTENER; those of the second list are taken and have no effect.
const KEYS: &[&str] = &[
    "TYPE", "FORMAT", "APPLID", "TRANID", "PORT", "AF", "BACKLOG", "NUMSOCK", "IMMED", "GIVTIME", "REATIME",
    "TRANTRN", "TRANUSR", "SECEXIT", "MINMSGL", "USERID", "CSTRAN", "CSTRANID", "CSSTTYP", "CSSTTYPE",
    "CSDELAY", "MSGLEN", "PEEKDATA", "MSGFORM",
];
const WITHOUT_EFFECT: &[&str] =
    &["ACCTIME", "FASTRD", "WLMGN1", "WLMGN2", "WLMGN3", "RTYTIME", "LAPPLD", "GETTID"];

/// Keys of TYPE=CICS: of the interface itself, of which there is nothing to configure but where its messages go.
const INTERFACE_KEYS: &[&str] = &[
    "TYPE", "APPLID", "TCPADDR", "NTASKS", "DPRTY", "CACHMIN", "CACHMAX", "CACHRES", "ERRORTD", "SMSGSUP",
    "TERMLIM", "TRACE", "OTE", "TCBLIM", "PLTSDI", "APPLDAT",
];

/// The queue for messages unless ERRORTD names another.
const ERROR_QUEUE: &str = "CSMT";

/// Reads the listeners that a text defines for a region, and the messages about it.
pub fn read(source: &Arc<Source>, applid: &str) -> (Vec<Listener>, Vec<Diagnostic>) {
    let (macros, mut messages) = macros(source);
    let mut listeners: Vec<Listener> = Vec::new();
    let mut error_queue = Name::from(ERROR_QUEUE);
    for this in &macros {
        let reader = Reader { this, messages: &mut messages, error_queue: &mut error_queue };
        let Some(listener) = reader.listener(applid) else { continue };
        if listeners.iter().any(|other| other.transaction == listener.transaction) {
            let text = format!("{} is the transaction of another listener, too", listener.transaction);
            messages.push(Diagnostic::error(code::TWICE, text).at(this.place.clone()));
            continue;
        }
        listeners.push(listener);
    }
    for listener in &mut listeners {
        listener.error_queue = error_queue;
    }
    (listeners, messages)
}

struct Reader<'a> {
    this: &'a Macro,
    messages: &'a mut Vec<Diagnostic>,
    error_queue: &'a mut Name<4>,
}

impl Reader<'_> {
    fn listener(mut self, applid: &str) -> Option<Listener> {
        match self.get("TYPE").map(|operand| operand.value.as_str()) {
            Some("LISTENER") => {}
            Some("CICS") => {
                self.interface(applid);
                return None;
            }
            // They begin and end the text.
            Some("INITIALIZE" | "FINAL") => return None,
            _ => {
                let message = Diagnostic::error(code::MISSING, "a macro needs TYPE=CICS or TYPE=LISTENER");
                self.messages.push(message.at(self.this.place.clone()));
                return None;
            }
        }
        self.check_keys("a listener", &[KEYS, WITHOUT_EFFECT].concat());
        if self.is_of_another(applid) {
            return None;
        }
        let before = self.messages.len();
        let transaction = self.name("TRANID").unwrap_or(TransactionName::from("CSKL"));
        let port = self.required_number("PORT", 0..=65_535)?;
        let family = self.choice("AF", &[("INET", Family::Inet), ("INET6", Family::Inet6)]);
        let read_time = self.number("REATIME", 0..=999).unwrap_or(0);
        let listener = Listener {
            transaction,
            port: port as u16,
            family: family.unwrap_or(Family::Inet),
            backlog: self.number("BACKLOG", 0..=32_767).unwrap_or(20) as i32,
            sockets_max: self.number("NUMSOCK", 50..=65_535).unwrap_or(50) as usize,
            immediate: self.flag("IMMED", true),
            give_time: Duration::from_secs(self.number("GIVTIME", 0..=999).unwrap_or(30).into()),
            read_time: (read_time > 0).then(|| Duration::from_secs(read_time.into())),
            exit: self.name("SECEXIT"),
            user: self.name("USERID"),
            error_queue: *self.error_queue,
            format: self.format(),
        };
        (self.messages.len() == before).then_some(listener)
    }

    fn is_of_another(&self, applid: &str) -> bool {
        self.get("APPLID").is_some_and(|operand| operand.value != applid)
    }

    fn interface(mut self, applid: &str) {
        self.check_keys("the interface", INTERFACE_KEYS);
        if !self.is_of_another(applid) {
            *self.error_queue = self.name("ERRORTD").unwrap_or(*self.error_queue);
        }
    }

    fn format(&mut self) -> Format {
        let enhanced = self.choice("FORMAT", &[("STANDARD", false), ("ENHANCED", true)]);
        if !enhanced.unwrap_or(false) {
            return Format::Standard {
                message_min: self.number("MINMSGL", 1..=MESSAGE_LENGTH_MAX as u32).unwrap_or(4) as usize,
                ascii: self.flag("TRANTRN", true),
                user_ascii: self.flag("TRANUSR", true),
            };
        }
        let kinds = [("KC", StartKind::Task), ("IC", StartKind::Interval), ("TD", StartKind::TransientData)];
        let transaction = self.name("CSTRANID").or_else(|| self.name("CSTRAN"));
        if transaction.is_none() && self.get("SECEXIT").is_none() {
            let message = Diagnostic::error(code::MISSING, "an enhanced listener needs CSTRANID");
            let help = "it names the transaction that serves a client; a SECEXIT may name it instead";
            self.messages.push(message.at(self.this.place.clone()).help(help));
        }
        let start = self.choice("CSSTTYP", &kinds).or_else(|| self.choice("CSSTTYPE", &kinds));
        Format::Enhanced {
            transaction: transaction.unwrap_or(TransactionName::BLANK),
            start: start.unwrap_or(StartKind::Task),
            delay: hhmmss(self.number("CSDELAY", 0..=995_959).unwrap_or(0)),
            message_length: self.number("MSGLEN", 0..=MESSAGE_LENGTH_MAX as u32).unwrap_or(0) as usize,
            peek: self.flag("PEEKDATA", false),
            ebcdic: self.choice("MSGFORM", &[("ASCII", false), ("EBCDIC", true)]).unwrap_or(false),
        }
    }

    fn get(&self, key: &str) -> Option<&Operand> {
        self.this.operands.iter().find(|operand| operand.key == key)
    }

    fn check_keys(&mut self, who: &str, known: &[&str]) {
        for operand in self.this.operands.iter().filter(|operand| !known.contains(&operand.key.as_str())) {
            let text = format!("{who} has no {}", operand.key);
            let message = Diagnostic::error(code::UNKNOWN, text).at(operand.place.clone());
            self.messages.push(match nearest(&operand.key, known.iter().copied()) {
                Some(near) => message.help(format!("did you mean {near}?")),
                None => message,
            });
        }
    }

    fn wrong(&mut self, key: &str, wanted: &str) {
        let place = self.get(key).map(|operand| operand.place.clone());
        if let Some(place) = place {
            self.messages.push(Diagnostic::error(code::VALUE, format!("{key} takes {wanted}")).at(place));
        }
    }

    fn number(&mut self, key: &str, bounds: std::ops::RangeInclusive<u32>) -> Option<u32> {
        let number = self.get(key)?.value.parse().ok().filter(|number| bounds.contains(number));
        if number.is_none() {
            self.wrong(key, &format!("a number from {} to {}", bounds.start(), bounds.end()));
        }
        number
    }

    fn required_number(&mut self, key: &str, bounds: std::ops::RangeInclusive<u32>) -> Option<u32> {
        if self.get(key).is_none() {
            let message = Diagnostic::error(code::MISSING, format!("a listener needs {key}"));
            self.messages.push(message.at(self.this.place.clone()));
        }
        self.number(key, bounds)
    }

    fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let value = &self.get(key)?.value;
        let found = choices.iter().find(|(word, _)| word == value).map(|(_, choice)| *choice);
        if found.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            self.wrong(key, &format!("one of {}", words.join(", ")));
        }
        found
    }

    fn flag(&mut self, key: &str, default: bool) -> bool {
        self.choice(key, &[("YES", true), ("NO", false)]).unwrap_or(default)
    }

    fn name<const N: usize>(&mut self, key: &str) -> Option<Name<N>> {
        let value = &self.get(key)?.value;
        if value.is_empty() {
            return None;
        }
        if value.len() > N {
            self.wrong(key, &format!("a name of up to {N} characters"));
            return None;
        }
        Some(Name::from(value.as_str()))
    }
}

/// A time as hhmmss.
pub fn hhmmss(number: u32) -> Duration {
    let seconds = number / 10_000 * 3_600 + number / 100 % 100 * 60 + number % 100;
    Duration::from_secs(seconds.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Vec<Listener>, Vec<String>) {
        let (listeners, messages) = read(&Source::new("listeners.txt", text), "REGION");
        (listeners, messages.into_iter().map(|message| message.message).collect())
    }

    #[test]
    fn a_standard_listener_has_the_published_defaults() {
        let (listeners, messages) =
            told(" EZACICD TYPE=CICS,APPLID=REGION\n EZACICD TYPE=LISTENER,PORT=3010\n");
        assert_eq!(messages, [""; 0]);
        let listener = &listeners[0];
        assert_eq!(
            (listener.transaction.to_string(), listener.port, listener.backlog),
            ("CSKL".into(), 3010, 20)
        );
        assert_eq!((listener.sockets_max, listener.immediate, listener.read_time), (50, true, None));
        let format = Format::Standard { message_min: 4, ascii: true, user_ascii: true };
        assert_eq!((listener.give_time.as_secs(), &listener.format), (30, &format));
        assert_eq!(listener.error_queue.to_string(), "CSMT");
    }

    #[test]
    fn an_enhanced_listener_says_what_it_starts() {
        let text = "\
 EZACICD TYPE=LISTENER,FORMAT=ENHANCED,TRANID=CSKM,PORT=3011,
       CSTRANID=P511,CSSTTYP=IC,CSDELAY=000130,MSGLEN=137,
       PEEKDATA=YES,REATIME=5,AF=INET6
 EZACICD TYPE=LISTENER,APPLID=ANOTHER,PORT=1
";
        let (listeners, messages) = told(text);
        assert_eq!((listeners.len(), messages), (1, Vec::<String>::new()));
        let Format::Enhanced { transaction, start, delay, message_length, peek, .. } = &listeners[0].format
        else {
            panic!("it is enhanced")
        };
        assert_eq!(
            (transaction.to_string().as_str(), *start, delay.as_secs()),
            ("P511", StartKind::Interval, 90)
        );
        assert_eq!((*message_length, *peek, listeners[0].family), (137, true, Family::Inet6));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let (listeners, messages) = told(
            " EZACICD TYPE=LISTENER,FORMAT=ENHANCED,PORT=99999,NUMSOCKS=9\n EZACICD TYPE=LISTENER,PORT=1,TRANID=TOOLONG\n EZACICD TYPE=CICS,PORT=1,ERRORTD=LONGER",
        );
        assert_eq!(
            (listeners.len(), messages),
            (
                0,
                vec![
                    "a listener has no NUMSOCKS".to_owned(),
                    "PORT takes a number from 0 to 65535".to_owned(),
                    "TRANID takes a name of up to 4 characters".to_owned(),
                    "the interface has no PORT".to_owned(),
                    "ERRORTD takes a name of up to 4 characters".to_owned(),
                ]
            )
        );
    }
}
