import type { ProviderHttp } from '@posthorn/net/provider-http'
import type { Application } from './application.ts'
import { graphOriginOf } from './profile.ts'

/** Function that creates the client of the mail API at an origin. */
export type OpenProvider = (origin: string) => Pick<ProviderHttp, 'json'>

/** Access token for a mail API and the mailbox that the token is for. */
export interface MailboxToken {
  accessToken: string
  user: string
  /** True if the mailbox belongs to the user of the access token. */
  own?: boolean
}

/**
 * True if the tokens of an OAuth2 application permit reading mail. With the scope `.default`, the
 * permissions depend on the tenant.
 */
export function canRead({ profile }: Pick<Application, 'profile'>): boolean {
  return profile.scopes.some((scope) => readingScope.test(scope))
}

const readingScope =
  /(?:gmail\.(?:modify|readonly|metadata)|mail\.google\.com\/|mail\.read\w*(?:\.shared)?|\.default)$/i

/**
 * Reads the profile of a mailbox at Gmail, or the inbox at Microsoft Graph, and returns the mail
 * address. Proves that the API is enabled, the mailbox exists and the token has its scopes.
 *
 * @throws ProviderError for an error of the API; AppError `unreachable` without a response
 */
export async function readMailboxAddress(
  openProvider: OpenProvider,
  { provider, config }: Application,
  { accessToken: token, user, own = false }: MailboxToken,
): Promise<string> {
  if (provider.startsWith('gmail')) {
    const gmail = openProvider('https://gmail.googleapis.com')
    const name = own ? 'me' : encodeURIComponent(user)
    const url = `/gmail/v1/users/${name}/profile`
    const { json } = await gmail.json<{ emailAddress?: unknown } | null>({ url, token })
    const address = json?.emailAddress
    return typeof address === 'string' ? address.slice(0, 256) : user
  }
  // The own resource `/me` is read only with a user's token. Microsoft's application tokens have no
  // `/me`, so the mailbox is named by its address.
  const mailbox = own ? 'me' : `users/${encodeURIComponent(user)}`
  const url = `/v1.0/${mailbox}/mailFolders/inbox?$select=id`
  await openProvider(graphOriginOf(config)).json({ url, token })
  return user
}
