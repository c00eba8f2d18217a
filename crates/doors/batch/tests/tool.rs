//! ICETOOL: operators on records, carried out or refused before the first step.

mod common;

use common::jobs::{application, check, job, run};
use expect_test::{Expect, expect};

/// A step with the records of people in IN, and statements in TOOLIN.
fn tool(name: &str, statements: &str, more: &str) -> String {
    format!(
        "//{name} EXEC PGM=ICETOOL\n//TOOLMSG DD SYSOUT=*\n//DFSMSG DD SYSOUT=*\n//IN DD *\nBOB   030 X1\nANN   005 Y2\n\
         CID   030 X3\nANN   007 X4\nANN  -001 Z5\n/*\n//OUT DD SYSOUT=*\n//TOOLIN DD *\n{statements}\n/*\n{more}"
    )
}

fn checked(statements: &str, more: &str, expected: Expect) {
    check(&job(&[tool("T", statements, more)]), expected);
}

#[test]
fn records_are_copied_and_sorted() {
    checked(
        " COPY FROM(IN) TO(OUT,ALSO) USING(CTL1)\n* A COMMENT\n SORT FROM(IN) -   WHAT IS SAID HERE MEANS NOTHING\n  TO(OUT) USING(CTL2)\n \
         SORT FROM(IN) USING(CTL3)",
        "//ALSO DD SYSOUT=*\n//X DD SYSOUT=*\n//CTL1CNTL DD *\n INCLUDE COND=(11,1,CH,EQ,C'X')\n OPTION STOPAFT=2\n\
         //CTL2CNTL DD *\n SORT FIELDS=(1,3,CH,A,7,3,ZD,D)\n SUM FIELDS=NONE\n\
         //CTL3CNTL DD *\n SORT FIELDS=(12,1,CH,D)\n OUTFIL FNAMES=X,INCLUDE=(11,1,CH,NE,C'X'),BUILD=(12,1,1,3)\n",
        expect![[r#"
            BOB   030 X1
            BOB   030 X1
            CID   030 X3
            CID   030 X3
            RECORDS - IN: 3, OUT: 2
            COPY OF LINE 14: RETURN CODE 0
            ANN   007 X4
            ANN   005 Y2
            ANN  -001 Z5
            BOB   030 X1
            CID   030 X3
            RECORDS - IN: 5, OUT: 5
            SORT OF LINE 16: RETURN CODE 0
            5ANN
            2ANN
            RECORDS - IN: 5, OUT: 5
            SORT OF LINE 18: RETURN CODE 0
            -- T: 0
        "#]],
    );
}

#[test]
fn records_are_selected_by_how_many_have_their_value() {
    let select = |criterion: &str| format!(" SELECT FROM(IN) TO(OUT) ON(1,3,CH) {criterion}\n");
    let all: String = [
        "FIRST",
        "LAST",
        "NODUPS",
        "ALLDUPS",
        "FIRSTDUP",
        "LASTDUP",
        "FIRST(2)",
        "HIGHER(2)",
        "LOWER(3)",
        "EQUAL(3)",
        "FIRST DISCARD(REST)",
    ]
    .map(select)
    .concat();
    let said = {
        let application = application();
        run(
            &application,
            &mut application.client(),
            &job(&[tool("T", all.trim_end(), "//REST DD SYSOUT=*\n")]),
        )
    };
    let mut found = Vec::new();
    let mut group = String::new();
    for line in said.lines() {
        match line {
            _ if line.contains("RETURN CODE") => found.push(std::mem::take(&mut group)),
            _ if line.starts_with("RECORDS") || line.starts_with("--") => {}
            record => group += &record[11..12],
        }
    }
    assert_eq!(found, ["213", "513", "13", "245", "2", "5", "2413", "245", "13", "245", "24513"], "{said}");
}

#[test]
fn counts_are_shown_written_and_decide() {
    checked(
        " MODE CONTINUE\n COUNT FROM(IN)\n COUNT FROM(IN) EMPTY\n COUNT FROM(IN) NOTEMPTY RC4\n COUNT FROM(IN) HIGHER(5)\n \
         COUNT FROM(IN) USING(ONLY) WRITE(OUT) TEXT('THERE ARE ') -\n DIGITS(3) WIDTH(20) ADD(2)\n COUNT FROM(IN) LOWER(6)\n MODE STOP\n \
         COUNT FROM(IN) NOTEQUAL(4)\n COPY FROM(IN) TO(OUT)",
        "//ONLYCNTL DD *\n OMIT COND=(1,3,CH,EQ,C'ANN')\n",
        expect![[r#"
            RECORD COUNT: 000000000000005
            COUNT OF LINE 15: RETURN CODE 0
            RECORD COUNT: 000000000000005
            COUNT OF LINE 16: RETURN CODE 0
            RECORD COUNT: 000000000000005
            COUNT OF LINE 17: RETURN CODE 4
            RECORD COUNT: 000000000000005
            COUNT OF LINE 18: RETURN CODE 0
            RECORD COUNT: 000000000000004
            THERE ARE 004
            COUNT OF LINE 19: RETURN CODE 0
            RECORD COUNT: 000000000000005
            COUNT OF LINE 21: RETURN CODE 12
            RECORD COUNT: 000000000000005
            COUNT OF LINE 23: RETURN CODE 12
            COPY OF LINE 24: NOT CARRIED OUT
            -- T: 12
        "#]],
    );
}

#[test]
fn values_are_counted_and_shown() {
    checked(
        " STATS FROM(IN) ON(6,4,FS)\n UNIQUE FROM(IN) ON(NAME)\n RANGE FROM(IN) ON(6,4,FS) HIGHER(5) LOWER(30)\n RANGE FROM(IN) ON(6,4,FS) EQUAL(30)\n \
         OCCUR FROM(IN) LIST(OUT) ON(NAME) ON(VALCNT)\n OCCUR FROM(IN) LIST(OUT) ON(1,3,CH) ON(VALCNT,N04) NOHEADER ALLDUPS\n \
         DISPLAY FROM(IN) LIST(OUT) TITLE('PEOPLE') -\n HEADER('NAME') HEADER('NUMBER') ON(1,6,CH) ON(6,4,FS) BLANK\n \
         DISPLAY FROM(IN) LIST(OUT) ON(NUM,U02) ON(6,4,FS,N02) NOHEADER",
        "//SYMNAMES DD *\nNAME,1,3,CH\n",
        expect![[r#"
            RECORD COUNT: 000000000000005
            STATISTICS FOR (6,4)
            MINIMUM: -000000000000001, MAXIMUM: +000000000000030
            AVERAGE: +000000000000014, TOTAL: +000000000000071
            STATS OF LINE 14: RETURN CODE 0
            RECORD COUNT: 000000000000005
            COUNT OF UNIQUE VALUES: 000000000000003
            UNIQUE OF LINE 15: RETURN CODE 0
            NUMBER OF VALUES IN RANGE: 000000000000001
            RANGE OF LINE 16: RETURN CODE 0
            NUMBER OF VALUES IN RANGE: 000000000000002
            RANGE OF LINE 17: RETURN CODE 0
            (1,3,CH)       VALUE COUNT

            ANN        000000000000003
            BOB        000000000000001
            CID        000000000000001
            OCCUR OF LINE 18: RETURN CODE 0
            ANN   0003
            OCCUR OF LINE 19: RETURN CODE 0
            PEOPLE

            NAME               NUMBER
            ------   ----------------
            BOB                    30
            ANN                     5
            CID                    30
            ANN                     7
            ANN  -                 -1
            DISPLAY OF LINE 20: RETURN CODE 0
            01   +30
            02   +05
            03   +30
            04   +07
            05   -01
            DISPLAY OF LINE 22: RETURN CODE 0
            -- T: 0
        "#]],
    );
}

#[test]
fn what_is_not_built_is_refused_by_name_and_line_before_the_first_step() {
    let refused = |statements: &str, more: &str| {
        let application = application();
        let text = job(&["//FIRST EXEC PGM=SHOW\n".into(), tool("T", statements, more)]);
        let said = run(&application, &mut application.client(), &text);
        assert!(!said.contains("PARM"), "a step has run: {said}");
        said.lines().next().unwrap_or_default().to_owned()
    };
    for (statements, more, expected) in [
        (" SPLICE FROM(IN) TO(OUT) ON(1,3,CH)", "", "job.jcl:15:1 SPJC021 SPLICE: the operator is not built"),
        (
            " COPY FROM(IN) TO(OUT)\n COPY FROM(IN) TO(OUT) VSAMTYPE(F)",
            "",
            "job.jcl:16:1 SPJC021 COPY: VSAMTYPE is not built",
        ),
        (" COPY FROM(IN)", "", "job.jcl:15:1 SPJC021 COPY: TO(ddname) is missing"),
        (
            " SORT FROM(IN) TO(OUT)",
            "",
            "job.jcl:15:1 SPJC021 SORT: USING(xxxx) is missing: xxxxCNTL says how to sort",
        ),
        (" SELECT FROM(IN) TO(OUT) ON(1,3,CH)", "", "job.jcl:15:1 SPJC021 SELECT: it takes one of ALLDUPS"),
        (
            " OCCUR FROM(IN) LIST(OUT) ON(1,3,HEX)",
            "",
            "job.jcl:15:1 SPJC021 OCCUR: ON(1,3,HEX) is no field that is built",
        ),
        (
            " DISPLAY FROM(IN) LIST(OUT) ON(1,3,CH) DATE",
            "",
            "job.jcl:15:1 SPJC021 DISPLAY: DATE is not built",
        ),
        (" WHAT FROM(IN)", "", "job.jcl:15:1 SPJC021 WHAT: there is no such operator"),
        (" COPY FROM(IN TO(OUT)", "", "job.jcl:15:1 SPJC021 COPY FROM(IN TO(OUT) is not understood"),
        (
            " SORT FROM(IN) TO(OUT) USING(CTL1)",
            "//CTL1CNTL DD *\n OPTION COPY\n INREC PARSE=(%1=(FIXLEN=3))\n",
            "job.jcl:19:1 SPJC021 PARSE= is not built",
        ),
        (
            " COUNT FROM(IN) USING(CTL1)",
            "//CTL1CNTL DD *\n OUTFIL FNAMES=OUT\n",
            "SPJC021 COUNT: OUTREC, SUM and OUTFIL are not built here",
        ),
    ] {
        let said = refused(statements, more);
        assert!(said.contains(expected), "{statements}: {said}");
    }
}

#[test]
fn statements_in_data_sets_are_all_checked_before_one_is_carried_out() {
    check(
        &job(&[
            "//PUT EXEC PGM=IEBGENER\n//SYSIN DD DUMMY\n//SYSPRINT DD DUMMY\n//SYSUT1 DD *\n COPY FROM(IN) TO(OUT)\n SPLICE FROM(IN)\n/*\n\
             //SYSUT2 DD DSN=MY.TOOL,DISP=(,CATLG),RECFM=FB,LRECL=80\n"
                .into(),
            tool("T", "", "").replace("//TOOLIN DD *\n\n/*\n", "//TOOLIN DD DSN=MY.TOOL,DISP=SHR\n"),
        ]),
        expect![[r#"
            -- PUT: 0
            [MY.TOOL:2: SPLICE: the operator is not built: docs/jobs.md lists what ICETOOL does]
            -- T: 16
        "#]],
    );
}

#[test]
fn a_value_that_is_no_number_is_named_and_stops_what_comes_behind() {
    checked(
        " STATS FROM(IN) ON(1,3,PD)\n COPY FROM(IN) TO(OUT)",
        "",
        expect![[r#"
            [job.jcl:14: STATS: record 1: position 1 has no number]
            STATS OF LINE 14: RETURN CODE 12
            COPY OF LINE 15: NOT CARRIED OUT
            -- T: 12
        "#]],
    );
}
