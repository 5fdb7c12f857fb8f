import type { SyncMoment } from './sync-rules.ts'
import type { SyncSchedule } from './sync-schedule.ts'

/** Trigger (cause) of a sync action of an account. Unserved triggers are merged. */
export type SyncTrigger =
  | ({ kind: 'request' } & SyncRequest)
  /** A mail provider sent a notification. `isMissed` is true if earlier notifications were lost. */
  | { kind: 'push'; messages?: Iterable<ChangedMessage> | undefined; isMissed?: boolean }
  /** A mail server sent notifications over a connection of the account. */
  | ({ kind: 'notification' } & ConnectionChanges)
  /** The state of a mailbox may change again soon, so that a sync must follow. */
  | { kind: 'unsettled' }

/** Request of a command to sync an account or parts of the account. */
export interface SyncRequest {
  /**
   * True if the command requires a sync of the whole account, not only of the named mailboxes and
   * messages.
   */
  readonly all?: true
  /** Ids of the mailboxes that the command changed, which have to be synced. */
  readonly mailboxes?: Iterable<string>
  /** Id of a mailbox that the sync selects even if its counters did not change. */
  readonly reselect?: string
  /** Messages that the command changed, which have to be read. */
  readonly messages?: Iterable<ChangedMessage>
}

interface ChangedMessage {
  readonly id: string
  readonly isDeleted?: boolean | undefined
}

/** Changes reported by a mail server's notifications that require sync actions. */
interface ConnectionChanges {
  /** True if the mailbox that the sync connection watches changed. */
  readonly isMainChanged: boolean
  /** Ids of other mailboxes of which the server reported changes. */
  readonly mailboxes: ReadonlySet<string>
  /** True if the notifications report a change of the list of mailboxes. */
  readonly list: boolean
  /**
   * True if the mail server stopped sending notifications about mailboxes that are not selected.
   */
  readonly overflow: boolean
  /** True if the mail server sent any notification besides the counters of a mailbox. */
  readonly notified: boolean
}

/**
 * Maximum messages named by sync triggers that are read one by one. More messages cause a `full`
 * sync.
 */
const maxMessages = 100
/**
 * Period in which pushes (notifications of a provider) are merged. Providers send `created` and
 * `updated` for one new message within this time.
 */
const pushMs = 200

/** Adds a trigger to a sync schedule. During an action, the trigger waits for a later action. */
export function addTrigger(
  schedule: SyncSchedule,
  moment: SyncMoment,
  trigger: SyncTrigger,
): SyncSchedule {
  switch (trigger.kind) {
    case 'request':
      return onRequest(schedule, moment, trigger)
    case 'push':
      return onPush(schedule, moment, trigger)
    case 'notification':
      return onNotification(schedule, moment, trigger)
    case 'unsettled':
      return withPoll(schedule, moment.now)
  }
}

function onRequest(
  schedule: SyncSchedule,
  { now, rules }: SyncMoment,
  { all, mailboxes = [], reselect, messages = [] }: SyncRequest,
): SyncSchedule {
  const { reported, related } = rules
  const changed = [...mailboxes]
  // If the server reports the changes of a mailbox anyway, a command that changes the mailbox need
  // not request a sync.
  const toSync = changed.filter((id) => reported !== 'all' && reported !== id)
  const requested: SyncSchedule = {
    ...schedule,
    ...(all && { fullAt: now, isRelistRequested: true }),
    ...(reselect !== undefined && { reselect: new Set([...schedule.reselect, reselect]) }),
    mailboxes: new Set([...schedule.mailboxes, ...toSync]),
  }
  const named = withMessages(requested, messages, now)
  if (!related || changed.length === 0) return named
  return withPoll({ ...named, mailboxes: new Set([...named.mailboxes, ...related]) }, now)
}

/**
 * Adds a push (notification of a provider) to the sync schedule. The first push is served
 * immediately. Pushes that follow within 200 ms are merged and served at the end of this period.
 */
function onPush(
  schedule: SyncSchedule,
  { now }: SyncMoment,
  { messages, isMissed }: Extract<SyncTrigger, { kind: 'push' }>,
): SyncSchedule {
  const { pushAt: lastAt, fullAt } = schedule
  const pushAt = now < lastAt ? lastAt : Math.max(now, lastAt + pushMs)
  if (messages && !isMissed) return withMessages({ ...schedule, pushAt }, messages, pushAt)
  const reason = isMissed ? { isMissed } : { isUnnamed: true }
  return { ...schedule, ...reason, pushAt, fullAt: Math.min(fullAt, pushAt) }
}

/**
 * Adds the notifications of a mail server's connection to the sync schedule. A check of the mailbox
 * list follows, because servers may announce the deletion of a mailbox only by other notifications.
 * A poll follows changes: new mail is often filed in another mailbox, and Dovecot 2.3 may not
 * report other mailboxes while it executes a command.
 */
function onNotification(
  schedule: SyncSchedule,
  { now }: SyncMoment,
  { isMainChanged, mailboxes, list, overflow, notified }: ConnectionChanges,
): SyncSchedule {
  const hasMailboxes = mailboxes.size > 0
  const changed: SyncSchedule = {
    ...schedule,
    ...(overflow && { fullAt: now }),
    ...(list && { pollAt: now }),
    ...((notified || hasMailboxes) && { isListNotified: true }),
    mailboxes: new Set([...schedule.mailboxes, ...mailboxes]),
  }
  return isMainChanged || hasMailboxes || list ? withPoll(changed, now) : changed
}

function withPoll(schedule: SyncSchedule, now: number): SyncSchedule {
  return { ...schedule, unsettledAt: Math.min(schedule.unsettledAt, now) }
}

/**
 * Adds messages to the sync schedule. The messages are read at the time `at`. A message counts as
 * deleted only if all triggers of the message say so.
 */
function withMessages(
  schedule: SyncSchedule,
  changed: Iterable<ChangedMessage>,
  at: number,
): SyncSchedule {
  const messages = new Map(schedule.messages)
  for (const { id, isDeleted = false } of changed) {
    const before = messages.get(id)
    const isFirst = before === undefined || before.tries > 0
    messages.set(id, {
      isDeleted: isDeleted && (isFirst || before.isDeleted),
      tries: 0,
      at: Math.min(at, before?.at ?? at),
    })
  }
  const isRepeat = ([, { tries }]: [string, { tries: number }]) => tries > 0
  const repeated = [...messages].filter(isRepeat)
  if (messages.size - repeated.length <= maxMessages) return { ...schedule, messages }
  return { ...schedule, messages: new Map(repeated), fullAt: Math.min(schedule.fullAt, at) }
}
