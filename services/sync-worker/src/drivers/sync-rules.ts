/**
 * Sync intervals of an account, and the mailboxes whose changes the account's server reports. All
 * times are in milliseconds.
 */
export interface SyncRules {
  /** Interval of `full` actions (syncs of the whole account), from start to start. */
  readonly fullMs: number
  /** Time of the next `full` action that some mailbox requires, in epoch milliseconds. */
  readonly fullAt: number
  /** Time of the next `parts` action that some mailbox requires, in epoch milliseconds. */
  readonly partsAt: number
  /** Mean interval of `poll` actions (partial syncs) since the last `full` or `poll` action. */
  readonly pollMs: number
  /** Maximum deviation of a poll interval from `pollMs`, as a fraction. Spreads the polls. */
  readonly pollSpread: number
  /** Minimum interval of a `poll` action after changes since the last `full` or `poll` action. */
  readonly minPollMs: number
  /** Age of the last complete sync from which a `poll` action reads the whole account. */
  readonly completeMs: number
  /**
   * Interval of `list` actions (comparisons of the mailbox list) since the mailboxes were last
   * listed.
   */
  readonly listMs: number
  /** Id of the mailbox whose changes the server reports without a poll, or `all` mailboxes. */
  readonly reported: string | undefined
  /** Ids of mailboxes that are synced whenever a sync of another mailbox is requested. */
  readonly related: readonly string[] | undefined
}

/**
 * Current time, sync rules and a random number, for a transition of the sync schedule. `now` is in
 * epoch milliseconds, `random` is between 0 and 1.
 */
export interface SyncMoment {
  readonly now: number
  readonly rules: SyncRules
  readonly random: number
}

/** Sync rules without intervals, for example between two connections of an account. */
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
