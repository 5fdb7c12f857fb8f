/**
 * States of a delivery, their triggers and the next states.
 *
 * `claimed` and `attempting` are stored as `due` with `claim` set: until the lease ends the row
 * belongs to one process. The other states are the values of `deliveries.state`.
 *
 * | state | trigger | next | committed |
 * |---|---|---|---|
 * | due | claim | claimed | owner and lease, by the fan-out or by a poll |
 * | due | defer | due | due again in 0.5 s: an earlier one of its account and lane is unfinished |
 * | claimed | begin | attempting | attempt count, before the call: the intent record |
 * | claimed | release | due | no owner; an intent record without a call is subtracted |
 * | claimed | drop | dropped | target or event no longer exists |
 * | claimed | exhaust | failed | `interrupted`: the last process died; `too-large`: the body |
 * | claimed | expire | due | nothing: the lease was not renewed |
 * | attempting | accept | delivered | response 2xx |
 * | attempting | retry | due | failure and time of the next attempt |
 * | attempting | fail | failed | permanent failure, or the last attempt failed |
 * | attempting | cancel | due | call aborted by shutdown: attempt subtracted |
 * | attempting | excuse | due | fault of the proxy: attempt subtracted, retried later |
 * | attempting | expire | due | nothing: the attempt stays counted and is repeated |
 * | failed | replay | failed | `replayed_at`, and a new delivery in `due` |
 */
export const transitions = {
  due: { claim: 'claimed', defer: 'due' },
  claimed: {
    begin: 'attempting',
    release: 'due',
    drop: 'dropped',
    exhaust: 'failed',
    expire: 'due',
  },
  attempting: {
    accept: 'delivered',
    retry: 'due',
    fail: 'failed',
    cancel: 'due',
    excuse: 'due',
    expire: 'due',
  },
  delivered: {},
  dropped: {},
  failed: { replay: 'failed' },
} as const

type Transitions = typeof transitions
export type DeliveryState = keyof Transitions
export type DeliveryTrigger<S extends DeliveryState = 'claimed' | 'attempting'> =
  S extends DeliveryState ? keyof Transitions[S] : never
/** States that a process records when the process ends a claim. */
export type RecordedState = Exclude<DeliveryState, 'claimed' | 'attempting'>

/** Next state. The types admit only the triggers of the state. */
export function transition<S extends DeliveryState, T extends keyof Transitions[S]>(
  state: S,
  trigger: T,
): Transitions[S][T] {
  return transitions[state][trigger]
}
