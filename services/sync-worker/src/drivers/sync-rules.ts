/**
 * Sync intervals of an account, and the changes that the account's server reports. Times in
 * milliseconds.
 */
export interface SyncRules {
  /** Interval of `full` sync passes, from start to start. */
  readonly fullMs: number
  /** Time of the next `full` sync pass that a mailbox requires, in epoch milliseconds. */
  readonly fullAt: number
  /** Time of the next `parts` action that a mailbox requires, in epoch milliseconds. */
  readonly partsAt: number
  /** Mean interval of `poll` actions (partial syncs), from the end of the last pass. */
  readonly pollMs: number
  /** Maximum deviation from `pollMs`, as a share of it, so that polls spread over the accounts. */
  readonly pollSpread: number
  /** Minimum interval of `poll` actions after changes, from the end of the last pass. */
  readonly minPollMs: number
  /** Age of the last complete sync after which a poll reads the whole account. */
  readonly completeMs: number
  /** Interval of `list` actions (check of the mailbox list), from the end of the last listing. */
  readonly listMs: number
  /** Id of the mailbox whose changes the server reports, or `all`. */
  readonly reported: string | undefined
  /** Ids of mailboxes that have to be synced with each requested mailbox. */
  readonly related: readonly string[] | undefined
}

/**
 * Time, rules and random number for a transition of the sync schedule: `now` in epoch milliseconds,
 * `random` from 0 to 1.
 */
export interface SyncMoment {
  readonly now: number
  readonly rules: SyncRules
  readonly random: number
}

/** Sync rules between two connections, and of an account without intervals. */
export const noIntervals: SyncRules = {
  fullMs: Infinity,
  fullAt: Infinity,
  partsAt: Infinity,
  pollMs: Infinity,
  pollSpread: 1 / 3,
  minPollMs: 0,
  completeMs: Infinity,
  listMs: Infinity,
  reported: undefined,
  related: undefined,
}
