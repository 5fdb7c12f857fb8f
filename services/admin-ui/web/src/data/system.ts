import type { ListKeysResult } from '@posthorn/client'
import { listKeys } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Public keys with which the installation seals secrets. */
export function useKeys(): Load<ListKeysResult> {
  return useLoad(['keys'], () => listKeys(calls.api))
}
