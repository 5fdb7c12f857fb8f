import {
  type OAuth2Provider,
  oauth2ProviderTraits,
  type ProviderServer,
} from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import type { OAuth2AppConfig } from '@posthorn/contracts/schemas/oauth2-app'
import type { AppForAccount } from '../store/oauth2/oauth2-apps.ts'
import { backendOf, isSendOnlyApp, type OAuth2Input } from './plan-oauth2.ts'
import type { ServerInput, StoredServers } from './plan-server.ts'

interface ServersInput {
  imap?: ServerInput | false
  smtp?: ServerInput | false
  oauth2?: OAuth2Input | false
}

/**
 * Mail servers of an account's OAuth2 provider, if the request names no servers. The servers are
 * stored like servers of a request, so a change of the application does not affect the account.
 * Removing OAuth2 removes servers without a login. Accounts of a mail API have no servers. If the
 * grant of an account is for sending only, the account's IMAP is disabled.
 */
export function withProviderServers(
  input: ServersInput,
  stored: StoredServers | undefined,
  app: AppForAccount | undefined,
): Pick<ServersInput, 'imap' | 'smtp'> {
  const { oauth2 } = input
  if (oauth2 === undefined) return {}
  const kinds = (['imap', 'smtp'] as const).filter(
    (kind) => input[kind] === undefined && !hasOwnLogin(stored?.[kind]),
  )
  if (oauth2 === false)
    return Object.fromEntries(
      kinds.filter((kind) => stored?.oauth2 && stored[kind]).map((kind) => [kind, false]),
    )
  if (!app) return {}
  if (backendOf(app) !== 'imap')
    return isSendOnlyApp(app) && !stored ? { imap: { disabled: true } } : {}
  const servers = serversOf(app.provider, app.config)
  const isAnother = stored?.oauth2?.provider !== app.id
  return Object.fromEntries(
    kinds
      .filter((kind) => servers[kind] && (isAnother || !stored?.[kind]))
      .map((kind) => [kind, servers[kind]]),
  )
}

function hasOwnLogin(server: StoredServers['imap' | 'smtp'] | undefined): boolean {
  return Boolean(server?.auth) || server?.useAuthServer === true
}

/**
 * Mail servers of an OAuth2 provider. If the provider has no fixed servers, the servers of the
 * OAuth2 application.
 */
function serversOf(
  provider: OAuth2Provider,
  { cloud = 'global', imap, smtp }: OAuth2AppConfig,
): Pick<ServersInput, 'imap' | 'smtp'> {
  const { servers } = oauth2ProviderTraits[provider]
  if (!servers) return defined({ imap: imap || undefined, smtp: smtp || undefined })
  const hosts = servers[cloud] ?? servers['global']
  return defined({ imap: hosts && mailServer(hosts.imap), smtp: hosts && mailServer(hosts.smtp) })
}

/** Mail server of an OAuth2 provider. Port 587 uses STARTTLS, other ports TLS from the start. */
function mailServer([host, port]: ProviderServer) {
  return { host, port, secure: port !== 587 }
}
