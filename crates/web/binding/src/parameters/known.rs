//! The standing of each option of the published tools.

/// The effect of an option here.
pub(super) enum Standing {
    /// It is taken.
    Taken,
    /// It asks for nothing here: where a tool's own files are, what its runtime needs, or what is always so.
    Idle,
    /// It has no effect, and a job that relies on it should hear why.
    Without(&'static str),
    /// A service made without it would be another one.
    Refused(&'static str, &'static str),
}

use Standing::{Idle, Refused, Taken, Without};

const CHANNELS: &str = "messages of several containers are not built";
const ONE_CONTAINER: &str = "describe one container by REQMEM, RESPMEM and CONTID";
const PLAIN_TEXT: &str = "files are written and read as UTF-8";

/// All options by name.
const OPTIONS: &[(&str, Standing)] = &[
    ("LANG", Taken),
    ("PGMNAME", Taken),
    ("PGMINT", Taken),
    ("CONTID", Taken),
    ("REQMEM", Taken),
    ("RESPMEM", Taken),
    ("PDSMEM", Taken),
    ("STRUCTURE", Taken),
    ("URI", Taken),
    ("OPERATIONS", Taken),
    ("ELEMENTS", Taken),
    ("OPERATION-NAME", Taken),
    ("BINDING", Taken),
    ("WSDL-SERVICE", Taken),
    ("REQUEST-NAMESPACE", Taken),
    ("RESPONSE-NAMESPACE", Taken),
    ("WSDL-NAMESPACE", Taken),
    ("SOAPVER", Taken),
    ("LOCAL-ELEMENTS", Taken),
    ("CHAR-VARYING", Taken),
    ("CHAR-OCCURS", Taken),
    ("CCSID", Taken),
    ("DATETIME", Taken),
    ("DATES", Taken),
    ("REDEFINES", Taken),
    ("DATA-TRUNCATION", Taken),
    ("DATA-SCREENING", Taken),
    ("TRUNCATE-NULL-ARRAYS", Taken),
    ("TRUNCATE-NULL-ARRAY-VALUES", Taken),
    ("INLINE-MAXOCCURS-LIMIT", Taken),
    ("DEFAULT-CHAR-MAXLENGTH", Taken),
    ("DEFAULT-FRACTION-DIGITS", Taken),
    ("NAME-TRUNCATION", Taken),
    ("MAPPING-OVERRIDES", Taken),
    ("ADDITIONAL-PROPERTIES", Taken),
    ("ADDITIONAL-PROPERTIES-DEFAULT", Taken),
    ("HTTP-METHODS", Taken),
    ("TRANSACTION", Taken),
    ("USERID", Taken),
    ("WSBIND", Taken),
    ("XSDBIND", Taken),
    ("WSDL", Taken),
    ("WSDL_1.1", Taken),
    ("SCHEMA", Taken),
    ("OPENAPI", Taken),
    ("JSON-SCHEMA", Taken),
    ("JSON-SCHEMA-REQUEST", Taken),
    ("JSON-SCHEMA-RESPONSE", Taken),
    ("JSON-SCHEMA-RESTFUL", Taken),
    ("PDSLIB", Idle),
    ("PDSCP", Idle),
    ("PDSRLIB", Idle),
    ("LOGFILE", Idle),
    ("JAVADIR", Idle),
    ("USSDIR", Idle),
    ("PATHPREF", Idle),
    ("HTTPPROXY", Idle),
    ("HTTPPROXY-USERNAME", Idle),
    ("HTTPPROXY-PASSWORD", Idle),
    ("TMPDIR", Idle),
    ("TMPFILE", Idle),
    ("SERVICE", Idle),
    ("MAPPING-LEVEL", Idle),
    ("MINIMUM-RUNTIME-LEVEL", Idle),
    ("BUNDLE", Idle),
    ("JSONTRANSFRM", Idle),
    ("WSDLCP", Without(PLAIN_TEXT)),
    ("XMLCP", Without(PLAIN_TEXT)),
    ("SCHEMACP", Without(PLAIN_TEXT)),
    ("JSON-SCHEMA-CODEPAGE", Without(PLAIN_TEXT)),
    ("CHAR-MULTIPLIER", Without("each character of a record has one byte")),
    ("CHAR-VARYING-LIMIT", Without("long texts stand in the record itself")),
    ("WIDE-COMP3", Without("numbers of COMP-3 have up to 31 digits, always")),
    ("SYNCONRETURN", Without("the program runs in the unit of work of the request's own task")),
    ("WSDL_2.0", Without("only WSDL 1.1 is written: name its file by WSDL or WSDL_1.1")),
    ("WSADDR-EPR-ANY", Without("an endpoint reference is mapped as its schema describes it")),
    ("ADDITIONAL-PROPERTIES-MAX", Without("members without a description are never put into a record")),
    ("ADDITIONAL-PROPERTIES-SIZE", Without("members without a description are never put into a record")),
    ("REQUEST-CHANNEL", Refused(CHANNELS, ONE_CONTAINER)),
    ("RESPONSE-CHANNEL", Refused(CHANNELS, ONE_CONTAINER)),
    ("VENDOR-CONVERTER-NAME", Refused("converters of vendors are not called", "leave it out")),
    ("GENERATE-CONVERTER", Refused("converters of vendors are not called", "leave it out")),
];

/// Returns the standing of an option; `None`: the tools have none of this name.
pub(super) fn standing(name: &str) -> Option<&'static Standing> {
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, standing)| standing)
}

/// The names of options that mean something, for a hint at a wrong one.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().filter(|(_, standing)| matches!(standing, Taken)).map(|(name, _)| *name)
}
