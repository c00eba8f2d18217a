//! The programs that jobs run: those of the application, those that build them, and what they find.

mod common;

use common::jobs::{application, job, run};
use common::program;
use expect_test::expect;

#[test]
fn a_program_that_cannot_be_run_is_refused_before_the_first_step() {
    let application = application();
    std::fs::write(
        application.path().join("BROKEN.cbl"),
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. BROKEN.\n       PROCEDURE DIVISION.\n           MOVE 1 TO N.\n",
    )
    .expect("written");
    let mut client = application.client();
    let text = "//J JOB\n\
         //ONE EXEC PGM=SHOW,PARM=NEVER\n\
         //TWO EXEC PGM=SHOWS\n\
         //STEPLIB DD DSN=MY.LOAD,DISP=SHR\n\
         //THREE EXEC PGM=BROKEN,COND=(0,LE)\n\
         //FOUR EXEC PGM=BROKEN\n\
         //FIVE EXEC PGM=IKJEFT01\n\
         //SYSTSIN DD *\n\
         \x20DSN SYSTEM(DB2A)\n\
         \x20RUN -\n\
         \x20  PROGRAM(NOWHERE) PLAN(P)\n\
         //SIX EXEC PGM=IKJEFT01\n\
         //SYSTSIN DD *\n\
         \x20RUN PROGRAM(DSNTIAUL)\n\
         //SEVEN EXEC PGM=IKJEFT01\n\
         //SYSTSIN DD *\n\
         \x20RUN PROGRAM(SHOW)\n\
         \x20RUN PROGRAM(SHOW)\n";
    expect![[r#"
        job.jcl:3:16 SPJC020 there is no program SHOWS (there is a SHOW; is that the one?)
        job.jcl:5:18 SPJC020 the program BROKEN does not build (the messages beside this name its faults)
        BROKEN.cbl:4:22 SPCK011 there is no item N (describe it in the data division, or copy its description)
        job.jcl:6:17 SPJC020 the program BROKEN does not build (the messages beside this name its faults)
        job.jcl:10:1 SPJC020 there is no program NOWHERE (looked in FOLDER)
        job.jcl:14:1 SPJC020 the program DSNTIAUL is not built (`syncpoint sql` runs statements, and a step of IKJEFT01 with DSNTEP2 or DSNTIAD does)
        job.jcl:18:1 SPJC021 a second RUN is not carried out (a step of its own for each program)
    "#]].assert_eq(&run(&application, &mut client, text));
}

#[test]
fn steps_that_compile_and_link_are_for_programs_of_the_application() {
    let application = application();
    let mut client = application.client();
    let text = "//A JOB\n\
         //C EXEC IGYWCL\n\
         //COBOL.SYSIN DD DSN=MY.CBL(SHOW),DISP=SHR\n\
         //LKED.SYSLMOD DD DSN=MY.LOAD(SHOW),DISP=SHR\n\
         // IF RC = 0 THEN\n\
         //RUN EXEC PGM=SHOW,PARM=RC4\n\
         //STEPLIB DD DSN=MY.LOAD,DISP=SHR\n\
         // ENDIF\n\
         //G EXEC IGYWCLG,LNGPRFX='IGY',PARM.COBOL='LIST,MAP',PARM.GO='GO'\n\
         //COBOL.SYSIN DD DSN=MY.CBL(SHOW),DISP=SHR\n\
         //COBOL.SYSLIB DD DSN=MY.COPY,DISP=SHR\n\
         //LKED.SYSLMOD DD DSN=MY.LOAD(SHOW),DISP=SHR\n\
         //GO.SYSOUT DD SYSOUT=*\n\
         //TRN EXEC PGM=DFHECP1$\n\
         //SYSIN DD DSN=MY.CBL(SHOW),DISP=SHR\n\
         //SYSPUNCH DD DSN=&&SYSCIN,DISP=(,PASS)\n\
         //COB EXEC PGM=IGYCRCTL\n\
         //SYSIN DD DSN=&&SYSCIN,DISP=(OLD,DELETE)\n\
         //SYSLIN DD DSN=&&OBJ,DISP=(,PASS)\n\
         //LNK EXEC PGM=IEWL\n\
         //SYSLIN DD DSN=&&OBJ,DISP=(OLD,DELETE)\n\
         // DD *\n\
         \x20INCLUDE SYSLIB(DFHELII)\n\
         \x20NAME SHOW(R)\n\
         /*\n\
         //SYSLMOD DD DSN=MY.LOAD,DISP=SHR\n";
    expect![[r#"
        [warning[SPJC021]: PARM of a compiler is passed over
         --> the procedure IGYWCLG:2:18
          |
        2 | //COBOL EXEC PGM=IGYCRCTL
          |                  ^^^^^^^^
          |
          = help: options of programs stand in [cobol] of region.toml and in CBL statements]
        -- C.COBOL: 0
        -- C.LKED: 0
        PARM 00003 <RC4>
        -- RUN: 4
        -- G.COBOL: 0
        -- G.LKED: 0
        PARM 00002 <GO>
        -- G.GO: 0
        -- TRN: 0
        -- COB: 0
        -- LNK: 0
    "#]]
    .assert_eq(&run(&application, &mut client, text));
    let text = "//B JOB\n\
         //C EXEC IGYWCL\n\
         //COBOL.SYSIN DD DSN=MY.CBL(SHOWS),DISP=SHR\n\
         //LKED.SYSLMOD DD DSN=MY.LOAD(SHOWS),DISP=SHR\n\
         //D EXEC IGYWCLG\n\
         //COBOL.SYSIN DD *\n\
         \x20      PROGRAM-ID. OTHER.\n\
         //E EXEC PGM=IEWL\n\
         //SYSLIN DD *\n\
         \x20 NAME NOWHERE(R)\n\
         //F EXEC PGM=*.E.SYSLMOD\n\
         //G EXEC PGM=P,PARM=X\n\
         //D DD DSN=&HLQ..DATA,DISP=SHR\n";
    expect![[r#"
        job.jcl:11:14 SPJC007 *.E.SYSLMOD refers to no DD statement before this one (*.DDNAME of this step, *.STEP.DDNAME, or *.STEP.PROCSTEP.DDNAME)
        job.jcl:13:12 SPJC006 the symbol &HLQ has no value (SET HLQ=…, PROC or EXEC give a symbol its value)
        the procedure IGYWCLG:10:15 SPJC007 *.LKED.SYSLMOD names no member of a library that is kept (name the program itself)
        job.jcl:3:15 SPJC020 there is no program SHOWS (there is a SHOW; is that the one?)
        job.jcl:4:16 SPJC020 there is no program SHOWS (there is a SHOW; is that the one?)
        job.jcl:6:15 SPJC021 a program whose text stands in the job is not built (put it into a folder of the application, and leave the step out)
        job.jcl:10:1 SPJC020 there is no program NOWHERE (looked in FOLDER/programs, FOLDER)
        job.jcl:12:14 SPJC020 there is no program P (looked in FOLDER/programs, FOLDER)
    "#]].assert_eq(&run(&application, &mut client, text));
}

#[test]
fn a_program_that_does_not_build_is_the_compilers_matter_where_the_job_has_it_compiled() {
    let application = application();
    let text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. BROKEN.\n       PROCEDURE DIVISION.\n           MOVE 1 TO N.\n";
    std::fs::write(application.path().join("BROKEN.cbl"), text).expect("written");
    let mut client = application.client();
    let text = "//A JOB\n\
         //C EXEC IGYWCL\n\
         //COBOL.SYSIN DD DSN=MY.CBL(BROKEN),DISP=SHR\n\
         //LKED.SYSLMOD DD DSN=MY.LOAD(BROKEN),DISP=SHR\n\
         // IF RC = 0 THEN\n\
         //RUN EXEC PGM=BROKEN\n\
         // ELSE\n\
         //ELSE EXEC PGM=SHOW,PARM='DOES NOT BUILD'\n\
         // ENDIF\n";
    expect![[r#"
        [error[SPCK011]: there is no item N
         --> BROKEN.cbl:4:22
          |
        4 |            MOVE 1 TO N.
          |                      ^
          |
          = help: describe it in the data division, or copy its description]
        -- C.COBOL: 12
        -- C.LKED: bypassed
        -- RUN: bypassed
        PARM 00014 <DOES NOT BUILD>
        -- ELSE: 0
    "#]]
    .assert_eq(&run(&application, &mut client, text));
}

#[test]
fn a_data_set_that_was_never_written_has_no_records() {
    let application = application();
    let reads = program(
        "READS",
        "SELECT F ASSIGN TO INP FILE STATUS FS.",
        "FD  F.\n01  R PIC X(80).",
        "? OPEN INPUT F\n? READ F\n? CLOSE F",
    );
    std::fs::write(application.path().join("READS.cbl"), reads).expect("written");
    let expected = expect![[r#"
        -- NEW: 0
        00 OPEN INPUT F
        10 READ F
        00 CLOSE F
        -- ONE: 0
        00 OPEN INPUT F
        10 READ F
        00 CLOSE F
        -- TWO: 0
        00 OPEN INPUT F
        10 READ F
        00 CLOSE F
        -- THREE: 0
        SHOWN
        IDC0005I records processed: 0
        IDC0001I REPRO ended, condition code 0
        IDC0005I records processed: 1
        IDC0001I REPRO ended, condition code 0
        -- FOUR: 0
        IDC0001I DEFINE ended, condition code 0
        -- DEF: 0
        -- GDG: 0
        00 OPEN INPUT F
        10 READ F
        00 CLOSE F
        -- FIVE: 0
    "#]];
    let state = application.path().join("state");
    let _ = std::fs::remove_dir_all(state);
    let mut client = application.client();
    let text = job(&[
        "//NEW EXEC PGM=IEFBR14\n//D DD DSN=MY.NEW,DISP=(NEW,CATLG),RECFM=FB,LRECL=80\n//T DD DSN=&&T,DISP=(NEW,PASS),LRECL=80\n//U DD DISP=(,PASS),LRECL=80\n".into(),
        "//ONE EXEC PGM=READS\n//INP DD DSN=MY.NEW,DISP=SHR\n".into(),
        "//TWO EXEC PGM=READS\n//INP DD DSN=MY.NEW,DISP=SHR\n// DD DSN=&&T,DISP=(OLD,PASS)\n// DD DSN=*.NEW.U,DISP=(OLD,PASS)\n".into(),
        "//THREE EXEC PGM=READS\n//INP DD DSN=*.NEW.U,DISP=(OLD,DELETE)\n".into(),
        "//FOUR EXEC PGM=IDCAMS\n//O DD SYSOUT=*\n//SYSIN DD *\n REPRO IDS(MY.NEW) OUTFILE(O)\n REPRO INFILE(I) OUTFILE(O)\n/*\n//I DD *\nSHOWN\n/*\n".into(),
        "//DEF EXEC PGM=IDCAMS\n//SYSIN DD *\n DEFINE GDG (NAME(MY.G) LIMIT(3))\n/*\n".into(),
        "//GDG EXEC PGM=IEFBR14\n//D DD DSN=MY.G(+1),DISP=(NEW,CATLG),RECFM=FB,LRECL=80\n".into(),
        "//FIVE EXEC PGM=READS\n//INP DD DSN=MY.G(+1),DISP=SHR\n".into(),
    ]);
    let said = run(&application, &mut client, &text);
    expected.assert_eq(&said);
}

#[test]
fn a_region_is_operated_where_it_runs() {
    let application = application();
    let mut client = application.client();
    let text = "//A JOB\n//S EXEC PGM=SDSF\n//ISFOUT DD SYSOUT=*\n//ISFIN DD *\n /F CICSA,'CEMT SET FIL(A) CLO'\n/*\n";
    expect![[r#"
        CICSA does not run: CEMT SET FIL(A) CLO is not carried out
        -- S: 0
    "#]]
    .assert_eq(&run(&application, &mut client, text));
    let text = "//A JOB\n//S EXEC PGM=SDSF\n//ISFIN DD *\n /F CICSA,'CEMT SET FIL(A) CLO'\n /S CICSB\n/*\n";
    expect![[r#"
        job.jcl:5:1 SPJC021 the command /S of SDSF is not carried out (/F APPLID,'CEMT …' is; operate a region by `syncpoint cemt`)
    "#]].assert_eq(&run(&application, &mut client, text));
}

#[test]
fn what_former_releases_asked_of_a_volume_means_nothing() {
    let application = application();
    let mut client = application.client();
    let define = " DEFINE CLUSTER (NAME(MY.K) INDEXED KEYS(4 0) RECORDSIZE(10 10) UNIQUE IMBED) -\n DATA (NAME(MY.K.D) SUBALLOCATION)\n";
    let text = job(&[format!("//D EXEC PGM=IDCAMS\n//SYSIN DD *\n{define}/*\n")]);
    expect![[r#"
        IDC0001I DEFINE ended, condition code 0
        -- D: 0
    "#]]
    .assert_eq(&run(&application, &mut client, &text));
}
