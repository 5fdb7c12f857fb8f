import type { SyncMoment, SyncRules } from './sync-rules.ts'
import { addUnreported, type NamedMessage, type UnreportedMessage } from './unreported-messages.ts'

/** Kinds of sync actions of an account, in order of precedence. */
const actions = ['full', 'poll', 'parts', 'list'] as const

/**
 * Kind of a sync action: `full` syncs the whole account, `poll` the mailboxes that may have
 * changed, `parts` the mailboxes and messages that triggers named. `list` only compares the mailbox
 * list.
 */
export type SyncAction = (typeof actions)[number]

/** Mailboxes and messages of an account that sync triggers named, by id. */
interface NamedParts {
  readonly mailboxes: ReadonlySet<string>
  /** Ids of mailboxes that the sync selects even if their counters did not change. */
  readonly reselect: ReadonlySet<string>
  readonly messages: ReadonlyMap<string, NamedMessage>
  /** True if the mail provider sent a notification without naming messages. */
  readonly isUnnamed: boolean
  /** True if provider notifications were lost, so that all messages have to be compared. */
  readonly isMissed: boolean
}

/** Sync action in progress, and the triggers that the action serves. */
export interface SyncPass extends NamedParts {
  readonly action: SyncAction
  readonly startedAt: number
  /** True if the sync action reads the whole account. False if it reads a part of the account. */
  readonly isComplete: boolean
  /**
   * True if the mailbox list has to be compared because of a mail server's notification, or because
   * a sync found changes at a server with NOTIFY.
   */
  readonly isListNotified: boolean
  /** True if the mailboxes have to be listed over a new connection. */
  readonly isListOld: boolean
}

/** Result of a sync action. */
export interface SyncOutcome {
  /** True if the sync action left full rounds (comparisons of all messages) to do. */
  readonly hasRounds?: boolean
  readonly hasChanges?: boolean
  /** Time at which a sync must read a pending message, a refused folder or a message list again. */
  readonly retryAt?: number | undefined
  /** Messages that triggers named, but no feed (list of changes) reported. */
  readonly unreported?: readonly UnreportedMessage[]
  /** True if the account may change again soon, so that another sync should follow. */
  readonly isUnsettled?: boolean
  readonly isListChanged?: boolean
  /** Ids of the mailboxes that another sync has to include. */
  readonly mailboxes?: readonly string[]
}

/** State of the sync schedule of one account: triggers that no action has served, and times. */
export interface SyncSchedule extends NamedParts {
  /** Sync action in progress. Absent while the sync schedule waits. */
  readonly running?: SyncPass | undefined
  /** Time at which a requested full sync (`full` action) is due; Infinity if none is requested. */
  readonly fullAt: number
  /** Time of a sync (`poll` action) that is required because the mailbox list changed. */
  readonly pollAt: number
  /** Time of the account's first change that no sync (`full` or `poll` action) has followed yet. */
  readonly unsettledAt: number
  /** Time of a second full sync, if the first full sync after a notification found no changes. */
  readonly repeatAt: number
  /** Time at which a sync must read a pending message, a refused folder or a message list again. */
  readonly retryAt: number
  /** Time from which the last push (notification of a provider) is served. */
  readonly pushAt: number
  /** Start time of the last sync of the whole account. */
  readonly completeAt: number
  /** End time of the last sync (`full` or `poll`) of the account. During a sync, its start time. */
  readonly passedAt: number
  /** Random position of the next sync poll in the range of poll intervals, from -1 to 1. */
  readonly spread: number
  /** End time of the last listing of the mailboxes. */
  readonly listedAt: number
  readonly isListNotified: boolean
  /** Start time of the last listing of the mailboxes over a new connection. */
  readonly relistedAt: number
  /**
   * True if the next `full` action has to list the mailboxes over a new connection: the current
   * connection may return an outdated list.
   */
  readonly isRelistRequested: boolean
}

/**
 * Delay of a second full sync if the first sync after a provider's notification found no changes: a
 * notification may arrive before its changes can be read.
 */
const repeatMs = 1_000
/** Minimum interval of checks of the mailbox list that follow notifications or changes. */
const notifiedListMs = 2_000
/** Maximum age of a connection's mailbox list. A new connection reads an older list again. */
const maxListAgeMs = 3_600_000

const noParts: NamedParts = {
  mailboxes: new Set(),
  reselect: new Set(),
  messages: new Map(),
  isUnnamed: false,
  isMissed: false,
}

/** Sync schedule of an account that has no connection to its mail system. */
export const stopped: SyncSchedule = {
  ...noParts,
  fullAt: Infinity,
  pollAt: Infinity,
  unsettledAt: Infinity,
  repeatAt: Infinity,
  retryAt: Infinity,
  pushAt: -Infinity,
  completeAt: 0,
  passedAt: 0,
  spread: 0,
  listedAt: 0,
  isListNotified: false,
  relistedAt: 0,
  isRelistRequested: false,
}

/**
 * Creates the sync schedule of a new connection: a sync of the whole account is due. This sync
 * serves the triggers that the previous connection did not serve.
 */
export function start(before: SyncSchedule, now: number): SyncSchedule {
  const { running = noParts } = before
  return {
    ...stopped,
    fullAt: now,
    completeAt: now,
    passedAt: now,
    listedAt: now,
    relistedAt: now,
    reselect: new Set([...before.reselect, ...running.reselect]),
    messages: new Map([...running.messages, ...before.messages]),
    isUnnamed: before.isUnnamed || running.isUnnamed,
    isMissed: before.isMissed || running.isMissed,
  }
}

/** Next action of the sync schedule, and the time of the action, at the earliest `now`. */
export function next(
  schedule: SyncSchedule,
  { now, rules }: SyncMoment,
): { action: SyncAction; at: number } {
  const times = dueTimes(schedule, rules)
  const at = Math.max(now, Math.min(...Object.values(times)))
  return { action: actions.find((action) => times[action] <= at) ?? 'full', at }
}

/** True if full rounds (of all messages) have to wait for a requested action or a due poll. */
export function mustYield(schedule: SyncSchedule, { now, rules }: SyncMoment): boolean {
  const { fullAt, messages } = schedule
  const isNamed = [...messages.values()].some(({ tries, at }) => tries === 0 && at <= now)
  return isNamed || Math.min(fullAt, dueTimes(schedule, rules).poll) <= now
}

/** Time from `now` until the mailbox list may be checked after a notification, in milliseconds. */
export function notifiedListDelayMs({ listedAt }: SyncSchedule, { now }: SyncMoment): number {
  return Math.max(0, listedAt + notifiedListMs - now)
}

/**
 * Starts a sync action, which serves earlier triggers. Mailboxes to select wait for `parts`. So do
 * requested mailboxes during a poll, which compares counters only.
 *
 * @throws Error while another action is in progress
 */
export function begin(
  schedule: SyncSchedule,
  moment: SyncMoment,
  action: SyncAction,
): SyncSchedule & { running: SyncPass } {
  if (schedule.running) throw new Error('Passes of an account must not overlap')
  const running = passOf(schedule, moment, action)
  if (action === 'list') return { ...schedule, isListNotified: false, running }
  const { now } = moment
  const isFull = action === 'full'
  const rest = { fullAt: Infinity, isUnnamed: false, isMissed: false, isRelistRequested: false }
  return {
    ...schedule,
    ...(isPass(action)
      ? { pollAt: Infinity, unsettledAt: Infinity, passedAt: now, isListNotified: false }
      : { reselect: noParts.reselect }),
    ...(running.isComplete && { completeAt: now }),
    ...(isFull && rest),
    ...(isFull && schedule.repeatAt <= now && { repeatAt: Infinity }),
    running,
    mailboxes: action === 'poll' ? schedule.mailboxes : noParts.mailboxes,
    messages: new Map([...schedule.messages].filter(([, { at }]) => at > now)),
  }
}

/** True if a sync action syncs the account, not only named parts or the mailbox list. */
function isPass(action: SyncAction): boolean {
  return action === 'full' || action === 'poll'
}

/** Creates a sync action from the triggers of the schedule that the action serves. */
function passOf(schedule: SyncSchedule, { now, rules }: SyncMoment, action: SyncAction): SyncPass {
  const { isListNotified, completeAt, relistedAt } = schedule
  const isFull = action === 'full'
  const isComplete = isFull || (action === 'poll' && now - completeAt >= rules.completeMs)
  const isListOld = now >= relistedAt + maxListAgeMs || (isFull && schedule.isRelistRequested)
  const started = { action, startedAt: now, isComplete, isListNotified, isListOld }
  if (action === 'list') return { ...noParts, ...started }
  return {
    ...started,
    mailboxes: action === 'poll' ? noParts.mailboxes : schedule.mailboxes,
    reselect: isPass(action) ? noParts.reselect : schedule.reselect,
    messages: new Map([...schedule.messages].filter(([, { at }]) => at <= now)),
    isUnnamed: isFull && schedule.isUnnamed,
    isMissed: isFull && schedule.isMissed,
  }
}

/** Ends the sync action in progress. @throws Error if no action is in progress */
export function end(
  schedule: SyncSchedule,
  { now, random, rules }: SyncMoment,
  outcome: SyncOutcome,
): SyncSchedule {
  const { running } = schedule
  if (!running) throw new Error('No action of the account is in progress')
  const { action, isUnnamed, isListOld, startedAt } = running
  // While a sync has selected a mailbox, a server with NOTIFY does not report the counters of that
  // mailbox. A change after the sync has read the mailbox would be found by the next poll only.
  const mayHideChanges = rules.reported === 'all' && outcome.isUnsettled && action !== 'list'
  return {
    ...withOutcome(schedule, outcome, now),
    ...(isPass(action) && { passedAt: now, spread: random * 2 - 1 }),
    ...(isPass(action) && isListOld && { relistedAt: startedAt }),
    ...(action !== 'parts' && { listedAt: now }),
    ...(isUnnamed && !outcome.hasChanges && { repeatAt: now + repeatMs }),
    ...(mayHideChanges && { isListNotified: true }),
    running: undefined,
  }
}

/** Adds the times, mailboxes and messages of further syncs that a sync result requires. */
function withOutcome(schedule: SyncSchedule, outcome: SyncOutcome, now: number): SyncSchedule {
  const { hasRounds, isUnsettled, isListChanged, retryAt = Infinity, mailboxes = [] } = outcome
  return {
    ...schedule,
    ...(hasRounds && { fullAt: now }),
    ...(isUnsettled && { unsettledAt: Math.min(schedule.unsettledAt, now) }),
    ...(isListChanged && { isRelistRequested: true }),
    retryAt,
    mailboxes: new Set([...schedule.mailboxes, ...mailboxes]),
    messages: addUnreported(schedule, outcome.unreported ?? [], now),
  }
}

function dueTimes(schedule: SyncSchedule, rules: SyncRules): Readonly<Record<SyncAction, number>> {
  const { repeatAt, completeAt, passedAt, unsettledAt } = schedule
  const { listedAt, mailboxes, reselect, messages } = schedule
  const hasMailboxes = mailboxes.size > 0 || reselect.size > 0
  const listMs = Math.min(schedule.isListNotified ? notifiedListMs : Infinity, rules.listMs)
  return {
    full: Math.min(schedule.fullAt, repeatAt, completeAt + rules.fullMs, rules.fullAt),
    poll: Math.min(
      schedule.pollAt,
      Math.max(unsettledAt, passedAt + rules.minPollMs),
      passedAt + rules.pollMs * (1 + schedule.spread * rules.pollSpread),
    ),
    parts: hasMailboxes
      ? -Infinity
      : Math.min(schedule.retryAt, rules.partsAt, ...[...messages.values()].map(({ at }) => at)),
    list: listedAt + listMs,
  }
}
