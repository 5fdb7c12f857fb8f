import { getLogs } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { mailKey } from './mail.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Interval in milliseconds at which an open page reads the protocol log again. */
const refreshMs = 10_000

/** Loads the protocol log of an account. The log is dropped when the right to read mail ends. */
export function useAccountLog(account: string, isLive: boolean): Load<string> {
  return useLoad([...mailKey, 'log', account], () => getLogs(calls.api, { account }), {
    isSlow: true,
    ...(isLive && { everyMs: refreshMs }),
  })
}
