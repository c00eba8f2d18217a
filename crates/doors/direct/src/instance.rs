//! An instance: a task whose program takes one message after the other, and the parameter list that it is given.
//!
//! The list is the published one, five pointers: to the message, its length, the answer, its length, and the return code.
//! Lengths and code are fullwords, as of PIC S9(9) COMP.

use std::sync::Arc;

use kernel::name::Name8;
use kernel::programs::Program;
use kernel::raise::{Abend, AbendCode, Outcome, Raise};
use kernel::region::Region;
use kernel::security::User;
use kernel::storage::{LeftStorage, TaskStorage};
use kernel::task::TaskPart;
use pipelines::handed::{self, Begun, Handed};
use pipelines::provider::{Reply, Request};

use crate::areas::{Areas, POINTERS, Which};
use crate::called::{Called, POINTER, Source};
use crate::edition::Edition;
use crate::hub::{Hub, Message, Served};
use crate::reader::Asked;
use crate::scenario::Scenario;

/// The code in the fault of a service whose program says by its return code that it has failed.
const SAYS_SO: &str = "AVSV";
/// The abend of a program whose answer is longer than its scenario's answers may be.
const TOO_LONG: &str = "AEIV";

const FULLWORD: usize = 4;
/// Offsets of the numbers that the list points to: they lie in one area.
const MESSAGE_LENGTH: usize = 0;
const ANSWER_LENGTH: usize = FULLWORD;
const RETURN_CODE: usize = 2 * FULLWORD;
const NUMBERS: usize = 3 * FULLWORD;

/// State of an instance for its task.
pub(crate) struct Instance {
    /// The hub of its TCB.
    pub hub: Arc<Hub>,
    /// Its scenario.
    pub scenario: Arc<Scenario>,
    /// The scenario's place.
    pub lane: usize,
    /// Its number at the hub.
    pub number: u64,
    /// The copy of the program that it runs.
    pub edition: Arc<Edition>,
    /// The connection whose message it has.
    pub hand: Option<u32>,
    /// Messages since it has let others have their turn.
    pub in_a_row: u32,
    /// Storage that its program has got before its first message: it stays.
    pub storage: Option<TaskStorage>,
    /// It has asked for a message.
    pub has_begun: bool,
    /// It was told to end.
    pub is_to_end: bool,
    has_served: bool,
    /// On whose behalf its program runs without a message.
    pub own_user: Option<Arc<User>>,
    /// The request that rests while the program has its record.
    handed: Option<Handed>,
    /// The storage that its program is given.
    areas: Areas,
    /// The state in which its program has left its message, until its unit of work has ended.
    last: Option<Left>,
}

/// Result of a program for its message.
#[derive(Debug)]
pub(crate) struct Left {
    /// The status of HTTP.
    pub status: u16,
    /// Its unit of work is backed out.
    pub backs_out: bool,
    /// Place of the answer.
    answer: At,
    /// Length of the answer.
    length: usize,
    /// Its Content-Type, if it is not that of the scenario.
    media: Option<String>,
}

/// The place of an answer.
#[derive(Debug)]
enum At {
    /// In what the program was given.
    Given(Which, usize),
    /// In the program's own storage, of which this is a copy.
    Elsewhere(Vec<u8>),
}

const OK: u16 = 200;
const FAILED: u16 = 500;

/// Meaning of a return code: a status of HTTP, and true if the unit of work is backed out.
fn meaning(code: i32) -> (u16, bool) {
    match code {
        0 => (OK, false),
        200..=499 => (code as u16, false),
        500..=599 => (code as u16, true),
        _ => (FAILED, true),
    }
}

impl Instance {
    /// An instance that has not begun.
    pub fn new(hub: &Arc<Hub>, scenario: &Arc<Scenario>, lane: usize, program: Arc<Program>) -> Self {
        let (message, answer) = scenario.said.areas();
        Self {
            hub: Arc::clone(hub),
            scenario: Arc::clone(scenario),
            lane,
            number: hub.new_instance(),
            edition: Edition::of(program),
            hand: None,
            in_a_row: 0,
            storage: None,
            has_begun: false,
            is_to_end: false,
            has_served: false,
            own_user: None,
            handed: None,
            areas: Areas::new(NUMBERS, message, answer),
            last: None,
        }
    }

    /// Its program asks: it has its areas from now on.
    ///
    /// # Errors
    /// ASRA if there is no room for them.
    pub fn asks(&mut self, call: &Called<'_>) -> Outcome {
        self.areas.begin(call)
    }

    /// Addresses in the list as long as the program does not change it.
    fn addresses(&self) -> [u32; POINTERS] {
        let [numbers, message, answer] =
            [Which::Numbers, Which::Message, Which::Answer].map(|which| self.areas.address(which));
        let [length, answered, code] =
            [MESSAGE_LENGTH, ANSWER_LENGTH, RETURN_CODE].map(|behind| numbers + behind as u32);
        [message, length, answer, answered, code]
    }

    /// Addresses in the list.
    fn listed(&self, from: &Source<'_>) -> Outcome<[u32; POINTERS]> {
        let mut list = [[0; POINTER]; POINTERS];
        self.areas.read(from, (Which::List, 0), list.as_flattened_mut())?;
        Ok(list.map(u32::from_be_bytes))
    }

    /// The list says where everything is.
    fn list_all(&mut self, call: &Called<'_>) -> Outcome {
        let list = self.addresses().map(u32::to_be_bytes);
        self.areas.fill(call, Which::List, list.as_flattened())
    }

    /// The request of a service is begun with; `None` if it is answered without the program.
    pub fn begins_service(
        &mut self,
        region: &Region,
        place: u32,
        user: Name8,
        message: Message,
    ) -> Option<Vec<u8>> {
        let Some((name, fit)) = self.scenario.said.service.zip(self.scenario.service.get()) else {
            return Some(message.bytes);
        };
        let asked = message.asked.map_or_else(Asked::default, |asked| *asked);
        let query = asked.query.map_or_else(String::new, |query| format!("?{query}"));
        let request = Request {
            method: Some(asked.method),
            uri: format!("{}{query}", fit.path),
            media: asked.media,
            action: asked.action,
            user: user.to_string(),
            transaction: self.scenario.said.transaction.to_string(),
            body: message.bytes,
        };
        match handed::begin(region, name, request) {
            Begun::Record(handed, record) => {
                self.handed = Some(handed);
                Some(record)
            }
            Begun::Answered(reply) => {
                self.scenario.counts.answers.one();
                let write = |into: &mut [u8]| into.copy_from_slice(&reply.body);
                self.hub.answer(place, reply.status, (reply.body.len(), &reply.media), write);
                None
            }
        }
    }

    /// The message of a connection is its own now: where the list is, and the message's length. Nothing of the message before is in
    /// what the program is given.
    ///
    /// # Errors
    /// ASRA if the program has no storage for it.
    pub fn receives(&mut self, place: u32, message: &[u8], call: &Called<'_>) -> Outcome<(u32, usize)> {
        self.hand = Some(place);
        self.areas.fill(call, Which::Message, message)?;
        let length = message.len();
        self.areas.fill(call, Which::Answer, &[])?;
        let mut numbers = [0; NUMBERS];
        numbers[MESSAGE_LENGTH..FULLWORD].copy_from_slice(&(length as u32).to_be_bytes());
        self.areas.fill(call, Which::Numbers, &numbers)?;
        self.list_all(call)?;
        if !std::mem::replace(&mut self.has_served, true) {
            self.hub.is_of_use(self.lane);
        }
        Ok((self.areas.address(Which::List), length))
    }

    /// The state in which the program has left its message. At its CALL it can say that its answer is elsewhere.
    ///
    /// # Errors
    /// The abend of a program that has written beside its storage, or says what cannot be.
    pub fn left(&mut self, from: &Source<'_>) -> Outcome<Left> {
        if let Some(left) = self.last.take() {
            return Ok(left);
        }
        let left = self.left_by_program(from)?;
        let Some(handed) = self.handed.take() else { return Ok(left) };
        let record = match left.answer {
            _ if left.backs_out => Err(Abend::from(AbendCode::from(SAYS_SO))),
            At::Elsewhere(bytes) => Ok(bytes),
            At::Given(which, behind) => {
                let mut bytes = vec![0; left.length];
                self.areas.read(from, (which, behind), &mut bytes)?;
                Ok(bytes)
            }
        };
        let Reply { status, media, body, backs_out, .. } = handed.ends(record);
        Ok(Left {
            // What the program says of an answer that is one counts more.
            status: if backs_out || left.status == OK { status } else { left.status },
            backs_out: backs_out || left.backs_out,
            length: body.len(),
            answer: At::Elsewhere(body),
            media: Some(media),
        })
    }

    /// Keeps the state in which the program has left its message: its unit of work is to end first.
    pub fn keeps(&mut self, left: Left) {
        self.last = Some(left);
    }

    fn left_by_program(&self, from: &Source<'_>) -> Outcome<Left> {
        let own = self.addresses();
        let said = if let Source::Call(_) = from { self.listed(from)? } else { own };
        let number = |place: usize, at: usize| -> Outcome<i32> {
            let mut number = [0; FULLWORD];
            match said[place] == own[place] {
                true => self.areas.read(from, (Which::Numbers, at), &mut number)?,
                false => from.read(said[place], &mut number)?,
            }
            Ok(i32::from_be_bytes(number))
        };
        let (status, backs_out) = meaning(number(RETURN_CODE_POINTER, RETURN_CODE)?);
        let length = number(ANSWER_LENGTH_POINTER, ANSWER_LENGTH)?;
        let length = usize::try_from(length).ok().filter(|length| *length <= self.scenario.said.answer);
        let Some(length) = length else {
            return Err(self.refused(&format!(
                "the length of its answer is not one from 0 to {} (answer)",
                self.scenario.said.answer
            )));
        };
        let answer = match self.areas.holding(said[ANSWER_POINTER]) {
            Some(place) if !self.areas.has(place, length) => {
                return Err(self.refused("its answer ends behind the storage that it begins in"));
            }
            Some((which, behind)) => At::Given(which, behind),
            None => {
                let mut bytes = vec![0; length];
                if length > 0 {
                    from.read(said[ANSWER_POINTER], &mut bytes)?;
                }
                At::Elsewhere(bytes)
            }
        };
        Ok(Left { status, backs_out, answer, length, media: None })
    }

    /// The abend of a program that answers what cannot be sent.
    fn refused(&self, why: &str) -> Raise {
        tracing::error!(target: "DR", "program {}: {why}", self.scenario.said.program);
        Raise::abend(TOO_LONG)
    }

    /// Sends the answer.
    pub fn answers(&mut self, left: &Left, from: &Source<'_>) {
        let Some(place) = self.hand.take() else { return };
        let counts = &self.scenario.counts;
        if left.backs_out {
            counts.backed_out.one()
        } else {
            counts.answers.one()
        }
        let media = left.media.as_deref().unwrap_or(&self.scenario.said.media);
        self.hub.answer(place, left.status, (left.length, media), |into| match &left.answer {
            // It was there when its length was read.
            At::Given(which, behind) => drop(self.areas.read(from, (*which, *behind), into)),
            At::Elsewhere(bytes) => into.copy_from_slice(bytes),
        });
    }
}

const ANSWER_POINTER: usize = 2;
const ANSWER_LENGTH_POINTER: usize = 3;
const RETURN_CODE_POINTER: usize = 4;

impl TaskPart for Instance {
    fn leaves(&mut self, storage: &LeftStorage<'_>) {
        if self.hand.is_none() {
            return;
        }
        let from = Source::End(Some(storage));
        let answered = self.left(&from).and_then(|left| {
            let At::Given(which, behind) = left.answer else { return Ok(left) };
            let mut bytes = vec![0; left.length];
            self.areas.read(&from, (which, behind), &mut bytes)?;
            Ok(Left { answer: At::Elsewhere(bytes), ..left })
        });
        self.last = answered.ok();
    }

    /// Its last unit of work is over: a program that ends with a message in hand has answered it, or has failed.
    fn task_ends(&mut self, abend: Option<AbendCode>, _reason: Option<&str>) {
        let Some(place) = self.hand else { return };
        let left = match self.last.take() {
            _ if abend.is_some() => None,
            Some(left) => Some(left),
            None => self.left(&Source::End(None)).ok(),
        };
        match left {
            Some(left) => self.answers(&left, &Source::End(None)),
            None => {
                self.hand = None;
                let code = abend.unwrap_or(AbendCode::from(TOO_LONG));
                let reply = self.handed.take().map(|handed| handed.ends(Err(code.into())));
                self.hub.fail(place, self.lane, reply.as_ref());
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(place) = self.hand.take() {
            self.hub.fail(place, self.lane, None);
        }
        let served = if self.has_served || self.is_to_end { Served::Useful } else { Served::Nothing };
        self.hub.ends(self.number, self.lane, served);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_code_is_a_status_and_a_decision() {
        let table = [(0, 200, false), (404, 404, false), (503, 503, true), (4, 500, true), (-1, 500, true)];
        for (code, status, backs_out) in table {
            assert_eq!(meaning(code), (status, backs_out), "{code}");
        }
    }
}
