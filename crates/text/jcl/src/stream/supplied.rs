//! Procedures that come with a compiler, as far as jobs need them: their steps, symbols and ddnames are published, the text is ours.

use std::sync::Arc;

use diagnostics::Source;

const COMPILES: &str = "\
//COBOL EXEC PGM=IGYCRCTL
//SYSPRINT DD SYSOUT=*
//SYSLIN DD DSN=&&LOADSET,DISP=(MOD,PASS)
";
const LINKS: &str = "\
//LKED EXEC PGM=IEWBLINK,COND=(8,LT,COBOL)
//SYSPRINT DD SYSOUT=*
//SYSLIN DD DSN=&&LOADSET,DISP=(OLD,DELETE)
// DD DDNAME=SYSIN
//SYSLMOD DD DSN=&PGMLIB(&GOPGM),DISP=(MOD,PASS),SPACE=(TRK,(10,10,1))
";
const GOES: &str = "\
//GO EXEC PGM=*.LKED.SYSLMOD,COND=((8,LT,COBOL),(4,LT,LKED))
//SYSPRINT DD SYSOUT=*
";

/// Returns the text of a procedure of the COBOL compiler; `None` if the name is not one of those that are carried out.
pub(super) fn procedure(name: &str) -> Option<Arc<Source>> {
    let steps: &[&str] = match name {
        "IGYWC" => &[COMPILES],
        "IGYWCL" => &[COMPILES, LINKS],
        "IGYWCLG" => &[COMPILES, LINKS, GOES],
        _ => return None,
    };
    let symbols = "LNGPRFX=,LIBPRFX=,SYSLBLK=3200,PGMLIB=&&GOSET,GOPGM=GO";
    let text = format!("//{name} PROC {symbols}\n{}", steps.concat());
    Some(Source::new(format!("the procedure {name}"), text))
}
