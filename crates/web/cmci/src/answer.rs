//! Answers to requests that are valid, as XML.

use mapping::xml::escape_attribute;

use crate::Refusal;
use crate::codes::{Code, reason, response};
use crate::limits::ANSWER_MAX;
use crate::record::{Datum, Record};

/// The namespace of an answer.
const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/CICS/smw2int";

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The response.
    pub response: Code,
    /// The reason.
    pub reason: Code,
    /// The operation that has failed: GET, SET, PERFORM, CREATE, UPDATE, REMOVE.
    pub function: &'static str,
    /// The number of records of the result.
    pub records: Option<usize>,
    /// The number of records that a change was done to.
    pub successes: Option<usize>,
    /// The token of the result set that is kept.
    pub token: Option<String>,
    /// Failures, record by record.
    pub errors: Vec<Feedback>,
}

/// A change of one record that has failed.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    /// The action, or the operation.
    pub action: String,
    /// The name of the record, as its region has it.
    pub name: Vec<u8>,
    /// The command's EIBFN and name.
    pub command: Option<(u16, String)>,
    /// RESP and its name.
    pub resp: (u32, String),
    /// RESP2.
    pub resp2: i32,
    /// The attribute that is meant.
    pub attribute: Option<String>,
    /// The reason in words.
    pub why: String,
}

impl Answer {
    /// An answer without records.
    pub fn of(response: Code, reason: Code, function: &'static str) -> Self {
        Self { response, reason, function, records: None, successes: None, token: None, errors: Vec::new() }
    }

    /// The answer about a number of records.
    pub fn found(records: usize) -> Self {
        let response = if records == 0 { response::NODATA } else { response::OK };
        Self { records: Some(records), ..Self::of(response, reason::NONE, "GET") }
    }

    /// The document: the answer, and the records of `shown` under the element's name. `from` is the region's name and
    /// release.
    ///
    /// # Errors
    /// The document would be too long.
    pub fn xml(&self, element: &str, shown: &[Record], from: &Origin<'_>) -> Result<Vec<u8>, Refusal> {
        self.within(ANSWER_MAX, element, shown, from)
    }

    fn within(
        &self,
        most: usize,
        element: &str,
        shown: &[Record],
        from: &Origin<'_>,
    ) -> Result<Vec<u8>, Refusal> {
        let mut out = Xml(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response".to_vec());
        out.attribute("xmlns", NAMESPACE);
        out.attribute("version", "3.0");
        out.attribute("connect_version", from.version);
        out.raw("><resultsummary");
        self.summary(&mut out, shown.len());
        out.raw("/>");
        if !shown.is_empty() {
            out.raw("<records>");
            for record in shown {
                out.record(element, record, from);
                if out.0.len() > most {
                    let help = "Ask for fewer records: by CRITERIA, a count, or NODISCARD and pages of the result cache.";
                    return Err(Refusal::limit("ANSWER_MAX", help));
                }
            }
            out.raw("</records>");
        }
        if !self.errors.is_empty() {
            out.raw("<errors>");
            self.errors.iter().for_each(|feedback| out.feedback(feedback, from));
            out.raw("</errors>");
        }
        out.raw("</response>\n");
        Ok(out.0)
    }

    fn summary(&self, out: &mut Xml, shown: usize) {
        if ![response::OK, response::NODATA].contains(&self.response) {
            out.attribute("api_function", self.function);
            out.attribute("api_source", "CICS");
        }
        out.attribute("api_response1", &self.response.0.to_string());
        out.attribute("api_response2", &self.reason.0.to_string());
        out.attribute("api_response1_alt", self.response.1);
        out.attribute("api_response2_alt", self.reason.1);
        if let Some(records) = self.records {
            out.attribute("recordcount", &records.to_string());
            if shown > 0 {
                out.attribute("displayed_recordcount", &shown.to_string());
            }
        }
        if let Some(successes) = self.successes {
            out.attribute("successcount", &successes.to_string());
        }
        if let Some(token) = &self.token {
            out.attribute("cachetoken", token);
        }
    }
}

/// The region that answers.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its name.
    pub applid: &'a str,
    /// Its release.
    pub version: &'a str,
}

struct Xml(Vec<u8>);

impl Xml {
    fn raw(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.raw(" ");
        self.raw(name);
        self.raw("=\"");
        // What no document may have is a period, as on a screen.
        let is_printable = |c: char| !c.is_control() && !['\u{fffe}', '\u{ffff}'].contains(&c);
        match value.chars().all(is_printable) {
            true => escape_attribute(value, &mut self.0),
            false => {
                let printed: String = value.chars().map(|c| if is_printable(c) { c } else { '.' }).collect();
                escape_attribute(&printed, &mut self.0);
            }
        }
        self.raw("\"");
    }

    fn record(&mut self, element: &str, record: &Record, from: &Origin<'_>) {
        self.raw("<");
        self.raw(element);
        self.attribute("_keydata", &hexadecimal(&record.name));
        for (name, value) in &record.attributes {
            match value {
                Datum::Text(text) | Datum::Word(text) => self.attribute(name, text),
                Datum::Number(number) => self.attribute(name, &number.to_string()),
            }
        }
        self.attribute("eyu_cicsname", from.applid);
        self.raw("/>");
    }

    fn feedback(&mut self, feedback: &Feedback, from: &Origin<'_>) {
        let Feedback { action, name, command, resp, resp2, attribute, why } = feedback;
        self.raw("<feedback");
        self.attribute("action", action);
        self.attribute("keydata", &hexadecimal(name));
        self.attribute("errorcode", "0");
        if let Some((number, text)) = command {
            self.attribute("eibfn", &format!("{number:04X}"));
            self.attribute("eibfn_alt", text);
        }
        self.attribute("resp", &resp.0.to_string());
        self.attribute("resp_alt", &resp.1);
        self.attribute("resp2", &resp2.to_string());
        if let Some(attribute) = attribute {
            self.attribute("attribute1", attribute);
        }
        if !why.is_empty() {
            self.attribute("reason", why);
        }
        self.attribute("eyu_cicsname", from.applid);
        self.raw("/>");
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Origin<'_> = Origin { applid: "BANK", version: "0740" };

    fn text(answer: &Answer, shown: &[Record]) -> String {
        String::from_utf8(answer.xml("cicsprogram", shown, &FROM).expect("a document")).expect("UTF-8")
    }

    #[test]
    fn a_record_stands_under_its_name_and_no_value_leaves_its_quotes() {
        let attributes = vec![
            ("program".to_owned(), Datum::Text("A\"<&\u{1}'".to_owned())),
            ("usecount".to_owned(), Datum::Number(-3)),
            ("status".to_owned(), Datum::Word("ENABLED".to_owned())),
        ];
        let record = Record { name: b"AB".to_vec(), attributes };
        let text = text(&Answer::found(1), &[record]);
        assert!(text.contains(
            "api_response1=\"1024\" api_response2=\"0\" api_response1_alt=\"OK\" api_response2_alt=\"\""
        ));
        assert!(text.contains("recordcount=\"1\" displayed_recordcount=\"1\""));
        let element = text.split("<cicsprogram").nth(1).expect("a record");
        assert!(element.starts_with(" _keydata=\"4142\" program=\"A&quot;&lt;&amp;."), "{element}");
        assert!(
            element.contains("usecount=\"-3\" status=\"ENABLED\" eyu_cicsname=\"BANK\"/></records>"),
            "{element}"
        );
    }

    #[test]
    fn no_data_is_an_answer_and_an_error_has_its_feedback() {
        assert!(text(&Answer::found(0), &[]).contains("api_response1=\"1027\""));
        let mut answer = Answer::of(response::TABLEERROR, reason::DATAERROR, "PERFORM");
        answer.errors.push(Feedback {
            action: "NEWCOPY".to_owned(),
            name: b"P".to_vec(),
            command: Some((0x4E04, "SET PROGRAM".to_owned())),
            resp: (17, "IOERR".to_owned()),
            resp2: 8,
            ..Feedback::default()
        });
        let text = text(&answer, &[]);
        assert!(text.contains(
            "api_function=\"PERFORM\" api_source=\"CICS\" api_response1=\"1038\" api_response2=\"1361\""
        ));
        assert!(
            text.contains(
                "eibfn=\"4E04\" eibfn_alt=\"SET PROGRAM\" resp=\"17\" resp_alt=\"IOERR\" resp2=\"8\""
            ),
            "{text}"
        );
    }

    #[test]
    fn an_answer_has_a_limit() {
        let record = Record { name: Vec::new(), attributes: vec![("a".to_owned(), Datum::Number(1))] };
        let records = vec![record; 100];
        let refused = Answer::found(100).within(2_000, "r", &records, &FROM).expect_err("a limit");
        assert!(refused.full.contains("ANSWER_MAX"));
        assert!(Answer::found(100).within(20_000, "r", &records, &FROM).is_ok());
    }
}
