import { accountTypeOf } from '@posthorn/contracts/account-types'
import { type Destination, destinationOf } from '@posthorn/contracts/schemas/destination'
import type { Db } from '@posthorn/db'
import { findSealedSetting, settingSealContext } from './settings.ts'

/** Protocol of a mail server: IMAP or SMTP. */
type ServerProtocol = 'imap' | 'smtp'
/** Protocol of a login. `api`: the Gmail API or Microsoft Graph. */
export type Protocol = ServerProtocol | 'api'

/** Registration of an account for one mail protocol, with its sealed (encrypted) password. */
export interface StoredLogin {
  account: string
  protocol: Protocol
  /**
   * True if the account has a mail server for the protocol. For the protocol `api`, true if the
   * account uses a mail API.
   */
  configured: boolean
  useAuthServer: boolean
  user: string | undefined
  sealed: string | undefined
  /**
   * Registered mail server, with the user of the server's own login. Undefined if the account has
   * no server for the protocol.
   */
  destination?: Destination | undefined
  /**
   * True if the account has OAuth2, which its mail servers use unless they have a login of their
   * own.
   */
  hasOAuth2: boolean
}

/** Finds the mail login of an account. Undefined if the account is unknown. */
export async function findLogin(
  db: Db,
  account: string,
  protocol: Protocol,
): Promise<StoredLogin | undefined> {
  const row = await db
    .selectFrom('accounts')
    .leftJoin('credentials', (join) =>
      join
        .onRef('credentials.account', '=', 'accounts.account')
        // An account at a mail API has its OAuth2 grant as the credential, which is read with its
        // tokens.
        .on('credentials.kind', '=', protocol === 'api' ? 'oauth2' : protocol),
    )
    .select(['accounts.backend', 'accounts.imap', 'accounts.smtp', 'accounts.oauth2'])
    .select(['accounts.proxy', 'credentials.sealed'])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  const hasOAuth2 = row.oauth2 !== null
  if (protocol === 'api') {
    const configured = accountTypeOf(row).readsBy === 'api' && hasOAuth2
    return { ...withoutServer, account, protocol, configured, hasOAuth2 }
  }
  const server = row[protocol]
  const user = server?.auth ? server.auth.user : undefined
  return {
    account,
    protocol,
    configured: server !== null,
    useAuthServer: server?.useAuthServer === true,
    user,
    sealed: row.sealed ?? undefined,
    destination: server ? destinationOf(server, { user, proxy: row.proxy }) : undefined,
    hasOAuth2,
  }
}

/**
 * Login of an account at a mail API, which has no mail server. Whether the authentication server is
 * used depends on the OAuth2 settings.
 */
const withoutServer = { useAuthServer: false, user: undefined, sealed: undefined }

/**
 * Seal context of an account's password or OAuth2 grant: the storage place to which the encrypted
 * value is bound.
 */
export function passwordSealContext(account: string, protocol: ServerProtocol | 'oauth2'): string {
  return `credentials/${account}/${protocol}`
}

/** Finds the login of a gateway (shared SMTP server). Undefined if the gateway is unknown. */
export function findGatewayLogin(db: Db, gateway: string) {
  return db
    .selectFrom('gateways')
    .leftJoin('gatewayCredentials', 'gatewayCredentials.gateway', 'gateways.gateway')
    .select(['username', 'sealed', 'host', 'port', 'secure'])
    .where('gateways.gateway', '=', gateway)
    .executeTakeFirst()
}

export function gatewaySealContext(gateway: string): string {
  return `gateways/${gateway}`
}

interface SealedSample {
  sealed: string
  context: string
}

/**
 * Lists samples of sealed (encrypted) values with which the private keys are tested: newest and
 * oldest passwords, gateway passwords, service secret.
 */
export async function listSealedSamples(db: Db): Promise<SealedSample[]> {
  const passwords = (order: 'asc' | 'desc') =>
    db
      .selectFrom('credentials')
      .select(['account', 'kind', 'sealed'])
      .orderBy('updatedAt', order)
      .limit(3)
      .execute()
  const secret = await findSealedSetting(db, 'serviceSecret')
  const rows = [...(await passwords('desc')), ...(await passwords('asc'))]
  const gateways = await db
    .selectFrom('gatewayCredentials')
    .select(['gateway', 'sealed'])
    .orderBy('updatedAt', 'desc')
    .limit(3)
    .execute()
  return [
    ...(secret === undefined
      ? []
      : [{ sealed: secret, context: settingSealContext('serviceSecret') }]),
    ...rows.map(({ account, kind, sealed }) => ({
      sealed,
      context: passwordSealContext(account, kind),
    })),
    ...gateways.map(({ gateway, sealed }) => ({ sealed, context: gatewaySealContext(gateway) })),
  ]
}
