//! An instance: a task whose program takes one message after the other, and the parameter list that it is given.
//!
//! The list is the published one, five pointers: to the message, its length, the answer, its length, and the return code.
//! Lengths and code are fullwords, as of PIC S9(9) COMP.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cobol::Area;
use kernel::programs::Program;
use kernel::raise::{AbendCode, Outcome, Raise};
use kernel::storage::{Lent, LentArea, POINTER_LENGTH, StorageAddress, TaskStorage};
use kernel::task::TaskPart;
use parking_lot::Mutex;

use crate::called::{Called, Pointers};
use crate::hub::{Hub, Served};
use crate::scenario::Scenario;

/// The copy of a program that an instance runs.
pub(crate) struct Edition {
    program: Arc<Program>,
    copies: u64,
}

impl Edition {
    /// The present one.
    pub fn of(program: Arc<Program>) -> Arc<Self> {
        let copies = program.copies.load(Ordering::Relaxed);
        Arc::new(Self { program, copies })
    }

    /// Whether there is no newer one.
    pub fn is_present(&self) -> bool {
        self.program.copies.load(Ordering::Relaxed) == self.copies
    }
}

/// The abend of a program that has written beside the storage it was given.
pub(crate) const VIOLATION: &str = "ASRB";
/// The abend of a program whose answer is longer than its scenario's answers may be.
const TOO_LONG: &str = "AEIV";

const FULLWORD: usize = 4;
/// Pointers of the list.
const POINTERS: usize = 5;
/// Where the numbers stand that the list points to: they lie in one area.
const MESSAGE_LENGTH: usize = 0;
const ANSWER_LENGTH: usize = FULLWORD;
const RETURN_CODE: usize = 2 * FULLWORD;

/// What an instance keeps for its task.
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
    /// What its program has got before its first message: it stays.
    pub storage: Option<TaskStorage>,
    /// It has asked for a message.
    pub has_begun: bool,
    /// It was told to end.
    pub is_to_end: bool,
    has_served: bool,
    /// Where a natively compiled program sees the areas; none of a hosted one, and until it asks for its first message.
    pub window: Option<InWindow>,
    list: LentArea,
    numbers: LentArea,
    message: LentArea,
    answer: LentArea,
    /// Bytes of the longest message and answer so far that are in the areas.
    used: [usize; 2],
}

/// Areas of an instance: the list, the numbers, the message, the answer.
const AREAS: usize = 4;

/// The areas of an instance, lent to the window of its task.
pub(crate) struct InWindow {
    lent: Arc<Lent>,
    areas: [StorageAddress; AREAS],
    at: [usize; AREAS],
}

impl InWindow {
    /// They are lent from now on: who looks them up by their addresses finds them.
    pub fn lend(instance: &Instance, lent: Arc<Lent>) -> (Self, [StorageAddress; AREAS]) {
        let areas = instance.areas().map(|area| lent.give_out(area));
        (Self { lent, areas, at: [0; AREAS] }, areas)
    }

    /// The window has them here.
    pub fn at(mut self, at: [usize; AREAS]) -> Self {
        self.at = at;
        self
    }
}

impl Drop for InWindow {
    fn drop(&mut self) {
        self.areas.into_iter().for_each(|area| self.lent.take_back(area));
    }
}

/// How a program has left its message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// The status of HTTP.
    pub status: u16,
    /// Its unit of work is backed out.
    pub backs_out: bool,
    /// Where the answer is.
    address: usize,
    /// How long it is.
    length: usize,
}

const OK: u16 = 200;
const FAILED: u16 = 500;

/// What a return code says: a status of HTTP, and whether the unit of work is backed out.
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
        let area = |length| Arc::new(Mutex::new(Area::new(length)));
        let (message, answer) = (area(scenario.said.message), area(scenario.said.answer));
        let (list, numbers) = (area(POINTERS * POINTER_LENGTH), area(3 * FULLWORD));
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
            window: None,
            list,
            numbers,
            message,
            answer,
            used: [0; 2],
        }
    }

    /// Its areas.
    fn areas(&self) -> [&LentArea; AREAS] {
        [&self.list, &self.numbers, &self.message, &self.answer]
    }

    /// How its program's pointers lie in storage.
    fn pointers(&self) -> Pointers {
        if self.window.is_some() { Pointers::Own } else { Pointers::Hosted }
    }

    /// Where the program sees its areas.
    fn places(&self) -> [usize; AREAS] {
        match &self.window {
            Some(window) => window.at,
            None => self.areas().map(|area| area.lock().address()),
        }
    }

    /// What the list says as long as the program does not change it.
    fn addresses(&self) -> [usize; POINTERS] {
        let [_, numbers, message, answer] = self.places();
        [message, numbers + MESSAGE_LENGTH, answer, numbers + ANSWER_LENGTH, numbers + RETURN_CODE]
    }

    /// What the list says.
    fn listed(&self) -> [usize; POINTERS] {
        let pointers = self.pointers();
        let mut list = [0; POINTERS * POINTER_LENGTH];
        self.list.lock().read(0, &mut list);
        let length = pointers.length();
        std::array::from_fn(|place| pointers.read(&list[place * length..][..length]))
    }

    /// The list says where everything is.
    fn list_all(&self) {
        let pointers = self.pointers();
        let length = pointers.length();
        let mut list = [0; POINTERS * POINTER_LENGTH];
        for (at, address) in self.addresses().into_iter().enumerate() {
            pointers.write(address, &mut list[at * length..][..length]);
        }
        self.list.lock().write(0, &list[..POINTERS * length]);
    }

    /// The message of a connection is its own now: where the list is, and the message's length.
    pub fn receives(&mut self, place: u32) -> (usize, usize) {
        let before = self.used[0];
        let length = {
            let mut area = self.message.lock();
            self.hub.message(place, |bytes| {
                area.write(0, bytes);
                // What the one before has had is not this one's.
                clear(&mut area, bytes.len(), before);
                bytes.len()
            })
        };
        let length = length.unwrap_or_default();
        self.used[0] = length;
        clear(&mut self.answer.lock(), 0, self.used[1]);
        self.used[1] = 0;
        let mut numbers = [0; 3 * FULLWORD];
        numbers[MESSAGE_LENGTH..FULLWORD].copy_from_slice(&(length as u32).to_be_bytes());
        self.numbers.lock().write(0, &numbers);
        self.list_all();
        if !std::mem::replace(&mut self.has_served, true) {
            self.hub.is_of_use(self.lane);
        }
        self.hand = Some(place);
        (self.places()[0], length)
    }

    /// How the program has left its message; `call` where it can say that its answer is elsewhere.
    ///
    /// # Errors
    /// The abend of a program that has written beside its storage, or says what cannot be.
    pub fn left(&self, call: Option<&Called<'_>>) -> Outcome<Left> {
        self.check()?;
        let own = self.addresses();
        let said = if call.is_some() { self.listed() } else { own };
        let number = |place: usize, at: usize| -> Outcome<i32> {
            let mut number = [0; FULLWORD];
            match call {
                Some(call) if said[place] != own[place] => call.read(said[place], &mut number)?,
                _ => self.numbers.lock().read(at, &mut number),
            }
            Ok(i32::from_be_bytes(number))
        };
        let (status, backs_out) = meaning(number(RETURN_CODE_POINTER, RETURN_CODE)?);
        let length = number(ANSWER_LENGTH_POINTER, ANSWER_LENGTH)?;
        let length = usize::try_from(length).ok().filter(|length| *length <= self.scenario.said.answer);
        let Some(length) = length else {
            tracing::error!(
                target: "DR",
                "program {}: the length of its answer is not one from 0 to {} (answer)",
                self.scenario.said.program,
                self.scenario.said.answer
            );
            return Err(Raise::abend(TOO_LONG));
        };
        Ok(Left { status, backs_out, address: said[ANSWER_POINTER], length })
    }

    /// Sends the answer.
    ///
    /// # Errors
    /// ASRA where the program says that it is where no storage is.
    pub fn answers(&mut self, left: Left, call: Option<&Called<'_>>) -> Outcome {
        let Some(place) = self.hand.take() else { return Ok(()) };
        let Left { status, address, length, .. } = left;
        let is_own = address == self.addresses()[ANSWER_POINTER];
        self.used[1] = if is_own { length } else { 0 };
        let counts = &self.scenario.counts;
        if left.backs_out {
            counts.backed_out.one()
        } else {
            counts.answers.one()
        }
        match call {
            Some(call) if !is_own => {
                let mut bytes = vec![0; length];
                if let Err(raise) = call.read(address, &mut bytes) {
                    self.hub.fail(place, self.lane);
                    return Err(raise);
                }
                self.hub.answer(place, self.lane, status, length, |into| into.copy_from_slice(&bytes));
            }
            _ => self.hub.answer(place, self.lane, status, length, |into| self.answer.lock().read(0, into)),
        }
        Ok(())
    }

    /// Whether the program has kept to its storage.
    fn check(&self) -> Outcome {
        let Some(overlay) = self.areas().iter().find_map(|area| area.lock().overlay()) else { return Ok(()) };
        let program = self.scenario.said.program;
        tracing::error!(target: "SM", "program {program}: storage violation beside a message: {overlay}");
        Err(Raise::abend(VIOLATION))
    }
}

const ANSWER_POINTER: usize = 2;
const ANSWER_LENGTH_POINTER: usize = 3;
const RETURN_CODE_POINTER: usize = 4;

/// Makes zeros of an area's bytes.
fn clear(area: &mut Area, from: usize, to: usize) {
    const ZEROS: [u8; 256] = [0; 256];
    for at in (from..to).step_by(ZEROS.len()) {
        area.write(at, &ZEROS[..ZEROS.len().min(to - at)]);
    }
}

impl TaskPart for Instance {
    /// Its last unit of work is over: a program that ends with a message in hand has answered it, or has failed.
    fn task_ends(&mut self, abend: Option<AbendCode>, _reason: Option<&str>) {
        let Some(place) = self.hand else { return };
        let left = if abend.is_some() { Err(()) } else { self.left(None).map_err(drop) };
        match left {
            Ok(left) => {
                let _ = self.answers(left, None);
            }
            Err(()) => {
                self.hand = None;
                self.hub.fail(place, self.lane);
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(place) = self.hand.take() {
            self.hub.fail(place, self.lane);
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
