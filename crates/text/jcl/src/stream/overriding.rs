//! DD statements as they are written, and those of a procedure changed by the job.

use std::sync::Arc;

use diagnostics::{Source, TextPlace};

use super::model::Data;
use super::operands::Operand;

/// A DD statement with its operands.
#[derive(Clone, Debug)]
pub(super) struct RawPart {
    pub source: Arc<Source>,
    pub place: TextPlace,
    pub operands: Vec<Operand>,
    pub data: Option<Data>,
}

/// A ddname with its statements.
#[derive(Clone, Debug)]
pub(super) struct RawDd {
    pub name: String,
    pub parts: Vec<RawPart>,
}

/// Keywords that name the content behind a ddname: one takes the place of another.
const MEANINGS: [&str; 8] = ["DSN", "DSNAME", "SYSOUT", "PATH", "DDNAME", "SUBSYS", "QNAME", "LGSTREAM"];
/// The same as positional operands.
const WORDS: [&str; 3] = ["*", "DATA", "DUMMY"];
/// Keywords of data sets that mean nothing for what is printed or stands in the job.
const OF_DATA_SETS: [&str; 8] = ["DISP", "UNIT", "VOL", "VOLUME", "SPACE", "LABEL", "DCB", "LIKE"];

fn is_meaning(operand: &Operand) -> bool {
    MEANINGS.contains(&operand.keyword.as_str())
        || operand.keyword.is_empty() && WORDS.contains(&operand.value.upper().as_str())
}

impl RawPart {
    /// Returns the operand of one of these keywords.
    pub fn operand(&self, keywords: &[&str]) -> Option<&Operand> {
        self.operands.iter().find(|operand| keywords.contains(&operand.keyword.as_str()))
    }

    /// Returns true if a positional operand stands there.
    pub fn has(&self, word: &str) -> bool {
        self.operands.iter().any(|operand| operand.keyword.is_empty() && operand.value.upper() == word)
    }

    /// Changes the statement of a procedure by one of the job: keywords that both have are those of the job; sub-parameters of
    /// DCB are taken one by one.
    pub fn overridden_by(mut self, over: Self) -> Self {
        let has_meaning = over.operands.iter().any(is_meaning);
        let is_dummy_only = over.has("DUMMY")
            && !over.operands.iter().any(|operand| MEANINGS.contains(&operand.keyword.as_str()));
        if has_meaning && !is_dummy_only {
            self.operands.retain(|operand| !is_meaning(operand));
            self.data = None;
            if over.has("*") || over.has("DATA") || over.operand(&["SYSOUT"]).is_some() {
                self.operands.retain(|operand| !OF_DATA_SETS.contains(&operand.keyword.as_str()));
            }
        }
        for operand in over.operands {
            if operand.keyword.is_empty() {
                self.operands
                    .retain(|own| !(own.keyword.is_empty() && own.value.upper() == operand.value.upper()));
                self.operands.push(operand);
                continue;
            }
            match operand.keyword.as_str() {
                "DCB" => self.merge_dcb(operand),
                _ if operand.value.is_empty() => self.operands.retain(|own| own.keyword != operand.keyword),
                _ => {
                    self.operands.retain(|own| own.keyword != operand.keyword);
                    self.operands.push(operand);
                }
            }
        }
        Self { place: over.place, source: over.source, data: over.data.or(self.data), ..self }
    }

    /// Puts the sub-parameters of the job's DCB= before those of the procedure, which stay behind them.
    fn merge_dcb(&mut self, operand: Operand) {
        for own in operand.value.operands() {
            let keyword = own.keyword.clone();
            self.operands.retain(|other| keyword.is_empty() || other.keyword != keyword);
        }
        self.operands.insert(0, operand);
    }
}

/// Changes the DD statements of a step of a procedure by one of the job's; returns the part of a concatenation that comes next.
pub(super) fn override_dd(dds: &mut Vec<RawDd>, name: &str, at: usize, over: RawPart) {
    match dds.iter_mut().find(|dd| dd.name == name) {
        Some(dd) if at < dd.parts.len() => {
            let own = dd.parts.remove(at);
            dd.parts.insert(at, own.overridden_by(over));
        }
        Some(dd) => dd.parts.push(over),
        None => dds.push(RawDd { name: name.to_owned(), parts: vec![over] }),
    }
}
