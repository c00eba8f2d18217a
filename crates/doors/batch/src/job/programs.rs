//! Programs of the system that jobs run: those that are built, and those that are known and refused.

/// A utility that runs as a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Utility {
    /// IEFBR14: nothing but the DD statements.
    Nothing,
    Idcams,
    /// IEBGENER.
    Copy,
    Sort,
    /// ICETOOL.
    Tool,
    /// IKJEFT01: the program that DSN's RUN names.
    Terminal,
    /// A translator or the COBOL compiler: the program that SYSIN names is built from the application's sources.
    Compile,
    /// The linkage editor: a program that is built already.
    Link,
    /// SDSF: commands for a region.
    Operate,
    /// DFHCSDUP: commands that change and list the texts of definitions.
    Define,
}

/// Returns the utility of a name.
pub(super) fn utility(program: &str) -> Option<Utility> {
    Some(match program {
        "IEFBR14" => Utility::Nothing,
        "IDCAMS" => Utility::Idcams,
        "IEBGENER" | "ICEGENER" => Utility::Copy,
        "SORT" | "DFSORT" | "ICEMAN" | "SYNCSORT" => Utility::Sort,
        "ICETOOL" | "SYNCTOOL" => Utility::Tool,
        "IKJEFT01" | "IKJEFT1A" | "IKJEFT1B" => Utility::Terminal,
        "IGYCRCTL" | "DFHECP1$" | "DSNHPC" => Utility::Compile,
        "IEWL" | "IEWBLINK" | "HEWL" | "HEWLH096" | "HEWLKED" | "LINKEDIT" => Utility::Link,
        "SDSF" | "ISFAFD" => Utility::Operate,
        "DFHCSDUP" => Utility::Define,
        _ => return None,
    })
}

const BUILT: &str = "programs and maps are built from their sources when they are used: leave the step out";
const BY_IDCAMS: &str = "IDCAMS does it: DEFINE, DELETE, ALTER, REPRO, LISTCAT";
const MEMBERS: &str = "copy members one by one with IEBGENER, or name a folder by --library NAME=DIR";
const BY_SQL: &str = "`syncpoint sql` runs statements, and a step of IKJEFT01 with DSNTEP2 or DSNTIAD does";
const NO_SYSTEM: &str = "it is about the operating system of a mainframe: leave the step out";
const NO_PRODUCT: &str = "it belongs to a product that is not here: leave the step out";

/// Programs that are known and not built, with what to do instead.
const REFUSED: &[(&str, &str)] = &[
    ("IEBCOPY", MEMBERS),
    ("IEBUPDTE", MEMBERS),
    ("IEBCOMPR", "compare the files with tools of the machine"),
    ("IEBPTPCH", "IDCAMS PRINT shows a data set"),
    ("IEBDG", "write the data by a program, or `syncpoint data import`"),
    ("IEBEDIT", "split the job into jobs"),
    ("IEHPROGM", BY_IDCAMS),
    ("IEHLIST", BY_IDCAMS),
    ("IEHMOVE", BY_IDCAMS),
    ("IEHINITT", NO_SYSTEM),
    ("ICKDSF", NO_SYSTEM),
    ("ADRDSSU", "`syncpoint backup` and `restore` keep all data"),
    ("FTP", "copy files with tools of the machine"),
    ("SFTP", "copy files with tools of the machine"),
    ("BPXBATCH", "run it in a shell"),
    ("BPXBATSL", "run it in a shell"),
    ("AOPBATCH", "run it in a shell"),
    ("IRXJCL", "REXX is not built: run it in a shell, or write it in COBOL"),
    ("IKJEFTSR", "REXX and CLISTs are not built"),
    ("ISPSTART", "ISPF is not built"),
    ("IKFCBL00", BUILT),
    ("IBMZPLI", BUILT),
    ("IEL0AA", BUILT),
    ("CCNDRVR", BUILT),
    ("CBCDRVR", BUILT),
    ("EDCPRLK", BUILT),
    ("ASMA90", BUILT),
    ("ASMBLR", BUILT),
    ("IEV90", BUILT),
    ("IFOX00", BUILT),
    ("IEWBLODI", BUILT),
    ("LOADER", BUILT),
    ("IEWLDRGO", BUILT),
    ("DFHEAP1$", BUILT),
    ("DFHEPP1$", BUILT),
    ("DFHEDP1$", BUILT),
    ("DFHLS2WS", "`syncpoint service from-jcl` carries the job out"),
    ("DFHWS2LS", "`syncpoint service from-jcl` carries the job out"),
    ("DFHLS2JS", "`syncpoint service from-jcl` carries the job out"),
    ("DFHJS2LS", "`syncpoint service from-jcl` carries the job out"),
    ("DFHSIP", "`syncpoint run` starts a region"),
    ("DFHJUP", "`syncpoint journal` shows journals"),
    ("DFHDU750", "dumps are text"),
    ("DSNUTILB", BY_SQL),
    ("DSNTIAUL", BY_SQL),
    ("DSNTEP2", BY_SQL),
    ("DSNTIAD", BY_SQL),
    ("DFSRRC00", "IMS is not built"),
    ("DFSURGU0", "IMS is not built"),
    ("CSQUTIL", "MQ is not built"),
    ("CSQUCVX", "MQ is not built"),
    ("AMASPZAP", NO_SYSTEM),
    ("AMBLIST", NO_SYSTEM),
    ("IXCMIAPU", NO_SYSTEM),
    ("IEFESIS", NO_SYSTEM),
    ("IFASMFDP", NO_SYSTEM),
    ("GIMSMP", NO_SYSTEM),
    ("SUPERC", "compare the files with tools of the machine"),
    ("ISRSUPC", "compare the files with tools of the machine"),
    ("FILEAID", NO_PRODUCT),
    ("FMNMAIN", NO_PRODUCT),
    ("DITTO", NO_PRODUCT),
    ("EZTPA00", NO_PRODUCT),
    ("SAS", NO_PRODUCT),
    ("XMITIP", NO_PRODUCT),
    ("EZACFSM1", "write the symbols' values into the job"),
    ("RACFBATCH", "users and rights are users.toml's"),
    ("IRRUT100", "users and rights are users.toml's"),
];

/// Returns the reason why a known program is not run.
pub(super) fn refused(program: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(name, _)| *name == program).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_run_or_refused_and_never_both() {
        for (name, why) in REFUSED {
            assert!(utility(name).is_none() && !why.is_empty(), "{name}");
            assert_eq!(REFUSED.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
        }
        assert_eq!((utility("PAYROLL"), refused("PAYROLL")), (None, None));
    }
}
