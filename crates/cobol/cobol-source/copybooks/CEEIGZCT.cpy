      * Language Environment: names for the feedback codes of its date
      * services, to stand under an 8-byte Condition-Token-Value.
           88  CEE000     VALUE X'0000000000000000'.
           88  CEE2EB     VALUE X'000309CB59C3C5C5'.
           88  CEE2EC     VALUE X'000309CC59C3C5C5'.
           88  CEE2ED     VALUE X'000309CD59C3C5C5'.
           88  CEE2EE     VALUE X'000309CE59C3C5C5'.
           88  CEE2EF     VALUE X'000309CF59C3C5C5'.
           88  CEE2EG     VALUE X'000309D059C3C5C5'.
           88  CEE2EH     VALUE X'000309D159C3C5C5'.
           88  CEE2EI     VALUE X'000309D259C3C5C5'.
           88  CEE2EJ     VALUE X'000309D359C3C5C5'.
           88  CEE2EK     VALUE X'000309D459C3C5C5'.
           88  CEE2EL     VALUE X'000309D559C3C5C5'.
           88  CEE2EM     VALUE X'000309D659C3C5C5'.
           88  CEE2EN     VALUE X'000309D759C3C5C5'.
           88  CEE2EO     VALUE X'000309D859C3C5C5'.
           88  CEE2EP     VALUE X'000309D959C3C5C5'.
