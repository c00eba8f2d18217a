      * COMMAREA of a routing program: COPY it below a level 01.
           05  DYRFUNC                   PIC X(1).
               88  DYRFUNC-SELECT        VALUE '0'.
               88  DYRFUNC-ERROR         VALUE '1'.
               88  DYRFUNC-ENDED         VALUE '2'.
               88  DYRFUNC-NOTIFY        VALUE '3'.
               88  DYRFUNC-ABENDED       VALUE '4'.
               88  DYRFUNC-INITIATED     VALUE '5'.
               88  DYRFUNC-COMPLETE      VALUE '6'.
           05  DYRCOMP                   PIC X(2).
           05  DYRFILL1                  PIC X(1).
           05  DYRERROR                  PIC X(1).
           05  DYROPTER                  PIC X(1).
           05  DYRQUEUE                  PIC X(1).
           05  DYRFILL2                  PIC X(1).
           05  DYRRETC                   PIC S9(8) COMP.
           05  DYRSYSID                  PIC X(4).
           05  DYRVER                    PIC S9(4) COMP.
           05  DYRTYPE                   PIC X(1).
           05  DYRFILL3                  PIC X(1).
           05  DYRTRAN                   PIC X(8).
           05  DYRCOUNT                  PIC S9(8) COMP.
           05  DYRBPNTR                  USAGE POINTER.
           05  DYRBLGTH                  PIC S9(8) COMP.
           05  DYRRTPRI                  PIC X(1).
           05  DYRFILL4                  PIC X(1).
           05  DYRPRTY                   PIC S9(4) COMP.
           05  DYRNETNM                  PIC X(8).
           05  DYRLPROG                  PIC X(8).
           05  DYRDTRXN                  PIC X(1).
           05  DYRDTRRJ                  PIC X(1).
           05  DYRFILL5                  PIC X(2).
           05  DYRSRCTK                  PIC X(4).
           05  DYRABNLC                  PIC X(4).
           05  DYRABCDE                  PIC X(4).
           05  DYRCABP                   PIC X(1).
           05  DYRLEVEL                  PIC X(1).
           05  DYRFILL6                  PIC X(2).
      * The application's COMMAREA.
           05  DYRACMAA                  USAGE POINTER.
           05  DYRACMAL                  PIC S9(8) COMP.
           05  DYRUAPTR                  USAGE POINTER.
      * Processes and activities: there are none.
           05  DYRCBTS.
               10  DYRPROCN              PIC X(36).
               10  DYRPROCT              PIC X(8).
               10  DYRACTN               PIC X(16).
               10  DYRACTID              PIC X(52).
               10  DYRPROCID             PIC X(52).
               10  DYRACTCMP             PIC X(1).
               10  DYRPROCCMP            PIC X(1).
               10  DYRFILL7              PIC X(10).
           05  DYRUSERID                 PIC X(8).
           05  DYRBRTK                   PIC X(8).
      * The channel of a LINK or START; blank: it has none.
           05  DYRCHANL                  PIC X(16).
      * Kept from one call about a task to the next.
           05  DYRUSER                   PIC X(1024).
