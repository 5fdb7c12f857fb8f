import { accountTypes, type Backend } from '@posthorn/contracts/account-types'
import { stateFilter } from './account-states.ts'
import { providerKinds } from './provider-names.ts'
import { filtersOf } from './query-filters.ts'

/** Mail systems of accounts, by their names in the API. */
export const backends = Object.keys(accountTypes) as Backend[]

/** Filters of the list of accounts in the address of the page. An unknown value is no filter. */
export function accountFilters(query: Readonly<Record<string, string>>) {
  const state = stateFilter(query['state'])
  const backend = backends.find((each) => each === query['backend'])
  const provider = providerKinds.find((each) => each === query['provider'])
  const { worker, ...texts } = filtersOf(query, ['query', 'errorCode', 'worker'])
  return {
    ...texts,
    ...(state !== undefined && { state }),
    ...(backend !== undefined && { backend }),
    ...(provider !== undefined && { provider }),
    // A part of the id of a worker is no filter, because the API accepts whole ids only.
    ...(worker !== undefined && /^[0-9a-f-]{36}$/i.test(worker) && { worker }),
  }
}
