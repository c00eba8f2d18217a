//! TRANSFORM: records and messages without a service; and DFHJSON, the same for a LINK.
//!
//! A transformer is a binding: any WEBSERVICE, and any of `[services]`.

use std::sync::Arc;

use kernel::channels::{Channel, DataType, Encoding, is_channel_name};
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Answers, Call, Flow, at_once};
use kernel::name::{Name8, Name16};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::task::Task;
use mapping::xml::{Reader, Token, Way};
use mapping::{FaultKind, Filled, Mapping, MappingFault, TypeName, encoding, json, xml};
use spec::{OptionId, cmd, cond, opt};

use crate::apart::{content, put_filled};
use crate::webservice::{ServiceName, WebService, WebServices};

/// RESP2 of what goes wrong. Those of INVREQ and NOTFND are recalled, not read.
mod resp2 {
    pub const NO_CHANNEL: i32 = 2;
    pub const NO_CONTAINER: i32 = 10;
    pub const CONTAINER_NAME: i32 = 18;
    pub const NO_TRANSFORMER: i32 = 1;
    pub const NO_CURRENT_CHANNEL: i32 = 4;
    pub const CONVERSION: i32 = 14;
}

/// Characters of a name or a namespace that a program says.
const SAID_MAX: usize = 255;
/// Type of messages: UTF-8, which programs get in their own characters.
const TEXT: DataType = DataType::Char(Encoding::Utf8);

/// The commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::TRANSFORM_DATATOXML, at_once!(data_to_xml)),
    (cmd::TRANSFORM_XMLTODATA, at_once!(xml_to_data)),
    (cmd::TRANSFORM_DATATOJSON, at_once!(data_to_json)),
    (cmd::TRANSFORM_JSONTODATA, at_once!(json_to_data)),
];

/// The channel of a command: the one that it names, or the program's own.
fn channel(task: &Task, call: &Call<'_>) -> Outcome<Arc<Channel>> {
    match call.name::<16>(opt::CHANNEL)? {
        Some(name) => task.channel(name).ok_or_else(|| cond::CHANNELERR.raise(resp2::NO_CHANNEL)),
        None => {
            let current = task.level().channel.clone();
            current.ok_or_else(|| cond::INVREQ.raise(resp2::NO_CURRENT_CHANNEL))
        }
    }
}

/// The transformer of a command, if it names one.
fn transformer(task: &Task, call: &Call<'_>, option: OptionId) -> Outcome<Option<Arc<WebService>>> {
    let Some(name) = call.name::<32>(option)? else { return Ok(None) };
    let found = WebServices::of(&task.region).get(name);
    found.map(Some).ok_or_else(|| cond::NOTFND.raise(resp2::NO_TRANSFORMER))
}

/// The bytes of a container: characters as UTF-8 if it is a message, as they are if it is a record.
fn contents(channel: &Channel, name: Name16, is_message: bool) -> Outcome<Vec<u8>> {
    let container = channel.get(name).ok_or_else(|| cond::CONTAINERERR.raise(resp2::NO_CONTAINER))?;
    Ok(match container.data_type {
        DataType::Char(from) if is_message => from.convert(&container.data, Encoding::Utf8).0,
        _ => container.data.to_vec(),
    })
}

/// A conversion that has failed, and the log.
fn refused(fault: &MappingFault) -> Raise {
    tracing::warn!(target: "ML", "DFHPI{} {fault}", fault.kind.message());
    cond::INVREQ.raise(resp2::CONVERSION)
}

/// Message of a transformer, by the name of its root; without one, the first.
#[derive(Default)]
struct Wanted {
    element: Option<String>,
    namespace: Option<String>,
    type_name: Option<String>,
    type_namespace: Option<String>,
}

impl Wanted {
    /// Options of a program's command.
    fn of(call: &Call<'_>) -> Outcome<Self> {
        let said = |area, length| -> Outcome<Option<String>> {
            let text = call.outgoing(area, length, SAID_MAX)?;
            Ok(text.map(|text| String::from_utf8_lossy(text.trim_ascii_end()).into_owned()))
        };
        Ok(Self {
            element: said(opt::ELEMNAME, opt::ELEMNAMELEN)?,
            namespace: said(opt::ELEMNS, opt::ELEMNSLEN)?,
            type_name: said(opt::TYPENAME, opt::TYPENAMELEN)?,
            type_namespace: said(opt::TYPENS, opt::TYPENSLEN)?,
        })
    }

    fn is(&self, mapping: &Mapping) -> bool {
        let fits = |said: &Option<String>, has: Option<&str>| {
            said.as_deref().is_none_or(|said| has.is_some_and(|has| has == said))
        };
        let has_type = mapping.root_type();
        fits(&self.element, Some(mapping.root()))
            && fits(&self.namespace, Some(mapping.namespace()))
            && fits(&self.type_name, has_type.map(|it| it.local.as_str()))
            && fits(&self.type_namespace, has_type.map(|it| it.namespace.as_str()))
    }
}

/// The mapping of a transformer for the message that is meant.
fn mapping_of<'a>(service: &'a WebService, wanted: &Wanted) -> Result<&'a Mapping, MappingFault> {
    let mut all = service.service.operations.iter().flat_map(|it| [&it.request, &it.response]).flatten();
    all.find(|mapping| wanted.is(mapping)).ok_or_else(|| {
        MappingFault::new(FaultKind::UndefinedElement, format!("{} describes no such message", service.name))
    })
}

/// The name of a container that is to be filled.
fn to_fill(call: &Call<'_>, option: OptionId) -> Outcome<Name16> {
    let name: Name16 = call.need_name(option)?;
    if is_channel_name(name) { Ok(name) } else { Err(cond::CONTAINERERR.raise(resp2::CONTAINER_NAME)) }
}

/// TRANSFORM DATATOXML: the element that ELEMNAME or TYPENAME names, or the first of the transformer.
async fn data_to_xml(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call)?;
    let service = transformer(task, call, opt::XMLTRANSFORM)?;
    let service = service.ok_or_else(|| cond::NOTFND.raise(resp2::NO_TRANSFORMER))?;
    let into = to_fill(call, opt::XMLCONTAINER)?;
    let record = contents(&channel, call.need_name(opt::DATCONTAINER)?, false)?;
    let wanted = Wanted::of(call)?;
    let apart = |name: &str| content(&channel, name);
    let message = to_xml(&service, &wanted, &record, &apart).map_err(|fault| refused(&fault))?;
    task.put_container(&channel, into, message, TEXT).await
}

/// The message of a record. A root that was asked for by its type says so.
fn to_xml(
    service: &WebService,
    wanted: &Wanted,
    record: &[u8],
    apart: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<u8>, MappingFault> {
    let mut message = Vec::new();
    let mapping = mapping_of(service, wanted)?;
    match wanted.type_name {
        Some(_) => xml::write_typed(mapping, record, apart, &mut message)?,
        None => xml::write_apart(mapping, record, apart, &mut message)?,
    }
    Ok(message)
}

/// TRANSFORM XMLTODATA: by the name of the message's element, which the program learns; without XMLTRANSFORM, only that.
async fn xml_to_data(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call)?;
    let service = transformer(task, call, opt::XMLTRANSFORM)?;
    let into = call.has(opt::DATCONTAINER).then(|| to_fill(call, opt::DATCONTAINER)).transpose()?;
    let message = contents(&channel, call.need_name(opt::XMLCONTAINER)?, true)?;
    let outside = match call.name(opt::NSCONTAINER)? {
        Some(container) => contents(&channel, container, true)?,
        None => Vec::new(),
    };
    let Read { root, root_type, filled } =
        from_xml(service.as_deref(), &message, &outside).map_err(|fault| refused(&fault))?;
    if let (Some(filled), Some(container)) = (filled, into) {
        put_filled(task, &channel, container, filled).await?;
    }
    // All areas are filled before one that is too short is complained of.
    let told = [
        tell(call, opt::ELEMNAME, opt::ELEMNAMELEN, &root.local),
        tell(call, opt::ELEMNS, opt::ELEMNSLEN, &root.namespace),
        tell(call, opt::TYPENAME, opt::TYPENAMELEN, &root_type.local),
        tell(call, opt::TYPENS, opt::TYPENSLEN, &root_type.namespace),
    ];
    told.into_iter().collect()
}

/// A message that was read.
struct Read {
    /// The expanded name of its root.
    root: TypeName,
    /// Of its root's type: as the root says, or as the transformer knows; blank for none.
    root_type: TypeName,
    /// The record, if there is a transformer.
    filled: Option<Filled>,
}

/// Reads a message; `outside` has the declarations of namespaces that hold round it.
fn from_xml(service: Option<&WebService>, message: &[u8], outside: &[u8]) -> Result<Read, MappingFault> {
    let text = encoding::text(message, None)?;
    let outside = declarations(outside)?;
    let mut holder = Reader::new(&outside)?;
    holder.token()?;
    let beginning = Reader::new(&text)?.within(holder.bindings());
    let mut reader = beginning.clone();
    let Token::Start(start) = reader.token()? else {
        return Err(MappingFault::new(FaultKind::Format, "the message has no element"));
    };
    let root = TypeName {
        namespace: start.namespace.as_deref().unwrap_or_default().to_owned(),
        local: start.local.to_owned(),
    };
    let mut root_type = start.type_name(&reader);
    let Some(service) = service else {
        return Ok(Read { root, root_type: root_type.unwrap_or_else(no_type), filled: None });
    };
    let wanted = Wanted {
        element: Some(root.local.clone()),
        namespace: Some(root.namespace.clone()),
        ..Wanted::default()
    };
    let mapping = mapping_of(service, &wanted)?;
    root_type = root_type.or_else(|| mapping.root_type().cloned());
    let filled = xml::read_whole(mapping, &mut beginning.clone(), Way::Quick)?;
    Ok(Read { root, root_type: root_type.unwrap_or_else(no_type), filled: Some(filled) })
}

fn no_type() -> TypeName {
    TypeName { namespace: String::new(), local: String::new() }
}

/// The declarations of NSCONTAINER (as DFHWS-XMLNS has them) as an element that has them.
fn declarations(outside: &[u8]) -> Result<String, MappingFault> {
    let outside = encoding::text(outside, None)?;
    if outside.contains(['<', '>']) {
        return Err(MappingFault::new(FaultKind::Format, "NSCONTAINER has declarations of namespaces alone"));
    }
    Ok(format!("<outside {}/>", outside.trim()))
}

/// Gives a text to the program, as much as its area holds, and its whole length.
fn tell(call: &Call<'_>, area: OptionId, length: OptionId, text: &str) -> Outcome {
    let room = match call.number(length)? {
        Some(room) => usize::try_from(room).map_err(|_| cond::LENGERR.raise(1))?,
        None => call.size(area),
    };
    call.put_number(length, text.len().try_into().unwrap_or(i64::MAX))?;
    if !call.has(area) {
        return Ok(());
    }
    call.put_area(area, &text.as_bytes()[..text.len().min(room)])?;
    if text.len() > room { Err(cond::LENGERR.raise(1)) } else { Ok(()) }
}

/// TRANSFORM DATATOJSON.
async fn data_to_json(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (channel, service) = (channel(task, call)?, transformer(task, call, opt::TRANSFORMER)?);
    let service = service.ok_or_else(|| cond::NOTFND.raise(resp2::NO_TRANSFORMER))?;
    let into = to_fill(call, opt::OUTCONTAINER)?;
    let record = contents(&channel, call.need_name(opt::INCONTAINER)?, false)?;
    let apart = |name: &str| content(&channel, name);
    let message = to_json(&service, &record, &apart).map_err(|fault| refused(&fault))?;
    task.put_container(&channel, into, message, TEXT).await
}

/// TRANSFORM JSONTODATA.
async fn json_to_data(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (channel, service) = (channel(task, call)?, transformer(task, call, opt::TRANSFORMER)?);
    let service = service.ok_or_else(|| cond::NOTFND.raise(resp2::NO_TRANSFORMER))?;
    let into = to_fill(call, opt::OUTCONTAINER)?;
    let message = contents(&channel, call.need_name(opt::INCONTAINER)?, true)?;
    let filled = from_json(&service, &message).map_err(|fault| refused(&fault))?;
    put_filled(task, &channel, into, filled).await
}

fn to_json(
    service: &WebService,
    record: &[u8],
    apart: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<u8>, MappingFault> {
    let mut message = Vec::new();
    json::write_apart(mapping_of(service, &Wanted::default())?, record, apart, false, &mut message)?;
    Ok(message)
}

/// The record of a message, which may have its root's name round it.
fn from_json(service: &WebService, message: &[u8]) -> Result<Filled, MappingFault> {
    let mapping = mapping_of(service, &Wanted::default())?;
    let is_wrapped = json::first_member(message).is_some_and(|member| member == mapping.root());
    json::read_apart(mapping, message, is_wrapped)
}

/// DFHJSON and its containers, by their published names.
const PROGRAM: &str = "DFHJSON";
const DATA: &str = "DFHJSON-DATA";
const MESSAGE: &str = "DFHJSON-JSON";
const TRANSFORMER: &str = "DFHJSON-TRANSFRM";
const ERROR: &str = "DFHJSON-ERROR";
const ERROR_TEXT: &str = "DFHJSON-ERRORMSG";
/// Numbers in DFHJSON-ERROR. Recalled, not read.
mod error {
    pub const NO_INPUT: i32 = 1;
    pub const NO_TRANSFORMER: i32 = 2;
    pub const CONVERSION: i32 = 3;
}

/// Installs DFHJSON.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(PROGRAM), linked));
}

/// DFHJSON: a record becomes a message, or a message a record, by what its channel holds.
fn linked<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(channel) = context.level().channel.clone() else { return Ok(Flow::Return) };
        let made = converted(&context.region, &channel);
        let task = context.task();
        match made {
            Ok(Converted::Record(filled)) => {
                put_filled(task, &channel, Name16::from(DATA), filled).await?;
            }
            Ok(Converted::Message(json)) => {
                task.put_container(&channel, Name16::from(MESSAGE), json, TEXT).await?;
            }
            Err((number, text)) => {
                tracing::warn!(target: "ML", "DFHJSON: {text}");
                task.put_container(
                    &channel,
                    Name16::from(ERROR),
                    number.to_be_bytes().to_vec(),
                    DataType::Bit,
                )
                .await?;
                task.put_container(&channel, Name16::from(ERROR_TEXT), text.into_bytes(), TEXT).await?;
            }
        }
        Ok(Flow::Return)
    })
}

/// Results of DFHJSON.
enum Converted {
    Record(Filled),
    Message(Vec<u8>),
}

/// Result of DFHJSON; or the number of an error, and a sentence.
fn converted(region: &Region, channel: &Channel) -> Result<Converted, (i32, String)> {
    let get = |name: &str, is_message| contents(channel, Name16::from(name), is_message).ok();
    let name = get(TRANSFORMER, true).unwrap_or_default();
    let service = WebServices::of(region).get(ServiceName::new(name.trim_ascii()));
    let Some(service) = service else {
        let text = format!("there is no transformer {}", String::from_utf8_lossy(&name));
        return Err((error::NO_TRANSFORMER, text));
    };
    let refused = |fault: MappingFault| (error::CONVERSION, format!("DFHPI{} {fault}", fault.kind.message()));
    match (get(MESSAGE, true), get(DATA, false)) {
        (Some(message), _) => from_json(&service, &message).map(Converted::Record).map_err(refused),
        (None, Some(record)) => {
            let apart = |name: &str| content(channel, name);
            to_json(&service, &record, &apart).map(Converted::Message).map_err(refused)
        }
        (None, None) => Err((error::NO_INPUT, format!("neither {DATA} nor {MESSAGE} is there"))),
    }
}
