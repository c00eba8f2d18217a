//! Two regions that ask each other over a network that delays, cuts and falls silent, by seeds.
//!
//! Each seed is a world: two connections in each direction, so that what one region sends may overtake what it has sent
//! before; pieces of any size; clocks that differ in speed; answers in any order. `LINK_SEED=n` runs one of them.

#[path = "../common/mod.rs"]
mod common;
mod network;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use common::{begin, hello};
use fastrand::Rng;
use link::{Asked, Clock, Ended, Host, Link, NoReply, Patience, Queue, Sessions, Vitals};
use network::{Fate, wire};
use tokio::time::{Instant, sleep, timeout};

/// The most that a world may last.
const WORLD: Duration = Duration::from_secs(600);
/// Connections of one region to the other.
const CONNECTIONS: usize = 2;

/// A clock that goes faster or slower than the world's.
struct Skewed {
    began: Instant,
    rate: f64,
}

impl Clock for Skewed {
    fn now(&self) -> Duration {
        self.began.elapsed().mul_f64(self.rate)
    }

    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()>>> {
        let rest = time.saturating_sub(self.now()).div_f64(self.rate);
        // A timer has whole milliseconds.
        Box::pin(sleep(rest + Duration::from_millis(1)))
    }
}

/// A region: it does what it is asked after a while, and counts how often it has done it.
struct Region {
    random: RefCell<Rng>,
    done: RefCell<HashMap<Vec<u8>, u32>>,
    working: Cell<u32>,
    most: Cell<u32>,
}

/// One end of a connection of a region.
struct End(Rc<Region>);

impl Host for End {
    fn vitals(&self) -> Vitals {
        Vitals { load: self.0.working.get() as u8, ..Vitals::default() }
    }

    fn asked(&self, asked: Asked, body: &[u8]) {
        let region = Rc::clone(&self.0);
        *region.done.borrow_mut().entry(body.to_vec()).or_default() += 1;
        region.working.set(region.working.get() + 1);
        region.most.set(region.most.get().max(region.working.get()));
        let answer: Vec<u8> = body.iter().rev().copied().collect();
        let (rest, how) = {
            let mut random = region.random.borrow_mut();
            (Duration::from_millis(random.u64(0..400)), random.u8(..))
        };
        let finish = move |asked: Asked| {
            region.working.set(region.working.get() - 1);
            match how {
                0..=9 => drop(asked),
                10..=19 => asked.fail("by chance"),
                _ => asked.reply(&answer),
            }
        };
        if rest < Duration::from_millis(100) {
            return finish(asked);
        }
        tokio::task::spawn_local(async move {
            tokio::select! {
                () = sleep(rest) => {}
                () = asked.cancelled() => {}
            }
            finish(asked);
        });
    }
}

/// One direction: a region, its connections to the other, and how many requests may be in flight.
struct Direction {
    name: &'static str,
    links: Vec<Link>,
    accepted: Vec<Link>,
    fates: Vec<Fate>,
    sessions: Sessions,
    owner: Rc<Region>,
    in_flight: u32,
}

async fn direction(name: &'static str, random: &mut Rng) -> Direction {
    let region = |random: &mut Rng| {
        Rc::new(Region {
            random: RefCell::new(random.fork()),
            done: RefCell::default(),
            working: Cell::default(),
            most: Cell::default(),
        })
    };
    let (asker, owner) = (region(random), region(random));
    let in_flight = random.u32(1..12);
    let sessions = Sessions::new(in_flight, Queue::default());
    let clock = |random: &mut Rng| -> Rc<dyn Clock> {
        Rc::new(Skewed { began: Instant::now(), rate: 0.8 + random.f64() * 0.45 })
    };
    let (mut links, mut accepted, mut fates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..CONNECTIONS {
        let (one, other, fate) = wire(random);
        let asks = begin(one, Rc::new(End(Rc::clone(&asker))), clock(random), Patience::ELSEWHERE);
        let owns = begin(other, Rc::new(End(Rc::clone(&owner))), clock(random), Patience::ELSEWHERE);
        let ours = hello("REGA", in_flight);
        let (asks, owns) = tokio::join!(
            Link::connect(asks, &ours, |_| Ok(())),
            Link::accept(owns, |_| Ok(hello("REGB", in_flight)))
        );
        // A network may cut a link before it is one.
        links.extend(asks.ok());
        accepted.extend(owns.ok());
        fates.push(fate);
    }
    sessions.open(in_flight);
    Direction { name, links, accepted, fates, sessions, owner, in_flight }
}

/// The thing: what has become of a request.
type Outcome = (Vec<u8>, Option<Result<Vec<u8>, NoReply>>);

/// Asks once, perhaps for something long; the reply may become unwanted.
async fn ask(link: Link, sessions: Sessions, body: Vec<u8>, patience: Option<Duration>) -> Outcome {
    let asks = async {
        let session = sessions.allocate(Duration::ZERO, true).await.ok()?;
        match link.request(session, &body) {
            Ok(asking) => Some(asking.await),
            Err(why) => Some(Err(why)),
        }
    };
    let reply = match patience {
        Some(patience) => timeout(patience, asks).await.unwrap_or(None),
        None => asks.await,
    };
    (body, reply)
}

impl Direction {
    /// Asks often, then closes the links in order.
    async fn run(&self, seed: u64, random: &mut Rng) {
        let mut tasks = Vec::new();
        for number in 0..random.u32(20..120) {
            let Some(link) = random.choice(&self.links).cloned() else { break };
            let length = if random.u8(..) < 8 { random.usize(60_000..400_000) } else { random.usize(4..300) };
            let mut body = number.to_le_bytes().to_vec();
            body.resize(length, number as u8);
            let patience = (random.u8(..) < 40).then(|| Duration::from_millis(random.u64(0..500)));
            let (sessions, pause) = (self.sessions.clone(), Duration::from_millis(random.u64(0..4_000)));
            tasks.push(tokio::task::spawn_local(async move {
                sleep(pause).await;
                ask(link, sessions, body, patience).await
            }));
        }
        let mut outcomes = Vec::new();
        for task in tasks {
            outcomes.push(task.await.expect("a task"));
        }
        self.judge(seed, outcomes);
        self.links.iter().for_each(Link::close);
        for (link, fate) in self.links.iter().zip(&self.fates) {
            let ended = link.ended().await;
            assert!(fate.is_bad() || ended == Ended::Closed, "seed {seed} {}: {ended}", self.name);
        }
        for link in &self.accepted {
            link.ended().await;
        }
        let counts = self.sessions.counts(false);
        assert_eq!((counts.in_use, counts.waiting), (0, 0), "seed {seed} {}: sessions are lost", self.name);
        assert_eq!(self.owner.working.get(), 0, "seed {seed} {}: work goes on for nobody", self.name);
    }

    fn judge(&self, seed: u64, outcomes: Vec<Outcome>) {
        let done = self.owner.done.borrow();
        let is_quiet = self.fates.iter().all(|fate| !fate.is_bad());
        for (body, reply) in outcomes {
            let number = &body[..4];
            let times = done.get(&body).copied().unwrap_or(0);
            assert!(times <= 1, "seed {seed} {}: {number:?} was done {times} times", self.name);
            match reply {
                Some(Ok(reply)) => {
                    let expected: Vec<u8> = body.iter().rev().copied().collect();
                    assert!(reply == expected, "seed {seed} {}: another's answer", self.name);
                    assert_eq!(times, 1, "seed {seed} {}: an answer to what was not done", self.name);
                }
                Some(Err(NoReply::Unanswered(_))) => assert_eq!(times, 1, "seed {seed}"),
                Some(Err(why)) => assert!(!is_quiet, "seed {seed} {}: {why}", self.name),
                // It was no longer wanted, or no session came in time.
                None => {}
            }
        }
        let most = self.owner.most.get();
        assert!(most <= self.in_flight, "seed {seed} {}: {most} at once of {}", self.name, self.in_flight);
    }
}

/// One world. Returns how often its network was bad, and what was done.
fn world(seed: u64) -> (usize, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    let run = async {
        let mut random = Rng::with_seed(seed);
        let there = direction("there", &mut random).await;
        let back = direction("back", &mut random).await;
        let (mut one, mut other) = (random.fork(), random.fork());
        let runs = async { tokio::join!(there.run(seed, &mut one), back.run(seed, &mut other)) };
        timeout(WORLD, runs).await.unwrap_or_else(|_| panic!("seed {seed}: somebody waits for ever"));
        let bad = there.fates.iter().chain(&back.fates).filter(|fate| fate.is_bad()).count();
        let done = there.owner.done.borrow().len() + back.owner.done.borrow().len();
        (bad, done)
    };
    tokio::task::LocalSet::new().block_on(&runtime, run)
}

#[test]
fn nothing_is_done_twice_nothing_is_mixed_up_and_everybody_hears_of_the_end() {
    let seeds = match std::env::var("LINK_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..60,
    };
    let is_one = seeds.end - seeds.start == 1;
    let (mut bad, mut done) = (0, 0);
    for seed in seeds {
        let (of_bad, of_done) = world(seed);
        (bad, done) = (bad + of_bad, done + of_done);
    }
    // The worlds are worth the name.
    assert!(is_one || (bad > 50 && done > 3_000), "{bad} bad connections, {done} requests done");
}
