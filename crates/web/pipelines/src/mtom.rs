//! MTOM: messages with attachments. A message that comes is put together before any handler sees it; one that goes out is taken
//! apart behind the last.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use binding::Operation;
use http::media::MediaType;
use http::multipart::{Part, parts};
use mapping::{FaultKind, Mapping, MappingFault, encoding};
use soap::xop::{self, Attachment};

use crate::element::Element;
use crate::limits::PARTS_MAX;
use crate::messages::Reply;
use crate::webservice::WebService;

/// Media type of such a message's root.
const ROOT: &str = "application/xop+xml";
/// Media type of a message of several parts.
const RELATED: &str = "multipart/related";
/// The domain of identifiers by default.
const DOMAIN: &str = "syncpoint.invalid";
/// Bytes of chance in a boundary.
const CHANCE: usize = 16;

/// `cics_mtom_handler`: what a configuration says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mtom {
    sends: Sends,
    /// True if a message without attachments has parts, too.
    sends_without: bool,
    /// The domain of identifiers.
    pub(crate) domain: String,
}

/// Which messages go out in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sends {
    /// Answers to those that came so.
    Same,
    Yes,
    No,
}

impl Mtom {
    /// INQUIRE's value of `send_mtom`.
    pub(crate) fn sends(&self) -> &'static str {
        match self.sends {
            Sends::Same => "SAMEMTOM",
            Sends::Yes => "SENDMTOM",
            Sends::No => "NOSENDMTOM",
        }
    }

    /// Returns true if a message without attachments has parts, too.
    pub(crate) fn sends_without(&self) -> bool {
        self.sends_without
    }

    /// Reads what stands in the handler's element.
    ///
    /// # Errors
    /// Its mistakes.
    pub(crate) fn read(handler: &Element) -> Result<Self, String> {
        let mut read = Self { sends: Sends::Same, sends_without: true, domain: DOMAIN.to_owned() };
        let Some(configuration) = handler.part("dfhmtom_configuration") else { return Ok(read) };
        for part in &configuration.parts {
            let unknown = |name: &str| format!("{} has no {name} '{}'", part.name, part.attribute(name));
            let yes = |name: &str, or: bool| match part.attribute(name) {
                "" => Ok(or),
                "yes" => Ok(true),
                "no" => Ok(false),
                _ => Err(unknown(name)),
            };
            match part.name.as_str() {
                "mtom_options" => {
                    read.sends_without = yes("send_when_no_xop", true)?;
                    read.sends = match part.attribute("send_mtom") {
                        "" | "same" => Sends::Same,
                        "yes" => Sends::Yes,
                        "no" => Sends::No,
                        _ => return Err(unknown("send_mtom")),
                    };
                }
                // Attachments are put into the message for every end, and taken out of what it leaves.
                "xop_options" => drop(yes("apphandler_supports_xop", true)?),
                "mime_options" => {
                    let domain = part.attribute("content_id_domain");
                    let is_one = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-');
                    if domain.is_empty() || !domain.chars().all(is_one) {
                        return Err(unknown("content_id_domain"));
                    }
                    domain.clone_into(&mut read.domain);
                }
                other => return Err(format!("{other} is not known in dfhmtom_configuration")),
            }
        }
        Ok(read)
    }

    /// A reply as the configuration wants it; `came`: whether its request had parts.
    pub(crate) fn reply(&self, reply: Reply, came: bool, service: Option<&WebService>) -> Reply {
        let operations = service.into_iter().flat_map(|service| &service.service.operations);
        let names = names(operations.filter_map(|operation| operation.response.as_ref()));
        match self.packed(&reply.media, &reply.body, &names, came) {
            Some((media, body)) => Reply { media, body, ..reply },
            None => reply,
        }
    }

    /// The Content-Type and the body of a request as the configuration wants them.
    pub(crate) fn request(
        &self,
        media: &str,
        body: &[u8],
        operation: &Operation,
    ) -> Option<(String, Vec<u8>)> {
        self.packed(media, body, &names(operation.request.as_ref().into_iter()), false)
    }

    /// A message in parts; `None` if it goes out as it is.
    fn packed(
        &self,
        media: &str,
        body: &[u8],
        names: &BTreeSet<String>,
        came: bool,
    ) -> Option<(String, Vec<u8>)> {
        let sends = match self.sends {
            Sends::Yes => true,
            Sends::No => false,
            Sends::Same => came,
        };
        let text = std::str::from_utf8(body).ok().filter(|text| sends && !text.is_empty())?;
        let (text, attachments) = xop::extracted(text, names, &self.domain, PARTS_MAX - 1).ok()?;
        if attachments.is_empty() && !self.sends_without {
            return None;
        }
        let boundary = boundary()?;
        let (kind, parameters) = media.split_once(';').unwrap_or((media, ""));
        let root = format!("message@{}", self.domain);
        let mut message = Vec::new();
        let head = format!("Content-Type: {ROOT}; charset=UTF-8; type=\"{kind}\"\r\nContent-ID: <{root}>");
        part(&boundary, &head, text.as_bytes(), &mut message);
        for Attachment { id, bytes } in &attachments {
            let head = format!("Content-Type: application/octet-stream\r\nContent-ID: <{id}>");
            part(&boundary, &head, bytes, &mut message);
        }
        message.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let action = parameters.split(';').find(|it| it.trim().starts_with("action="));
        let action = action.map_or(String::new(), |action| format!("; {}", action.trim()));
        let media = format!(
            "{RELATED}; boundary=\"{boundary}\"; type=\"{ROOT}\"; start=\"<{root}>\"; start-info=\"{kind}\"{action}"
        );
        Some((media, message))
    }
}

/// The names of the elements that hold bytes.
fn names<'m>(mappings: impl Iterator<Item = &'m Mapping>) -> BTreeSet<String> {
    mappings.flat_map(Mapping::names_of_bytes).map(str::to_owned).collect()
}

/// Boundary of parts, which cannot occur in one of them. `None` if the system gives no random numbers.
fn boundary() -> Option<String> {
    let mut chance = [0; CHANCE];
    getrandom::fill(&mut chance).ok()?;
    let mut boundary = String::from("part-");
    for byte in chance {
        // Writing to a text does not fail.
        let _ = write!(boundary, "{byte:02x}");
    }
    Some(boundary)
}

fn part(boundary: &str, head: &str, content: &[u8], into: &mut Vec<u8>) {
    into.extend_from_slice(
        format!("--{boundary}\r\n{head}\r\nContent-Transfer-Encoding: binary\r\n\r\n").as_bytes(),
    );
    into.extend_from_slice(content);
    into.extend_from_slice(b"\r\n");
}

/// Puts a message together that came in parts: Content-Type and body are those of a message without then. Returns true if it had parts.
///
/// # Errors
/// The parts are no message.
pub(crate) fn unpacked(media: &mut Option<String>, body: &mut Vec<u8>) -> Result<bool, MappingFault> {
    let wrong = |what: &str| MappingFault::new(FaultKind::Format, format!("a message in parts {what}"));
    let Some(outer) = media.as_deref().and_then(MediaType::parse).filter(|it| it.essence() == RELATED) else {
        return Ok(false);
    };
    if outer.parameter("type").is_some_and(|kind| !kind.eq_ignore_ascii_case(ROOT)) {
        return Err(wrong("is none of MTOM"));
    }
    let boundary = outer.parameter("boundary").ok_or_else(|| wrong("names no boundary"))?;
    let read = parts(boundary.as_bytes(), body).map_err(|_| wrong("is broken off"))?;
    let mut all = Vec::new();
    for part in read {
        if all.len() == PARTS_MAX {
            return Err(MappingFault::new(
                FaultKind::TooComplex,
                format!("a message has at most {PARTS_MAX} parts"),
            ));
        }
        all.push(part.map_err(|_| wrong("is broken off"))?);
    }
    let mut known = BTreeSet::new();
    for id in all.iter().filter_map(id) {
        // Which of them a message means would be anybody's choice.
        if id.is_empty() || !known.insert(id) {
            return Err(wrong("has a Content-ID that is empty, or is there twice"));
        }
    }
    let start = outer.parameter("start").map(bare);
    let root = match start {
        Some(start) => all.iter().position(|part| id(part).as_deref() == Some(start)),
        None => (!all.is_empty()).then_some(0),
    };
    let root = all.remove(root.ok_or_else(|| wrong("has no root"))?);
    let own = root.headers.get("Content-Type").map(|media| String::from_utf8_lossy(media).into_owned());
    let own = own.as_deref().and_then(MediaType::parse).filter(|own| own.essence() == ROOT);
    let own = own.ok_or_else(|| wrong(&format!("has a root that is not {ROOT}")))?;
    let attachments = all.iter().map(attachment).collect::<Result<Vec<_>, _>>()?;
    let bytes = content(&root)?;
    let text = encoding::text(&bytes, own.charset())?;
    let whole = xop::included(&text, attachments)?;
    let kind = own.parameter("type").or_else(|| outer.parameter("start-info")).unwrap_or("text/xml");
    *media = Some(format!("{}; charset=UTF-8", kind.split(';').next().unwrap_or_default().trim()));
    *body = crate::characters::without_declaration(&whole).as_bytes().to_vec();
    Ok(true)
}

/// An identifier without its brackets.
fn bare(id: &str) -> &str {
    id.trim().trim_start_matches('<').trim_end_matches('>')
}

fn id(part: &Part<'_>) -> Option<String> {
    part.headers.get("Content-ID").map(|id| bare(&String::from_utf8_lossy(id)).to_owned())
}

fn attachment(part: &Part<'_>) -> Result<Attachment, MappingFault> {
    let id =
        id(part).ok_or_else(|| MappingFault::new(FaultKind::Format, "an attachment has no Content-ID"))?;
    Ok(Attachment { id, bytes: content(part)? })
}

/// The bytes of a part, whatever they came as.
fn content(part: &Part<'_>) -> Result<Vec<u8>, MappingFault> {
    let way = part.headers.get("Content-Transfer-Encoding").map(|way| way.trim_ascii().to_ascii_lowercase());
    match way.as_deref() {
        None | Some(b"binary" | b"8bit" | b"7bit") => Ok(part.content.to_vec()),
        Some(b"base64") => xop::base64(part.content),
        Some(other) => {
            let what = format!("a part comes as {}", String::from_utf8_lossy(other).escape_debug());
            Err(MappingFault::new(FaultKind::UnexpectedContent, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attachment_has_a_name_of_its_own() {
        let unpack = |ids: &[&str]| {
            let mut body =
                String::from("--B\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\n\r\n<a/>\r\n");
            for id in ids {
                // Writing to a text does not fail.
                let _ = write!(body, "--B\r\nContent-ID: <{id}>\r\n\r\nX\r\n");
            }
            let mut media = Some(format!("{RELATED}; type=\"{ROOT}\"; boundary=B"));
            let mut bytes = (body + "--B--\r\n").into_bytes();
            unpacked(&mut media, &mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned())
        };
        assert_eq!(unpack(&["x", "y"]), Ok(String::from("<a/>")));
        assert!(unpack(&["x", "x"]).is_err() && unpack(&[""]).is_err());
    }
}
