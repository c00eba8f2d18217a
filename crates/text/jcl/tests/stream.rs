//! Job streams as they are run: what they say, and what is refused at its place.

use std::sync::Arc;

use diagnostics::Source;
use expect_test::{Expect, expect};
use jcl::stream::{Disposition, Fate, Jobs, Part, Status, Symbols, What, jobs};

/// Members that jobs use.
const MEMBERS: &[(&str, &str)] = &[
    (
        "REPROC",
        "//REPROC  PROC CTL=,OUT='A.OUT'\n//PRC001  EXEC PGM=IDCAMS,PARM='&CTL'\n//FILEIN  DD DUMMY\n\
         //FILEOUT DD DSN=&OUT,DISP=(NEW,CATLG),DCB=(RECFM=FB,LRECL=80)\n//LAST    EXEC PGM=IEFBR14,COND=(4,LT,PRC001)\n",
    ),
    ("OUTER", "//OUTER PROC A=1\n//IN EXEC REPROC,CTL=X&A\n//PRC001.FILEIN DD DSN=B.C,DISP=SHR\n// PEND\n"),
    ("SETS", "// SET HLQ=PROD\n// SET MORE=&HLQ..X\n"),
    ("BAD", "//BAD PROC\n//*\n//S EXEC PGM=P,PRAM=X\n"),
    ("LOOP", "//LOOP EXEC LOOP\n"),
];

fn read(text: &str) -> Jobs {
    let symbols: Symbols = [("SYSUID".to_owned(), "IBMUSER".to_owned())].into();
    jobs(&Source::new("job.jcl", text), &symbols, &mut |_, name| {
        let (name, text) = MEMBERS.iter().find(|(known, _)| *known == name)?;
        Some::<Arc<Source>>(Source::new(format!("{name}.prc"), *text))
    })
}

fn shown(part: &Part) -> String {
    let what = match &part.what {
        What::Lines(data) => format!("{}: {:?}", data.first, data.lines),
        What::Printed => "printed".into(),
        What::Dummy => "dummy".into(),
        What::Named(name) => name.clone(),
        What::Temporary(name) => format!("&&{name}"),
        What::Later(name) => format!("later {name}"),
    };
    let Disposition { status, normal, abnormal } = part.disposition;
    let fate = |fate| match fate {
        Fate::Keep => "k",
        Fate::Delete => "d",
        Fate::Catalogue => "c",
        Fate::Pass => "p",
    };
    let status = match status {
        Status::New => "new",
        Status::Old => "old",
        Status::Shared => "shr",
        Status::Mod => "mod",
    };
    let form = part.format.form.clone().unwrap_or_default();
    let length = part.format.length.map_or(String::new(), |length| length.to_string());
    let like = part.format.like.clone().map_or(String::new(), |like| format!(" like {like}"));
    let library = if part.library { " library" } else { "" };
    let text = format!("{what} {status}{}{} {form}{length}{like}{library}", fate(normal), fate(abnormal));
    text.trim_end().replace("  ", " ")
}

/// Jobs, or the messages: number, place and text.
fn check(text: &str, expected: Expect) {
    let read = read(text);
    let mut out = String::new();
    for message in &read.messages {
        let place = message.place.as_ref().expect("a place");
        out += &format!(
            "{}:{}:{} {} {}",
            place.source.name, place.line, place.column, message.code, message.message
        );
        out += &if message.help.is_empty() { "\n".into() } else { format!(" ({})\n", message.help) };
    }
    for job in &read.jobs {
        out += &format!("job {}\n", job.name);
        for step in &job.steps {
            let parm = step.parm.as_ref().map_or(String::new(), |parm| format!(" <{parm}>"));
            let time = step.time.map_or(String::new(), |time| format!(" {time} s"));
            let tests = if step.cond.tests.is_empty() {
                String::new()
            } else {
                format!(" {} tests", step.cond.tests.len())
            };
            let guards: String = step.guards.iter().map(|(at, yes)| format!(" if{at}={yes}")).collect();
            out += &format!("{} {}{parm}{time}{tests}{guards}\n", step.label(), step.program);
            for dd in &step.dds {
                let parts: Vec<String> = dd.parts.iter().map(shown).collect();
                out += &format!("  {} {}\n", dd.name, parts.join(" + "));
            }
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn a_job_is_read_with_symbols_procedures_and_references() {
    check(
        "//J JOB (1),'A B',NOTIFY=&SYSUID\n\
         // JCLLIB ORDER=(A.PROC)\n\
         // INCLUDE MEMBER=SETS\n\
         // EXPORT SYMLIST=*\n\
         //* a comment\n\
         //ONE EXEC REPROC,CTL='C D',\n\
         //* between\n\
         //    OUT=&MORE..Y     a comment\n\
         //PRC001.FILEIN DD *,SYMBOLS=JCLONLY\n\
         &HLQ..Z &NONE\n\
         /*\n\
         //PRC001.FILEOUT DD DCB=LRECL=100\n\
         //TWO EXEC PGM=P,PARM=('AB',C,'D''E'),TIME=(1,5),\n\
         //  COND=((0,NE,ONE.PRC001),EVEN)\n\
         //A DD DSN=*.ONE.PRC001.FILEOUT,DISP=(OLD,PASS)\n\
         //  DD DSN=&&TEMP,DISP=(,PASS),SPACE=(TRK,(1,1,5))\n\
         //B DD DSN=X.Y(M),DISP=SHR\n\
         //C DD DDNAME=D\n\
         //D DD SYSOUT=*\n\
         //E DD DSN=X.G(-1),DISP=SHR,DCB=*.A\n\
         //F DD DSN=&SCRATCH,DISP=(MOD,DELETE,KEEP)\n",
        expect![[r#"
            job J
            ONE.PRC001 IDCAMS <C D>
              FILEIN 10: ["PROD.Z &NONE"] newdd
              FILEOUT PROD.X.Y newcc FB100
            ONE.LAST IEFBR14 1 tests
            TWO P <AB,C,D'E> 65 s 1 tests
              A PROD.X.Y oldpp + &&TEMP newpp library
              B X.Y(M) shrkk library
              C printed newdd
              D printed newdd
              E X.G(-1) shrkk like PROD.X.Y
              F &&SCRATCH moddk
        "#]],
    );
}

#[test]
fn procedures_nest_and_stand_in_the_job() {
    check(
        "//J JOB\n\
         //OWN PROC N=DEFAULT\n\
         //P1 EXEC PGM=PSHOW,PARM='&N'\n\
         //   PEND\n\
         //S1 EXEC OWN,N=GIVEN\n\
         //S2 EXEC OUTER,A=7\n\
         // IF S1.P1.RC = 0 THEN\n\
         //S3 EXEC OWN,COND=(8,LT),PARM.P1=OTHER\n\
         // ELSE\n\
         //S4 EXEC PGM=IEFBR14\n\
         // ENDIF\n\
         //\n\
         //K JOB\n\
         //S EXEC PGM=P\n\
         loose\n",
        expect![[r#"
            job.jcl:15:1 SPJC013 these lines are taken as SYSIN of the step (write //SYSIN DD * before them)
            job J
            S1.P1 PSHOW <GIVEN>
            S2.PRC001 IDCAMS <X7>
              FILEIN B.C shrkk
              FILEOUT A.OUT newcc FB80
            S2.LAST IEFBR14 1 tests
            S3.P1 PSHOW <OTHER> 1 tests if0=true
            S4 IEFBR14 if0=false
            job K
            S P
              SYSIN 15: ["loose"] newdd
        "#]],
    );
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    check(
        "//MISS JOB A,CALSS=A,JOBRC=MAXRC\n\
         //S1 EXEC PGM=PSHOW,PRAM='DAILY',PARMDD=X\n\
         //D DD DSN=MY.C1,DSIP=SHR,PATH='/x'\n\
         //D2 DD DSN=lower.TOOLONGNAME,DISP=(SHR,GONE)\n\
         //S3 EXCE PGM=PSHOW\n\
         //S4 EXEC NOPROC\n\
         //S5 EXEC BAD\n\
         //S6 EXEC REPROC,CTR=X\n\
         //S7 EXEC PGM=&NOT,COND=(4,XX)\n\
         //X DD DSN=*.S1.NONE,RECFM=U,LRECL=X\n\
         // IF RC THEN\n\
         //S8 EXEC PGM=P,COND=(0,NE,NOWHERE)\n\
         //OUT DD SYSOUT=(A,INTRDR)\n\
         // ENDIF\n\
         // ENDIF\n\
         //S9 EXEC LOOP\n\
         //LONG DD DSN=A.B,DISP=(NEW,CATLG,DELETE),UNIT=SYSDA,SPACE=(TRK,(1,1)),DCB=(LRECL=80)\n\
         /*WHAT\n\
         //S10 EXEC PGM=P,PARM='open\n",
        expect![[r#"
            job.jcl:1:14 SPJC002 CALSS is not a keyword of JOB (did you mean CLASS?)
            job.jcl:1:22 SPJC002 JOBRC is not built (the job ends with the greatest return code)
            job.jcl:2:21 SPJC002 PRAM is not a keyword of EXEC (did you mean PARM?)
            job.jcl:2:34 SPJC002 PARMDD is not built (write the text as PARM=)
            job.jcl:3:18 SPJC002 DSIP is not a keyword of DD (did you mean DISP?)
            job.jcl:3:27 SPJC002 PATH is not built (files of UNIX: use --dd with a single program, or --library for a folder)
            job.jcl:4:13 SPJC011 LOWER.TOOLONGNAME is not a data set name (up to 44 characters; each part between dots has up to 8 and begins with a letter)
            job.jcl:4:41 SPJC002 GONE is not a sub-parameter of DISP (docs/jobs.md lists what may stand here)
            job.jcl:5:6 SPJC001 EXCE is not a statement (did you mean EXEC?)
            job.jcl:6:11 SPJC005 the procedure NOPROC is not found (looked in the folders of --library, and beside the job: name its folder by --library)
            job.jcl:8:18 SPJC002 CTR is neither a keyword of EXEC nor a symbol of the procedure REPROC (did you mean CTL?)
            job.jcl:9:15 SPJC006 the symbol &NOT has no value (SET NOT=…, PROC or EXEC give a symbol its value)
            job.jcl:9:25 SPJC008 COND=(4,XX) is not understood (as in COND=(4,LT), COND=((0,NE,STEP1),EVEN), COND=ONLY)
            job.jcl:10:12 SPJC007 *.S1.NONE refers to no DD statement before this one (*.DDNAME of this step, *.STEP.DDNAME, or *.STEP.PROCSTEP.DDNAME)
            job.jcl:10:28 SPJC003 RECFM=U is not built (F, FB, V or VB, each perhaps with A)
            job.jcl:10:36 SPJC003 LRECL=X is not built (a number up to 32760)
            job.jcl:11:4 SPJC008 the condition is not understood (as in IF (STEP1.RC > 4 | ABEND) THEN)
            job.jcl:12:15 SPJC007 a condition names the step NOWHERE, which does not come before (name an earlier step: STEP, or STEP.PROCSTEP in a procedure)
            job.jcl:13:17 SPJC003 the internal reader is not built: a job that is written is not run (write it to a data set, and run it by another command)
            job.jcl:15:4 SPJC004 ENDIF belongs to no IF (IF … THEN comes first)
            job.jcl:17:8 SPJC007 the procedure has no step LONG (PROCSTEP.DDNAME, with a step of the procedure)
            job.jcl:17:71 SPJC014 the statement does not go on behind its comma (the next line begins with // and a blank)
            job.jcl:17:72 SPJC010 the statement goes beyond column 71 (break it behind a comma; the next line begins with // and a blank)
            job.jcl:18:1 SPJC001 /*WHAT is not a statement (a statement of JES, such as /*JOBPARM, or /* alone behind data)
            job.jcl:19:12 SPJC009 a text in apostrophes has no end (close it; what goes on in the next line goes on there in column 16)
            BAD.prc:3:16 SPJC002 PRAM is not a keyword of EXEC (did you mean PARM?)
            LOOP.prc:1:13 SPJC012 procedures and INCLUDEs are nested more than 15 deep (one may lead to itself)
            job MISS
            S1 PSHOW
              D MY.C1 newdd
              D2 
            S5.S P
            S6.PRC001 IDCAMS <>
              FILEIN dummy newdd
              FILEOUT A.OUT newcc FB80
            S6.LAST IEFBR14 1 tests
            S7 &NOT
              X 
            S8 P 1 tests if0=true
              OUT 
            S10 P <open>
        "#]],
    );
}

#[test]
fn any_text_is_read_without_a_panic() {
    for text in [
        "",
        "//",
        "//\n//",
        "// DD *",
        "//A DD DSN='open,\n//B",
        "/*\n//É EXEC PGM=é",
        "//X SET =",
        "//A EXEC P,(",
        "//A EXEC PGM=P\n//B DD DSN=*.\n\u{1a}",
        "//A PROC\n//B PROC",
    ] {
        read(text);
    }
}

#[test]
fn the_page_of_jobs_has_the_table() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/jobs.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let (begin, end) = ("<!-- the table of crates/text/jcl/src/table.rs -->\n", "<!-- end of the table -->");
    let (before, rest) = text.split_once(begin).expect("the beginning of the table");
    let (shown, after) = rest.split_once(end).expect("the end of the table");
    let expected = format!("\n{}", jcl::table::page());
    if std::env::var_os("UPDATE_EXPECT").is_some() && shown != expected {
        std::fs::write(&page, format!("{before}{begin}{expected}{end}{after}")).expect("written");
        return;
    }
    assert_eq!(shown, expected, "UPDATE_EXPECT=1 writes it");
}

#[test]
fn the_user_counts_in_data_without_export() {
    check(
        "//J JOB\n\
         // SET SYSUID=OTHER,HLQ=Q\n\
         //ONE EXEC PGM=P\n\
         //A DD *,SYMBOLS=CNVTSYS\n\
         &SYSUID &HLQ\n\
         /*\n\
         //B DD *\n\
         &SYSUID\n\
         /*\n\
         // EXPORT SYMLIST=(SYSUID,HLQ)\n\
         //TWO EXEC PGM=P\n\
         //A DD *,SYMBOLS=JCLONLY\n\
         &SYSUID &HLQ\n\
         /*\n",
        expect![[r#"
            job J
            ONE P
              A 5: ["IBMUSER &HLQ"] newdd
              B 8: ["&SYSUID"] newdd
            TWO P
              A 13: ["OTHER Q"] newdd
        "#]],
    );
}
