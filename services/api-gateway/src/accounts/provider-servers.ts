import { defined } from '@posthorn/contracts/defined'
import type {
  OAuth2AppConfig,
  OAuth2Cloud,
  OAuth2Provider,
} from '@posthorn/contracts/schemas/oauth2-app'
import type { AppForAccount } from '../store/oauth2-apps.ts'
import { backendOf, isSendOnlyApp, type OAuth2Input } from './plan-oauth2.ts'
import type { ServerInput, StoredServers } from './plan-server.ts'

interface ServersInput {
  imap?: ServerInput | false
  smtp?: ServerInput | false
  oauth2?: OAuth2Input | false
}

/**
 * Servers of the provider, if the request names none. They are stored like named ones, so a change
 * of the application does not affect the account. Removing OAuth2 removes servers without a login.
 * Accounts of an API have no servers. If their grant is for sending only, their IMAP is disabled.
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

const outlook: Record<OAuth2Cloud, [imap: string, smtp: string]> = {
  global: ['outlook.office365.com', 'smtp.office365.com'],
  'gcc-high': ['outlook.office365.us', 'smtp.office365.us'],
  dod: ['webmail.apps.mil', 'smtp.office365.us'],
  china: ['partner.outlook.cn', 'smtp.partner.outlook.cn'],
}

/** Mail servers of a provider. */
function serversOf(
  provider: OAuth2Provider,
  { cloud, imap, smtp }: OAuth2AppConfig,
): Pick<ServersInput, 'imap' | 'smtp'> {
  switch (provider) {
    case 'gmail':
    case 'gmailService':
      return { imap: mailServer('imap.gmail.com', 993), smtp: mailServer('smtp.gmail.com', 465) }
    case 'outlook':
    case 'outlookService': {
      const [imapHost, smtpHost] = outlook[cloud ?? 'global']
      return { imap: mailServer(imapHost, 993), smtp: mailServer(smtpHost, 587) }
    }
    case 'mailRu':
      return { imap: mailServer('imap.mail.ru', 993), smtp: mailServer('smtp.mail.ru', 465) }
    case 'generic':
      return defined({ imap: imap || undefined, smtp: smtp || undefined })
  }
}

/** Port 587 uses STARTTLS, the others TLS from the start. */
function mailServer(host: string, port: 993 | 465 | 587) {
  return { host, port, secure: port !== 587 }
}
