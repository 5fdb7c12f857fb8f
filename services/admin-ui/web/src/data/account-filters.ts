import { accountTypes, type Backend } from '@posthorn/contracts/account-types'
import { stateFilter } from './account-states.ts'
import { providerKinds } from './provider-names.ts'
import { filtersOf } from './query-filters.ts'

/** Mail systems of accounts, by their names in the API. */
export const backends = Object.keys(accountTypes) as Backend[]

/** Pattern of a whole worker id. The API accepts no part of an id. */
const workerId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** True if the address of the page has a worker that is not the whole id of a worker. */
export function hasPartialWorker({ worker = '' }: Readonly<Record<string, string>>): boolean {
  return worker !== '' && !workerId.test(worker)
}

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
    ...(worker !== undefined && !hasPartialWorker(query) && { worker }),
  }
}
