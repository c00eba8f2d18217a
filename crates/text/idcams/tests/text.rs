//! Meaning of IDCAMS text, and the messages about it.

use diagnostics::Source;
use expect_test::{Expect, expect};
use idcams::{Command, FileRef, Organization, Parsed, Statement, Step, parse};
use jcl::Tokens;

fn read(text: &str) -> Parsed {
    parse(&Source::new("DEF.jcl", text), &Tokens::new())
}

/// Shows the statements that a text holds, and the messages about it.
fn check(text: &str, expected: Expect) {
    let parsed = read(text);
    let mut out = String::new();
    for Step { name, statements } in &parsed.steps {
        out += &name.as_ref().map_or(String::new(), |name| format!("step {name}\n"));
        statements.iter().for_each(|statement| show(statement, 0, &mut out));
    }
    parsed.messages.iter().for_each(|message| out += &format!("{message}\n"));
    expected.assert_eq(&out);
}

fn show(statement: &Statement, depth: usize, out: &mut String) {
    *out += &"  ".repeat(depth);
    match statement {
        Statement::Command(command) => *out += &format!("{}\n", shown(command)),
        Statement::If { condition, then, otherwise, .. } => {
            *out += &format!("IF {:?} {:?} {}\n", condition.code, condition.relation, condition.value);
            then.iter().for_each(|inner| show(inner, depth + 1, out));
            if !otherwise.is_empty() {
                *out += &format!("{}ELSE\n", "  ".repeat(depth));
                otherwise.iter().for_each(|inner| show(inner, depth + 1, out));
            }
        }
        Statement::Set { code, value, .. } => *out += &format!("SET {code:?} {value}\n"),
        Statement::Cancel(_) => *out += "CANCEL\n",
    }
}

fn shown(command: &Command) -> String {
    let file = |file: &FileRef| {
        let parts =
            [file.ddname.clone(), file.data_set.clone(), file.in_stream.as_ref().map(|l| format!("{l:?}"))];
        parts.into_iter().flatten().collect::<Vec<_>>().join("=")
    };
    match command {
        Command::DefineCluster(c) => {
            let index = c.index.as_ref().map_or("-", |name| &name.text);
            format!(
                "CLUSTER {} {:?} {:?} {:?} index {index}",
                c.name.text,
                c.organization,
                c.keys(),
                c.record_size()
            )
        }
        Command::DefineAlternateIndex(a) => format!(
            "AIX {} of {} {:?} unique {} upgrade {}",
            a.name.text,
            a.relate.text,
            a.keys(),
            a.is_unique(),
            a.upgrades()
        ),
        Command::DefinePath(p) => format!("PATH {} to {} update {}", p.name.text, p.entry.text, p.update),
        Command::DefineNonvsam(n) => format!("NONVSAM {}", n.name.text),
        Command::DefineAlias(a) => format!("ALIAS {} of {}", a.name.text, a.relate.text),
        Command::DefineGdg(g) => {
            format!("GDG {} {} empty {} scratch {}", g.name.text, g.limit, g.empty, g.scratch)
        }
        Command::Delete(d) => {
            let names: Vec<&str> = d.entries.iter().map(|name| name.text.as_str()).collect();
            format!("DELETE {} {:?} purge {} erase {:?}", names.join(" "), d.kind, d.purge, d.erase)
        }
        Command::BuildIndex(b) => {
            let to: Vec<String> = b.to.iter().map(&file).collect();
            format!("BLDINDEX {} to {}", file(&b.from), to.join(" "))
        }
        Command::Repro(r) => {
            format!(
                "REPRO {} to {} replace {} reuse {} {:?}",
                file(&r.from),
                file(&r.to),
                r.replace,
                r.reuse,
                r.selection
            )
        }
        Command::Print(p) => format!("PRINT {} {:?} {:?}", file(&p.from), p.format, p.selection),
        Command::Verify(v) => format!("VERIFY {}", file(&v.file)),
        Command::Alter(a) => {
            format!(
                "ALTER {} {:?} {:?}",
                a.entry.text,
                a.new_name.as_ref().map(|n| &n.text),
                a.attributes.log
            )
        }
        Command::ListCatalog(l) => {
            let names: Vec<&str> = l.entries.iter().chain(&l.levels).map(|name| name.text.as_str()).collect();
            format!("LISTCAT {} {:?} {:?}", names.join(" "), l.kinds, l.detail)
        }
        Command::Export(e) => format!("EXPORT {} to {} temporary {}", e.entry.text, file(&e.to), e.temporary),
        Command::Import(i) => {
            format!("IMPORT {} to {} into empty {}", file(&i.from), file(&i.to), i.into_empty)
        }
        Command::Examine(e) => format!("EXAMINE {} index {} data {}", e.name.text, e.index, e.data),
    }
}

#[test]
fn clusters() {
    check(
        " DEFINE CLUSTER (NAME(APP.ACCT.KSDS) -\n\
         \x20      CYLINDERS(1 5) -\n\
         \x20      VOLUMES(DISK01 -\n\
         \x20      ) -\n\
         \x20      KEYS(16 0) RECORDSIZE(150,300) SHAREOPTIONS(2 3) ERASE INDEXED -\n\
         \x20      ) -\n\
         \x20      DATA (NAME(APP.ACCT.KSDS.DATA)) -\n\
         \x20      INDEX (NAME(APP.ACCT.KSDS.INDEX) -\n\
         \x20      )\n\
         \x20def cl(name('app.esds') nixd recsz(80 80) rus cisz(8192) log(undo))\n\
         \x20DEFINE CLUSTER(NAME(APP.RRDS)) DATA(NUMBERED RECORDSIZE(10 10))\n\
         \x20DEFINE CLUSTER(NAME(APP.DEFAULTS))\n",
        expect![[r#"
            CLUSTER APP.ACCT.KSDS Indexed Some(Keys { length: 16, offset: 0 }) RecordSize { average: 150, maximum: 300 } index APP.ACCT.KSDS.INDEX
            CLUSTER APP.ESDS Entry None RecordSize { average: 80, maximum: 80 } index -
            CLUSTER APP.RRDS Numbered None RecordSize { average: 10, maximum: 10 } index -
            CLUSTER APP.DEFAULTS Indexed Some(Keys { length: 64, offset: 0 }) RecordSize { average: 4089, maximum: 4089 } index -
        "#]],
    );
}

#[test]
fn alternate_indexes_paths_and_generation_groups() {
    check(
        " DEFINE AIX (NAME(APP.ACCT.AIX)-\n\
         \x20 RELATE(APP.ACCT.KSDS)  KEYS(11 16) NONUNIQUEKEY UPGRADE)\n\
         \x20DEFINE ALTERNATEINDEX (NAME(A.B) RELATE(A.C) UNQK NUPG) DATA (KEYS(5 2))\n\
         \x20DEFINE PATH (NAME(APP.ACCT.PATH) PENT(APP.ACCT.AIX))\n\
         \x20DEFINE PATH (NAME(A.P) PATHENTRY(A.B) NOUPDATE)\n\
         \x20DEFINE GENERATIONDATAGROUP (NAME(APP.BKUP) LIMIT(5) SCRATCH)\n\
         \x20BLDINDEX INDATASET(APP.ACCT.KSDS) OUTDATASET(APP.ACCT.AIX A.B)\n",
        expect![[r#"
            AIX APP.ACCT.AIX of APP.ACCT.KSDS Keys { length: 11, offset: 16 } unique false upgrade true
            AIX A.B of A.C Keys { length: 5, offset: 2 } unique true upgrade false
            PATH APP.ACCT.PATH to APP.ACCT.AIX update true
            PATH A.P to A.B update false
            GDG APP.BKUP 5 empty false scratch true
            BLDINDEX APP.ACCT.KSDS to APP.ACCT.AIX A.B
        "#]],
    );
}

#[test]
fn the_other_commands() {
    check(
        " DELETE APP.ACCT.KSDS CLUSTER PURGE\n\
         \x20DEL (A.B A.C) NOERASE\n\
         \x20DELETE 'A.G(0)' NVSAM\n\
         \x20DELETE A.** MASK\n\
         \x20REPRO IDS(A.B) ODS(A.C(+1)) FROMKEY(AB) TOKEY(X'C1FF') COUNT(5) SKIP(2) REPLACE REUSE\n\
         \x20PRINT INDATASET(A.B) CHAR FROMNUMBER(7)\n\
         \x20LISTCAT ENTRIES(A.B A.*) ALL\n\
         \x20LISTC LEVEL(A) CLUSTER PATH\n\
         \x20VERIFY DATASET(A.B)\n\
         \x20ALTER A.B NEWNAME(A.D) LOG(ALL) ADDVOLUMES(X)\n\
         \x20EXPORT A.B ODS(A.COPY) TEMPORARY\n\
         \x20IMPORT INDATASET(A.COPY) OUTDATASET(A.B) INTOEMPTY\n\
         \x20EXAMINE NAME(A.B) INDEXTEST DATATEST\n",
        expect![[r#"
            DELETE APP.ACCT.KSDS Some(Cluster) purge true erase None
            DELETE A.B A.C None purge false erase Some(false)
            DELETE A.G(0) Some(Nonvsam) purge false erase None
            DELETE A.** None purge false erase None
            REPRO A.B to A.C(+1) replace true reuse true Selection { from_key: Some(Characters("AB")), to_key: Some(Bytes([193, 255])), addresses: (None, None), numbers: (None, None), skip: Some(2), count: Some(5) }
            PRINT A.B Character Selection { from_key: None, to_key: None, addresses: (None, None), numbers: (Some(7), None), skip: None, count: None }
            LISTCAT A.B A.* [] All
            LISTCAT A [Cluster, Path] Name
            VERIFY A.B
            ALTER A.B Some("A.D") Some(All)
            EXPORT A.B to A.COPY temporary true
            IMPORT A.COPY to A.B into empty true
            EXAMINE A.B index true data true
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        " IF LASTCC=12 THEN SET MAXCC=0\n\
         \x20IF MAXCC LE 08 THEN -\n\
         \x20  DELETE A.B\n\
         \x20ELSE -\n\
         \x20  SET LASTCC = 4\n\
         \x20IF LASTCC >= 4 THEN DO\n\
         \x20  DELETE A.B\n\
         \x20  IF MAXCC NE 0 THEN CANCEL\n\
         \x20END\n\
         \x20ELSE DO\n\
         \x20  VERIFY DATASET(A.B)\n\
         \x20END\n\
         \x20IF LASTCC = 0 THEN\n\
         \x20LISTCAT\n",
        expect![[r#"
            IF Last Equal 12
              SET Max 0
            IF Max LessOrEqual 8
              DELETE A.B None purge false erase None
            ELSE
              SET Last 4
            IF Last GreaterOrEqual 4
              DELETE A.B None purge false erase None
              IF Max NotEqual 0
                CANCEL
            ELSE
              VERIFY A.B
            IF Last Equal 0
            LISTCAT  [] Name
        "#]],
    );
}

#[test]
fn comments_and_continuation() {
    check(
        " /* one\n\
         \x20   and more */\n\
         \x20DELETE /* what */ APP.LONG+\n\
         \x20       .NAME -\n\
         \x20 /* between */ -\n\
         \x20  CLUSTER  /* last */\n\
         \x20DELETE A.B - /* not last */\n\
         \x20  PURGE\n",
        expect![[r#"
            DELETE APP.LONG.NAME Some(Cluster) purge false erase None
            DELETE A.B None purge true erase None
            warning[SPID003]: a comment after a continuation mark
             --> DEF.jcl:7:13
              |
            7 |  DELETE A.B - /* not last */
              |             ^ taken as a continuation
              |
              = help: put the mark last: elsewhere the command would end here
        "#]],
    );
}

#[test]
fn a_job_tells_what_its_ddnames_are() {
    check(
        "//LOAD JOB\n\
         //  SET HLQ=PROD.APP\n\
         //STEP15 EXEC PGM=IDCAMS\n\
         //IN     DD DISP=SHR,\n\
         //         DSN=&HLQ..PS\n\
         //DATA   DD *\n\
         RECORD1\n\
         //OUT    DD DISP=SHR,DSN=APP.KSDS\n\
         //SYSIN  DD *\n\
         \x20  REPRO INFILE(IN) OUTFILE(OUT)                                        00010000\n\
         \x20  REPRO IFILE(DATA) OFILE(OUT)\n\
         \x20  PRINT INFILE(NONE)\n\
         /*\n\
         //STEP20 EXEC PGM=SORT\n\
         //SYSIN  DD *\n\
         \x20SORT FIELDS=COPY\n\
         //STEP30 EXEC PGM=IDCAMS\n\
         //SYSIN  DD *\n\
         \x20DELETE A.B\n\
         //\n",
        expect![[r#"
            step STEP15
            REPRO IN=PROD.APP.PS to OUT=APP.KSDS replace false reuse false Selection { from_key: None, to_key: None, addresses: (None, None), numbers: (None, None), skip: None, count: None }
            REPRO DATA=7..8 to OUT=APP.KSDS replace false reuse false Selection { from_key: None, to_key: None, addresses: (None, None), numbers: (None, None), skip: None, count: None }
            PRINT NONE Dump Selection { from_key: None, to_key: None, addresses: (None, None), numbers: (None, None), skip: None, count: None }
            step STEP30
            DELETE A.B None purge false erase None
            warning[SPID009]: the step has no DD statement NONE
              --> DEF.jcl:12:17
               |
            12 |    PRINT INFILE(NONE)
               |                 ^^^^
               |
               = help: a procedure or the caller must give one
        "#]],
    );
}

#[test]
fn what_is_wrong_is_shown_at_its_place() {
    check(
        " DEFINE CLUSTER (NAME(A.B) KEYS(300 0) RECORDSIZE(90 80) COLOUR(RED))\n\
         \x20DEFINE CLUSTER (KEYS(3))\n\
         \x20DEFINE PATH (NAME(WAYTOOLONGQUALIFIER.B))\n\
         \x20DELETE A.B) X\n\
         \x20REPRO INDATASET(A.B)\n\
         \x20DELET A.B\n\
         \x20DEFINE CLUSTER (NAME(A.B)\n\
         \x20  KEYS(4 0))\n\
         \x20ELSE DELETE A.B\n\
         \x20IF LASTCC THEN DELETE A.B\n\
         \x20SET MAXCC TO 0\n\
         \x20ALLOCATE DATASET(A.B)\n\
         \x20DEFINE CLUSTER (NAME(A.B) KEYS(8 76) RECSZ(80 80))\n",
        expect![[r#"
            CLUSTER A.B Indexed Some(Keys { length: 64, offset: 0 }) RecordSize { average: 4089, maximum: 4089 } index -
            DELETE A.B None purge false erase None
            CLUSTER A.B Indexed Some(Keys { length: 4, offset: 0 }) RecordSize { average: 4089, maximum: 4089 } index -
            DELETE A.B None purge false erase None
            CLUSTER A.B Indexed Some(Keys { length: 8, offset: 76 }) RecordSize { average: 80, maximum: 80 } index -
            error[SPID010]: a key cannot have 300 bytes
             --> DEF.jcl:1:28
              |
            1 |  DEFINE CLUSTER (NAME(A.B) KEYS(300 0) RECORDSIZE(90 80) COLOUR(RED))
              |                            ^^^^
              |
              = help: a key has 1 to 255 bytes
            error[SPID011]: records cannot have 90 bytes on average and 80 at most
             --> DEF.jcl:1:40
              |
            1 |  DEFINE CLUSTER (NAME(A.B) KEYS(300 0) RECORDSIZE(90 80) COLOUR(RED))
              |                                        ^^^^^^^^^^
              |
              = help: RECORDSIZE gives the average first, then the maximum
            warning[SPID013]: DEFINE does not take COLOUR
             --> DEF.jcl:1:58
              |
            1 |  DEFINE CLUSTER (NAME(A.B) KEYS(300 0) RECORDSIZE(90 80) COLOUR(RED))
              |                                                          ^^^^^^
              |
              = help: check the spelling; a step of a job is not carried out, and the start of a region passes it over
            error[SPID005]: DEFINE needs NAME
             --> DEF.jcl:2:9
              |
            2 |  DEFINE CLUSTER (KEYS(3))
              |         ^^^^^^^
              |
              = help: the command is left out
            error[SPID007]: KEYS takes two numbers
             --> DEF.jcl:2:18
              |
            2 |  DEFINE CLUSTER (KEYS(3))
              |                  ^^^^
              |
              = help: as in KEYS(16 0)
            error[SPID005]: DEFINE needs PATHENTRY
             --> DEF.jcl:3:9
              |
            3 |  DEFINE PATH (NAME(WAYTOOLONGQUALIFIER.B))
              |         ^^^^
              |
              = help: the command is left out
            error[SPID006]: WAYTOOLONGQUALIFIER.B is not the name of a data set
             --> DEF.jcl:3:20
              |
            3 |  DEFINE PATH (NAME(WAYTOOLONGQUALIFIER.B))
              |                    ^^^^^^^^^^^^^^^^^^^^^
              |
              = help: each qualifier of a name has 1 to 8 characters
            error[SPID004]: a parenthesis that nothing opened
             --> DEF.jcl:4:12
              |
            4 |  DELETE A.B) X
              |            ^
              |
              = help: take it away
            warning[SPID013]: DELETE does not take X
             --> DEF.jcl:4:14
              |
            4 |  DELETE A.B) X
              |              ^
              |
              = help: check the spelling; a step of a job is not carried out, and the start of a region passes it over
            error[SPID005]: REPRO needs OUTFILE or OUTDATASET
             --> DEF.jcl:5:2
              |
            5 |  REPRO INDATASET(A.B)
              |  ^^^^^
              |
              = help: the command is left out
            error[SPID001]: DELET is not a command of IDCAMS
             --> DEF.jcl:6:2
              |
            6 |  DELET A.B
              |  ^^^^^
              |
              = help: did you mean DELETE?
            error[SPID002]: the command ends here with an open parenthesis
             --> DEF.jcl:7:26
              |
            7 |  DEFINE CLUSTER (NAME(A.B)
              |                          ^ read on as if a hyphen stood here
              |
              = help: end the line with a hyphen, or close the parenthesis
            error[SPID014]: ELSE belongs to no IF
             --> DEF.jcl:9:2
              |
            9 |  ELSE DELETE A.B
              |  ^^^^
              |
              = help: IF … THEN must end in a hyphen where its command stands on the next line
            error[SPID015]: this is not a condition
              --> DEF.jcl:10:2
               |
            10 |  IF LASTCC THEN DELETE A.B
               |  ^^
               |
               = help: IF LASTCC or MAXCC, a comparison (EQ, NE, GT, LT, GE, LE), a number, THEN
            error[SPID016]: SET takes MAXCC or LASTCC and a number
              --> DEF.jcl:11:2
               |
            11 |  SET MAXCC TO 0
               |  ^^^
               |
               = help: as in SET MAXCC = 0
            warning[SPID001]: ALLOCATE does nothing here
              --> DEF.jcl:12:2
               |
            12 |  ALLOCATE DATASET(A.B)
               |  ^^^^^^^^
               |
               = help: it is about disks and catalogues of z/OS
            error[SPID018]: the key of A.B goes beyond its records of 80 bytes
              --> DEF.jcl:13:23
               |
            13 |  DEFINE CLUSTER (NAME(A.B) KEYS(8 76) RECSZ(80 80))
               |                       ^^^
               |
               = help: KEYS gives the length first, then the offset
        "#]],
    );
}

#[test]
fn any_text_is_read_without_a_panic() {
    let nested = "IF LASTCC = 0 THEN ".repeat(10_000);
    let deep = "(".repeat(10_000);
    let elses = "ELSE ".repeat(10_000);
    for text in
        ["", "-", "+", "(", ")", "'", "X'", "/*", "*/", "IF", "DEFINE", "DELETE", "SET", "ELSE", "END", "É(é"]
    {
        read(text);
        read(&format!(" DEFINE CLUSTER ({text}"));
    }
    for text in [nested, deep, elses] {
        read(&text);
    }
}

#[test]
fn attributes_of_data_count_where_the_cluster_says_nothing() {
    let parsed = read(" DEFINE CLUSTER (NAME(A.B) SHR(2)) DATA (NIXD SHR(3 3) REUSE SPANNED LOG(NONE))\n");
    let Some(Statement::Command(command)) = parsed.steps[0].statements.first() else { panic!("no command") };
    let Command::DefineCluster(cluster) = &**command else { panic!("no cluster") };
    assert_eq!(cluster.organization, Organization::Entry);
    assert_eq!(cluster.keys(), None);
    assert_eq!(cluster.share_options(), (2, 3));
    assert_eq!((cluster.attributes.reuse, cluster.attributes.spanned), (Some(true), Some(true)));
    assert_eq!(cluster.attributes.log, Some(idcams::Log::None));
}

#[test]
fn what_is_out_of_bounds_is_told() {
    check(
        " DEFINE GDG (NAME(A.G) LIMIT(0))\n\
         \x20DEFINE GDG (NAME(A.G) LIMIT(1000))\n\
         \x20DEFINE CLUSTER (NAME(A.B) KEYS(4 0) RECORDSIZE(80 40000) FREESPACE(10 200))\n\
         \x20DEFINE CLUSTER (NAME(A.C) KEYS(4 0) RECORDSIZE(80 40000) SPANNED)\n",
        expect![[r#"
            GDG A.G 255 empty false scratch false
            GDG A.G 255 empty false scratch false
            CLUSTER A.B Indexed Some(Keys { length: 4, offset: 0 }) RecordSize { average: 80, maximum: 40000 } index -
            CLUSTER A.C Indexed Some(Keys { length: 4, offset: 0 }) RecordSize { average: 80, maximum: 40000 } index -
            error[SPID019]: LIMIT cannot be 0
             --> DEF.jcl:1:24
              |
            1 |  DEFINE GDG (NAME(A.G) LIMIT(0))
              |                        ^^^^^
              |
              = help: it is how many generations a group keeps: 1 to 999
            error[SPID019]: LIMIT cannot be 1000
             --> DEF.jcl:2:24
              |
            2 |  DEFINE GDG (NAME(A.G) LIMIT(1000))
              |                        ^^^^^
              |
              = help: it is how many generations a group keeps: 1 to 999
            error[SPID019]: records of 40000 bytes are longer than 32767
             --> DEF.jcl:3:23
              |
            3 |  DEFINE CLUSTER (NAME(A.B) KEYS(4 0) RECORDSIZE(80 40000) FREESPACE(10 200))
              |                       ^^^
              |
              = help: longer records must be SPANNED
            error[SPID019]: FREESPACE takes percentages of 0 to 100
             --> DEF.jcl:3:59
              |
            3 |  DEFINE CLUSTER (NAME(A.B) KEYS(4 0) RECORDSIZE(80 40000) FREESPACE(10 200))
              |                                                           ^^^^^^^^^
              |
              = help: as in FREESPACE(20 10)
        "#]],
    );
}
