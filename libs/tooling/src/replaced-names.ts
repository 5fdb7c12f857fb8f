/**
 * Names that the glossary has replaced, as whole identifiers. A name that is still allowed with
 * another meaning (`place`, `Target`, `open`) is not listed.
 */
export const replacedNames: ReadonlySet<string> = new Set(
  `
  Admitted Afterwards Answerer Answers Asked AskOptions Asker Attendant BodyRoom Borrowed ByteBudget CallType ChangeTeller
  Circumstances Composed ConnectionRoom DoorAddress DoorKey DoorRules DoorSession DoorSessions DoorVisit Doubts Errand Fitting
  FollowedListener Found Gathered Given GivenAccount GivenOAuth2 GivenServer Ground Grounds Guests Habits Happening HeaderPlace
  Held HeldStanding HitRoom Holding InHand Intake Kept KeptChannel Known KnownBounces KnownClients KnownMailboxes LargePieces
  Letter ListWish LoginTurns Lanes Look MadeDelivery MailboxLocks NoAnswer NotAttempted NotesOfRoutes Occurrence OnceKey
  OpenAnswer Opened OpenedMailbox Opener OpenMailbox PageWish Patience Penalties Places QuestionExchange ReadingWish RouteBook
  RouteNotes RoundResult ServerHabits Sought Standing Standings Stands SummaryRound TextWish TlsTickets Told ToldChange
  ToldRename Tried Visitor WaitingRows WatchedQueue Wish Wished Wishes Written
  afterwards answerOnce askAll askStream askWorker askWorkerForStream askersOf assertSameMailbox assertSameReceiver
  assertSameWay assertServes atMost attemptsAfter beforeHandover beforeLong believesProxies bothServers bringUpToDate builtOnce
  changeFound commitTogether countAhead createSlots credentialsPatienceMs cutBehind dropDisbelieved endingOf ensureStandings
  everyFew explainVerdict fillEmpties fillNew filedOf findEarlier findKnownPaths followListener forgetExpired forgetGoneRoutes
  giveBack giveBackClosed giveBackOld giveIds hasInHand hasLeft haveInHand healMs heldRows holdDeliveries inBatches
  isOfGoneAccount isTroubled keepApiKey keepHouse keepLastUse keepLinkKey keepRouteNotes keepServiceSecret keepTokenLog
  keepTranscripts keysFit knownRoutes knowsAskers learnLabels learnUidValidity leaveWait lockStandings loginOpener lookAtAll
  lookGapMs lookOf mustBeServed needsLook noteAtDoor noteRequest nobodyThere onRoom onTaken openAccess openGround openHeader
  openIndexed openLogin openPublicPages openSummaries openTargets orAbort patienceMs placeOfPassword queueTogether quickRoundMs
  readOrigin roomOfNew saveStandings sendAway takeIn takeInNew takeInto takeTurns tellChanges tellFlags tellSkipped theList
  tidyCounters tooLate tryServers turnPartitions turnToAll unlessAborted unlessGone waitBefore watchOver watchSessions
  doubtful inDoubt isDoubtful isInDoubt whatEnded whatRuns whatToLookAt whoseGrant wishFor wishForAll wishToOpen withTold
  `
    .trim()
    .split(/\s+/),
)

/**
 * Participles that are not allowed as names in code, because a name has to say what the thing is.
 */
export const bareParticiples: ReadonlySet<string> = new Set([
  'asked',
  'found',
  'given',
  'heard',
  'known',
  'said',
  'sought',
  'told',
])
