import type { ListKeysResult } from '@posthorn/client'
import { listKeys } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { type LoadOptions, useLoad } from './use-load.ts'

/** Loads the public keys with which the installation seals secrets. */
export function useKeys(options: LoadOptions): Load<ListKeysResult> {
  return useLoad(['keys'], () => listKeys(calls.api), options)
}
