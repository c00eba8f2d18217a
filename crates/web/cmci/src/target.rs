//! Path and query of a request: what is meant, and how it is to be answered.

use http::percent::decode;

use crate::criteria::{Criteria, NotCriteria};
use crate::limits::PATH_MAX;
use crate::order::Order;
use crate::refusal::{Refusal, id};

/// The first part of every path.
pub const BASE: &str = "/CICSSystemManagement";
/// The resource name of retained result sets.
pub const CACHE: &str = "CICSRESULTCACHE";

/// A request's target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestTarget {
    /// The resource, in capitals.
    pub resource: String,
    /// The context: the region; empty where none is given. Of a result set, its token.
    pub context: String,
    /// The scope.
    pub scope: String,
    /// The first record that is wanted, from 1.
    pub first: Option<usize>,
    /// The greatest number of records that are wanted.
    pub count: Option<usize>,
    /// CRITERIA.
    pub criteria: Option<Result<Criteria, NotCriteria>>,
    /// ORDERBY.
    pub order: Order,
    /// PARAMETER.
    pub parameters: Parameters,
    /// SUMMONLY: without the records.
    pub summary_only: bool,
    /// NODISCARD: the result set is kept.
    pub keeps: bool,
}

/// Words with values: `CSDGROUP(A) CSD`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(pub Vec<(String, Option<String>)>);

impl Parameters {
    /// Reads words, each with or without a value in parentheses.
    ///
    /// # Errors
    /// A parenthesis that is not closed, or closes nothing.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let wrong = || Refusal::bad(id::OPTION, "PARAMETER is not words with values in parentheses.", text);
        let mut parameters = Vec::new();
        let mut rest = text.trim().trim_end_matches('.');
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_whitespace() || "()".contains(c)).unwrap_or(rest.len());
            let word = rest[..end].to_ascii_uppercase();
            rest = rest[end..].trim_start();
            let value = match rest.strip_prefix('(') {
                None => None,
                Some(inside) => {
                    let (value, behind) = inside.split_once(')').ok_or_else(wrong)?;
                    rest = behind.trim_start();
                    Some(value.trim().trim_matches('\'').to_owned())
                }
            };
            if word.is_empty() {
                return Err(wrong());
            }
            parameters.push((word, value));
        }
        Ok(Self(parameters))
    }

    /// Returns true if a word is there.
    pub fn has(&self, word: &str) -> bool {
        self.0.iter().any(|(name, _)| name == word)
    }

    /// The value of a word.
    pub fn get(&self, word: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == word)?.1.as_deref().filter(|value| !value.is_empty())
    }
}

impl RequestTarget {
    /// Reads the target of a request: `/CICSSystemManagement/resource/context/scope/index/count`, where parts behind the
    /// resource may be empty or left out.
    ///
    /// # Errors
    /// A request that is not valid.
    pub fn read(path: &str, query: Option<&str>) -> Result<Self, Refusal> {
        if path.len() > PATH_MAX {
            return Err(Refusal::bad(id::PATH, format!("The path has more than {PATH_MAX} bytes."), "path"));
        }
        let rest = path.strip_prefix(BASE).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let rest = rest.ok_or_else(|| Refusal::new(404, id::UNKNOWN, "There is nothing at this path."))?;
        let parts = rest.split('/').skip(1).map(decoded).collect::<Result<Vec<String>, _>>()?;
        let mut parts = parts.into_iter();
        let mut next = || parts.next().unwrap_or_default();
        let resource = next().to_ascii_uppercase();
        if resource.is_empty() {
            return Err(Refusal::bad(id::NO_RESOURCE, "The URI names no resource.", "resource"));
        }
        let context = next();
        let scope = if resource == CACHE { String::new() } else { next() };
        let first = number(&next(), id::INDEX, "index")?;
        let count = number(&next(), id::COUNT, "count")?;
        if let Some(more) = parts.find(|part| !part.is_empty()) {
            return Err(Refusal::bad(id::COUNT, "The URI has more parts than a request has.", more));
        }
        if resource == CACHE && context.is_empty() {
            return Err(Refusal::bad(id::NO_TOKEN, "The URI has no result cache token.", "token"));
        }
        let mut target = Self { resource, context, scope, first, count, ..Self::default() };
        for option in query.unwrap_or_default().split('&').filter(|option| !option.is_empty()) {
            target.option(option)?;
        }
        Ok(target)
    }

    fn option(&mut self, option: &str) -> Result<(), Refusal> {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let (name, value) = (decoded(name)?.to_ascii_uppercase(), decoded(value)?);
        match name.as_str() {
            // Nothing is not everything: a script may have lost its value. And it is unclear which of two is meant.
            "CRITERIA" if self.criteria.is_some() => {
                return Err(Refusal::bad(id::OPTION, "CRITERIA is given twice.", name));
            }
            "CRITERIA" => self.criteria = Some(Criteria::read(&value)),
            "PARAMETER" => self.parameters = Parameters::read(&value)?,
            "ORDERBY" => self.order = Order::read(&value)?,
            "SUMMONLY" => self.summary_only = true,
            "NODISCARD" => self.keeps = true,
            // There is no warning count: the published default.
            "OVERRIDEWARNINGCOUNT" => {}
            _ => {
                let full = "The query string has an option that is not known.";
                return Err(Refusal::bad(id::OPTION, full, name));
            }
        }
        Ok(())
    }
}

fn number(text: &str, id: &'static str, part: &str) -> Result<Option<usize>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    let refused = || Refusal::bad(id, format!("The record {part} is no number from 1."), text);
    number.map(Some).ok_or_else(refused)
}

fn decoded(text: &str) -> Result<String, Refusal> {
    let bytes = decode(text.as_bytes()).ok();
    let refused = || Refusal::bad(id::OPTION, "The URI has escapes that are none.", text);
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, query: &str) -> RequestTarget {
        RequestTarget::read(&format!("{BASE}{path}"), Some(query)).expect("a target")
    }

    #[test]
    fn targets_as_clients_send_them() {
        let target = read(
            "/CICSProgram/BANK",
            "CRITERIA=(NOT%20(PROGRAM%3DCEE*%20OR%20PROGRAM%3DDFH*))&SUMMONLY&NODISCARD&OVERRIDEWARNINGCOUNT",
        );
        assert_eq!((target.resource.as_str(), target.context.as_str()), ("CICSPROGRAM", "BANK"));
        assert!(target.summary_only && target.keeps && matches!(target.criteria, Some(Ok(_))));
        // Ansible: a count without a scope.
        let target = read("/cicslocalfile/BANK///5", "");
        assert_eq!((target.first, target.count), (None, Some(5)));
        assert_eq!(read("/CICSCICSPlex/", "SUMMONLY&NODISCARD").context, "");
        assert!(
            matches!(read("/CICSProgram/BANK", "CRITERIA=").criteria, Some(Err(_))),
            "nothing is not everything"
        );
        let target = read("/CICSResultCache/0A1B/1/250", "NODISCARD");
        assert_eq!((target.context.as_str(), target.first, target.count), ("0A1B", Some(1), Some(250)));
        let target = read("/CICSDefinitionProgram/PLEX/BANK", "PARAMETER=CSDGROUP(G)%20NAME2");
        assert_eq!(target.parameters.get("CSDGROUP"), Some("G"));
        assert!(target.parameters.has("NAME2") && !target.parameters.has("CSD"));
    }

    #[test]
    fn what_is_no_request_is_refused_with_its_message() {
        let long = format!("/{}", "x".repeat(PATH_MAX));
        let table = [
            ("", "", 400, "DFHWU4001"),
            ("/", "", 400, "DFHWU4001"),
            (long.as_str(), "", 400, "DFHWU4002"),
            ("/CICSProgram/BANK", "COLOUR=RED", 400, "DFHWU4003"),
            ("/CICSProgram/BANK", "CRITERIA=A%3DB&criteria=C%3DD", 400, "DFHWU4003"),
            ("/CICSProgram/BANK", "PARAMETER=CSDGROUP(G", 400, "DFHWU4003"),
            ("/CICSProgram/BANK", "CRITERIA=%XX", 400, "DFHWU4003"),
            ("/CICSResultCache/", "", 400, "DFHWU4005"),
            ("/CICSProgram/BANK//x/5", "", 400, "DFHWU4008"),
            ("/CICSProgram/BANK///0", "", 400, "DFHWU4009"),
            ("/CICSProgram/BANK///-1", "", 400, "DFHWU4009"),
            ("x/CICSProgram", "", 404, "DFHWU4400"),
        ];
        for (path, query, status, id) in table {
            let refused = RequestTarget::read(&format!("{BASE}{path}"), Some(query)).expect_err("a refusal");
            assert_eq!((refused.status, refused.id), (status, id), "{path}?{query}");
        }
    }
}
