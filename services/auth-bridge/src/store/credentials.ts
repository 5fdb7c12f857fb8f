import type { Db } from '@posthorn/db'
import { placeOfGatewayPassword } from './gateways.ts'

export type Protocol = 'imap' | 'smtp'

/** What an account's registration says about one protocol, and the sealed password beside it. */
export interface StoredLogin {
  account: string
  protocol: Protocol
  /** The registration has this protocol. */
  configured: boolean
  useAuthServer: boolean
  user: string | undefined
  sealed: string | undefined
  /** The registration has OAuth2, which servers without a login of their own are logged in to by. */
  byOAuth2: boolean
}

/** Undefined when there is no such account. */
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
        .on('credentials.kind', '=', protocol),
    )
    .select(['accounts.imap', 'accounts.smtp', 'accounts.oauth2', 'credentials.sealed'])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  const server = row[protocol]
  return {
    account,
    protocol,
    configured: server !== null,
    useAuthServer: server?.useAuthServer === true,
    user: server?.auth ? server.auth.user : undefined,
    sealed: row.sealed ?? undefined,
    byOAuth2: row.oauth2 !== null,
  }
}

/** Where a sealed value belongs: it opens at no other place. */
export function placeOfPassword(account: string, protocol: Protocol | 'oauth2'): string {
  return `credentials/${account}/${protocol}`
}

export type SealedSetting =
  | 'authServer'
  | 'serviceSecret'
  | 'webhookSecrets'
  | 'linkSecret'
  | 'smtpServerPassword'
  | 'imapProxyServerPassword'
  | 'openAiAPIKey'

export function placeOfSetting(key: SealedSetting): string {
  return `settings/${key}`
}

export async function findSealedSetting(db: Db, key: SealedSetting): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.sealed
}

/** Service secrets that were replaced and still sign, newest first. */
export async function listPreviousServiceSecrets(
  db: Db,
): Promise<{ sealed: string; until: Date }[]> {
  const rows = await db
    .selectFrom('sealedSettings')
    .select(['sealed', 'expiresAt'])
    .where('key', 'like', 'serviceSecret:%')
    .where('expiresAt', '>', new Date())
    .orderBy('updatedAt', 'desc')
    .execute()
  return rows.flatMap(({ sealed, expiresAt }) => (expiresAt ? [{ sealed, until: expiresAt }] : []))
}

export interface SealedSample {
  sealed: string
  place: string
}

/** Some sealed values, the newest and the oldest passwords, those of gateways, and the service secret: enough to tell whether the keys fit. */
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
    ...(secret === undefined ? [] : [{ sealed: secret, place: placeOfSetting('serviceSecret') }]),
    ...rows.map(({ account, kind, sealed }) => ({ sealed, place: placeOfPassword(account, kind) })),
    ...gateways.map(({ gateway, sealed }) => ({ sealed, place: placeOfGatewayPassword(gateway) })),
  ]
}
