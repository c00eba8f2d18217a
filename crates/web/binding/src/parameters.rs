//! The published tools' options, one `NAME=VALUE` a line, as their jobs give them.

mod known;

use std::sync::Arc;

use diagnostics::{Diagnostic, Severity, Source, TextPlace, nearest};
use ebcdic::CodePage;
use mapping::{CharVarying, Charset};

use known::Standing;

use crate::limits::{FRACTION_DEFAULT, FRACTION_MAX, OCCURS_DEFAULT, OCCURS_MAX, TEXT_DEFAULT, TEXT_MAX};

const UNKNOWN: &str = "SPWB001";
const VALUE: &str = "SPWB002";
const IGNORED: &str = "SPWB003";
const WITHOUT_EFFECT: &str = "SPWB004";
const NOT_BUILT: &str = "SPWB005";

/// The parameters of the tools.
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
    /// LOCAL-ELEMENTS: QUALIFIED, or not; `None`: as the tool has it that makes the service.
    pub qualified: Option<bool>,
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
    /// PDSMEM: the member with the description of a schema.
    pub member: String,
    /// ELEMENTS: of a schema, the global elements that are wanted; none: all.
    pub elements: Vec<String>,
    /// BINDING: of several bindings of a WSDL document, the one that is wanted.
    pub binding: Option<String>,
    /// WSDL-SERVICE: of several services of a WSDL document, the one that is wanted.
    pub wsdl_service: Option<String>,
    /// NAME-TRUNCATION=LEFT: names that are too long lose their beginning.
    pub cuts_left: bool,
    /// MAPPING-OVERRIDES=INTEGER-AS-PIC9: integers of a description are digits of DISPLAY.
    pub integers_as_digits: bool,
    /// TRUNCATE-NULL-ARRAY-VALUES: program characters of which an occurrence that holds nothing consists.
    pub null_values: Vec<u8>,
    /// DEFAULT-FRACTION-DIGITS.
    pub fraction: usize,
    /// CCSID.
    pub page: CodePage,
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
            qualified: None,
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
            member: String::new(),
            elements: Vec::new(),
            binding: None,
            wsdl_service: None,
            cuts_left: false,
            integers_as_digits: false,
            null_values: Vec::new(),
            fraction: FRACTION_DEFAULT,
            page: CodePage::Ibm1047,
        }
    }
}

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
            let place = TextPlace::new(source, number + 1, 1, line.len());
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            let (name, value) = (name.trim().to_ascii_uppercase(), value.trim());
            match known::standing(&name) {
                Some(Standing::Taken) => match parameters.take(&name, value) {
                    Ok(None) => {}
                    Ok(Some(note)) => {
                        messages.push(Diagnostic::new(Severity::Warning, WITHOUT_EFFECT, note).at(place))
                    }
                    Err(expected) => {
                        let problem = format!("{name}={value}: {expected} is expected");
                        messages.push(Diagnostic::error(VALUE, problem).at(place));
                    }
                },
                Some(Standing::Idle) => {
                    let note = format!("{name} asks for nothing here");
                    messages.push(Diagnostic::new(Severity::Note, IGNORED, note).at(place));
                }
                Some(Standing::Without(why)) => {
                    let note = format!("{name} has no effect: {why}");
                    messages.push(Diagnostic::new(Severity::Warning, WITHOUT_EFFECT, note).at(place));
                }
                Some(Standing::Refused(why, help)) => {
                    let problem = format!("{name}: {why}");
                    messages.push(Diagnostic::error(NOT_BUILT, problem).at(place).help(*help));
                }
                None => {
                    let unknown =
                        Diagnostic::error(UNKNOWN, format!("{name} is no option of the tools")).at(place);
                    messages.push(match nearest(&name, known::names()) {
                        Some(near) => unknown.help(format!("perhaps {near}")),
                        None => unknown,
                    });
                }
            }
        }
        (parameters, messages)
    }

    /// Takes one option; the answer is what is to be said of a value without effect, the error what it should be.
    fn take(&mut self, name: &str, value: &str) -> Result<Option<String>, &'static str> {
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
            // A path of the server, whether its slash is written or not.
            "URI" if value.contains("://") || value.starts_with('/') || value.is_empty() => self.uri = text(),
            "URI" => self.uri = format!("/{value}"),
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
                self.qualified = Some(one_of("QUALIFIED", &["UNQUALIFIED"], "QUALIFIED or UNQUALIFIED")?)
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
            "PDSMEM" => self.member = text(),
            "ELEMENTS" => self.elements = list().into_iter().filter(|name: &String| name != "ALL").collect(),
            "BINDING" => self.binding = Some(text()),
            "WSDL-SERVICE" => self.wsdl_service = Some(text()),
            "NAME-TRUNCATION" => self.cuts_left = one_of("LEFT", &["RIGHT"], "LEFT or RIGHT")?,
            "MAPPING-OVERRIDES" => return self.overrides(value),
            "TRUNCATE-NULL-ARRAY-VALUES" => self.null_values = null_values(value)?,
            "DEFAULT-FRACTION-DIGITS" => {
                self.fraction =
                    value.parse().ok().filter(|places| *places <= FRACTION_MAX).ok_or("a number up to 15")?
            }
            "ADDITIONAL-PROPERTIES-DEFAULT" => {
                self.skips_unknown = one_of("TRUE", &["FALSE"], "TRUE or FALSE")?;
                return Ok(self.skips_unknown.then(|| PASSED_OVER.to_owned()));
            }
            "CCSID" => {
                self.page =
                    CodePage::parse(value).ok_or("the number of a code page, such as 37, 1047 or 1140")?
            }
            _ => self.files.push((name.to_owned(), text())),
        }
        Ok(None)
    }

    /// MAPPING-OVERRIDES: a list.
    fn overrides(&mut self, value: &str) -> Result<Option<String>, &'static str> {
        let mut idle = Vec::new();
        for one in value.split([',', ' ']).filter(|one| !one.is_empty()) {
            match one.to_ascii_uppercase().as_str() {
                // Names are made that way anyway.
                "SAME-AS-MAPPING-LEVEL" | "UNDERSCORES-AS-HYPHENS" | "HYPHENS-AS-UNDERSCORES" => {}
                "INTEGER-AS-PIC9" => self.integers_as_digits = true,
                other @ ("LESS-DUP-NAMES" | "NO-ARRAY-NAME-INDEXING") => idle.push(other.to_owned()),
                _ => {
                    return Err(
                        "a list of SAME-AS-MAPPING-LEVEL, UNDERSCORES-AS-HYPHENS, HYPHENS-AS-UNDERSCORES, \
                         INTEGER-AS-PIC9, LESS-DUP-NAMES and NO-ARRAY-NAME-INDEXING",
                    );
                }
            }
        }
        let why = "names of a record differ from each other, and no more than they must";
        Ok((!idle.is_empty()).then(|| format!("MAPPING-OVERRIDES={} has no effect: {why}", idle.join(","))))
    }

    /// Returns the options for reading a description.
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
            qualified: self.qualified.unwrap_or(false),
            charset: Charset::of(self.page),
            null_values: self.null_values.clone(),
            ..mapping::Options::default()
        }
    }
}

const PASSED_OVER: &str = "ADDITIONAL-PROPERTIES-DEFAULT=TRUE: members without a description are passed over, not put into a container";

/// Program characters by their names, or by two hexadecimal digits of EBCDIC.
fn null_values(value: &str) -> Result<Vec<u8>, &'static str> {
    const EXPECTED: &str = "a list of SPACES, ZEROS, LOW-VALUES and two hexadecimal digits of EBCDIC";
    let one = |name: &str| {
        let name = name.to_ascii_uppercase().replace('-', "");
        let digits = name.strip_prefix("X'").map_or(name.as_str(), |rest| rest.trim_end_matches('\''));
        match name.as_str() {
            "SPACE" | "SPACES" => Ok(b' '),
            "ZERO" | "ZEROS" | "ZEROES" => Ok(b'0'),
            "LOWVALUE" | "LOWVALUES" | "NULL" | "NULLS" => Ok(0),
            _ if digits.len() == 2 => {
                let byte = u8::from_str_radix(digits, 16).map_err(|_| EXPECTED)?;
                Ok(CodePage::Ibm1047.to_program_table()[usize::from(byte)])
            }
            _ => Err(EXPECTED),
        }
    };
    value.split([',', ' ', '(', ')']).filter(|name| !name.is_empty()).map(one).collect()
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
    fn an_option_without_effect_says_why() {
        let text = "NAME-TRUNCATION=LEFT\nMAPPING-OVERRIDES=INTEGER-AS-PIC9,LESS-DUP-NAMES\nCCSID=1140\nSYNCONRETURN=YES\n\
                    TRUNCATE-NULL-ARRAY-VALUES=40,LOW-VALUES,F0\nADDITIONAL-PROPERTIES-DEFAULT=TRUE\nWSDL_2.0=a.wsdl\n\
                    WSDL_1.1=b.wsdl\nREQUEST-CHANNEL=c.xml\n";
        let (parameters, messages) = Parameters::read(&Source::new("SYSIN", text));
        assert!(parameters.cuts_left && parameters.integers_as_digits && parameters.skips_unknown);
        assert_eq!(
            (parameters.page, parameters.null_values.as_slice()),
            (CodePage::Ibm1140, b" \x000".as_slice())
        );
        assert_eq!(parameters.files, [("WSDL_1.1".to_owned(), "b.wsdl".to_owned())]);
        let text: Vec<_> =
            messages.iter().map(|message| format!("{} {}", message.code, message.message)).collect();
        assert_eq!(
            text,
            [
                "SPWB004 MAPPING-OVERRIDES=LESS-DUP-NAMES has no effect: names of a record differ from each other, and no \
                 more than they must",
                "SPWB004 SYNCONRETURN has no effect: the program runs in the unit of work of the request's own task",
                "SPWB004 ADDITIONAL-PROPERTIES-DEFAULT=TRUE: members without a description are passed over, not put into \
                 a container",
                "SPWB004 WSDL_2.0 has no effect: only WSDL 1.1 is written: name its file by WSDL or WSDL_1.1",
                "SPWB005 REQUEST-CHANNEL: messages of several containers are not built",
            ]
        );
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
