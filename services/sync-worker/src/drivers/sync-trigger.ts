import type { SyncMoment } from './sync-rules.ts'
import type { SyncSchedule } from './sync-schedule.ts'

/** Cause of a sync action of an account. Triggers that are not served yet are merged. */
export type SyncTrigger =
  | ({ kind: 'request' } & SyncRequest)
  /** Notification of a provider; `isMissed`: earlier notifications were lost. */
  | { kind: 'push'; messages?: Iterable<ChangedMessage> | undefined; isMissed?: boolean }
  /** Notifications of a mail server's connection. */
  | ({ kind: 'notification' } & ConnectionChanges)
  /** A mailbox whose state may change again soon. */
  | { kind: 'unsettled' }

/** Sync that a command requests. */
export interface SyncRequest {
  /** True to sync the whole account. */
  readonly all?: true
  /** Mailboxes that were changed, by id. */
  readonly mailboxes?: Iterable<string>
  /** Id of a mailbox to select independent of its counters. */
  readonly reselect?: string
  /** Messages that were changed. */
  readonly messages?: Iterable<ChangedMessage>
}

interface ChangedMessage {
  readonly id: string
  readonly isDeleted?: boolean | undefined
}

/** Notifications of a mail server's connection that require sync actions. */
interface ConnectionChanges {
  /** True if the watched mailbox changed. */
  readonly isMainChanged: boolean
  /** Other changed mailboxes, by id. */
  readonly mailboxes: ReadonlySet<string>
  /** True if the list of mailboxes changed. */
  readonly list: boolean
  /** True if the server stopped notifying of other mailboxes. */
  readonly overflow: boolean
  /** True after any notification other than the counters of a mailbox. */
  readonly notified: boolean
}

/** Maximum messages that are read separately. More messages request a sync of the account. */
const maxMessages = 100
/**
 * Period of pushes (notifications of a provider) that are served together. Providers send `created`
 * and `updated` for one arrival within this time.
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
  // Changes of mailboxes that the server reports anyway need no requested sync.
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
 * Serves the first push (notification of a provider) immediately, and later pushes together at the
 * end of each 200 ms.
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
 * Adds messages to the sync schedule, to read at `at`. A message counts as deleted if all triggers
 * of the message agree.
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
