//! Jobs: each does what it says, or is refused before its first step at its line.

mod common;

use common::jobs::{application, check, job, put, run, run_with, show};
use expect_test::expect;

#[test]
fn members_of_a_library_are_independent() {
    check(
        &job(&[
            "//NEW EXEC PGM=IEFBR14\n//D DD DSN=MY.LIB,DISP=(,CATLG),SPACE=(TRK,(1,1,5)),\n// RECFM=FB,LRECL=80\n".into(),
            put("PUTA", "DSN=MY.LIB(A),DISP=SHR", "MEMBER A"),
            put("PUTB", "DSN=MY.LIB(B),DISP=OLD", "MEMBER B"),
            put("MORE", "DSN=MY.LIB(A),DISP=MOD", "MORE OF A"),
            show("SHOW", "DSN=MY.LIB(B),DISP=SHR\n// DD DSN=MY.LIB(A),DISP=SHR\n// DD *\nIN THE JOB\n/*\n//SYSIN DD DUMMY"),
            show("ABSENT", "DSN=MY.LIB(C),DISP=SHR"),
            show("WHOLE", "DSN=MY.LIB,DISP=SHR"),
            "//DEL EXEC PGM=IDCAMS\n//SYSIN DD *\n DELETE MY.LIB(A)\n DELETE MY.LIB(A)\n REPRO INFILE(IN) ODS(MY.LIB(C))\n REPRO IDS(MY.LIB(NONE)) OUTFILE(O)\n/*\n//IN DD DSN=MY.LIB(B),DISP=SHR\n//O DD DUMMY\n".into(),
            show("LAST", "DSN=MY.LIB(C),DISP=SHR"),
            show("GONE", "DSN=MY.LIB(A),DISP=SHR"),
            "//SEQ EXEC PGM=IEFBR14\n//D DD DSN=MY.SEQ,DISP=(NEW,CATLG),RECFM=FB,LRECL=80\n".into(),
            show("NOLIB", "DSN=MY.SEQ(A),DISP=SHR"),
        ]),
        expect![[r#"
            -- NEW: 0
            -- PUTA: 0
            -- PUTB: 0
            -- MORE: 0
            MEMBER B
            MEMBER A
            MORE OF A
            IN THE JOB
            PROCESSING ENDED AT EOD
            -- SHOW: 0
            [the member MY.LIB(C) is not there]
            -- ABSENT: 12
            [MY.LIB is a library: name a member]
            -- WHOLE: 12
            IDC0550I entry (A) MY.LIB(A) deleted
            IDC0001I DELETE ended, condition code 0
            IDC0001I DELETE ended, condition code 8
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 0
            IDC0001I REPRO ended, condition code 12
            [error[IDC3009I]: MY.LIB: it has no member A
              --> job.jcl:40:9
               |
            40 |  DELETE MY.LIB(A)
               |         ^^^^^^]
            [error[IDC3009I]: MY.LIB: it has no member NONE
              --> job.jcl:42:2
               |
            42 |  REPRO IDS(MY.LIB(NONE)) OUTFILE(O)
               |  ^^^^^]
            -- DEL: 12
            MEMBER B
            PROCESSING ENDED AT EOD
            -- LAST: 0
            [the member MY.LIB(A) is not there]
            -- GONE: 12
            -- SEQ: 0
            [error[SPJC022]: MY.SEQ: it is no library: it has no members
              --> job.jcl:55:10
               |
            55 | //SYSUT1 DD DSN=MY.SEQ(A),DISP=SHR
               |          ^^]
            -- NOLIB: failed
        "#]],
    );
}

#[test]
fn data_sets_are_extended_concatenated_and_take_the_form_of_what_comes() {
    check(
        &job(&[
            put("ONE", "DSN=MY.ONE,DISP=(NEW,CATLG)", "ONE"),
            put("TWO", "DSN=MY.ONE,DISP=MOD", "TWO"),
            put("VAR", "DSN=MY.VAR,DISP=(NEW,CATLG),RECFM=VB,LRECL=100", "VARYING"),
            "//LONGER EXEC PGM=LONGER\n//OUT DD DSN=MY.LONG,DISP=(,CATLG)\n".into(),
            show("ALL", "DSN=MY.ONE,DISP=SHR\n// DD DSN=MY.VAR,DISP=SHR\n// DD DSN=MY.LONG,DISP=SHR"),
            "//REPRO EXEC PGM=IDCAMS\n//IN DD DSN=MY.LONG,DISP=SHR\n// DD DSN=MY.LONG,DISP=SHR\n//OUT DD DSN=MY.ONE,DISP=MOD\n//SYSIN DD *\n REPRO INFILE(IN) OUTFILE(OUT)\n".into(),
            show("BOTH", "DSN=MY.ONE,DISP=SHR"),
            put("LIKE", "DSN=MY.NEW,DISP=(NEW,CATLG),LIKE=MY.LONG", "TWELVE BYTES"),
            put("SHORT", "DSN=MY.SHORT,DISP=(NEW,CATLG),DCB=(LRECL=4,RECFM=FB)", "FOUR|FIVE5"),
            "//PRT EXEC PGM=REPORT1\n//PRT DD DSN=MY.PRT,DISP=(,CATLG),RECFM=FBA,LRECL=9\n".into(),
            show("PAPER", "DSN=MY.PRT,DISP=SHR"),
            "//LISTED EXEC PGM=SHOW,PARM=LISTED\n//SYSOUT DD DSN=MY.LIST,DISP=(,CATLG),RECFM=FB,LRECL=20\n".into(),
            "//AMS EXEC PGM=IDCAMS\n//SYSPRINT DD DSN=MY.LIST,DISP=MOD\n//SYSIN DD *\n SET MAXCC = 2\n PRINT IDS(MY.PRT) COUNT(0)\n".into(),
            show("READ", "DSN=MY.LIST,DISP=SHR"),
        ]),
        expect![[r#"
            -- ONE: 0
            -- TWO: 0
            -- VAR: 0
            -- LONGER: 0
            ONE
            TWO
            VARYING
            TWELVE BYTES
            AGAIN
            PROCESSING ENDED AT EOD
            -- ALL: 0
            IDC0005I records processed: 4
            IDC0001I REPRO ended, condition code 0
            -- REPRO: 0
            ONE
            TWO
            TWELVE BYTES
            AGAIN
            TWELVE BYTES
            AGAIN
            PROCESSING ENDED AT EOD
            -- BOTH: 0
            -- LIKE: 0
            [record 2 has 80 bytes, at most 4 fit into the file]
            -- SHORT: 12
            -- PRT: 0
            1HEAD
            0LINE
             LINE
            PROCESSING ENDED AT EOD
            -- PAPER: 0
            -- LISTED: 0
            -- AMS: 2
            PARM 00006 <LISTED>
            IDC0005I records pro
            IDC0001I PRINT ended
            PROCESSING ENDED AT EOD
            -- READ: 0
        "#]],
    );
}

#[test]
fn generations_count_from_the_beginning_of_each_job() {
    let define = "//DEF EXEC PGM=IDCAMS\n//SYSIN DD *\n DEFINE GDG (NAME(MY.G) LIMIT(3))\n/*\n";
    check(
        &format!(
            "//A JOB\n{define}{}{}{}//B JOB\n{}{}{}",
            put("ONE", "DSN=MY.G(+1),DISP=(NEW,CATLG)", "FIRST"),
            put("TWO", "DSN=MY.G(+2),DISP=(NEW,CATLG)", "SECOND"),
            show("OLD", "DSN=MY.G(+1),DISP=SHR"),
            show("NOW", "DSN=MY.G(0),DISP=SHR\n// DD DSN=MY.G(-1),DISP=SHR"),
            show("ALL", "DSN=MY.G,DISP=SHR"),
            show("FIFO", "DSN=MY.G,DISP=SHR,GDGORDER=FIFO\n//SYSIN DD DUMMY\n//X DD DSN=MY.G(-5),DISP=SHR"),
        ),
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            -- DEF: 0
            -- ONE: 0
            -- TWO: 0
            FIRST
            PROCESSING ENDED AT EOD
            -- OLD: 0
            SECOND
            FIRST
            PROCESSING ENDED AT EOD
            -- NOW: 0
            SECOND
            FIRST
            PROCESSING ENDED AT EOD
            -- ALL: 0
            [error[SPJC022]: MY.G(-5) is not in the catalogue
              --> job.jcl:32:5
               |
            32 | //X DD DSN=MY.G(-5),DISP=SHR
               |     ^^
               |
               = help: an earlier job or step makes it, or IDCAMS DEFINE]
            -- FIFO: failed
            job A: Some(0)
            job B: None
        "#]],
    );
}

#[test]
fn temporary_data_sets_are_passed_and_go_with_the_job() {
    let application = application();
    let mut client = application.client();
    let text = job(&[
        put("ONE", "DSN=&&T,DISP=(NEW,PASS),UNIT=SYSDA", "TEMPORARY"),
        show("TWO", "DSN=*.ONE.SYSUT2,DISP=(OLD,DELETE)"),
        put("MADE", "DSN=MY.PASSED,DISP=(NEW,PASS)", "PASSED"),
        put("KEPT", "DSN=MY.KEPT,DISP=(NEW,PASS)", "KEPT"),
        "//KEEP EXEC PGM=IEFBR14\n//D DD DSN=MY.KEPT,DISP=(OLD,KEEP)\n".into(),
        put("GONE", "DSN=MY.GONE", "DELETED"),
        "//LIST EXEC PGM=IDCAMS\n//SYSIN DD *\n LISTCAT\n/*\n".into(),
        show("LAST", "DSN=&&T,DISP=(OLD,DELETE)"),
    ]);
    expect![[r#"
        -- ONE: 0
        TEMPORARY
        PROCESSING ENDED AT EOD
        -- TWO: 0
        -- MADE: 0
        -- KEPT: 0
        -- KEEP: 0
        -- GONE: 0
        NONVSAM ------- MY.KEPT
        NONVSAM ------- MY.PASSED
                THE NUMBER OF ENTRIES PROCESSED WAS:
                           NONVSAM--------2
                           TOTAL----------2
        IDC0001I LISTCAT ended, condition code 0
        -- LIST: 0
        [error[SPJC022]: &&T is not there: no earlier step has made and passed it
          --> job.jcl:36:10
           |
        36 | //SYSUT1 DD DSN=&&T,DISP=(OLD,DELETE)
           |          ^^
           |
           = help: DISP=(NEW,PASS) in the step that makes it]
        -- LAST: failed
    "#]]
    .assert_eq(&run(&application, &mut client, &text));
    let after =
        run(&application, &mut client, &job(&["//LIST EXEC PGM=IDCAMS\n//SYSIN DD *\n LISTCAT\n".into()]));
    assert!(after.contains("MY.KEPT") && !after.contains("MY.PASSED"), "{after}");
}

#[test]
fn conditions_decide_which_steps_run() {
    let step = |name: &str, parm: &str, more: &str| format!("//{name} EXEC PGM=SHOW,PARM='{parm}'{more}\n");
    check(
        &format!(
            "//A JOB COND=(8,LE)\n{}{}{}{}//B JOB\n{}// IF RC > 4 THEN\n{}// ELSE\n{}// ENDIF\n{}{}{}// IF ABENDCC = S806 THEN\n{}// ENDIF\n//C JOB RESTART=TWO\n{}{}//D JOB TYPRUN=SCAN\n{}",
            step("ONE", "RC4", ""),
            step("TWO", "RC0", ",COND=(4,EQ,ONE)"),
            step("THREE", "RC8", ",COND=(4,LT)"),
            step("FOUR", "NEVER", ""),
            step("ONE", "RC8", ""),
            step("YES", "THEN", ""),
            step("NO", "ELSE", ""),
            step("BAD", "ABEND", ""),
            step("SKIPPED", "NEVER", ""),
            step("EVEN", "EVEN", ",COND=EVEN"),
            step("AFTER", "CODE", ""),
            step("ONE", "NEVER", ""),
            step("TWO", "FROM HERE", ""),
            step("ONE", "NEVER", ""),
        ),
        expect![[r#"
            PARM 00003 <RC4>
            -- ONE: 4
            -- TWO: bypassed
            PARM 00003 <RC8>
            -- THREE: 8
            -- FOUR: bypassed
            PARM 00003 <RC8>
            -- ONE: 8
            PARM 00004 <THEN>
            -- YES: 0
            -- NO: bypassed
            PARM 00005 <ABEND>
            -- BAD: abend S806
            -- SKIPPED: bypassed
            PARM 00004 <EVEN>
            -- EVEN: 0
            PARM 00004 <CODE>
            -- AFTER: 0
            PARM 00009 <FROM HERE>
            -- TWO: 0
            [D: TYPRUN=SCAN: the job is read, and nothing of it is run]
            job A: Some(8)
            job B: None
            job C: Some(0)
            job D: Some(0)
        "#]],
    );
}

#[test]
fn a_step_that_is_refused_leaves_nothing_and_others_have_run() {
    let application = application();
    let mut client = application.client();
    let text = job(&[
        "//ONE EXEC PGM=SHOW,PARM=FIRST\n".into(),
        "//TWO EXEC PGM=SHOW,PARM=NEVER\n//N DD DSN=MY.NEW,DISP=(NEW,CATLG)\n//BAD DD DSN=MY.NOTHERE,DISP=SHR\n".into(),
        "//THREE EXEC PGM=SHOW,PARM=NEVER\n".into(),
    ]);
    expect![[r#"
        PARM 00005 <FIRST>
        -- ONE: 0
        [error[SPJC022]: MY.NOTHERE is not in the catalogue
         --> job.jcl:5:7
          |
        5 | //BAD DD DSN=MY.NOTHERE,DISP=SHR
          |       ^^
          |
          = help: an earlier job or step makes it, or IDCAMS DEFINE]
        -- TWO: failed
    "#]]
    .assert_eq(&run(&application, &mut client, &text));
    let list =
        run(&application, &mut client, &job(&["//L EXEC PGM=IDCAMS\n//SYSIN DD *\n LISTCAT\n".into()]));
    assert!(!list.contains("MY.NEW"), "{list}");
}

#[test]
fn what_is_not_built_is_refused_before_the_first_step() {
    check(
        "//J JOB\n\
         //ONE EXEC PGM=SHOW,PARM=NEVER\n\
         //TWO EXEC PGM=IEBCOPY\n\
         //THREE EXEC PGM=ASMA90\n\
         //FOUR EXEC PGM=SORT\n\
         //SORTIN DD DUMMY\n\
         //SYSIN DD *\n\
         \x20SORT FIELDS=(1,2,CH,A)\n\
         * a comment\n\
         \x20OUTREC IFTHEN=(WHEN=GROUP,RECORDS=2,PUSH=(5:SEQ=3))\n\
         //FIVE EXEC PGM=IEBGENER\n\
         //SYSIN DD *\n\
         \x20GENERATE MAXNAME=2\n\
         \x20MEMBER NAME=X\n\
         //SIX EXEC PGM=IKJEFT01\n\
         //SYSTSIN DD *\n\
         \x20DSN SYSTEM(DB2A)\n\
         \x20BIND PACKAGE(P)\n\
         //SEVEN EXEC PGM=SHOW,PARMDD=X\n\
         //EIGHT EXEC IGYWCG\n\
         //NINE EXEC PGM=SORT\n\
         //DFSPARM DD *\n\
         \x20OPTION COPY\n\
         //SYSIN DD *\n\
         \x20SORT FIELDS=(1,2,CH,A)\n\
         \x20SORT FIELDS=(3,2,CH,A)\n",
        expect![[r#"
            job.jcl:19:23 SPJC002 PARMDD is not built (write the text as PARM=)
            job.jcl:20:14 SPJC005 the procedure IGYWCG is not found (programs and maps are built from their sources when they are used: leave the step out)
            job.jcl:3:16 SPJC020 the program IEBCOPY is not built (copy members one by one with IEBGENER, or name a folder by --library NAME=DIR)
            job.jcl:4:18 SPJC020 the program ASMA90 is not built (programs and maps are built from their sources when they are used: leave the step out)
            job.jcl:10:1 SPJC021 WHEN=GROUP is not built (docs/jobs.md lists what SORT does)
            job.jcl:14:1 SPJC021 the statement MEMBER of IEBGENER is not built (GENERATE and RECORD FIELD= are built; IEBGENER without SYSIN copies)
            job.jcl:18:1 SPJC021 the command BIND of TSO is not carried out (packages are made when programs are built: leave it out, and name the job in `bind` of [sql])
            job.jcl:21:17 SPJC021 control statements in DFSPARM are not read (put them where the other ones are)
            job.jcl:26:1 SPJC021 a second SORT is not built (docs/jobs.md lists what SORT does)
        "#]],
    );
}

#[test]
fn procedures_and_control_cards_come_from_folders_and_libraries() {
    let application = application();
    let members = application.path().join("members");
    std::fs::create_dir(&members).expect("a folder");
    std::fs::write(members.join("show.prc"), "//SHOW PROC TEXT=NONE\n//IN EXEC PGM=SHOW,PARM='&TEXT'\n")
        .expect("written");
    std::fs::write(members.join("CARDS.txt"), "  DEFINE GDG (NAME(MY.GDG) LIMIT(2))\n").expect("written");
    let mut client = application.client();
    let cards = put("CARDS", "DSN=MY.CNTL(SORTED),DISP=(NEW,CATLG)", " SORT FIELDS=(1,3,CH,D)");
    let inside =
        put("PROC", "DSN=MY.CNTL(INSIDE),DISP=SHR", "//P EXEC PGM=SHOW,PARM='&X'\n//Q EXEC PGM=IEFBR14")
            .replace("//SYSUT1 DD *", "//SYSUT1 DD DATA");
    let text = format!(
        "//A JOB\n{cards}{inside}//B JOB\n// JCLLIB ORDER=MY.CNTL\n//ONE EXEC SHOW,TEXT='FROM A FOLDER'\n\
         //TWO EXEC INSIDE,X=LIBRARY\n\
         //THREE EXEC PGM=SORT\n//SORTIN DD *\nAAA\nCCC\nBBB\n/*\n//SORTOUT DD SYSOUT=*\n\
         //SYSIN DD DSN=MY.CNTL(SORTED),DISP=SHR\n\
         //FOUR EXEC PGM=IDCAMS\n//SYSIN DD DSN=A.FOLDER(CARDS),DISP=SHR\n"
    );
    // The procedures of a library must be there when the job is read.
    let first = run(&application, &mut client, text.split("//B JOB").next().expect("a job"));
    let second = format!("//B JOB{}", text.split("//B JOB").nth(1).expect("a job"));
    let second = run_with(&application, &mut client, &second, &[("A.FOLDER", members)]);
    expect![[r#"
        -- CARDS: 0
        -- PROC: 0
        PARM 00013 <FROM A FOLDER>
        -- ONE.IN: 0
        PARM 00007 <LIBRARY>
        -- TWO.P: 0
        -- TWO.Q: 0
        CCC
        BBB
        AAA
        RECORDS - IN: 3, OUT: 3
        -- THREE: 0
        IDC0001I DEFINE ended, condition code 0
        -- FOUR: 0
    "#]]
    .assert_eq(&(first + &second));
}

/// IFTHEN: INIT before the others, the first condition that holds, more with HIT=NEXT, NONE for the rest; records are as long as
/// the longest that a clause makes.
#[test]
fn ifthen_rebuilds_records_by_their_contents() {
    let sort = |control: &str, more: &str| {
        let control = control
            .replace(",IFTHEN", ",\n  IFTHEN")
            .replace(",BUILD", ",\n  BUILD")
            .replace(",OVERLAY", ",\n  OVERLAY");
        format!(
            "//S EXEC PGM=SORT\n//SORTIN DD *\nBOB   030 X1\nANN   005 Y2\nCID   030 X3\nANN   007 X4\n/*\n\
             //SORTOUT DD SYSOUT=*\n//SYSIN DD *\n{control}\n/*\n{more}"
        )
    };
    check(
        &job(&[
            sort(
                " OPTION COPY\n INREC IFTHEN=(WHEN=INIT,OVERLAY=(20:SEQNUM,3,ZD)),\n  \
                 IFTHEN=(WHEN=(1,3,CH,EQ,C'ANN',AND,7,3,ZD,GT,6),BUILD=(C'RICH ',1,3,1X,20,3)),\n  \
                 IFTHEN=(WHEN=(1,3,CH,EQ,C'ANN'),OVERLAY=(1:C'POOR')),\n  IFTHEN=(WHEN=NONE,OVERLAY=(14:C'*',SEQNUM,2,ZD))",
                "",
            ),
            sort(
                " SORT FIELDS=(1,3,CH,A)\n OUTREC IFTHEN=(WHEN=(11,1,CH,EQ,C'X'),OVERLAY=(15:C'A'),HIT=NEXT),\n  \
                 IFTHEN=(WHEN=(7,3,ZD,GE,7),OVERLAY=(16:C'B')),IFTHEN=(WHEN=(1,1,CH,EQ,C'C'),OVERLAY=(17:C'C')),IFOUTLEN=16",
                "",
            ),
            sort(
                " OPTION COPY\n OUTFIL FNAMES=X,IFTHEN=(WHEN=(11,1,CH,EQ,C'X'),BUILD=(1,3)),IFTHEN=(WHEN=NONE,BUILD=(C'NO'))\n \
                 OUTFIL FNAMES=Y,OVERLAY=(81:C'LONGER')",
                "//X DD SYSOUT=*\n//Y DD SYSOUT=*\n",
            ),
            sort(" OPTION COPY\n OUTREC IFTHEN=(WHEN=INIT,BUILD=(1,3)),IFTHEN=(WHEN=(1,1,CH,EQ,C'B'),BUILD=(1,3,C'+'))", "")
                .replace("//SORTOUT DD SYSOUT=*", "//SORTOUT DD DSN=MY.OUT,DISP=(NEW,CATLG)"),
            "//S EXEC PGM=IEBGENER\n//SYSUT1 DD DSN=MY.OUT,DISP=SHR\n//SYSUT2 DD SYSOUT=*\n//SYSIN DD DUMMY".to_owned(),
        ]),
        expect![[r#"
            BOB   030 X1 *01   001
            POOR  005 Y2       002
            CID   030 X3 *02   003
            RICH ANN 004
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            ANN   005 Y2
            ANN   007 X4  AB
            BOB   030 X1  AB
            CID   030 X3  AB
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            BOB   030 X1
            BOB
            BOB   030 X1                                                                    LONGER
            ANN   005 Y2
            NO
            ANN   005 Y2                                                                    LONGER
            CID   030 X3
            CID
            CID   030 X3                                                                    LONGER
            ANN   007 X4
            ANN
            ANN   007 X4                                                                    LONGER
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            BOB+
            ANN
            CID
            ANN
            PROCESSING ENDED AT EOD
            -- S: 0
        "#]],
    );
}

#[test]
fn ifthen_that_is_not_built_is_refused_before_the_first_step() {
    let application = application();
    let mut client = application.client();
    for (control, expected) in [
        ("INREC IFTHEN=(WHEN=GROUP,BEGIN=(1,1,CH,EQ,C'H'),PUSH=(9:1,3))", "WHEN=GROUP is not built"),
        ("OUTREC IFTHEN=(WHEN=NONE,FINDREP=(IN=C'A',OUT=C'B'))", "FINDREP= in IFTHEN is not built"),
        (
            "OUTREC IFTHEN=(WHEN=NONE,OVERLAY=(1:C'A')),IFTHEN=(WHEN=INIT,OVERLAY=(1:C'A'))",
            "WHEN=INIT comes before other clauses",
        ),
        ("OUTREC IFTHEN=(WHEN=INIT,OVERLAY=(1:C'A'),HIT=NEXT)", "HIT=NEXT goes with a condition"),
        ("OUTREC BUILD=(1,3),IFTHEN=(WHEN=INIT,OVERLAY=(1:C'A'))", "IFTHEN= goes with no BUILD="),
        ("OUTREC IFOUTLEN=5", "IFTHEN= goes with no BUILD="),
        ("OUTREC IFTHEN=(WHEN=(1,1,XX,EQ,C'A'),BUILD=(1,3))", "a condition of WHEN= is not understood"),
        ("OUTREC BUILD=(1,3),CONVERT", "CONVERT is not understood"),
        ("OUTREC BUILD=(1,3),BUILD=(1,4)", "a second BUILD= is not built"),
    ] {
        let control = control.replace(",IFTHEN", ",\n  IFTHEN");
        let text = job(&[format!(
            "//S EXEC PGM=SORT\n//SORTIN DD *\nX\n/*\n//SORTOUT DD SYSOUT=*\n//SYSIN DD *\n OPTION COPY\n {control}\n/*"
        )]);
        let said = run(&application, &mut client, &text);
        assert!(said.contains(expected), "{control}: {said}");
    }
}

#[test]
fn sort_does_what_its_statements_say() {
    let sort = |control: &str, more: &str| {
        format!(
            "//S EXEC PGM=SORT\n//SORTIN DD *\nBOB   030 X1\nANN   005 Y2\nCID   030 X3\nANN   007 X4\n/*\n\
             //SORTOUT DD SYSOUT=*\n//SYSIN DD *\n{control}\n/*\n{more}"
        )
    };
    check(
        &job(&[
            sort(" SORT FIELDS=(7,3,ZD,D,1,3,CH,A)", ""),
            sort(
                " SORT FIELDS=COPY,STOPAFT=3,SKIPREC=1\n INCLUDE COND=(11,1,CH,EQ,C'X',AND,(7,3,ZD,GT,5))",
                "",
            ),
            sort(" SORT FIELDS=(1,3,CH,A)\n SUM FIELDS=(7,3,ZD)", ""),
            sort(" SORT FIELDS=(1,3,CH,A),EQUALS\n SUM FIELDS=NONE\n OMIT COND=(1,3,SS,EQ,C'CI')", ""),
            sort(
                " OPTION COPY\n OUTREC BUILD=(C'<',1,3,C'>',2X,7,3,ZD,TO=ZD,LENGTH=5,\n  20:11,2,SEQNUM,3,ZD)",
                "",
            ),
            sort(
                " OPTION COPY\n INREC OVERLAY=(5:C'*')\n OUTFIL FNAMES=X,INCLUDE=(11,1,CH,EQ,C'X'),\n   BUILD=(1,5)\n OUTFIL FNAMES=REST,SAVE",
                "//X DD SYSOUT=*\n//REST DD SYSOUT=*\n",
            ),
            sort(" OPTION COPY\n SUM FIELDS=NONE", ""),
            sort(" SORT FIELDS=(AMOUNT,D,NAME,A)", "//SYMNAMES DD *\nNAME,1,3,CH\nAMOUNT,7,3,ZD\n"),
            sort(" SORT FIELDS=(1,3,CH,A)", "").replace(
                "//SORTOUT DD SYSOUT=*",
                "//SORTOUT DD DSN=MY.OUT,DISP=(NEW,CATLG),LRECL=5,RECFM=FB",
            ),
        ]),
        expect![[r#"
            BOB   030 X1
            CID   030 X3
            ANN   007 X4
            ANN   005 Y2
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            CID   030 X3
            ANN   007 X4
            RECORDS - IN: 3, OUT: 2
            -- S: 0
            ANN   012 Y2
            BOB   030 X1
            CID   030 X3
            RECORDS - IN: 4, OUT: 3
            -- S: 0
            ANN   005 Y2
            BOB   030 X1
            RECORDS - IN: 4, OUT: 2
            -- S: 0
            <BOB>  00030       X1001
            <ANN>  00005       Y2002
            <CID>  00030       X3003
            <ANN>  00007       X4004
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            BOB * 030 X1
            BOB *
            ANN * 005 Y2
            ANN * 005 Y2
            CID * 030 X3
            CID *
            ANN * 007 X4
            ANN *
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            BOB   030 X1
            ANN   005 Y2
            CID   030 X3
            ANN   007 X4
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            BOB   030 X1
            CID   030 X3
            ANN   007 X4
            ANN   005 Y2
            RECORDS - IN: 4, OUT: 4
            -- S: 0
            [record 1 has 80 bytes, at most 5 fit into the file]
            -- S: 16
        "#]],
    );
}

#[test]
fn time_ends_a_step() {
    let application = application();
    let mut client = application.client();
    let text = "//A JOB\n//S EXEC PGM=ENDLESS,TIME=(,1)\n//B JOB TIME=(,1)\n//S EXEC PGM=ENDLESS\n//T EXEC PGM=ENDLESS,COND=EVEN\n\
                //C JOB TIME=NOLIMIT\n//S EXEC PGM=SHOW,PARM=RC4,TIME=1440\n";
    let said = run(&application, &mut client, text);
    let ends: Vec<&str> =
        said.lines().filter(|line| line.starts_with("--") || line.starts_with("job ")).collect();
    let expected = [
        "-- S: abend S322",
        "-- S: abend S322",
        "-- T: abend S322",
        "-- S: 4",
        "job A: None",
        "job B: None",
        "job C: Some(4)",
    ];
    assert_eq!(ends, expected, "{said}");
}

#[test]
fn two_jobs_do_not_write_to_one_data_set_at_once() {
    let application = application();
    let state = application.path().join("state");
    {
        let mut client = application.client();
        run(&application, &mut client, &job(&[put("A", "DSN=MY.D,DISP=(NEW,CATLG)", "ONE")]));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let both = tokio::task::LocalSet::new().block_on(&runtime, async move {
        let site = std::sync::Arc::new(common::data_sets(&state).await);
        let mut server = access::serve(&state, site, None).expect("a socket");
        let said = tokio::task::spawn_blocking(move || {
            let (mut first, mut second) = (application.client(), application.client());
            let names = vec![("MY.D".to_owned(), false)];
            first.done(access::Request::Reserve { names }).expect("free");
            let reads = run(&application, &mut second, &job(&[show("R", "DSN=MY.D,DISP=SHR")]));
            let writes = run(&application, &mut second, &job(&[put("W", "DSN=MY.D,DISP=OLD", "TWO")]));
            drop(first);
            // The region sees the end of the session.
            let again = run(&application, &mut second, &job(&[put("W", "DSN=MY.D,DISP=OLD", "TWO")]));
            reads + &writes + &again
        });
        let said = said.await.expect("it ends");
        server.close().await;
        said
    });
    expect![[r#"
        ONE
        PROCESSING ENDED AT EOD
        -- R: 0
        [J waits for MY.D, which another job has]
        [J is not run: another job has MY.D]
        -- W: 0
    "#]]
    .assert_eq(&both);
}
