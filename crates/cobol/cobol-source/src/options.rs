//! Compiler options of CBL and PROCESS cards: what each means to a program.

use diagnostics::Diagnostic;

use crate::messages::did_you_mean;

/// A compiler option of a CBL or PROCESS card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerOption {
    /// Its name in upper case, as in `TRUNC`.
    pub name: String,
    /// The text in its parentheses, in upper case; empty if there is none.
    pub value: String,
    /// The same as it was written.
    pub written: String,
}

impl CompilerOption {
    /// An option that is on no card.
    pub fn new(name: &str, value: &str) -> Self {
        Self { name: name.into(), value: value.into(), written: value.into() }
    }
}

/// The meaning of an option here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It is obeyed.
    Done,
    /// A program cannot notice it: listings, code, storage of the compiler.
    Harmless,
    /// It is left out, and a program might notice: why. An option whose value begins with one of these is harmless, and so is NO.
    WithoutEffect(&'static [&'static str], &'static str),
    /// The program cannot be compiled as it asks for, unless the value begins so.
    Refused(&'static [&'static str], &'static str),
}

use Standing::{Done, Harmless, Refused, WithoutEffect};

const WITHDRAWN: &str = "z/OS has withdrawn this option: take it out";
const NO_CHECK: &str = "the check is not made; CBL SSRANGE checks subscripts and lengths";

/// Options with their abbreviations.
const OPTIONS: &[(&str, &[&str], Standing)] = &[
    ("ADATA", &[], Harmless),
    ("ADEXIT", &[], Harmless),
    ("ADV", &[], Done),
    ("AFP", &[], Harmless),
    ("ANALYZE", &[], Harmless),
    ("APOST", &[], Done),
    ("ARCH", &[], Harmless),
    ("ARITH", &["AR"], Done),
    ("AWO", &[], Harmless),
    ("BLOCK0", &[], Harmless),
    ("BUFSIZE", &["BUF"], Harmless),
    ("CICS", &[], Done),
    ("CMPR2", &[], WithoutEffect(&[], WITHDRAWN)),
    (
        "CODEPAGE",
        &["CP"],
        WithoutEffect(
            &["1140", "37", "037", "1047"],
            "text is in the region's own code page: name another one in the function that needs it",
        ),
    ),
    ("COMPILE", &["C"], Harmless),
    ("CONDCOMP", &["CC"], Harmless),
    ("COPYLOC", &["CPLC"], Harmless),
    ("COPYRIGHT", &["CPYR"], Harmless),
    ("CURRENCY", &["CURR"], Done),
    ("DATA", &[], Harmless),
    ("DATEPROC", &["DP"], WithoutEffect(&[], WITHDRAWN)),
    ("DBCS", &[], Harmless),
    ("DECK", &["D"], Harmless),
    ("DEFINE", &["DEF"], Done),
    ("DIAGTRUNC", &["DTR"], Harmless),
    ("DISPSIGN", &["DS"], Done),
    ("DLL", &[], Harmless),
    ("DUMP", &["DU"], Harmless),
    ("DYNAM", &["DYN"], Harmless),
    ("EXIT", &["EX"], Harmless),
    ("EXPORTALL", &["EXP"], Harmless),
    ("FASTSRT", &["FSRT"], Harmless),
    ("FDUMP", &["FDU"], Harmless),
    ("FLAG", &["F"], Harmless),
    ("FLAGMIG", &[], Harmless),
    ("FLAGMIG4", &[], Harmless),
    ("FLAGSAA", &[], Harmless),
    ("FLAGSTD", &[], Harmless),
    ("HGPR", &[], Harmless),
    ("IDLGEN", &["IDL"], Harmless),
    ("INITCHECK", &["IC"], Harmless),
    ("INITIAL", &[], Done),
    ("INLINE", &["INL"], Harmless),
    ("INTDATE", &[], Done),
    (
        "INVDATA",
        &["INVD"],
        WithoutEffect(&[], "invalid data are not compared as numbers, and signs are not cleaned"),
    ),
    ("JAVAIOP", &[], WithoutEffect(&[], "programs cannot be called from Java here")),
    ("LANGUAGE", &["LANG"], Harmless),
    ("LIB", &[], Harmless),
    ("LINECOUNT", &["LC"], Harmless),
    ("LIST", &[], Harmless),
    ("LP", &[], Refused(&["32"], "pointers have 4 bytes here: write LP(32), or take the option out")),
    ("MAP", &[], Harmless),
    ("MAXPCF", &[], Harmless),
    ("MDECK", &["MD"], Harmless),
    ("NAME", &[], Harmless),
    ("NSYMBOL", &["NS"], Done),
    ("NUMBER", &["NUM"], Harmless),
    ("NUMCHECK", &["NC"], WithoutEffect(&[], NO_CHECK)),
    ("NUMCLS", &[], Harmless),
    ("NUMPROC", &[], Harmless),
    ("OBJECT", &["OBJ"], Harmless),
    ("OFFSET", &["OFF"], Harmless),
    ("OPTFILE", &[], WithoutEffect(&[], "options are not read from a file: write them on CBL cards")),
    ("OPTIMIZE", &["OPT"], Harmless),
    ("OUTDD", &["OUT"], WithoutEffect(&["SYSOUT"], "what DISPLAY writes goes to SYSOUT")),
    ("PARMCHECK", &["PC"], WithoutEffect(&[], NO_CHECK)),
    ("PFDSGNS", &[], WithoutEffect(&[], WITHDRAWN)),
    ("PGMNAME", &["PGMN"], Harmless),
    ("QUALIFY", &["QUA"], Harmless),
    ("QUOTE", &["Q"], Done),
    ("RENT", &[], Harmless),
    ("RES", &[], Harmless),
    ("RMODE", &[], Harmless),
    ("RULES", &[], Harmless),
    ("SEQUENCE", &["SEQ"], Harmless),
    ("SERVICE", &["SERV"], Harmless),
    ("SIZE", &["SZ"], Harmless),
    ("SMARTBIN", &[], Harmless),
    ("SOURCE", &["S"], Harmless),
    ("SPACE", &[], Harmless),
    ("SQL", &[], Done),
    ("SQLCCSID", &["SQLC"], Harmless),
    ("SQLIMS", &[], Refused(&[], "EXEC SQLIMS is not built: take the option out, and what needs it")),
    ("SSRANGE", &["SSR"], Done),
    ("STGOPT", &["SO"], Harmless),
    ("SUPPRESS", &["SUPP"], Harmless),
    ("TERMINAL", &["TERM"], Harmless),
    ("TEST", &[], Harmless),
    ("THREAD", &[], Harmless),
    ("TRUNC", &[], Done),
    ("TUNE", &[], Harmless),
    ("TYPECHK", &["TC"], Harmless),
    ("VBREF", &[], Harmless),
    (
        "VLR",
        &[],
        WithoutEffect(&["S"], "a record whose length does not fit its description has file status 04"),
    ),
    ("VSAMOPENFS", &["VS"], Harmless),
    ("WORD", &["WD"], Harmless),
    ("XMLPARSE", &["XP"], Done),
    // The translator's options, where it is a program of its own.
    ("XOPTS", &[], Done),
    ("XREF", &["X"], Harmless),
    ("YEARWINDOW", &["YW"], WithoutEffect(&[], WITHDRAWN)),
    ("ZONECHECK", &["ZC"], WithoutEffect(&[], NO_CHECK)),
    ("ZONEDATA", &["ZD"], WithoutEffect(&["PFD"], "invalid zones are not compared as numbers")),
    ("ZWB", &[], Done),
];

/// The message about an option that is not obeyed, if a user might notice.
pub(crate) fn message(option: &CompilerOption) -> Option<Diagnostic> {
    let known = |name: &str| {
        OPTIONS.iter().find(|(long, short, _)| *long == name || short.contains(&name)).map(|row| &row.2)
    };
    let name = option.name.as_str();
    let without = name.strip_prefix("NO").filter(|rest| known(rest).is_some());
    let shown =
        if option.value.is_empty() { name.to_owned() } else { format!("{name}({})", option.written.trim()) };
    let fits = |values: &[&str]| values.iter().any(|value| option.value.starts_with(value));
    match (known(name), without) {
        (Some(Done | Harmless), _) => None,
        (Some(WithoutEffect(values, _) | Refused(values, _)), _) if fits(values) => None,
        (Some(WithoutEffect(_, why)), _) => {
            Some(Diagnostic::warning("SPTR003", format!("the option {shown} has no effect here")).help(*why))
        }
        (Some(Refused(_, why)), _) => {
            Some(Diagnostic::error("SPTR004", format!("the option {shown} is not built")).help(*why))
        }
        (None, Some("ADV")) => Some(
            Diagnostic::warning("SPTR003", "the option NOADV has no effect here")
                .help("records of print files have no place for the control character"),
        ),
        (None, Some("ZWB")) => Some(
            Diagnostic::warning("SPTR003", "the option NOZWB has no effect here")
                .help("a signed number loses its sign when it is compared with text"),
        ),
        (None, Some(_)) => None,
        (None, None) => {
            let names = OPTIONS.iter().map(|row| row.0);
            let help =
                did_you_mean(name, names, "CBL takes options of Enterprise COBOL, with commas between them");
            Some(Diagnostic::warning("SPTR005", format!("{name} is no compiler option")).help(help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page for users names each option, with the reason where it has no effect.
    #[test]
    fn the_page_for_users_has_every_option() {
        let page = include_str!("../../../../docs/compiler.md");
        for (name, _, standing) in OPTIONS {
            let of_kind = |end: &str| {
                page.lines().any(|line| {
                    line.split_once(" | ").is_some_and(|(names, rest)| {
                        let mut names = names.trim_start_matches("| ").split(", ");
                        names.any(|own| own == *name) && rest.contains(end)
                    })
                })
            };
            let there = match standing {
                Done => of_kind("obeyed"),
                Harmless => of_kind("harmless"),
                WithoutEffect(_, why) => of_kind(why) && of_kind("SPTR003"),
                Refused(_, why) => of_kind(why) && of_kind("SPTR004"),
            };
            assert!(there, "docs/compiler.md has {name} otherwise: {standing:?}");
        }
    }
}
