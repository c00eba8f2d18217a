//! Regions, server and links that die at any message, by seeds, on a simulated disk, on one thread. A ledger is the judge: nothing
//! that was acknowledged is lost, nothing is doubled, nothing is half done, and no lock is left.
//!
//! `SHARE_SEEDS=0..1000` runs more than the ordinary few. A seed that fails prints the command that runs it again.

mod common;

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use common::{begin, store};
use fastrand::Rng;
use link::carrier::Halves;
use link::{Patience, Timer};
use records::sim::{Machine, Running};
use records::{Decider, Decision, Engine, Error, Limits, Local, Recovery, StoreId, Wait};
use share::{Connector, Remote, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet, LocalSet};
use tokio::time::sleep;

const SEEDS: Range<u64> = 0..12;
const REGIONS: usize = 3;
const TASKS: usize = 3;
/// Units of work of each task.
const UNITS: u64 = 25;
const ACCOUNTS: u64 = 5;
/// The sum of all accounts.
const MONEY: i64 = 100 * ACCOUNTS as i64;

/// The server: its streams, its tasks, all of which end with it.
struct Process {
    streams: UnboundedSender<DuplexStream>,
    all: JoinHandle<()>,
    running: Running,
}

impl Process {
    fn start(machine: &Machine) -> Self {
        let running = machine.start().expect("the engine starts");
        let (streams, mut come) = unbounded_channel::<DuplexStream>();
        let set = LocalSet::new();
        let (engine, writes) = (running.engine.clone(), running.clone());
        set.spawn_local(async move {
            let server = Server::open(engine, Rc::new(Timer::default())).await.expect("a server");
            while let Some(stream) = come.recv().await {
                let server = server.clone();
                tokio::task::spawn_local(async move {
                    server.serve(link::carrier::other(stream), Patience::HERE).await;
                });
            }
        });
        set.spawn_local(async move {
            loop {
                while writes.write_group().expect("the disk works") {}
                sleep(Duration::from_millis(1)).await;
            }
        });
        Self { streams, all: tokio::task::spawn_local(set), running }
    }
}

/// The network, and the place of the server.
#[derive(Clone)]
struct Net(Rc<NetInner>);

struct NetInner {
    server: RefCell<Option<UnboundedSender<DuplexStream>>>,
    random: RefCell<Rng>,
    calm: Cell<bool>,
    /// Connections that broke.
    cuts: Cell<u64>,
}

impl Connector for Net {
    async fn connect(&self) -> io::Result<Halves> {
        let server = self.0.server.borrow().clone().ok_or(io::ErrorKind::ConnectionRefused)?;
        let mut random = self.0.random.borrow_mut().fork();
        let cut = match random.u8(..4) {
            _ if self.0.calm.get() => u64::MAX,
            0 => u64::MAX,
            1 => random.u64(..600),
            _ => random.u64(..20_000),
        };
        let (one, near) = tokio::io::duplex(1 << random.u32(6..14));
        let (far, other) = tokio::io::duplex(1 << random.u32(6..14));
        tokio::task::spawn_local(carry(near, far, cut, random, self.clone()));
        server.send(other).map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(link::carrier::other(one))
    }
}

/// Carries bytes until so many have gone; then both ends hear that it is over.
async fn carry(near: DuplexStream, far: DuplexStream, cut: u64, mut random: Rng, net: Net) {
    let (near_in, near_out) = tokio::io::split(near);
    let (far_in, far_out) = tokio::io::split(far);
    let bytes = Cell::new(0_u64);
    let one_way = async |mut from: tokio::io::ReadHalf<DuplexStream>,
                         mut to: tokio::io::WriteHalf<DuplexStream>,
                         mut random: Rng| {
        let mut piece = vec![0; 1 << random.u32(5..12)];
        while let Ok(count @ 1..) = from.read(&mut piece).await {
            if random.u8(..10) == 0 {
                sleep(Duration::from_micros(random.u64(..3_000))).await;
            }
            let left = cut.saturating_sub(bytes.get());
            let part = (count as u64).min(left) as usize;
            bytes.set(bytes.get() + part as u64);
            if to.write_all(&piece[..part]).await.is_err() || part < count {
                break;
            }
        }
        let _ = to.shutdown().await;
    };
    let (there, back) = (random.fork(), random.fork());
    tokio::select! {
        () = one_way(near_in, far_out, there) => {}
        () = one_way(far_in, near_out, back) => {}
    }
    net.0.cuts.set(net.0.cuts.get() + u64::from(cut != u64::MAX));
}

/// The knowledge of a task of its own counter: the least and the most that it may be.
type Known = Rc<RefCell<(u64, u64)>>;

struct World {
    net: Net,
    /// The engine of the server.
    engine: RefCell<Arc<Local>>,
    known: Vec<Vec<Known>>,
    done: Cell<u64>,
    lost: Cell<u64>,
}

/// A region that runs.
struct Region {
    link: JoinHandle<()>,
    tasks: JoinHandle<()>,
}

impl Region {
    fn start(world: &Rc<World>, number: usize, run: u64, random: &mut Rng, store: StoreId) -> Self {
        let applid = format!("REG{number}");
        let patience = Duration::from_secs(3_600);
        let (engine, link) = Remote::without_thread(&applid, run, world.net.clone(), patience);
        let work = (0..TASKS).map(|task| Task {
            world: Rc::clone(world),
            engine: Arc::clone(&engine),
            known: Rc::clone(&world.known[number][task]),
            name: format!("t{number}{task}"),
            run,
            store,
        });
        let (work, mut random): (Vec<_>, _) = (work.collect(), random.fork());
        let tasks = async move {
            engine.is_there().await.expect("the server comes again");
            // What the last run has left in doubt is over before anything else: this coordinator has decided nothing.
            work[0].settle_all(&applid).await;
            let mut all: JoinSet<()> = JoinSet::new();
            for task in work {
                all.spawn_local(task.run(random.fork()));
            }
            while let Some(ended) = all.join_next().await {
                ended.expect("a task ends well");
            }
        };
        Self { link: tokio::task::spawn_local(link), tasks: tokio::task::spawn_local(tasks) }
    }

    fn is_over(&self) -> bool {
        self.tasks.is_finished()
    }

    fn kill(self) {
        self.tasks.abort();
        self.link.abort();
    }
}

struct Task {
    world: Rc<World>,
    engine: Arc<Remote>,
    known: Known,
    name: String,
    run: u64,
    store: StoreId,
}

fn number(record: &[u8]) -> i64 {
    String::from_utf8_lossy(record).parse().unwrap_or(0)
}

impl Task {
    async fn run(self, mut random: Rng) {
        let mut at = 0;
        while self.known.borrow().0 < UNITS {
            at += 1;
            let outcome = self.unit(&mut random, at).await;
            match outcome {
                Ok(()) => self.world.done.set(self.world.done.get() + 1),
                Err(Error::Lost(_)) => self.world.lost.set(self.world.lost.get() + 1),
                // A unit of work in doubt of the last run holds it until its region says how it ends.
                Err(Error::Deadlock | Error::TimedOut | Error::Retained) => {}
                Err(error) => panic!("{} hears {error:?}", self.name),
            }
            sleep(Duration::from_micros(random.u64(..2_000))).await;
        }
    }

    async fn unit(&self, random: &mut Rng, at: u64) -> Result<(), Error> {
        let mut unit = begin(&*self.engine);
        let (mut own, mut record) = (Vec::new(), Vec::new());
        let wait = Wait::AtMost(Duration::from_millis(200));
        unit.lock_and_get(self.store, self.name.as_bytes(), wait, &mut own).await?;
        let counted = number(&own) as u64;
        {
            let mut known = self.known.borrow_mut();
            let (least, most) = *known;
            assert!(
                (least..=most).contains(&counted),
                "{}: {counted}, where {least} to {most} is right",
                self.name
            );
            *known = (counted, counted);
        }
        let (from, to) = (random.u64(..ACCOUNTS), random.u64(..ACCOUNTS));
        for (account, amount) in [(from, -1), (to, 1)] {
            let key = format!("a{account}");
            unit.lock_and_get(self.store, key.as_bytes(), wait, &mut record).await?;
            let now = number(&record) + amount;
            unit.put(self.store, key.as_bytes(), now.to_string().as_bytes()).await?;
        }
        unit.put(self.store, self.name.as_bytes(), (counted + 1).to_string().as_bytes()).await?;
        let choice = random.u8(..10);
        if choice == 0 {
            unit.backout().await?;
            return Ok(());
        }
        // From here on it may be committed without a word of it, if this region is killed.
        self.known.borrow_mut().1 = counted + 1;
        let name = format!("{} {} {at}", self.name, self.run);
        if choice < 3 {
            match unit.prepare(name.as_bytes()).await {
                Ok(()) => {}
                Err(Error::Lost(why)) => {
                    // It may be in doubt nevertheless; its coordinator has decided nothing.
                    self.settle(&name).await?;
                    self.known.borrow_mut().1 = counted;
                    return Err(Error::Lost(why));
                }
                Err(error) => return Err(error),
            }
            if choice == 1 {
                let ended = unit.backout().await;
                if ended.is_err() {
                    self.settle(&name).await?;
                }
                self.known.borrow_mut().1 = counted;
                return ended;
            }
        }
        let committed = unit.commit().await;
        let known = match &committed {
            Ok(()) => (counted + 1, counted + 1),
            // A commit that is refused is backed out.
            Err(_) if choice >= 3 => (counted, counted),
            Err(_) => {
                // It was prepared, and its end is lost: this coordinator says backout, unless it was committed.
                self.settle(&name).await?;
                (counted, counted + 1)
            }
        };
        *self.known.borrow_mut() = known;
        committed
    }

    /// Backs out all that is in doubt of this region.
    async fn settle_all(&self, applid: &str) {
        let own = format!("{applid:8}").into_bytes();
        let listed = self.world.engine.borrow().indoubt().expect("a list");
        for name in listed.iter().filter_map(|unit| unit.name.strip_prefix(own.as_slice())) {
            self.settle(&String::from_utf8_lossy(name)).await.expect("it ends");
        }
    }

    /// Backs a unit of work out that may be in doubt.
    async fn settle(&self, name: &str) -> Result<(), Error> {
        loop {
            match self.engine.resolve(name.as_bytes(), Decision::Backout, Decider::Coordinator).await {
                Ok(()) | Err(Error::NotIndoubt) => return Ok(()),
                Err(Error::Lost(_)) => sleep(Duration::from_millis(10)).await,
                Err(error) => return Err(error),
            }
        }
    }
}

async fn sum(engine: &dyn Engine, store: StoreId) -> i64 {
    let mut total = 0;
    for account in 0..ACCOUNTS {
        let mut record = Vec::new();
        begin(engine).get(store, format!("a{account}").as_bytes(), &mut record).await.expect("a read");
        total += number(&record);
    }
    total
}

/// Those in doubt of regions that are gone are backed out.
async fn resolve_all(engine: &dyn Engine) {
    for unit in engine.indoubt().expect("a list") {
        match engine.resolve(&unit.name, Decision::Backout, Decider::Coordinator).await {
            Ok(()) | Err(Error::NotIndoubt) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn run(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    let machine = Machine::new(seed, limits);
    let mut server = Process::start(&machine);
    let local = server.running.engine.clone();
    let store = store(&*local, "accounts", Recovery::Recoverable).await;
    let mut unit = begin(&*local);
    for account in 0..ACCOUNTS {
        unit.put(store, format!("a{account}").as_bytes(), b"100").await.expect("put");
    }
    unit.commit().await.expect("committed");
    drop(local);
    let net = Net(Rc::new(NetInner {
        server: RefCell::new(Some(server.streams.clone())),
        random: RefCell::new(random.fork()),
        calm: Cell::new(false),
        cuts: Cell::new(0),
    }));
    let known = (0..REGIONS).map(|_| (0..TASKS).map(|_| Known::default()).collect()).collect();
    let engine = RefCell::new(server.running.engine.clone());
    let world = Rc::new(World { net: net.clone(), engine, known, done: Cell::new(0), lost: Cell::new(0) });
    let mut regions: Vec<_> =
        (0..REGIONS).map(|number| Some(Region::start(&world, number, 1, &mut random, store))).collect();
    let mut troubles = random.u64(4..20);
    let mut run = 1;
    while !regions.iter().flatten().all(Region::is_over) {
        sleep(Duration::from_micros(random.u64(..12_000))).await;
        if troubles == 0 {
            net.0.calm.set(true);
            continue;
        }
        troubles -= 1;
        if random.u8(..3) > 0 {
            let victim = random.usize(..REGIONS);
            if let Some(region) = regions[victim].take() {
                region.kill();
            }
            sleep(Duration::from_micros(random.u64(..5_000))).await;
            run += 1;
            regions[victim] = Some(Region::start(&world, victim, run, &mut random, store));
        } else {
            *net.0.server.borrow_mut() = None;
            server.all.abort();
            let _ = (&mut server.all).await;
            let machine_rest = Duration::from_micros(random.u64(..20_000));
            sleep(machine_rest).await;
            server = Process::start(&machine);
            *world.engine.borrow_mut() = server.running.engine.clone();
            *net.0.server.borrow_mut() = Some(server.streams.clone());
        }
    }
    regions.into_iter().flatten().for_each(Region::kill);
    sleep(Duration::from_secs(1)).await;
    let local = server.running.engine.clone();
    resolve_all(&*local).await;
    assert_eq!(sum(&*local, store).await, MONEY, "money is made or lost");
    for (number_of_region, tasks) in world.known.iter().enumerate() {
        for (task, known) in tasks.iter().enumerate() {
            let mut record = Vec::new();
            let key = format!("t{number_of_region}{task}");
            begin(&*local).get(store, key.as_bytes(), &mut record).await.expect("a read");
            let (least, most) = *known.borrow();
            assert!((least..=most).contains(&(number(&record) as u64)), "{key}");
        }
    }
    let left = local.locks().list();
    assert!(left.is_empty(), "locks are left: {left:?}");
    assert!(world.done.get() > 0 && net.0.cuts.get() + world.lost.get() > 0, "nothing has happened");
}

#[test]
fn nothing_is_lost_doubled_or_half_done() {
    let seeds = match std::env::var("SHARE_SEEDS") {
        Ok(text) => {
            let (first, end) = text.split_once("..").expect("SHARE_SEEDS=first..end");
            first.parse().expect("a number")..end.parse().expect("a number")
        }
        Err(_) => SEEDS,
    };
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        let work = std::panic::AssertUnwindSafe(|| {
            LocalSet::new().block_on(&runtime, async {
                let limit = Duration::from_secs(600);
                tokio::time::timeout(limit, run(seed)).await.expect("it ends");
            });
        });
        if let Err(panic) = std::panic::catch_unwind(work) {
            eprintln!("again: SHARE_SEEDS={seed}..{} cargo test -p share --test simulator", seed + 1);
            std::panic::resume_unwind(panic);
        }
    }
}
