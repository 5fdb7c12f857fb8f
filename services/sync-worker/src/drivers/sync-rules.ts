/**
 * Sync intervals of an account, and the mailboxes whose changes the account's server reports. All
 * times are in milliseconds.
 */
export interface SyncRules {
  /** Interval of `full` actions (syncs of the whole account), from start to start. */
  readonly fullMs: number
  /**
   * Time at which some mailbox of the account requires the next `full` action, in epoch
   * milliseconds.
   */
  readonly fullAt: number
  /**
   * Time at which some mailbox of the account requires the next `parts` action, in epoch
   * milliseconds.
   */
  readonly partsAt: number
  /**
   * Mean interval of `poll` actions (partial syncs). Measured from the end of the last `full` or
   * `poll` action.
   */
  readonly pollMs: number
  /**
   * Maximum deviation of a poll interval from `pollMs`, as a fraction of `pollMs`. Spreads the
   * polls of accounts over time.
   */
  readonly pollSpread: number
  /**
   * Minimum interval of `poll` actions that follow changes. Measured from the end of the last
   * `full` or `poll` action.
   */
  readonly minPollMs: number
  /**
   * Maximum age of the last complete sync. After this time, the next `poll` action reads the whole
   * account.
   */
  readonly completeMs: number
  /**
   * Interval of `list` actions (comparisons of the mailbox list). Measured from the end of the last
   * listing.
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

/**
 * Sync rules without any interval. Used between two connections of an account, and as a default of
 * the other rules.
 */
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
