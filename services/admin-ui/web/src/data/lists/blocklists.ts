import type {
  AddToBlocklistInput,
  GetBlocklistResult,
  ListBlocklistsResult,
} from '@posthorn/client'
import { PosthornError } from '@posthorn/client/create-client'
import {
  addToBlocklist,
  getBlocklist,
  listBlocklists,
  removeFromBlocklist,
} from '@posthorn/client/operations'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Blocklist in the list of blocklists. */
export type Blocklist = ListBlocklistsResult['blocklists'][number]
/** Address on a blocklist. */
export type BlockedAddress = GetBlocklistResult['addresses'][number]
/** Request that adds an address to a blocklist. */
export type NewBlock = AddToBlocklistInput['body']

/** Cache key of the blocklists and their addresses. */
export const blocklistsKey = ['blocklists'] as const
const pageSize = 50
/** Entries per request when a whole blocklist is downloaded. */
const downloadPageSize = 1000
/**
 * Maximum number of addresses in a downloaded file, so that the page does not run out of memory.
 */
export const maxDownloadedAddresses = 200_000

/** Loads a page of the list of blocklists. */
export function useBlocklists(page: number): Load<ListBlocklistsResult> {
  const load = () => listBlocklists(calls.api, { page, pageSize })
  return useLoad([...blocklistsKey, 'list', page], load)
}

/**
 * Loads a page of the addresses on a blocklist. A blocklist without addresses does not exist at the
 * API, and is shown as an empty list.
 */
export function useBlocklist(listId: string, page: number): Load<GetBlocklistResult> {
  const load = async (): Promise<GetBlocklistResult> => {
    try {
      return await getBlocklist(calls.api, { listId, page, pageSize })
    } catch (error) {
      if (error instanceof PosthornError && error.status === 404)
        return { listId, total: 0, page: 0, pages: 0, addresses: [] }
      throw error
    }
  }
  return useLoad([...blocklistsKey, 'one', listId, page], load)
}

/** Reads all addresses on a blocklist, up to `maxDownloadedAddresses`. */
export async function readBlocklist(listId: string): Promise<BlockedAddress[]> {
  const addresses: BlockedAddress[] = []
  const all = getBlocklist.all(calls.api, { listId, pageSize: downloadPageSize })
  for await (const address of all) {
    addresses.push(address)
    if (addresses.length >= maxDownloadedAddresses) break
  }
  return addresses
}

/** Calls that change blocklists. */
export const blocklistActions = {
  add: ({ listId, block }: { listId: string; block: NewBlock }) =>
    addToBlocklist(calls.api, { listId, body: block }),
  remove: ({ listId, recipient }: { listId: string; recipient: string }) =>
    removeFromBlocklist(calls.api, { listId, recipient }),
}
