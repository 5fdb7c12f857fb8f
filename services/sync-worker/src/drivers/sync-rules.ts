/**
 * Sync intervals of an account, and the mailboxes whose changes the account's server reports. All
 * times are in milliseconds.
 */
export interface SyncRules {
  /** Interval of `full` actions (syncs of the whole account), from start to start. */
  readonly fullMs: number
  /**
   * Time of the next `full` action (sync of the whole account) that some mailbox requires, in epoch
   * milliseconds.
   */
  readonly fullAt: number
  /**
   * Time of the next `parts` action (sync of single mailboxes) that some mailbox requires, in epoch
   * milliseconds.
   */
  readonly partsAt: number
  /** Mean time from the last `full` or `poll` action to the next `poll` action (partial sync). */
  readonly pollMs: number
  /** Maximum deviation of a sync poll interval from `pollMs`, as a fraction. Spreads the polls. */
  readonly pollSpread: number
  /**
   * Minimum time from an account's last `full` or `poll` action (sync) to a `poll` action that
   * changes require.
   */
  readonly minPollMs: number
  /** Age of an account's last complete sync from which a `poll` action reads the whole account. */
  readonly completeMs: number
  /**
   * Time from the last listing of the mailboxes to the next `list` action (comparison of the
   * mailbox list).
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
