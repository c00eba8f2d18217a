//! The life of a JVM: a thread of the region starts its process, takes its connections, and sees it end.
//!
//! The thread lasts as long as the process: the system kills that with it (`setpriv --pdeathsig`), and the JVM ends itself when its
//! control connection does.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use domains::statistics::Statistics;
use kernel::name::Name8;
use kernel::notices::{Notice, Notices};
use kernel::region::Region;
use kernel::task::TaskControl;
use link::frame::Kind;
use ports::LocalPath;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::LocalSet;
use tokio::time::{Instant, interval, sleep_until, timeout};

use crate::dumps;
use crate::executor::{self, ATTACH, REQUEST};
use crate::jdk::Jdk;
use crate::liberty;
use crate::limits::{
    DUMPS_MAX, HELLO_MAX, HELLO_TIME, LIBERTY_STOP_TIME, LOOK_EVERY, REPORT_MAX, SAID_MAX, STOP_TIME,
    STRANGERS_MAX,
};
use crate::osgi::{self, BundleReport, OsgiBundles, REPORT};
use crate::output;
use crate::profile::Profile;
use crate::server::{JvmServer, JvmServers, Order, Programs};
use crate::shapes::Shapes;
use crate::statistics::Teller;
use crate::talk::{Connection, Message, Stream};
use crate::vitals::{Process as Figures, Vitals};
use crate::watch::{Bounds, Sight, Verdict, Watch};
use crate::wire::{CHARSET, Reader, Writer, shown};

/// The version of what follows the heads of frames.
const VERSION: u8 = 1;
/// Messages of the control connection: a thread is wanted, is to be interrupted, has ended.
const THREAD: u8 = b'T';
const INTERRUPT: u8 = b'I';
const GONE: u8 = b'G';
/// The state of the JVM.
const VITALS: u8 = b'V';
/// A dump is wanted; it is there.
const DUMP: u8 = b'D';
/// Work of Java has a task; has none.
const ATTACHED: u8 = b'K';
const REJECTED: u8 = b'X';
/// Bytes of the path of a socket.
const SOCKET_MAX: usize = 107;
/// Bytes of a token.
const TOKEN: usize = 32;
/// The folder of profiles, below the application's.
const PROFILES: &str = "jvmprofiles";

/// Everything that a life needs to know.
struct Setup {
    region: Weak<Region>,
    server: Arc<JvmServer>,
    application: PathBuf,
    folder: PathBuf,
    applid: Name8,
}

/// Starts the JVMs of all JVM servers that are to be enabled, now and from now on, with a folder below the region's state; their
/// statistics are collected.
///
/// # Errors
/// The folder cannot be made.
pub fn open(region: &Arc<Region>, state: &Path) -> io::Result<()> {
    let folder = state.join("java");
    Statistics::of(region).register(Arc::new(Teller));
    let enabled = JvmServers::of(region).opened(folder.clone());
    if !enabled.is_empty() {
        kernel::private::folder(&folder)?;
    }
    for server in &enabled {
        start(region, server, None);
    }
    Ok(())
}

impl Setup {
    /// Those who follow statuses hear that the server's may be another one.
    fn has_changed(&self) {
        if let Some(region) = self.region.upgrade() {
            has_changed(&region, None);
        }
    }
}

/// Those who follow statuses of JVM servers hear that one may have changed. `task`: the task that has changed it.
pub(crate) fn has_changed(region: &Arc<Region>, task: Option<&TaskControl>) {
    if Notices::are_wanted(region) {
        Notices::tell(region, task, Notice::Changed);
    }
}

/// Begins to start a JVM server's JVM, on behalf of a task if there is one. False if it has one, or the region starts none.
pub(crate) fn start(region: &Arc<Region>, server: &Arc<JvmServer>, task: Option<&TaskControl>) -> bool {
    let Some(folder) = JvmServers::of(region).folder() else { return false };
    let (orders, taken) = unbounded_channel();
    if !server.begins(orders) {
        return false;
    }
    has_changed(region, task);
    let setup = Setup {
        region: Arc::downgrade(region),
        server: Arc::clone(server),
        application: absolute(&region.options.application_folder),
        folder: absolute(&folder),
        applid: region.options.applid,
    };
    tracing::info!(target: "SJ", "JVMSERVER {} is being enabled", server.name);
    let name = format!("jvm-{}", server.name);
    match thread::Builder::new().name(name).spawn(move || live(&setup, taken)) {
        Ok(thread) => server.lives(thread),
        Err(error) => {
            tracing::error!(target: "SJ", "JVMSERVER {} has no thread: {error}", server.name);
            server.has_ended();
            has_changed(region, task);
        }
    }
    true
}

/// The whole life.
fn live(setup: &Setup, orders: UnboundedReceiver<Order>) {
    let server = &setup.server;
    let ended = prepare(setup).and_then(|command| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        LocalSet::new().block_on(&runtime, run(setup, command, orders))
    });
    dumps::jvm_has_ended(&setup.folder, server.name);
    server.has_ended();
    setup.has_changed();
    if let Some(region) = setup.region.upgrade() {
        OsgiBundles::of(&region).server_has_ended(server.name);
    }
    match ended {
        Ok(()) => tracing::info!(target: "SJ", "JVMSERVER {} is disabled", server.name),
        Err(why) => tracing::error!(target: "SJ", "JVMSERVER {} is disabled: {why}", server.name),
    }
    if server.is_recycled()
        && let Some(region) = setup.region.upgrade()
    {
        start(&region, server, None);
    }
}

/// A path that leads to the same place from everywhere: a JVM has the application's folder as its own.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The file of a JVM server's profile.
pub(crate) fn profile(application: &Path, server: &JvmServer) -> PathBuf {
    let name = server.definition.get("JVMPROFILE").unwrap_or_default();
    application.join(PROFILES).join(format!("{name}.jvmprofile"))
}

/// A command to start, and the knowledge of its connections.
struct Prepared {
    command: Command,
    listener: std::os::unix::net::UnixListener,
    token: String,
    home: PathBuf,
    programs: Programs,
    /// It may ask for tasks of requests.
    has_requests: bool,
    /// The time that it has until it is there, and to end in order.
    patience: Duration,
    stops_in: Duration,
    bounds: Bounds,
    _socket: LocalPath,
    _held: Option<liberty::Held>,
}

/// Reads the profile, finds the JDK, has the classes compiled, and listens.
fn prepare(setup: &Setup) -> Result<Prepared, String> {
    let server = &setup.server;
    let name = server.name.to_string().trim_end().to_owned();
    let path = profile(&setup.application, server);
    let applid = setup.applid.to_string().trim_end().to_owned();
    let profile = Profile::read(&path, &[("&APPLID;", &applid), ("&JVMSERVER;", &name)])?;
    profile.notes.iter().for_each(|note| tracing::warn!(target: "SJ", "JVMSERVER {name}: {note}"));
    kernel::private::folder(&setup.folder).map_err(|error| format!("{}: {error}", setup.folder.display()))?;
    let jdk = Jdk::find(profile.java_home.as_deref())?;
    let failed = |error: io::Error| format!("its socket: {error}");
    let socket = LocalPath::new(&setup.folder, &format!("{name}.sock")).map_err(failed)?;
    let path = setup.folder.join(format!("{name}.sock"));
    if path.as_os_str().len() > SOCKET_MAX {
        return Err(format!(
            "{} is longer than the {SOCKET_MAX} bytes that Java takes for a socket",
            path.display()
        ));
    }
    let listener = socket.listen_blocking().map_err(failed)?.ok_or("another region has its socket")?;
    listener.set_nonblocking(true).map_err(failed)?;
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes).map_err(|error| format!("no token: {error}"))?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let places = (setup.application.as_path(), setup.folder.as_path(), name.as_str());
    let (mut command, programs, held) = command(&jdk, &profile, places)?;
    command.envs(profile.environment.iter().map(|(name, value)| (name, value)));
    command.env("SYNCPOINT_JVM_SOCKET", &path).env("SYNCPOINT_JVM_TOKEN", &token);
    command.current_dir(&setup.application);
    let patience = profile.osgi.patience;
    let bounds = profile.bounds;
    Ok(Prepared {
        command,
        listener,
        token,
        home: jdk.home,
        programs,
        has_requests: profile.wlp.is_integrated(),
        patience,
        stops_in: if programs == Programs::Liberty { LIBERTY_STOP_TIME } else { STOP_TIME },
        bounds,
        _socket: socket,
        _held: held,
    })
}

/// The command of a JVM, less the places of its connections: its options, and what it runs. What it holds is to be kept as long as it runs.
fn command(
    jdk: &Jdk,
    profile: &Profile,
    places: (&Path, &Path, &str),
) -> Result<(Command, Programs, Option<liberty::Held>), String> {
    let (application, folder, _) = places;
    let mut command = tied(&jdk.java());
    let code_page = format!("-Dcom.ibm.cics.jvmserver.local.ccsid={CHARSET}");
    if profile.wlp.is_named {
        let held = liberty::equip(&mut command, jdk, profile, places, &code_page)?;
        return Ok((command, Programs::Liberty, Some(held)));
    }
    let classes = jdk.classes(folder)?;
    command.args(&profile.options).arg(code_page);
    let (behind, kind) = match &profile.class_path {
        Some(parts) => (parts.iter().map(|part| application.join(part)).collect(), Programs::Classes),
        None => (osgi::equip(&mut command, jdk, &classes, profile, places)?, Programs::Osgi),
    };
    command.arg("-cp").arg(class_path(&classes, &behind)).arg("syncpoint.jvm.Server");
    Ok((command, kind, None))
}

/// The class path: the Java side, and what comes behind it.
fn class_path(classes: &Path, behind: &[PathBuf]) -> std::ffi::OsString {
    let mut path = classes.as_os_str().to_owned();
    for part in behind {
        path.push(":");
        path.push(part);
    }
    path
}

/// A program that the system kills with the thread that has started it.
fn tied(program: &Path) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("setpriv").is_file()) {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// A process that is killed when its life is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Someone who has said who it is.
enum Arrived {
    Control(Stream),
    Thread(u32, Connection),
}

/// The JVM runs.
struct Running<'a> {
    setup: &'a Setup,
    has_requests: bool,
    control: Option<UnboundedSender<(Kind, Vec<u8>)>>,
    /// Time at which it is killed, and the time that it has to end in order.
    deadline: Instant,
    stops_in: Duration,
    watch: Watch,
    /// The paths of heap dumps that it was asked for and has not made yet; an empty one for dumps without the heap.
    dumps: Vec<String>,
}

async fn run(
    setup: &Setup,
    mut prepared: Prepared,
    mut orders: UnboundedReceiver<Order>,
) -> Result<(), String> {
    let failed = |error: io::Error| format!("its JVM cannot be started: {error}");
    // A group of its own: an interrupt at the region's terminal is the region's business.
    let command =
        prepared.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut process = Process(command.spawn().map_err(failed)?);
    kernel::private::folder(&setup.folder.join(output::FOLDER)).map_err(failed)?;
    output::keep(&setup.folder, setup.server.name, process.0.stdout.take(), process.0.stderr.take());
    let pid = process.0.id();
    setup.server.has_process(pid, prepared.home, prepared.programs);
    let end = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or("a process without a number")?;
    let end = pidfd_open(end, PidfdFlags::empty()).map_err(|error| failed(error.into()))?;
    let mut end = tokio::task::spawn_blocking(move || ends(&end));
    let listener = UnixListener::from_std(prepared.listener).map_err(failed)?;
    let (tell, mut arrived) = unbounded_channel();
    let (say, mut heard) = channel(SAID_MAX);
    let strangers = Arc::new(Semaphore::new(STRANGERS_MAX));
    let watch = Watch::new(prepared.bounds);
    let deadline = Instant::now() + prepared.patience;
    let stops_in = prepared.stops_in;
    let has_requests = prepared.has_requests;
    let mut running =
        Running { setup, has_requests, control: None, deadline, stops_in, watch, dumps: Vec::new() };
    let mut look = interval(LOOK_EVERY);
    loop {
        tokio::select! {
            _ = &mut end => break,
            _ = look.tick() => running.looks(pid),
            () = sleep_until(running.deadline) => {
                let _ = process.0.kill();
                running.deadline = far();
            }
            comes = comes(&listener, &strangers) => if let Some((stream, place)) = comes {
                greet(stream, place, pid, &prepared.token, &tell);
            },
            Some(someone) = arrived.recv() => running.takes(someone, &say),
            order = orders.recv() => match order {
                Some(Order::Kill) | None => {
                    let _ = process.0.kill();
                    if order.is_none() {
                        break;
                    }
                }
                Some(order) => running.obeys(order),
            },
            message = heard.recv() => running.hears(message.flatten()),
        }
    }
    let status = process.0.wait().map_err(failed)?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("its JVM has ended with {status}")),
    }
}

/// Waits for the end of a process.
fn ends(process: &OwnedFd) {
    let mut event = [PollFd::new(process, PollFlags::IN)];
    while poll(&mut event, None) == Err(Errno::INTR) {}
}

/// A time that does not come.
fn far() -> Instant {
    Instant::now() + Duration::from_secs(u64::from(u32::MAX))
}

/// Waits for someone who comes, as long as few enough have said nothing yet.
async fn comes(
    listener: &UnixListener,
    strangers: &Arc<Semaphore>,
) -> Option<(UnixStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(strangers).acquire_owned().await.ok()?;
    let (stream, _) = listener.accept().await.ok()?;
    Some((stream, place))
}

/// Has someone who comes say who it is: a process of another number, and one who does not know the token, is sent away.
fn greet(
    stream: UnixStream,
    place: OwnedSemaphorePermit,
    pid: u32,
    token: &str,
    tell: &UnboundedSender<Arrived>,
) {
    let peer = stream.peer_cred().ok().and_then(|peer| u32::try_from(peer.pid()?).ok());
    if peer != Some(pid) {
        return;
    }
    let (token, tell) = (token.to_owned(), tell.clone());
    tokio::task::spawn_local(async move {
        let mut stream = Stream::new(stream);
        if let Ok(Ok(hello)) = timeout(HELLO_TIME, stream.receive(HELLO_MAX)).await
            && let Some(thread) = introduced(&hello, &token)
        {
            let someone = match thread {
                0 => Some(Arrived::Control(stream)),
                _ => stream.into_idle().map(|stream| {
                    Arrived::Thread(thread, Connection { stream, shapes: Shapes::default(), conversation: 0 })
                }),
            };
            if let Some(someone) = someone {
                let _ = tell.send(someone);
            }
        }
        drop(place);
    });
}

/// The thread that a Hello names; `None` if it is no good one.
fn introduced(hello: &Message, token: &str) -> Option<u32> {
    let mut body = Reader(&hello.body);
    let is_good = hello.kind == Kind::Hello && body.u8()? == VERSION && body.bytes()? == token.as_bytes();
    let thread = body.u32()?;
    let _version = body.text()?;
    (is_good && body.is_at_end()).then_some(thread)
}

impl Running<'_> {
    fn takes(&mut self, someone: Arrived, say: &Sender<Option<Message>>) {
        let server = &self.setup.server;
        match someone {
            Arrived::Control(stream) if self.control.is_none() => {
                let (control, written) = unbounded_channel();
                self.control = Some(control);
                tokio::task::spawn_local(control_connection(stream, written, say.clone()));
                self.deadline = far();
                server.is_up();
                self.setup.has_changed();
                if let Some(region) = self.setup.region.upgrade() {
                    OsgiBundles::of(&region).server_is_up(&region, server.name);
                }
                tracing::info!(target: "SJ", "JVMSERVER {} is enabled, process {}", server.name, server.pid());
            }
            Arrived::Thread(thread, connection) if server.is_expected(thread) => {
                server.idles(thread, connection)
            }
            // The region has not asked for it.
            Arrived::Control(_) | Arrived::Thread(..) => {}
        }
    }

    fn obeys(&mut self, order: Order) {
        let (kind, body) = match order {
            Order::Thread(thread) => (Kind::Request, Writer::default().u8(THREAD).u32(thread).0),
            Order::Interrupt(thread) => (Kind::Request, Writer::default().u8(INTERRUPT).u32(thread).0),
            Order::Attached(number) => (Kind::Request, Writer::default().u8(ATTACHED).u32(number).0),
            Order::Reject(number) => (Kind::Request, Writer::default().u8(REJECTED).u32(number).0),
            Order::Install(number) => {
                let asked = self.setup.region.upgrade();
                let asked = asked.and_then(|region| OsgiBundles::of(&region).asked(number));
                // It was taken back meanwhile.
                let Some((path, symbolic_name)) = asked else { return };
                (Kind::Request, osgi::install(number, &path, &symbolic_name))
            }
            Order::Retire(number) => (Kind::Request, osgi::retire(number)),
            Order::Dump { threads, heap } => {
                let server = self.setup.server.name;
                if self.dumps.len() >= DUMPS_MAX {
                    tracing::warn!(target: "SJ", "JVMSERVER {server} makes no dump: {DUMPS_MAX} are being made");
                    return;
                }
                let path = if heap { dumps::next(&self.setup.folder, server) } else { PathBuf::new() };
                let path = path.display().to_string();
                self.dumps.push(path.clone());
                let body = Writer::default().u8(DUMP).u8(u8::from(threads)).u8(u8::from(heap));
                (Kind::Request, body.text(&path).0)
            }
            Order::Close | Order::Kill => {
                self.deadline = self.deadline.min(Instant::now() + self.stops_in);
                (Kind::Closing, Vec::new())
            }
        };
        match &self.control {
            Some(control) => drop(control.send((kind, body))),
            None if order == Order::Close => self.deadline = Instant::now(),
            None => {}
        }
    }

    /// Looks at the JVM.
    fn looks(&mut self, pid: u32) {
        let server = &self.setup.server;
        let resident = Figures::resident(pid).unwrap_or_default();
        let sight = Sight { resident, orphaned: server.orphaned() };
        let Some(verdict) = self.watch.looks(sight, std::time::Instant::now()) else { return };
        let name = server.name;
        match verdict {
            Verdict::IsSilent => tracing::warn!(target: "SJ", "the JVM of JVMSERVER {name} stands still"),
            Verdict::IsHeard => tracing::info!(target: "SJ", "the JVM of JVMSERVER {name} goes on"),
            Verdict::TooLarge(bytes) => {
                tracing::error!(target: "SJ", "the JVM of JVMSERVER {name} has {bytes} bytes, more than MEMORY_MAX, and is killed");
                self.deadline = Instant::now();
            }
            Verdict::PhaseOut if server.recycles() => tracing::warn!(
                target: "SJ",
                "JVMSERVER {name} is being disabled and enabled again: a thread goes on whose task was purged"
            ),
            // An operator who disables it decides how.
            _ if !server.is_recycling() => {}
            Verdict::Purge | Verdict::ForcePurge => server.purges(verdict == Verdict::ForcePurge),
            Verdict::PhaseOut | Verdict::Kill => self.deadline = Instant::now(),
        }
    }

    /// A message of the control connection; `None`: it has ended, and the JVM has to follow.
    fn hears(&mut self, message: Option<Message>) {
        if message.and_then(|message| self.understands(&message)).is_none() {
            self.deadline = self.deadline.min(Instant::now() + STOP_TIME);
        }
    }

    /// Does what a message says. `None` if it says nothing.
    fn understands(&mut self, message: &Message) -> Option<()> {
        let mut body = Reader(&message.body);
        match (message.kind, body.u8()?) {
            (Kind::Request, GONE) => self.setup.server.is_gone(body.u32()?),
            (Kind::Request, ATTACH) => {
                executor::attach(&self.setup.region.upgrade()?, &self.setup.server, &mut body)?;
            }
            // URIMAPs say the users of requests: other programs of Java take none of them.
            (Kind::Request, REQUEST) if self.has_requests => {
                executor::request(&self.setup.region.upgrade()?, &self.setup.server, &mut body)?;
            }
            (Kind::Request, REPORT) => {
                let report = BundleReport::read(&mut body)?;
                let region = self.setup.region.upgrade()?;
                OsgiBundles::of(&region).hears(&region, self.setup.server.name, report);
            }
            (Kind::Request, VITALS) => {
                self.setup.server.is_well(Vitals::read(&mut body)?);
                self.watch.hears(std::time::Instant::now());
            }
            (Kind::Request, DUMP) => {
                let (is_good, path, why) = (body.u8()? != 0, body.text()?, shown(body.text()?));
                let asked = self.dumps.iter().position(|asked| asked == path)?;
                let (path, failed) = (self.dumps.swap_remove(asked), (!is_good).then_some(why));
                dumps::are_made(&self.setup.folder, self.setup.server.name, path.into(), failed);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Tells messages of the control connection, and at its end `None`; writes what is to be written meanwhile.
async fn control_connection(
    mut stream: Stream,
    mut written: UnboundedReceiver<(Kind, Vec<u8>)>,
    say: Sender<Option<Message>>,
) {
    loop {
        tokio::select! {
            message = stream.receive(REPORT_MAX) => match message {
                // A life that has ended hears nothing.
                Ok(message) => if say.send(Some(message)).await.is_err() {
                    break;
                },
                Err(_) => break,
            },
            Some((kind, body)) = written.recv() => {
                if stream.send(kind, 0, &body).await.is_err() {
                    break;
                }
            }
        }
    }
    let _ = say.send(None).await;
}
