//! The six calls, beside a region of a few lines: what a program does wrong has its published reason, and reaches no region.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use access::{ExternalAnswer, ExternalDone, ExternalLink};

use crate::limits::{PIPES_MAX, USERS_MAX};
use crate::{Arguments, Interface, NoArea, NoWay, Regions, Unanswered, Unheard, Way};

/// Arguments as fields of their own.
#[derive(Clone, Default)]
struct Fields(Vec<Option<Vec<u8>>>);

impl Fields {
    fn of(fields: &[Option<&[u8]>]) -> Self {
        Self(fields.iter().map(|field| field.map(<[u8]>::to_vec)).collect())
    }

    fn word(&self, place: usize, at: usize) -> i32 {
        let field = self.0[place].as_ref().expect("it is there");
        i32::from_be_bytes(field[4 * at..4 * at + 4].try_into().expect("a word"))
    }
}

impl Arguments for Fields {
    fn is_there(&self, place: usize) -> bool {
        self.0.get(place).is_some_and(Option::is_some)
    }

    fn size(&self, place: usize) -> usize {
        self.0.get(place).and_then(Option::as_ref).map_or(0, Vec::len)
    }

    fn read(&self, place: usize, length: usize) -> Result<Vec<u8>, NoArea> {
        let field = self.0.get(place).and_then(Option::as_ref).ok_or(NoArea)?;
        field.get(..length).map(<[u8]>::to_vec).ok_or(NoArea)
    }

    fn write(&mut self, place: usize, bytes: &[u8]) -> Result<(), NoArea> {
        let field = self.0.get_mut(place).and_then(Option::as_mut).ok_or(NoArea)?;
        field.get_mut(..bytes.len()).ok_or(NoArea)?.copy_from_slice(bytes);
        Ok(())
    }

    fn number(&self, _: usize) -> Result<i64, NoArea> {
        Err(NoArea)
    }

    fn put_number(&mut self, _: usize, _: i64) -> Result<(), NoArea> {
        Err(NoArea)
    }

    fn put_pointer(&mut self, _: usize, _: u32) -> Result<(), NoArea> {
        Err(NoArea)
    }

    fn hold(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn hold_message(&mut self, _: &[u8]) -> Option<u32> {
        Some(4_096)
    }
}

type Answers = Rc<RefCell<VecDeque<Result<ExternalAnswer, Unheard>>>>;
type Asked = Rc<RefCell<Vec<ExternalLink>>>;

/// A region that answers as it is given, and keeps what it is asked.
#[derive(Clone, Default)]
struct Stand {
    ways: Rc<RefCell<VecDeque<NoWay>>>,
    answers: Answers,
    asked: Asked,
}

impl Regions for Stand {
    fn open(&mut self, _: [u8; 8]) -> Result<Box<dyn Way>, NoWay> {
        match self.ways.borrow_mut().pop_front() {
            Some(why) => Err(why),
            None => Ok(Box::new(self.clone())),
        }
    }
}

impl Way for Stand {
    fn link(&mut self, link: ExternalLink, _: &dyn Fn() -> bool) -> Result<ExternalAnswer, Unheard> {
        self.asked.borrow_mut().push(link);
        let done = || Ok(ExternalAnswer::Done(ExternalDone::default()));
        self.answers.borrow_mut().pop_front().unwrap_or_else(done)
    }
}

/// A run with a user and a pipe.
struct Run {
    stand: Stand,
    interface: Interface,
    user: [u8; 4],
    pipe: [u8; 4],
}

const ONE: [u8; 4] = [0, 0, 0, 1];

impl Run {
    fn new() -> Self {
        let stand = Stand::default();
        let mut interface = Interface::new(Box::new(stand.clone()), Some(String::from("JOBUSER")));
        let user = token(&mut interface, &[0; 4], 1, Some(b"CLIENT  "), USER);
        let pipe = token(&mut interface, &user, 2, Some(&[0; 4]), PIPE);
        Self { stand, interface, user, pipe }
    }

    /// A call with these arguments behind the first four: response and reason.
    fn call(&mut self, number: i32, rest: &[Option<&[u8]>]) -> (i32, i32) {
        self.call_by(1, number, rest)
    }

    fn call_by(&mut self, version: i32, number: i32, rest: &[Option<&[u8]>]) -> (i32, i32) {
        let (version, number) = (version.to_be_bytes(), number.to_be_bytes());
        let user = self.user;
        let first: [Option<&[u8]>; 4] = [Some(&version), Some(&[0; 20]), Some(&user), Some(&number)];
        let mut fields = Fields::of(&[&first[..], rest].concat());
        let response = self.interface.call(&mut fields, &|| true).expect("an answer");
        assert_eq!(response, fields.word(1, 0));
        (response, fields.word(1, 1))
    }

    fn open(&mut self) -> (i32, i32) {
        let pipe = self.pipe;
        self.call(3, &[Some(&pipe)])
    }

    fn close(&mut self) -> (i32, i32) {
        let pipe = self.pipe;
        self.call(4, &[Some(&pipe)])
    }

    /// A request that is right, but for what `change` does: response, reason, and RESP and RESP2 of the program.
    fn request(&mut self, change: impl Fn(&mut Given)) -> (i32, i32, i32, i32) {
        self.request_by(1, change)
    }

    fn request_by(&mut self, version: i32, change: impl Fn(&mut Given)) -> (i32, i32, i32, i32) {
        let mut fields = Fields::of(&[
            Some(&version.to_be_bytes()),
            Some(&[0; 20]),
            Some(&self.user),
            Some(&6_i32.to_be_bytes()),
            Some(&self.pipe),
            Some(b"SERVER  "),
            Some(b"0123456789"),
            Some(&10_i32.to_be_bytes()),
            Some(&4_i32.to_be_bytes()),
            Some(b"MIRR"),
            None,
            None,
            Some(&[0xFF; 12]),
            Some(&[0x80]),
        ]);
        change(&mut fields.0);
        let response = self.interface.call(&mut fields, &|| true).expect("an answer");
        (response, fields.word(1, 1), fields.word(12, 0), fields.word(12, 1))
    }
}

const USER: usize = 2;
const PIPE: usize = 4;
const LENGTH: usize = 7;
const DATA_LENGTH: usize = 8;
const TRANSACTION: usize = 9;
const UNIT: usize = 10;
const OTHER_USER: usize = 11;
const OPTIONS: usize = 13;

/// The arguments of a call, to be changed.
type Given = Vec<Option<Vec<u8>>>;

/// The token that a call gives.
fn token(
    interface: &mut Interface,
    user: &[u8; 4],
    number: i32,
    fifth: Option<&[u8]>,
    given: usize,
) -> [u8; 4] {
    let number = number.to_be_bytes();
    let mut fields = Fields::of(&[Some(&ONE), Some(&[0; 20]), Some(user), Some(&number), fifth, None, None]);
    assert_eq!(interface.call(&mut fields, &|| true), Ok(0));
    fields.word(given, 0).to_be_bytes()
}

fn word(number: i32) -> Option<Vec<u8>> {
    Some(number.to_be_bytes().to_vec())
}

#[test]
fn a_request_goes_to_the_region_as_it_was_asked_for() {
    let mut run = Run::new();
    assert_eq!(run.open(), (0, 0));
    assert_eq!(run.request(|_| {}), (0, 0, 0, 0));
    let asked = run.stand.asked.borrow().clone();
    let wanted = ExternalLink {
        client: Some(String::from("JOBUSER")),
        user: None,
        program: *b"SERVER  ",
        transaction: Some(*b"MIRR"),
        commarea: Some((b"0123".to_vec(), 10)),
        channel: None,
    };
    assert_eq!(asked, [wanted]);
}

#[test]
fn a_wrong_version_call_type_or_token_has_its_reason() {
    let mut run = Run::new();
    let (user, pipe) = (run.user, run.pipe);
    for version in [i32::MIN, -1, 0, 4, i32::MAX] {
        assert_eq!(run.call_by(version, 3, &[Some(&pipe)]), (12, 402), "version {version}");
    }
    for number in [i32::MIN, -1, 0, 7, i32::MAX] {
        assert_eq!(run.call(number, &[Some(&pipe)]), (12, 401), "call type {number}");
    }
    assert_eq!(run.call(1, &[Some(b"        ")]), (12, 403));
    for forged in [[0; 4], [0xFF; 4], ONE, user] {
        for call in [3, 4, 5, 6] {
            assert_eq!(run.call(call, &[Some(&forged)]), (12, 418), "call {call}");
        }
    }
    // The pipe of another user counts as none.
    let other = token(&mut run.interface, &[0; 4], 1, Some(b"OTHER   "), USER);
    for stranger in [[0; 4], [0xFF; 4], pipe] {
        run.user = stranger;
        assert_eq!(run.open(), (12, 404));
    }
    run.user = other;
    assert_eq!(run.open(), (12, 418));
    assert!(run.stand.asked.borrow().is_empty());
}

#[test]
fn a_pipe_is_used_in_order() {
    let mut run = Run::new();
    let pipe = run.pipe;
    assert_eq!(run.request(|_| {}).1, 406);
    assert_eq!(run.close(), (4, 2));
    assert_eq!((run.open(), run.open()), ((0, 0), (4, 1)));
    assert_eq!(run.call(5, &[Some(&pipe)]), (12, 405));
    assert_eq!((run.close(), run.call(5, &[Some(&pipe)]), run.open()), ((0, 0), (0, 0), (12, 418)));
}

#[test]
fn arguments_of_a_request_are_checked_before_anything_is_asked() {
    let mut run = Run::new();
    assert_eq!(run.open(), (0, 0));
    type Change = fn(&mut Given);
    let wrong: [(Change, (i32, i32, i32, i32)); 11] = [
        (|fields| fields[TRANSACTION] = Some(b"    ".to_vec()), (12, 409, -1, -1)),
        (|fields| fields[OTHER_USER] = Some(b"        ".to_vec()), (12, 407, -1, -1)),
        (|fields| fields[UNIT] = Some(vec![0; 27]), (12, 408, -1, -1)),
        (|fields| fields[OPTIONS] = Some(vec![0]), (12, 424, -1, -1)),
        (|fields| fields[OPTIONS] = None, (12, 424, -1, -1)),
        (|fields| fields[LENGTH] = word(-1), (0, 0, 22, 22)),
        (|fields| fields[LENGTH] = word(32_764), (0, 0, 22, 22)),
        (|fields| fields[LENGTH] = word(0), (0, 0, 22, 23)),
        (|fields| fields[LENGTH] = None, (0, 0, 22, 23)),
        (|fields| fields[DATA_LENGTH] = word(-1), (0, 0, 22, 12)),
        (|fields| fields[DATA_LENGTH] = word(11), (0, 0, 22, 13)),
    ];
    for (at, (change, wanted)) in wrong.into_iter().enumerate() {
        assert_eq!(run.request(change), wanted, "change {at}");
    }
    let version_2: [(usize, i32); 2] = [(15, 427), (16, 428)];
    for (place, reason) in version_2 {
        let came = run.request_by(2, |fields| {
            fields.resize(17, None);
            fields[place] = word(37);
        });
        assert_eq!(came.1, reason);
    }
    let other = run.request_by(2, |fields| fields.push(Some(b"ELSE".to_vec())));
    assert_eq!(other.1, 426);
    assert_eq!(
        (run.request_by(3, |_| {}).1, run.request_by(3, |fields| fields[LENGTH] = None).1),
        (430, 431)
    );
    assert!(run.stand.asked.borrow().is_empty());
}

#[test]
fn an_area_that_is_not_there_ends_the_program() {
    let mut run = Run::new();
    assert_eq!(run.open(), (0, 0));
    let ends = |run: &mut Run, change: &dyn Fn(&mut Given)| {
        let mut fields = Fields::of(&[Some(&ONE), Some(&[0; 20]), Some(&run.user), Some(&[0, 0, 0, 6])]);
        fields.0.push(Some(run.pipe.to_vec()));
        fields.0.extend([Some(b"SERVER  ".to_vec()), Some(b"01".to_vec()), word(2), None, None, None, None]);
        fields.0.extend([Some(vec![0; 12]), Some(vec![0x80])]);
        change(&mut fields.0);
        run.interface.call(&mut fields, &|| true)
    };
    for place in [0, 1, 2, 3, 4, 5, 12] {
        assert_eq!(ends(&mut run, &|fields| fields[place] = None), Err(Unanswered::NoArea), "{place}");
    }
    // A COMMAREA that reaches behind the program's storage, and areas that are too short.
    assert_eq!(ends(&mut run, &|fields| fields[LENGTH] = word(3)), Err(Unanswered::NoArea));
    for (place, length) in [(1, 19), (12, 11)] {
        let short = ends(&mut run, &|fields| fields[place] = Some(vec![0; length]));
        assert_eq!(short, Err(Unanswered::NoArea));
    }
    assert!(run.stand.asked.borrow().is_empty());
    assert_eq!(ends(&mut run, &|_| {}), Ok(0));
}

#[test]
fn what_a_region_answers_has_its_reason_and_its_pipe_is_opened_again() {
    let mut run = Run::new();
    for (why, wanted) in [(NoWay::NotThere, (8, 203)), (NoWay::Full, (8, 202))] {
        run.stand.ways.borrow_mut().push_back(why);
        assert_eq!(run.open(), wanted);
    }
    run.stand.ways.borrow_mut().push_back(NoWay::Failed(String::from("another build")));
    assert_eq!((run.open(), run.open()), ((16, 609), (0, 0)));
    let answers = [
        (Ok(ExternalAnswer::Abended(*b"ASRA")), (12, 422)),
        (Ok(ExternalAnswer::NotSurrogate), (12, 423)),
        (Ok(ExternalAnswer::NoMirror(String::from("no"))), (12, 414)),
    ];
    for (answer, (response, reason)) in answers {
        run.stand.answers.borrow_mut().push_back(answer);
        assert_eq!(run.request(|_| {}), (response, reason, 0, 0));
    }
    for (lost, wanted) in [(Unheard::NotSent, (8, 203)), (Unheard::Lost(String::from("gone")), (16, 616))] {
        run.stand.answers.borrow_mut().push_back(Err(lost));
        let came = run.request(|_| {});
        assert_eq!((came.0, came.1), wanted);
        assert_eq!((run.request(|_| {}).1, run.open().1), (417, 417), "it must be closed");
        assert_eq!((run.close(), run.open(), run.request(|_| {}).1), ((0, 0), (0, 0), 0));
    }
    run.stand.answers.borrow_mut().push_back(Err(Unheard::Stopped));
    let user = run.user;
    let mut fields = Fields::of(&[Some(&ONE), Some(&[0; 20]), Some(&user), Some(&[0, 0, 0, 6])]);
    fields.0.push(Some(run.pipe.to_vec()));
    fields.0.extend([Some(b"SERVER  ".to_vec()), None, None, None, None, None, None]);
    fields.0.extend([Some(vec![0; 12]), Some(vec![0x80])]);
    assert_eq!(run.interface.call(&mut fields, &|| false), Err(Unanswered::Stopped));
}

#[test]
fn users_and_pipes_have_a_limit() {
    let mut run = Run::new();
    for _ in 1..PIPES_MAX {
        assert_eq!(run.call(2, &[Some(&[0; 4])]), (0, 0));
    }
    assert_eq!(run.call(2, &[Some(&[0; 4])]), (16, 608));
    for _ in 1..USERS_MAX {
        assert_eq!(run.call(1, &[Some(b"CLIENT")]), (0, 0));
    }
    assert_eq!(run.call(1, &[Some(b"CLIENT")]), (16, 603));
    run.interface.program_ends();
    assert_eq!(run.open(), (12, 404));
}
