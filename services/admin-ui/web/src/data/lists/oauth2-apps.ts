import type {
  CheckOAuth2AppResult,
  CreateOAuth2AppInput,
  GetOAuth2AppResult,
  ListOAuth2AppsResult,
  UpdateOAuth2AppInput,
} from '@posthorn/client'
import {
  checkOAuth2App,
  createOAuth2App,
  deleteOAuth2App,
  getOAuth2App,
  listOAuth2Apps,
  updateOAuth2App,
} from '@posthorn/client/operations'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** OAuth2 application in the list of applications. */
export type OAuth2App = ListOAuth2AppsResult['apps'][number]
/** OAuth2 application with the number of its accounts and their use of the mail API. */
export type OAuth2AppRecord = GetOAuth2AppResult
/** Kind of an OAuth2 application, such as `gmail`. */
export type OAuth2Provider = OAuth2App['provider']
/** Request that registers an OAuth2 application. */
export type OAuth2AppBody = CreateOAuth2AppInput['body']
/** Request that changes an OAuth2 application. */
export type OAuth2AppChanges = UpdateOAuth2AppInput['body']
/** Result of each step in the check of an OAuth2 application. */
export type OAuth2AppCheck = CheckOAuth2AppResult

/** Cache key of the OAuth2 applications. */
export const oauth2AppsKey = ['oauth2Apps'] as const

/** Maximum number of OAuth2 applications on a page of the list, which the API permits. */
const pageSize = 1000

/** Loads a page of the list of OAuth2 applications. */
export function useOAuth2Apps(page: number): Load<ListOAuth2AppsResult> {
  return useLoad([...oauth2AppsKey, 'list', page], () =>
    listOAuth2Apps(calls.api, { page, pageSize }),
  )
}

/** Loads the settings of an OAuth2 application. Secrets are masked. */
export function useOAuth2App(app: string): Load<OAuth2AppRecord> {
  return useLoad([...oauth2AppsKey, 'one', app], () => getOAuth2App(calls.api, { app }))
}

/** Calls that change or check OAuth2 applications. */
export const oauth2AppActions = {
  add: (body: OAuth2AppBody) => createOAuth2App(calls.api, { body }),
  change: ({ app, changes }: { app: string; changes: OAuth2AppChanges }) =>
    updateOAuth2App(calls.api, { app, body: changes }),
  remove: (app: string) => deleteOAuth2App(calls.api, { app }),
  check: ({ app, account }: { app: string; account: string }): Promise<OAuth2AppCheck> =>
    checkOAuth2App(calls.api, { app, ...(account !== '' && { body: { account } }) }),
}
