import type { ListMailProxiesResult } from '@posthorn/client'
import { listMailProxies } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Running process of a mail proxy, to which mail clients connect. */
export type MailProxyEntry = ListMailProxiesResult['mailProxies'][number]

/** Loads the running replicas of the mail proxies with their state. */
export function useMailProxies(): Load<ListMailProxiesResult> {
  return useLoad(['mail-proxies'], () => listMailProxies(calls.api), { everyMs: 5_000 })
}
