//! Events as they are emitted: flattened, in XML, as a line of JSON, as containers.

use std::fmt::Write as _;
use std::sync::Arc;

use kernel::channels::{Bytes, Channel, DataType, Encoding};
use kernel::name::Name16;
use mapping::xml::{escape_attribute, escape_text};
use policies::ep_adapter::DataFormat;
use policies::event_values::{FieldType, without_zeros};
use serde_json::{Map, Value, json};

use super::event::{Event, EventPlace, Item};

/// The channel of an event.
pub(super) const CHANNEL: &str = "DFHEP.EVENT";

/// An event in a format that is a text.
pub(super) fn text(event: &Event, format: DataFormat) -> String {
    match format {
        DataFormat::Cfe | DataFormat::Cce => flattened(event),
        DataFormat::Cbe => common(event),
        DataFormat::Cber => format!("{DECLARATION}{}", payload(event)),
        DataFormat::Dsie => insights(event),
        DataFormat::Wbe => business(event),
        DataFormat::Json => line(event).to_string(),
    }
}

/// A text in program characters: those that there are none of become a question mark.
pub(super) fn in_program_characters(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?')).collect()
}

/// The context of a flattened event, 228 characters.
pub(super) fn context(event: &Event) -> String {
    format!(
        "EPFE0002{:<32}{:<8}{:<32}{:<54}{:<17}{:<29}{:<32}{:16}",
        event.binding.name,
        event.binding.binding.user_tag,
        event.name,
        event.unit_of_context(),
        event.applid,
        event.stamp("+00:00"),
        event.capture,
        ""
    )
}

fn flattened(event: &Event) -> String {
    event.items.iter().fold(context(event), |text, item| text + &item.text)
}

/// A line of JSON.
pub(super) fn line(event: &Event) -> Value {
    let plain = |item: &Item| match item.kind.is_number() {
        true => without_zeros(item.text.trim()),
        false => item.text.trim().to_owned(),
    };
    let items = event.items.iter().map(|item| (item.name.clone(), Value::from(plain(item))));
    json!({
        "event": event.name,
        "unix-ms": event.at.as_millisecond(),
        "applid": event.applid,
        "transaction": event.transaction,
        "task": event.task,
        "program": event.program,
        "user": event.user.id.to_string(),
        "binding": event.binding.name,
        "capture": event.capture,
        "data": items.collect::<Map<_, _>>(),
    })
}

const DECLARATION: &str = "<?xml version=\"1.0\"?>\n";

fn escaped(text: &str, way: fn(&str, &mut Vec<u8>)) -> String {
    let mut bytes = Vec::new();
    way(text, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

fn element(into: &mut String, name: &str, text: &str) {
    let _ = writeln!(into, "<{name}>{}</{name}>", escaped(text, escape_text));
}

/// The namespace of the items of an event: with the user tag of its binding, if that has one.
fn space(event: &Event) -> String {
    match event.binding.binding.user_tag.as_str() {
        "" => format!("http://www.ibm.com/prod/cics/{}", event.name),
        tag => format!("http://www.ibm.com/prod/cics/{tag}/{}", event.name),
    }
}

/// The event in CICS's own XML, which the common base event envelops.
fn payload(event: &Event) -> String {
    let mut xml = String::from(
        "<cics:event xmlns:cics=\"http://www.ibm.com/xmlns/prod/cics/events/CBE\">\n<cics:context-info>\n",
    );
    for (name, text) in [
        ("cics:eventname", event.name.as_str()),
        ("cics:usertag", &event.binding.binding.user_tag),
        ("cics:networkapplid", &event.applid),
        ("cics:timestamp", &event.stamp("+00:00")),
        ("cics:bindingname", &event.binding.name),
        ("cics:capturespecname", &event.capture),
        ("cics:UOWid", &event.unit_digits()),
    ] {
        element(&mut xml, name, text);
    }
    let space = space(event);
    let _ = writeln!(
        xml,
        "</cics:context-info>\n<cics:payload-data>\n<data:payload xmlns:data=\"{}\">",
        escaped(&space, escape_attribute)
    );
    for item in &event.items {
        element(&mut xml, &format!("data:{}", item.name), item.text.trim());
    }
    xml.push_str("</data:payload>\n</cics:payload-data>\n</cics:event>");
    xml
}

/// The common base event, as published for its version 1.0.1.
fn common(event: &Event) -> String {
    let stamp = event.stamp("Z");
    let applid = escaped(&event.applid, escape_attribute);
    format!(
        "{DECLARATION}<cbe:CommonBaseEvent xmlns:cbe=\"http://www.ibm.com/AC/commonbaseevent1_0_1\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" version=\"1.0.1\" creationTime=\"{stamp}\">\n\
         <cbe:sourceComponentId component=\"Syncpoint\" componentIdType=\"ProductName\" executionEnvironment=\"Linux\" \
         instanceId=\"{applid}\" location=\"{applid}\" locationType=\"Hostname\" subComponent=\"CICS EP\" \
         componentType=\"http://www.ibm.com/xmlns/prod/cics/eventprocessing\"/>\n\
         <cbe:situation categoryName=\"OtherSituation\">\n\
         <cbe:situationType xsi:type=\"OtherSituation\" reasoningScope=\"EXTERNAL\">\n<CICSApplicationEvent/>\n\
         </cbe:situationType>\n</cbe:situation>\n{}\n</cbe:CommonBaseEvent>",
        payload(event)
    )
}

fn business(event: &Event) -> String {
    let attribute = |text: &str| escaped(text, escape_attribute);
    let name = attribute(&event.name);
    let mut xml = format!(
        "<?xml version=\"1.0\" standalone=\"yes\"?>\n<connector name=\"{}\" version=\"2.2\">\n\
         <connector-bundle name=\"{name}\" type=\"Event\">\n<connector-object name=\"{name} Context\">\n\
         <field type=\"String\" name=\"Binding user tag\">{}</field>\n\
         <field type=\"String\" name=\"Network UOWID\">{}</field>\n</connector-object>\n\
         <connector-object name=\"{name} Data\">\n",
        attribute(&event.binding.name),
        escaped(&event.binding.binding.user_tag, escape_text),
        event.unit_digits(),
    );
    for item in &event.items {
        let text = escaped(item.text.trim(), escape_text);
        let _ = writeln!(xml, "<field name=\"{}\">{text}</field>", attribute(&item.name));
    }
    let _ = write!(
        xml,
        "</connector-object>\n</connector-bundle>\n<system>{}</system>\n<timestamp>{}</timestamp>\n</connector>",
        escaped(&event.applid, escape_text),
        event.stamp("+00:00")
    );
    xml
}

fn insights(event: &Event) -> String {
    let space = space(event);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<event:{} xmlns:event=\"{}\">\n",
        event.name,
        escaped(&space, escape_attribute)
    );
    for (name, text) in [
        ("cics_usertag", event.binding.binding.user_tag.as_str()),
        ("cics_networkapplid", &event.applid),
        ("cics_timestamp", &event.stamp("+00:00")),
        ("cics_bindingname", &event.binding.name),
        ("cics_capturespecname", &event.capture),
        ("cics_UOWid", &event.unit_digits()),
    ] {
        element(&mut xml, &format!("event:{name}"), text);
    }
    for item in &event.items {
        element(&mut xml, &format!("event:{}", item.name), item.text.trim());
    }
    let _ = write!(xml, "</event:{}>", event.name);
    xml
}

/// A container of characters.
fn put_text(channel: &Channel, name: &str, text: &str) {
    let bytes = Bytes::own(&in_program_characters(text));
    channel.put(Name16::from(name), bytes, DataType::Char(Encoding::Program));
}

fn put_bytes(channel: &Channel, name: &str, bytes: &[u8]) {
    channel.put(Name16::from(name), Bytes::own(bytes), DataType::Bit);
}

/// The containers of an event for a transaction that it starts.
pub(super) fn containers(event: &Event) -> Arc<Channel> {
    let channel = Channel::new(Name16::from(CHANNEL));
    put_text(&channel, "DFHEP.CCECONTEXT", &context(event));
    for (place, item) in event.items.iter().enumerate() {
        put_text(&channel, &format!("DFHEP.NAME.{:05}", place + 1), &item.name);
        put_text(&channel, &format!("DFHEP.DATA.{:05}", place + 1), &item.text);
    }
    channel
}

/// The containers of an event for a custom adapter, with the data that its definition has for it.
pub(super) fn object(event: &Event, adapter: &str, data: &str) -> Arc<Channel> {
    let channel = Channel::new(Name16::from(CHANNEL));
    put_text(&channel, "DFHEP.ADAPTER", data);
    let mut parameters = b"EPAP\0\0\0\x01".to_vec();
    parameters.extend(in_program_characters(&format!("{adapter:<32}N   ")));
    put_bytes(&channel, "DFHEP.ADAPTPARM", &parameters);
    put_bytes(&channel, "DFHEP.CONTEXT", &context_block(event));
    put_bytes(&channel, "DFHEP.DESCRIPTOR", &descriptor(event));
    for (place, item) in event.items.iter().enumerate() {
        put_text(&channel, &format!("DFHEP.CHAR.{:05}", place + 1), &item.text);
        put_bytes(&channel, &format!("DFHEP.DATA.{:05}", place + 1), &item.raw);
    }
    channel
}

/// The context of an event as a structure, 195 bytes.
fn context_block(event: &Event) -> Vec<u8> {
    let (version, release) = event.binding.binding.schema;
    let halfword = |number: u32| u16::try_from(number).unwrap_or_default().to_be_bytes();
    let mut bytes = b"EPCX\0\0\0\x02".to_vec();
    bytes.extend(halfword(version));
    bytes.extend(halfword(release));
    bytes.extend(in_program_characters(&format!(
        "{:<32}{:<32}{:<8}{:<32}{:<8}{:<8}{:<4}{:<8}",
        event.binding.name,
        event.capture,
        event.binding.binding.user_tag,
        event.name,
        "",
        event.applid,
        event.transaction,
        event.user.id.to_string().trim_end()
    )));
    let mut packed = [0; 8];
    let _ = ebcdic::decimal::pack(event.abstime.into(), true, &mut packed);
    bytes.extend(packed);
    bytes.extend(match event.place {
        EventPlace::Command => b"A   ",
        EventPlace::Region => b"S   ",
    });
    bytes.extend(in_program_characters(&format!("{:<8}", event.program)));
    bytes.extend(event.response.to_be_bytes());
    bytes.extend(&event.unit);
    bytes.resize(195, 0);
    bytes
}

/// The description of the items. Its header and the length of an item are published; within an item the name is, the rest is
/// recalled.
fn descriptor(event: &Event) -> Vec<u8> {
    const ITEM: u16 = 68;
    let count = u16::try_from(event.items.len()).unwrap_or(u16::MAX);
    let mut bytes = b"EPDE\0\0\0\x01".to_vec();
    bytes.extend(ITEM.to_be_bytes());
    bytes.extend(count.to_be_bytes());
    let fullword = |number: usize| u32::try_from(number).unwrap_or_default().to_be_bytes();
    for item in &event.items {
        let form = if item.kind.is_number() { "numeric" } else { "text" };
        bytes.extend(in_program_characters(&format!(
            "{:<32}{:<8}",
            item.name,
            item.kind.name(item.raw.len())
        )));
        bytes.extend(fullword(item.precision));
        bytes.extend(in_program_characters(&format!("{form:<16}")));
        bytes.extend(fullword(item.format.0));
        bytes.extend(fullword(item.format.1));
    }
    bytes
}

/// The raw bytes of a text that is no field.
pub(super) const TEXT: FieldType = FieldType::Char;
