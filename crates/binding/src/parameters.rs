//! The published tools' options, one `NAME=VALUE` a line, as their jobs give them.

use std::sync::Arc;

use diagnostics::{Diagnostic, Place, Source, nearest};
use mapping::CharVarying;

use crate::limits::{OCCURS_DEFAULT, OCCURS_MAX, TEXT_DEFAULT, TEXT_MAX};

const UNKNOWN: &str = "SPWB001";
const VALUE: &str = "SPWB002";
const IGNORED: &str = "SPWB003";

/// What the tools were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// PGMNAME: the program that serves or is served.
    pub program: String,
    /// PGMINT=CHANNEL; else a COMMAREA.
    pub channel: bool,
    /// CONTID.
    pub container: String,
    /// REQMEM and RESPMEM: members of the library with the descriptions.
    pub request_member: String,
    /// As above.
    pub response_member: String,
    /// STRUCTURE: names of the records of request and response within their members.
    pub structures: Option<(String, String)>,
    /// URI: the path of the service, or where it is.
    pub uri: String,
    /// WSBIND, WSDL, JSON-SCHEMA-REQUEST, JSON-SCHEMA-RESPONSE, OPENAPI: files that are read or written.
    pub files: Vec<(String, String)>,
    /// OPERATIONS: of a description with several, those that are wanted; none: all.
    pub operations: Vec<String>,
    /// OPERATION-NAME, or the program's name and `Operation`.
    pub operation: Option<String>,
    /// REQUEST-NAMESPACE, or one made of the program's name.
    pub request_namespace: Option<String>,
    /// RESPONSE-NAMESPACE.
    pub response_namespace: Option<String>,
    /// WSDL-NAMESPACE.
    pub wsdl_namespace: Option<String>,
    /// SOAPVER: 1.1, 1.2.
    pub soap: (bool, bool),
    /// LOCAL-ELEMENTS=QUALIFIED.
    pub qualified: bool,
    /// CHAR-VARYING.
    pub varying: CharVarying,
    /// CHAR-OCCURS=STRING.
    pub joins_characters: bool,
    /// DATETIME=PACKED15.
    pub moments: bool,
    /// DATES: fields `9(8)` that are dates.
    pub dates: Vec<String>,
    /// REDEFINES: descriptions that hold.
    pub redefinitions: Vec<String>,
    /// DATA-TRUNCATION=ENABLED.
    pub may_end_early: bool,
    /// DATA-SCREENING=DISABLED.
    pub takes_bad_numbers: bool,
    /// TRUNCATE-NULL-ARRAYS=ENABLED.
    pub trims_arrays: bool,
    /// INLINE-MAXOCCURS-LIMIT.
    pub occurs_max: usize,
    /// DEFAULT-CHAR-MAXLENGTH.
    pub text_max: usize,
    /// ADDITIONAL-PROPERTIES=SKIP: members that the description does not have are passed over.
    pub skips_unknown: bool,
    /// HTTP-METHODS of a JSON service.
    pub methods: Vec<String>,
    /// TRANSACTION.
    pub transaction: Option<String>,
    /// USERID.
    pub user: Option<String>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            program: String::new(),
            channel: false,
            container: "DFHWS-DATA".to_owned(),
            request_member: String::new(),
            response_member: String::new(),
            structures: None,
            uri: String::new(),
            files: Vec::new(),
            operations: Vec::new(),
            operation: None,
            request_namespace: None,
            response_namespace: None,
            wsdl_namespace: None,
            soap: (true, true),
            qualified: false,
            varying: CharVarying::default(),
            joins_characters: false,
            moments: false,
            dates: Vec::new(),
            redefinitions: Vec::new(),
            may_end_early: false,
            takes_bad_numbers: false,
            trims_arrays: false,
            occurs_max: OCCURS_DEFAULT,
            text_max: TEXT_DEFAULT,
            skips_unknown: false,
            methods: Vec::new(),
            transaction: None,
            user: None,
        }
    }
}

/// Options that mean something.
const KNOWN: [&str; 34] = [
    "LANG",
    "PGMNAME",
    "PGMINT",
    "CONTID",
    "REQMEM",
    "RESPMEM",
    "STRUCTURE",
    "URI",
    "OPERATIONS",
    "OPERATION-NAME",
    "REQUEST-NAMESPACE",
    "RESPONSE-NAMESPACE",
    "WSDL-NAMESPACE",
    "SOAPVER",
    "LOCAL-ELEMENTS",
    "CHAR-VARYING",
    "CHAR-OCCURS",
    "DATETIME",
    "DATES",
    "REDEFINES",
    "DATA-TRUNCATION",
    "DATA-SCREENING",
    "TRUNCATE-NULL-ARRAYS",
    "INLINE-MAXOCCURS-LIMIT",
    "DEFAULT-CHAR-MAXLENGTH",
    "ADDITIONAL-PROPERTIES",
    "HTTP-METHODS",
    "TRANSACTION",
    "USERID",
    "WSBIND",
    "WSDL",
    "OPENAPI",
    "JSON-SCHEMA-REQUEST",
    "JSON-SCHEMA-RESPONSE",
];

/// Options that ask for nothing here: where their files are, what their runtime needs, or what is always so.
const WITHOUT_MEANING: [&str; 22] = [
    "PDSLIB",
    "PDSCP",
    "PDSMEM",
    "PDSRLIB",
    "LOGFILE",
    "JAVADIR",
    "USSDIR",
    "HTTPPROXY",
    "HTTPPROXY-USERNAME",
    "HTTPPROXY-PASSWORD",
    "TMPDIR",
    "TMPFILE",
    "SERVICE",
    "MAPPING-LEVEL",
    "MINIMUM-RUNTIME-LEVEL",
    "BUNDLE",
    "JSONTRANSFRM",
    "SYNCONRETURN",
    "CCSID",
    "WIDE-COMP3",
    "WSDL_1.1",
    "WSDL_2.0",
];

impl Parameters {
    /// Reads options. Lines that begin with `*` or `//` are none.
    pub fn read(source: &Arc<Source>) -> (Self, Vec<Diagnostic>) {
        let mut parameters = Self::default();
        let mut messages = Vec::new();
        for (number, line) in source.text.lines().enumerate() {
            let text = line.trim();
            if text.is_empty() || text.starts_with('*') || text.starts_with("//") {
                continue;
            }
            let place = Place::new(source, number + 1, 1, line.len());
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            let (name, value) = (name.trim().to_ascii_uppercase(), value.trim());
            if WITHOUT_MEANING.contains(&name.as_str()) {
                messages.push(
                    Diagnostic::new(
                        diagnostics::Severity::Note,
                        IGNORED,
                        format!("{name} asks for nothing here"),
                    )
                    .at(place),
                );
            } else if !KNOWN.contains(&name.as_str()) {
                let unknown =
                    Diagnostic::error(UNKNOWN, format!("{name} is no option of the tools")).at(place);
                messages.push(match nearest(&name, KNOWN) {
                    Some(near) => unknown.help(format!("perhaps {near}")),
                    None => unknown,
                });
            } else if let Err(expected) = parameters.take(&name, value) {
                let problem = format!("{name}={value}: {expected} is expected");
                messages.push(Diagnostic::error(VALUE, problem).at(place));
            }
        }
        (parameters, messages)
    }

    /// Takes one option; the error says what its value should be.
    fn take(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        let text = || value.to_owned();
        let list = || {
            value.split([',', ' ']).map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
        };
        let one_of = |yes: &str, no: &[&str], expected: &'static str| match value.to_ascii_uppercase() {
            upper if upper == yes => Ok(true),
            upper if no.contains(&upper.as_str()) => Ok(false),
            _ => Err(expected),
        };
        let enabled = || one_of("ENABLED", &["DISABLED"], "ENABLED or DISABLED");
        match name {
            "LANG" if value.to_ascii_uppercase().starts_with("COBOL") => {}
            "LANG" => return Err("COBOL (other languages are not built)"),
            "PGMNAME" if !value.is_empty() && value.len() <= 8 => self.program = value.to_ascii_uppercase(),
            "PGMNAME" => return Err("a program's name"),
            "PGMINT" => self.channel = one_of("CHANNEL", &["COMMAREA"], "COMMAREA or CHANNEL")?,
            "CONTID" if !value.is_empty() && value.len() <= 16 => self.container = text(),
            "CONTID" => return Err("a container's name of at most 16 characters"),
            "REQMEM" => self.request_member = text(),
            "RESPMEM" => self.response_member = text(),
            "STRUCTURE" => {
                let inner = value.trim_start_matches('(').trim_end_matches(')');
                let (request, response) = inner.split_once(',').unwrap_or((inner, inner));
                self.structures = Some((request.trim().to_owned(), response.trim().to_owned()));
            }
            "URI" => self.uri = text(),
            "OPERATIONS" => self.operations = list(),
            "OPERATION-NAME" => self.operation = Some(text()),
            "REQUEST-NAMESPACE" => self.request_namespace = Some(text()),
            "RESPONSE-NAMESPACE" => self.response_namespace = Some(text()),
            "WSDL-NAMESPACE" => self.wsdl_namespace = Some(text()),
            "SOAPVER" => {
                self.soap = match value.to_ascii_uppercase().as_str() {
                    "1.1" => (true, false),
                    "1.2" => (false, true),
                    "ALL" => (true, true),
                    _ => return Err("1.1, 1.2 or ALL"),
                };
            }
            "LOCAL-ELEMENTS" => {
                self.qualified = one_of("QUALIFIED", &["UNQUALIFIED"], "QUALIFIED or UNQUALIFIED")?
            }
            "CHAR-VARYING" => {
                self.varying = match value.to_ascii_uppercase().as_str() {
                    "NO" => CharVarying::No,
                    "COLLAPSE" => CharVarying::Collapse,
                    "NULL" => CharVarying::Null,
                    "BINARY" => CharVarying::Binary,
                    _ => return Err("NO, COLLAPSE, NULL or BINARY"),
                };
            }
            "CHAR-OCCURS" => self.joins_characters = one_of("STRING", &["ARRAY"], "STRING or ARRAY")?,
            "DATETIME" => self.moments = one_of("PACKED15", &["UNUSED"], "PACKED15 or UNUSED")?,
            "DATES" => self.dates = list(),
            "REDEFINES" => self.redefinitions = list(),
            "DATA-TRUNCATION" => self.may_end_early = enabled()?,
            "DATA-SCREENING" => self.takes_bad_numbers = !enabled()?,
            "TRUNCATE-NULL-ARRAYS" => self.trims_arrays = enabled()?,
            "INLINE-MAXOCCURS-LIMIT" => {
                self.occurs_max = number(value, OCCURS_MAX).ok_or("a number up to 32767")?
            }
            "DEFAULT-CHAR-MAXLENGTH" => {
                self.text_max = number(value, TEXT_MAX).ok_or("a number up to 32767")?
            }
            "ADDITIONAL-PROPERTIES" => self.skips_unknown = one_of("SKIP", &["REFUSE"], "SKIP or REFUSE")?,
            "HTTP-METHODS" => self.methods = list(),
            "TRANSACTION" if (1..=4).contains(&value.len()) => self.transaction = Some(text()),
            "TRANSACTION" => return Err("a transaction's name"),
            "USERID" if (1..=8).contains(&value.len()) => self.user = Some(text()),
            "USERID" => return Err("a user's name"),
            _ => self.files.push((name.to_owned(), text())),
        }
        Ok(())
    }

    /// How a description is understood.
    pub(crate) fn options(&self, namespace: &str) -> mapping::Options {
        mapping::Options {
            varying: self.varying,
            joins_characters: self.joins_characters,
            trims_arrays: self.trims_arrays,
            moments: self.moments,
            dates: self.dates.clone(),
            may_end_early: self.may_end_early,
            takes_bad_numbers: self.takes_bad_numbers,
            skips_unknown: self.skips_unknown,
            redefinitions: self.redefinitions.clone(),
            namespace: namespace.to_owned(),
            qualified: self.qualified,
            ..mapping::Options::default()
        }
    }
}

fn number(value: &str, most: usize) -> Option<usize> {
    value.parse().ok().filter(|number| (1..=most).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_of_the_tools_is_read() {
        let text = "* service\nPDSLIB=//A.B\nLANG=COBOL\nPGMNAME=orders\nPGMINT=COMMAREA\nREQMEM=ORDIN\nRESPMEM=ORDOUT\n\
                    URI=/orders\nMAPPING-LEVEL=4.3\nCHAR-VARYING=NO\nWSBIND=/u/x.wsbind\nSOAPVER=1.2\nSTRUCTURE=(A,B)\n";
        let (parameters, messages) = Parameters::read(&Source::new("SYSIN", text));
        assert!(!diagnostics::any_error(&messages), "{messages:?}");
        assert_eq!((parameters.program.as_str(), parameters.uri.as_str()), ("ORDERS", "/orders"));
        assert_eq!((parameters.varying, parameters.soap), (CharVarying::No, (false, true)));
        assert_eq!(parameters.structures, Some(("A".to_owned(), "B".to_owned())));
        assert_eq!(parameters.files, [("WSBIND".to_owned(), "/u/x.wsbind".to_owned())]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let (_, messages) =
            Parameters::read(&Source::new("SYSIN", "PGMNAM=A\nPGMINT=X\nLANG=PLI-ENTERPRISE\n"));
        let text: Vec<_> =
            messages.iter().map(|message| format!("{} / {}", message.message, message.help)).collect();
        assert_eq!(text[0], "PGMNAM is no option of the tools / perhaps PGMNAME");
        assert_eq!(text[1], "PGMINT=X: COMMAREA or CHANNEL is expected / ");
        assert_eq!(text.len(), 3);
    }
}
