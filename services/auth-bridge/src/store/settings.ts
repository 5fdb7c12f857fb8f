import type { Db } from '@posthorn/db'

/** Setting whose value is stored sealed (encrypted). */
export type SealedSetting =
  | 'authServer'
  | 'serviceSecret'
  | 'webhookSecrets'
  | 'linkSecret'
  | 'importedLinkKey'
  | 'smtpServerPassword'
  | 'imapProxyServerPassword'
  | 'openAiAPIKey'

/** Seal context of a setting: the storage place to which the encrypted value is bound. */
export function settingSealContext(key: SealedSetting): string {
  return `settings/${key}`
}

/** Finds the sealed (encrypted) value of a setting. Undefined if the setting has no such value. */
export async function findSealedSetting(db: Db, key: SealedSetting): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.sealed
}

/**
 * Reads from Postgres whether clients may read provider access tokens. The setting is not cached,
 * so that a change applies immediately.
 */
export async function isOAuthTokensApiEnabled(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', 'enableOAuthTokensApi')
    .executeTakeFirst()
  return row?.value === true
}

/** Lists replaced service secrets with which webhooks are still signed, newest first. */
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

/**
 * Lists replaced secrets for signing links, or imported secrets of EmailEngine, newest first. These
 * secrets never expire, so that old links stay valid.
 */
export async function listEarlierLinkSecrets(
  db: Db,
  kind: 'linkSecret' | 'importedLinkKey',
): Promise<string[]> {
  const rows = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', 'like', `${kind}:%`)
    .orderBy('updatedAt', 'desc')
    .execute()
  return rows.map(({ sealed }) => sealed)
}
