//! The table of what job control may say: each statement, keyword and sub-parameter is done, harmless or refused.

use diagnostics::nearest;

/// The treatment of a statement or keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Carried out as published.
    Done,
    /// Taken, and without an effect on what programs do and data hold.
    Harmless,
    /// The job is refused before its first step.
    Refused,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The statement, or the keyword whose sub-parameter it is; empty for a statement.
    pub of: &'static str,
    /// The statement, keyword or sub-parameter.
    pub name: &'static str,
    /// Its treatment.
    pub standing: Standing,
    /// A note: what is done, why it is harmless, or what to do instead; may be empty.
    pub note: &'static str,
}

use Standing::{Done, Harmless, Refused};

const fn row(of: &'static str, name: &'static str, standing: Standing, note: &'static str) -> Row {
    Row { of, name, standing, note }
}

const NO_DISKS: &str = "there are no volumes and units here";
const NO_PRINTER: &str = "what is printed is shown";
const NO_LIMITS: &str = "the machine's own limits count";
const NO_CLASSES: &str = "there are no queues of jobs";
const NO_SMS: &str = "there are no classes of storage: say RECFM, LRECL and SPACE where they matter";
const NO_PATH: &str = "files of UNIX: use --dd with a single program, or --library for a folder";
const NO_BUFFERS: &str = "buffers are the system's matter";

/// All rows, by statement.
pub const TABLE: &[Row] = &[
    row("", "JOB", Done, "begins a job; a file may hold several"),
    row("", "EXEC", Done, ""),
    row("", "DD", Done, ""),
    row("", "PROC", Done, "with the values of its symbols"),
    row("", "PEND", Done, ""),
    row("", "SET", Done, ""),
    row("", "EXPORT", Done, "symbols for data with SYMBOLS="),
    row("", "INCLUDE", Done, "members of JCLLIB's libraries and of folders"),
    row("", "JCLLIB", Done, ""),
    row("", "IF", Done, ""),
    row("", "ELSE", Done, ""),
    row("", "ENDIF", Done, ""),
    row("", "OUTPUT", Harmless, NO_PRINTER),
    row("", "NOTIFY", Harmless, "the command shows how the job ended"),
    row("", "COMMAND", Refused, "commands of MVS: leave the statement out"),
    row("", "CNTL", Refused, "statements for one program: leave them out"),
    row("", "ENDCNTL", Refused, "statements for one program: leave them out"),
    row("", "SCHEDULE", Refused, "jobs do not wait for times or each other: leave the statement out"),
    row("", "JOBGROUP", Refused, "run the jobs one after the other"),
    row("", "XMIT", Refused, "there is no other node"),
    row("JOB", "COND", Done, ""),
    row("JOB", "RESTART", Done, "from a step; checkpoints are refused"),
    row("JOB", "TYPRUN", Done, "SCAN: the job is read and not run; others are refused"),
    row("JOB", "TIME", Done, "processor time of the whole job: abend S322"),
    row("JOB", "GDGBIAS", Done, "JOB; STEP is refused"),
    row("JOB", "REGION", Harmless, NO_LIMITS),
    row("JOB", "MEMLIMIT", Harmless, NO_LIMITS),
    row("JOB", "REGIONX", Harmless, NO_LIMITS),
    row("JOB", "ADDRSPC", Harmless, NO_LIMITS),
    row("JOB", "BYTES", Harmless, NO_PRINTER),
    row("JOB", "CARDS", Harmless, NO_PRINTER),
    row("JOB", "LINES", Harmless, NO_PRINTER),
    row("JOB", "PAGES", Harmless, NO_PRINTER),
    row("JOB", "CLASS", Harmless, NO_CLASSES),
    row("JOB", "PRTY", Harmless, NO_CLASSES),
    row("JOB", "PERFORM", Harmless, NO_CLASSES),
    row("JOB", "SCHENV", Harmless, NO_CLASSES),
    row("JOB", "SYSAFF", Harmless, NO_CLASSES),
    row("JOB", "SYSTEM", Harmless, NO_CLASSES),
    row("JOB", "MSGCLASS", Harmless, NO_PRINTER),
    row("JOB", "MSGLEVEL", Harmless, NO_PRINTER),
    row("JOB", "JESLOG", Harmless, NO_PRINTER),
    row("JOB", "NOTIFY", Harmless, "the command shows how the job ended"),
    row("JOB", "EMAIL", Harmless, "the command shows how the job ended"),
    row("JOB", "USER", Harmless, "a job has the rights of the user who starts the command"),
    row("JOB", "PASSWORD", Harmless, "a job has the rights of the user who starts the command"),
    row("JOB", "GROUP", Harmless, "a job has the rights of the user who starts the command"),
    row("JOB", "SECLABEL", Harmless, "a job has the rights of the user who starts the command"),
    row("JOB", "CCSID", Harmless, ""),
    row("JOB", "DSENQSHR", Harmless, "data sets are reserved as the DD statements say"),
    row("JOB", "RD", Harmless, "no step restarts by itself"),
    row("JOB", "UJOBCORR", Harmless, ""),
    row("JOB", "JOBRC", Refused, "the job ends with the greatest return code"),
    row("EXEC", "PGM", Done, "a name, or a backward reference to a member"),
    row("EXEC", "PROC", Done, "also as a name alone"),
    row("EXEC", "PARM", Done, "up to 100 characters"),
    row("EXEC", "COND", Done, ""),
    row("EXEC", "TIME", Done, "processor time of the step: abend S322"),
    row("EXEC", "ACCT", Harmless, "no account is charged"),
    row("EXEC", "ADDRSPC", Harmless, NO_LIMITS),
    row("EXEC", "REGION", Harmless, NO_LIMITS),
    row("EXEC", "REGIONX", Harmless, NO_LIMITS),
    row("EXEC", "MEMLIMIT", Harmless, NO_LIMITS),
    row("EXEC", "DYNAMNBR", Harmless, NO_LIMITS),
    row("EXEC", "PERFORM", Harmless, NO_CLASSES),
    row("EXEC", "RD", Harmless, "no step restarts by itself"),
    row("EXEC", "RLSTMOUT", Harmless, "records are waited for as long as the region says"),
    row("EXEC", "TVSMSG", Harmless, ""),
    row("EXEC", "TVSAMCOM", Harmless, "--commit-every says it"),
    row("EXEC", "CCSID", Harmless, ""),
    row("EXEC", "PARMDD", Refused, "write the text as PARM="),
    row("DD", "*", Done, ""),
    row("DD", "DATA", Done, ""),
    row("DD", "DLM", Done, ""),
    row("DD", "SYMBOLS", Done, "with EXPORT, and &SYSUID; CNVTSYS and EXECSYS replace the same symbols"),
    row("DD", "DUMMY", Done, ""),
    row("DD", "DSN", Done, "members, relative generations, temporary data sets, backward references"),
    row("DD", "DSNAME", Done, "as DSN"),
    row("DD", "DISP", Done, ""),
    row("DD", "DDNAME", Done, ""),
    row("DD", "SYSOUT", Done, "is shown; the internal reader is refused"),
    row("DD", "RECFM", Done, "F, FB, V, VB, each with A and S; U is refused"),
    row("DD", "LRECL", Done, ""),
    row("DD", "DCB", Done, "also a data set's name or a backward reference"),
    row("DD", "LIKE", Done, "RECFM and LRECL of a data set"),
    row("DD", "REFDD", Done, "RECFM and LRECL of an earlier DD statement"),
    row("DD", "DSORG", Done, "PS and PO"),
    row("DD", "DSNTYPE", Done, "LIBRARY and PDS make a library; HFS and PIPE are refused"),
    row("DD", "SPACE", Done, "room for a directory makes a library; the rest is harmless"),
    row("DD", "GDGORDER", Done, "FIFO, LIFO, USECATLG (as LIFO)"),
    row("DD", "UNIT", Harmless, NO_DISKS),
    row("DD", "VOLUME", Harmless, NO_DISKS),
    row("DD", "VOL", Harmless, NO_DISKS),
    row("DD", "LABEL", Harmless, NO_DISKS),
    row("DD", "EXPDT", Harmless, "nothing is deleted by its date"),
    row("DD", "RETPD", Harmless, "nothing is deleted by its date"),
    row("DD", "AVGREC", Harmless, NO_DISKS),
    row("DD", "BLKSIZE", Harmless, NO_BUFFERS),
    row("DD", "BLKSZLIM", Harmless, NO_BUFFERS),
    row("DD", "AMP", Harmless, NO_BUFFERS),
    row("DD", "BUFNO", Harmless, NO_BUFFERS),
    row("DD", "BUFL", Harmless, NO_BUFFERS),
    row("DD", "BUFND", Harmless, NO_BUFFERS),
    row("DD", "BUFNI", Harmless, NO_BUFFERS),
    row("DD", "EATTR", Harmless, NO_DISKS),
    row("DD", "MAXGENS", Harmless, ""),
    row("DD", "DATACLAS", Harmless, NO_SMS),
    row("DD", "MGMTCLAS", Harmless, NO_SMS),
    row("DD", "STORCLAS", Harmless, NO_SMS),
    row("DD", "FREE", Harmless, "data sets are free when the step ends"),
    row("DD", "FREEVOL", Harmless, NO_DISKS),
    row("DD", "CHKPT", Harmless, "there are no checkpoints"),
    row("DD", "DYNAM", Harmless, ""),
    row("DD", "PROTECT", Harmless, "who may do what is the region's matter"),
    row("DD", "SECMODEL", Harmless, "who may do what is the region's matter"),
    row("DD", "ACCODE", Harmless, "who may do what is the region's matter"),
    row("DD", "ROACCESS", Harmless, "who may do what is the region's matter"),
    row("DD", "RLS", Harmless, "records are always shared by locks"),
    row("DD", "DSKEYLBL", Harmless, "encryption is the region's matter"),
    row("DD", "KEYLABL1", Harmless, "encryption is the region's matter"),
    row("DD", "KEYLABL2", Harmless, "encryption is the region's matter"),
    row("DD", "KEYENCD1", Harmless, "encryption is the region's matter"),
    row("DD", "KEYENCD2", Harmless, "encryption is the region's matter"),
    row("DD", "BURST", Harmless, NO_PRINTER),
    row("DD", "CHARS", Harmless, NO_PRINTER),
    row("DD", "COPIES", Harmless, NO_PRINTER),
    row("DD", "DEST", Harmless, NO_PRINTER),
    row("DD", "FCB", Harmless, NO_PRINTER),
    row("DD", "FLASH", Harmless, NO_PRINTER),
    row("DD", "HOLD", Harmless, NO_PRINTER),
    row("DD", "MODIFY", Harmless, NO_PRINTER),
    row("DD", "OUTPUT", Harmless, NO_PRINTER),
    row("DD", "OUTLIM", Harmless, NO_PRINTER),
    row("DD", "SEGMENT", Harmless, NO_PRINTER),
    row("DD", "SPIN", Harmless, NO_PRINTER),
    row("DD", "UCS", Harmless, NO_PRINTER),
    row("DD", "TERM", Harmless, NO_PRINTER),
    row("DD", "CCSID", Refused, "data of another code page: use --dd with code-page="),
    row("DD", "CNTL", Refused, "statements for one program: leave it out"),
    row("DD", "DSID", Refused, "there are no diskettes"),
    row("DD", "KEYLEN", Refused, "define the data set by IDCAMS"),
    row("DD", "KEYOFF", Refused, "define the data set by IDCAMS"),
    row("DD", "RECORG", Refused, "define the data set by IDCAMS"),
    row("DD", "FILEDATA", Refused, NO_PATH),
    row("DD", "PATH", Refused, NO_PATH),
    row("DD", "PATHDISP", Refused, NO_PATH),
    row("DD", "PATHMODE", Refused, NO_PATH),
    row("DD", "PATHOPTS", Refused, NO_PATH),
    row("DD", "LGSTREAM", Refused, "there is no log stream"),
    row("DD", "QNAME", Refused, "there are no queues of messages"),
    row("DD", "SUBSYS", Refused, "there are no subsystems"),
    row("DD", "SYMLIST", Refused, "EXPORT SYMLIST= says which symbols count"),
    row("DCB", "RECFM", Done, ""),
    row("DCB", "LRECL", Done, ""),
    row("DCB", "DSORG", Done, ""),
    row("DCB", "BLKSIZE", Harmless, NO_BUFFERS),
    row("DCB", "BUFNO", Harmless, NO_BUFFERS),
    row("DCB", "BUFL", Harmless, NO_BUFFERS),
    row("DCB", "BUFOFF", Harmless, NO_BUFFERS),
    row("DCB", "BUFSIZE", Harmless, NO_BUFFERS),
    row("DCB", "BFTEK", Harmless, NO_BUFFERS),
    row("DCB", "BFALN", Harmless, NO_BUFFERS),
    row("DCB", "NCP", Harmless, NO_BUFFERS),
    row("DCB", "OPTCD", Harmless, NO_BUFFERS),
    row("DCB", "DEN", Harmless, NO_DISKS),
    row("DCB", "TRTCH", Harmless, NO_DISKS),
    row("DCB", "EROPT", Harmless, "a record that cannot be read is an error"),
    row("DCB", "MODE", Harmless, NO_PRINTER),
    row("DCB", "PRTSP", Harmless, NO_PRINTER),
    row("DCB", "FUNC", Harmless, NO_PRINTER),
    row("DCB", "STACK", Harmless, NO_PRINTER),
    row("DCB", "HIARCHY", Harmless, ""),
    row("DCB", "THRESH", Harmless, ""),
    row("DCB", "DIAGNS", Harmless, ""),
    row("DCB", "NTM", Harmless, ""),
    row("DCB", "CYLOFL", Harmless, ""),
    row("DCB", "RKP", Refused, "define the data set by IDCAMS"),
    row("DCB", "KEYLEN", Refused, "define the data set by IDCAMS"),
    row("DISP", "NEW", Done, ""),
    row("DISP", "OLD", Done, "the data set is the job's alone until it ends"),
    row("DISP", "SHR", Done, "shared with other jobs"),
    row("DISP", "MOD", Done, "records are added behind the last one"),
    row("DISP", "KEEP", Done, ""),
    row("DISP", "DELETE", Done, "of a member: the whole library, as published"),
    row("DISP", "CATLG", Done, ""),
    row("DISP", "PASS", Done, ""),
    row("DISP", "UNCATLG", Refused, "a data set that is in no catalogue cannot be found: KEEP or DELETE"),
    row("JCLLIB", "ORDER", Done, ""),
    row("INCLUDE", "MEMBER", Done, ""),
    row("EXPORT", "SYMLIST", Done, ""),
];

/// Returns the row of a name; the statements themselves are `of` nothing.
pub fn find(of: &str, name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.of == of && row.name == name)
}

/// Returns the name of the table that a misspelt one may mean.
pub(crate) fn meant(of: &str, name: &str) -> Option<&'static str> {
    nearest(name, TABLE.iter().filter(|row| row.of == of).map(|row| row.name))
}

const BUILT: &str = "programs and maps are built from their sources when they are used: leave the step out";
const SERVICES: &str = "`syncpoint service from-jcl` carries the job out";

/// Procedures of the system by the beginnings of their names, and what to do instead.
const PROCEDURES: &[(&str, &str)] = &[
    ("IGYW", BUILT),
    ("IGYQ", BUILT),
    ("COBUC", BUILT),
    ("COBOLC", BUILT),
    ("DFHYIT", BUILT),
    ("DFHZIT", BUILT),
    ("DFHEIT", BUILT),
    ("DFHYX", BUILT),
    ("DFHMAPS", BUILT),
    ("DFHASMVS", BUILT),
    ("DFHLNKVS", BUILT),
    ("DSNH", BUILT),
    ("ASMAC", BUILT),
    ("ASMCL", BUILT),
    ("ASMFC", BUILT),
    ("HLASMC", BUILT),
    ("IBMZ", BUILT),
    ("EDC", BUILT),
    ("CBC", BUILT),
    ("LKED", BUILT),
    ("ELAX", BUILT),
    ("DFHLS2", SERVICES),
    ("DFHWS2", SERVICES),
    ("DFHJS2", SERVICES),
    ("DFHSC2", SERVICES),
    ("DSNUPROC", "`syncpoint sql` runs statements; tables are loaded by programs"),
    ("DFSR", "IMS is not built"),
    ("IMSBATCH", "IMS is not built"),
    ("SORTD", "EXEC PGM=SORT runs the sort"),
];

/// Returns what to do instead of a procedure of the system.
pub(crate) fn of_procedure(name: &str) -> Option<&'static str> {
    PROCEDURES.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, why)| *why)
}

/// Returns the table as a part of a page in Markdown.
pub fn page() -> String {
    let mut out = String::new();
    let groups = [
        ("", "Statements"),
        ("JOB", "JOB"),
        ("EXEC", "EXEC"),
        ("DD", "DD"),
        ("DCB", "Sub-parameters of DCB"),
        ("DISP", "Sub-parameters of DISP"),
        ("JCLLIB", "JCLLIB"),
        ("INCLUDE", "INCLUDE"),
        ("EXPORT", "EXPORT"),
    ];
    for (of, title) in groups {
        out.push_str(&format!("### {title}\n\n| | | |\n|---|---|---|\n"));
        for row in TABLE.iter().filter(|row| row.of == of) {
            let standing = match row.standing {
                Done => "done",
                Harmless => "harmless",
                Refused => "refused",
            };
            out.push_str(&format!("| {} | {standing} | {} |\n", row.name, row.note));
        }
        out.push('\n');
    }
    out
}
