import type { AppForAccount } from '../store/oauth2-apps.ts'
import type { OAuth2Input } from './plan-oauth2.ts'
import type { ServerInput, StoredServers } from './plan-server.ts'
import { serversOf } from './provider-servers.ts'

interface Given {
  imap?: ServerInput | false
  smtp?: ServerInput | false
  oauth2?: OAuth2Input | false
}

/**
 * The servers of an account, with those of its provider where none are named. They are stored as if they had been named: the account
 * goes on as it is when the application changes. Without OAuth2 those that nobody can log in to any more are taken away.
 */
export function withProviderServers(
  given: Given,
  stored: StoredServers | undefined,
  app: AppForAccount | undefined,
): Pick<Given, 'imap' | 'smtp'> {
  const { oauth2 } = given
  if (oauth2 === undefined) return {}
  const kinds = (['imap', 'smtp'] as const).filter(
    (kind) => given[kind] === undefined && !hasOwnLogin(stored?.[kind]),
  )
  if (oauth2 === false)
    return Object.fromEntries(
      kinds.filter((kind) => stored?.oauth2 && stored[kind]).map((kind) => [kind, false]),
    )
  if (!app) return {}
  const found = serversOf(app.provider, app.config)
  const isAnother = stored?.oauth2?.provider !== app.id
  return Object.fromEntries(
    kinds
      .filter((kind) => found[kind] && (isAnother || !stored?.[kind]))
      .map((kind) => [kind, found[kind]]),
  )
}

function hasOwnLogin(server: StoredServers['imap' | 'smtp'] | undefined): boolean {
  return Boolean(server?.auth) || server?.useAuthServer === true
}
