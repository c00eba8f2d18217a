//! A Java program of a task: it runs in its JVM, and its commands come over the connection of its thread.

use std::sync::Arc;
use std::time::Instant;

use domains::files::Files;
use kernel::dispatcher::{Context, SuppliedProgram, SuppliedWaiting};
use kernel::exec::{Content, Flow, Parcel};
use kernel::meters::{Figure, Timed};
use kernel::name::Name8;
use kernel::programs::{JavaProgram, Program};
use kernel::raise::{Abend, AbendCode, Outcome, Raise};
use link::frame::Kind;
use spec::{Condition, cond, opt};

use crate::limits::{AHEAD_BYTES, MESSAGE_MAX};
use crate::server::{JvmServers, Lease};
use crate::shapes::{Asked, Shape, Shapes};
use crate::talk::{Broken, Connection, Message, Stream};
use crate::waits;
use crate::wire::{CHARSET, Reader, Writer, shown};
use crate::work;

/// The beginning of a JVMCLASS that says what its JVM server says as well.
const OSGI: &str = "osgi:";

/// The abend of a task whose JVM server is not enabled, or not there.
const NO_SERVER: &str = "ASJ1";
/// The abend of a Java program that leaves an exception behind.
const EXCEPTION: &str = "AJ04";
/// The abend of a task whose JVM has ended, or is no good partner.
const LOST: &str = "AJ05";
/// The abend of a class that is not there, or has no main method.
const NO_MAIN: &str = "AJ09";
/// The code in the place of one that is too long.
const CODE_TOO_LONG: &str = "AJ99";
/// Bytes of an abend code.
const CODE: usize = 4;

/// A program begins; work that a task has asked for.
const PROGRAM: u8 = b'P';
const WORK: u8 = b'W';
/// A command is answered; or it ends the task unless the program handles that.
const ANSWERED: u8 = b'R';
const ABENDED: u8 = b'A';
/// A command is answered several times.
const SEVERAL: u8 = b'T';

/// The program of a definition with JVM(YES).
pub(crate) fn program(name: Name8, java: JavaProgram) -> Program {
    // A name in an OSGi framework may have versions behind it, whose bounds are no folders.
    let class = java.class.strip_prefix(OSGI).unwrap_or(&java.class).replace('/', ".");
    let code = Code { class, server: java.server };
    let mut program = Program::supplied(name, code);
    program.java = Some(java);
    program
}

/// A class in a JVM server.
struct Code {
    class: String,
    server: Name8,
}

impl SuppliedProgram for Code {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(serve(context, self.server, What::Program(&self.class)))
    }
}

/// Tells the log why a task ends here.
fn tell(context: &Context<'_>, why: &str) {
    if context.may_write_line() {
        tracing::error!(
            target: "SJ",
            "task {} ({}), program {}: {why}", context.number, context.transaction.name, context.level().program
        );
    }
}

/// Things that a thread runs.
#[derive(Clone, Copy)]
pub(crate) enum What<'a> {
    /// A program, by its class or its name.
    Program(&'a str),
    /// Work that waits in the JVM, by its number.
    Work(u32),
}

/// Has a thread of a JVM server run something for the task.
pub(crate) async fn serve(context: &mut Context<'_>, name: Name8, what: What<'_>) -> Outcome<Flow> {
    let Some(server) = JvmServers::of(&context.region).get(name) else {
        tell(context, &format!("there is no JVMSERVER {name}"));
        return Err(Raise::abend(NO_SERVER));
    };
    let begin = begin(what, context)?;
    let control = Arc::clone(&context.control);
    let Ok(mut lease) = context.wait(waits::THREAD.kind(), server.thread(&control)).await? else {
        tell(context, &format!("JVMSERVER {name} is not enabled"));
        return Err(Raise::abend(NO_SERVER));
    };
    if matches!(what, What::Work(_)) && !work::take(context, &lease) {
        tell(context, &format!("the JVM of JVMSERVER {name} that has its work has ended"));
        lease.goes_back();
        return Err(Raise::abend(NO_SERVER));
    }
    match talk(context, &mut lease, &begin).await? {
        Ok((flow, connection)) => {
            if let Some(connection) = connection {
                lease.back(connection);
            }
            Ok(flow)
        }
        Err(broken) => {
            let why = match broken {
                Broken::Gone(why) => format!("the JVM of JVMSERVER {name} has ended: {why}"),
                Broken::Malformed(why) => format!("JVMSERVER {name} is refused: {}", shown(&why)),
            };
            tell(context, &why);
            Err(Raise::abend(LOST))
        }
    }
}

/// The message that a program begins with.
fn begin(what: What<'_>, context: &Context<'_>) -> Outcome<Vec<u8>> {
    let (letter, name) = match what {
        What::Program(class) => (PROGRAM, class.to_owned()),
        What::Work(number) => (WORK, number.to_string()),
    };
    let level = context.level();
    let text = |name: &[u8]| name.trim_ascii_end().iter().map(|byte| char::from(*byte)).collect::<String>();
    let terminal = context.facility.terminal_name();
    let channel = level.channel.as_ref().map(|channel| text(channel.name.as_bytes()));
    let body = Writer::default()
        .u8(letter)
        .text(&name)
        .text(CHARSET)
        .u8(u8::from(context.control.performance().is_some()))
        .u32(context.number)
        .text(&text(context.transaction.name.as_bytes()))
        .text(&text(context.user.id.as_bytes()))
        .text(&text(context.start_code.as_bytes()))
        .text(&terminal.map(|name| text(name.as_bytes())).unwrap_or_default())
        .text(&text(level.program.as_bytes()))
        .text(&text(level.invoked_by.as_bytes()))
        .text(&text(context.region.options.applid.as_bytes()))
        .text(&text(context.region.options.sysid.as_bytes()))
        .maybe(channel.as_deref().map(str::as_bytes))
        .maybe(context.commarea()?.as_deref());
    Ok(body.0)
}

/// Outcome of a program, and its connection, if another may have it.
type Ended = (Flow, Option<Connection>);

/// Has the program run, and answers its commands. The outer error is a purge of the task.
async fn talk(context: &mut Context<'_>, lease: &mut Lease, begin: &[u8]) -> Outcome<Result<Ended, Broken>> {
    let Some(Connection { stream, shapes, conversation }) = lease.connection() else {
        return Ok(Err(Broken::Gone("it has no connection".to_owned())));
    };
    let stream = match Stream::take(stream) {
        Ok(stream) => stream,
        Err(broken) => return Ok(Err(broken)),
    };
    let conversation = conversation.wrapping_add(1);
    let mut talk = Talk { stream, shapes, conversation, begun: Instant::now(), last: None, doomed: None };
    let sent = context.wait(waits::JAVA.kind(), talk.stream.send(Kind::Request, conversation, begin)).await?;
    if let Err(broken) = sent {
        return Ok(Err(broken));
    }
    loop {
        let message = match context.wait(waits::JAVA.kind(), talk.stream.receive(MESSAGE_MAX)).await? {
            Ok(message) => message,
            Err(broken) => return Ok(Err(broken)),
        };
        let wrong = |why: &str| Ok(Err(Broken::Malformed(why.to_owned())));
        if message.conversation != conversation {
            return wrong("a message for another task");
        }
        let answer = match message.kind {
            Kind::Request => match talk.command(context, &message).await? {
                Ok(answer) => answer,
                Err(broken) => return Ok(Err(broken)),
            },
            Kind::Reply => return Ok(talk.end(context, &message)),
            _ => return wrong("a message of another kind"),
        };
        let sent =
            context.wait(waits::JAVA.kind(), talk.stream.send(Kind::Reply, conversation, &answer)).await?;
        if let Err(broken) = sent {
            return Ok(Err(broken));
        }
    }
}

/// An outcome of a command: its answer's body, or an abend.
enum Answered {
    Normal(Vec<u8>),
    Condition(Vec<u8>),
    Abend(Abend),
}

/// Has a command answered once.
async fn answer(context: &mut Context<'_>, shape: &Shape, parcel: &Parcel) -> Result<Answered, Broken> {
    match context.issue(parcel).await {
        Ok(Flow::On) => {
            let (condition, resp2) = parcel.response().unwrap_or((cond::NORMAL, 0));
            let body = Writer::default().u8(ANSWERED).u16(condition.0).i32(resp2);
            let body = shape.answer(parcel, body).0;
            if body.len() > MESSAGE_MAX {
                return Err(Broken::Malformed(format!("an answer of {} bytes", body.len())));
            }
            Ok(if condition == cond::NORMAL { Answered::Normal(body) } else { Answered::Condition(body) })
        }
        Ok(Flow::Abend(abend)) | Err(abend) => Ok(Answered::Abend(abend)),
        Ok(Flow::Return | Flow::Xctl(_) | Flow::Link(_)) => {
            Err(Broken::Malformed("a command that passes control".to_owned()))
        }
    }
}

/// Has a command answered so many times, the first one counted, as long as all goes well. Returns the answers, the last one apart.
async fn repeat(
    context: &mut Context<'_>,
    asked: Asked<'_>,
    times: usize,
    first: Result<Answered, Broken>,
) -> Result<(Vec<Vec<u8>>, Answered), Broken> {
    let (mut before, mut last, mut parcel) = (Vec::new(), first?, asked.parcel);
    let mut bytes = 0;
    while let Answered::Normal(body) = &mut last
        && before.len() + 1 < times
        && bytes + body.len() < AHEAD_BYTES
        && !context.is_purged()
    {
        bytes += body.len();
        before.push(std::mem::take(body));
        parcel = asked.shape.again(asked.values, &parcel).map_err(Broken::Malformed)?;
        last = answer(context, asked.shape, &parcel).await?;
    }
    Ok((before, last))
}

/// Returns true if a command reads records of a file of which more may be read than the program has asked for: no lock comes of it, and
/// no wait.
fn is_read_freely(context: &Context<'_>, parcel: &Parcel) -> bool {
    let Some(Content::Bytes(name)) = parcel.content(opt::FILE) else { return false };
    let file = Files::of(&context.region).get(Name8::new(name.trim_ascii_end()));
    !parcel.has(opt::SYSID) && file.is_some_and(|file| file.is_read_freely())
}

/// The message of several answers. One alone says that there will never be more.
fn several(before: Vec<Vec<u8>>, last: Vec<u8>) -> Vec<u8> {
    let count = u8::try_from(before.len() + 1).unwrap_or(u8::MAX);
    let message = Writer::default().u8(SEVERAL).u8(count);
    before.iter().chain([&last]).fold(message, |message, answer| message.bytes(answer)).0
}

/// A program that runs.
struct Talk {
    stream: Stream,
    shapes: Shapes,
    conversation: u32,
    begun: Instant,
    /// The last abend of a command, which the program may have caught.
    last: Option<Abend>,
    /// An abend that no program can handle.
    doomed: Option<Abend>,
}

impl Talk {
    /// Has a command answered, and makes the answer's body.
    async fn command(
        &mut self,
        context: &mut Context<'_>,
        message: &Message,
    ) -> Outcome<Result<Vec<u8>, Broken>> {
        let asked = match self.shapes.command(&message.body) {
            Ok(asked) => asked,
            Err(why) => return Ok(Err(Broken::Malformed(why))),
        };
        let answered = match self.doomed {
            Some(doomed) => Ok(Answered::Abend(doomed)),
            None => answer(context, asked.shape, &asked.parcel).await,
        };
        let mut is_alone = false;
        let answers = match asked.times {
            None | Some(1) => answered.map(|answered| (Vec::new(), answered)),
            Some(times) if is_read_freely(context, &asked.parcel) => {
                repeat(context, asked, times, answered).await
            }
            Some(_) => {
                is_alone = true;
                answered.map(|answered| (Vec::new(), answered))
            }
        };
        let (before, last) = match answers {
            Ok(answers) => answers,
            Err(broken) => return Ok(Err(broken)),
        };
        let last = match last {
            Answered::Normal(body) | Answered::Condition(body) => body,
            Answered::Abend(abend) => self.abends(context, abend),
        };
        Ok(Ok(if before.is_empty() && !is_alone { last } else { several(before, last) }))
    }

    /// A command has ended with an abend.
    fn abends(&mut self, context: &Context<'_>, abend: Abend) -> Vec<u8> {
        let is_final = abend.cancel || context.is_purged();
        self.last = Some(abend);
        if is_final {
            self.doomed = Some(abend);
        }
        abended(abend, is_final)
    }

    /// Reads how the program has ended.
    fn end(self, context: &mut Context<'_>, message: &Message) -> Result<Ended, Broken> {
        let flow = match (self.doomed, self.ended(context, &mut Reader(&message.body))) {
            (_, None) => return Err(Broken::Malformed("a program that ends in no known way".to_owned())),
            (Some(doomed), _) => Flow::Abend(doomed),
            (None, Some(flow)) => flow,
        };
        let (shapes, conversation) = (self.shapes, self.conversation);
        let connection = self.stream.into_idle().map(|stream| Connection { stream, shapes, conversation });
        Ok((flow, connection))
    }

    fn ended(&self, context: &mut Context<'_>, body: &mut Reader<'_>) -> Option<Flow> {
        const RETURNED: u8 = 0;
        const ABEND: u8 = 1;
        const CONDITION: u8 = 2;
        const THROWN: u8 = 3;
        const NO_METHOD: u8 = 4;
        const NO_CLASS: u8 = 5;
        let flow = match body.u8()? {
            RETURNED => {
                if body.u8()? != 0 {
                    let bytes = body.bytes()?;
                    // It is as long as it was given; what is beyond has no place to go.
                    context.set_commarea(bytes).err().map_or(Flow::Return, |raise| Flow::Abend(raise.into()))
                } else {
                    Flow::Return
                }
            }
            ABEND => Flow::Abend(self.abend(body.text()?)),
            CONDITION => {
                let (resp, resp2, text) = (body.u16()?, body.i32()?, body.text()?);
                tell(context, &format!("an exception that it does not catch: {}", shown(text)));
                Flow::Abend(Raise::Condition(Condition(resp), resp2).into())
            }
            THROWN => self.told(context, "an exception that it does not catch", body.text()?, EXCEPTION),
            NO_METHOD => self.told(context, "it cannot begin", body.text()?, NO_MAIN),
            NO_CLASS => self.told(context, "there is no such program", body.text()?, NO_MAIN),
            _ => return None,
        };
        if let Some(performance) = context.control.performance()
            && !body.is_at_end()
        {
            // A thread that claims more than has passed has not told the truth.
            let passed = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let time = u64::try_from(body.i64()?).ok()?.min(passed);
            performance.clock(Figure::JavaProcessor, Timed { time, count: 1 });
        }
        body.is_at_end().then_some(flow)
    }

    fn told(&self, context: &Context<'_>, what: &str, text: &str, code: &str) -> Flow {
        tell(context, &format!("{what}: {}", shown(text)));
        Flow::Abend(AbendCode::from(code).into())
    }

    /// The abend of an exception that has left the program: that of a command, or one that the program has made up.
    fn abend(&self, code: &str) -> Abend {
        let code = if code.len() > CODE { CODE_TOO_LONG } else { code };
        let code = AbendCode::from(code);
        self.last.filter(|abend| abend.code == code).unwrap_or_else(|| code.into())
    }
}

/// The answer of a command that ends the task, unless the program handles that.
fn abended(abend: Abend, is_final: bool) -> Vec<u8> {
    let code: String = abend.code.trimmed().iter().map(|byte| char::from(*byte)).collect();
    Writer::default().u8(ABENDED).text(&code).u8(u8::from(is_final)).0
}
