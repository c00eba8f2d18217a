//! Bodies: what a request changes. Their media type does not count, for clients do not agree about it.

use mapping::xml::{Reader, Start, Token};

use crate::limits::{ATTRIBUTES_MAX, BODY_MAX};
use crate::refusal::{Refusal, id};
use crate::target::Parameters;

/// A change that a body asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its kind.
    pub kind: Kind,
    /// Its parameters, in capitals.
    pub parameters: Parameters,
    /// New values of attributes, by names in capitals.
    pub attributes: Vec<(String, String)>,
}

/// Kinds of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A new definition.
    Create,
    /// New values.
    Update,
    /// An action, by its name in capitals.
    Action(String),
}

impl Change {
    /// Reads `<request>` with one change.
    ///
    /// # Errors
    /// A body that is none.
    pub fn read(body: &[u8]) -> Result<Self, Refusal> {
        if body.trim_ascii().is_empty() {
            return Err(Refusal::bad(id::NO_BODY, "The request has no body.", "body"));
        }
        if body.len() > BODY_MAX {
            let help = "A body has 64 KiB at most.";
            return Err(Refusal { status: 413, ..Refusal::limit("BODY_MAX", help) });
        }
        let text = std::str::from_utf8(body).map_err(|_| wrong("it is not UTF-8"))?;
        let mut reader =
            Reader::new(text.trim_start_matches('\u{feff}')).map_err(|f| wrong(&f.to_string()))?;
        let mut path: Vec<String> = Vec::new();
        let mut change: Option<Self> = None;
        loop {
            match reader.token().map_err(|fault| wrong(&fault.to_string()))? {
                Token::Start(start) => {
                    let local = start.local.to_ascii_lowercase();
                    let outer: Vec<&str> = path.iter().map(String::as_str).collect();
                    element(&outer, &local, &start, &mut change)?;
                    path.push(local);
                }
                Token::Text(text) if text.trim().is_empty() => {}
                Token::Text(_) => return Err(wrong("there is text between its elements")),
                Token::End => drop(path.pop()),
                Token::Eof => return change.ok_or_else(|| wrong("it asks for nothing")),
            }
        }
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

fn element(
    outer: &[&str],
    local: &str,
    start: &Start<'_>,
    change: &mut Option<Change>,
) -> Result<(), Refusal> {
    match (outer, local) {
        ([], "request") => {}
        (["request"], "create" | "update" | "action") => {
            if change.is_some() {
                return Err(wrong("it asks for two changes"));
            }
            let kind = match local {
                "create" => Kind::Create,
                "update" => Kind::Update,
                _ => {
                    let name = start.attribute("", "name").ok_or_else(|| wrong("an action has no name"))?;
                    Kind::Action(name.trim().to_ascii_uppercase())
                }
            };
            *change = Some(Change { kind, parameters: Parameters::default(), attributes: Vec::new() });
        }
        (["request", _], "parameter") => {
            let name = start.attribute("", "name").ok_or_else(|| wrong("a parameter has no name"))?;
            let value = start.attribute("", "value").map(str::to_owned);
            if let Some(change) = change {
                change.parameters.0.push((name.trim().to_ascii_uppercase(), value));
                few(change.parameters.0.len())?;
            }
        }
        (["request", _], "attributes") => {
            if let Some(change) = change {
                let given = start.attributes.iter().filter(|attribute| attribute.namespace.is_none());
                let named = given.map(|a| (a.local.to_ascii_uppercase(), a.value.to_string()));
                change.attributes.extend(named);
                few(change.attributes.len())?;
            }
        }
        _ => return Err(wrong(&format!("<{local}> is not known there"))),
    }
    Ok(())
}

fn few(count: usize) -> Result<(), Refusal> {
    let refused = || Refusal { status: 413, ..Refusal::limit("ATTRIBUTES_MAX", "Give fewer attributes.") };
    if count > ATTRIBUTES_MAX { Err(refused()) } else { Ok(()) }
}

fn wrong(why: &str) -> Refusal {
    Refusal::bad(id::BODY, format!("The body is not a request: {why}."), "body")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_as_clients_send_them() {
        let zowe = "<request>\n <create>\n  <parameter name=\"CSD\"/>\n  <attributes name=\"P\" csdgroup=\"G\"/>\n </create>\n</request>";
        let change = Change::read(zowe.as_bytes()).expect("a change");
        assert_eq!((&change.kind, change.parameters.has("CSD")), (&Kind::Create, true));
        assert_eq!((change.attribute("NAME"), change.attribute("CSDGROUP")), (Some("P"), Some("G")));
        let ansible = "<?xml version=\"1.0\" encoding=\"utf-8\"?><request><action name=\"close\"><parameter name=\"BUSY\" \
                       value=\"FORCE\"></parameter></action></request>";
        let change = Change::read(ansible.as_bytes()).expect("a change");
        assert_eq!(change.kind, Kind::Action("CLOSE".to_owned()));
        assert_eq!(change.parameters.get("BUSY"), Some("FORCE"));
        let update = "<request><update><attributes ENABLESTATUS=\"ENABLED\"/></update></request>";
        let change = Change::read(update.as_bytes()).expect("a change");
        assert_eq!(change.attributes, [("ENABLESTATUS".to_owned(), "ENABLED".to_owned())]);
    }

    #[test]
    fn what_is_no_body_is_refused() {
        let table = [
            ("", "DFHWU4006"),
            (" \n", "DFHWU4006"),
            ("<request/>", "DFHWU4007"),
            ("<request><action/></request>", "DFHWU4007"),
            ("<request><action name='A'/><action name='B'/></request>", "DFHWU4007"),
            ("<request><burn/></request>", "DFHWU4007"),
            ("<request>OPEN</request>", "DFHWU4007"),
            ("<request><action name='A'>", "DFHWU4007"),
            ("<!DOCTYPE r [<!ENTITY a 'b'>]><request><action name='&a;'/></request>", "DFHWU4007"),
            ("name=P&group=G", "DFHWU4007"),
        ];
        for (body, id) in table {
            let refused = Change::read(body.as_bytes()).expect_err("a refusal");
            assert_eq!((refused.status, refused.id), (400, id), "{body}");
        }
        assert_eq!(Change::read(&[b'<'; BODY_MAX + 1]).expect_err("a limit").status, 413);
    }
}
