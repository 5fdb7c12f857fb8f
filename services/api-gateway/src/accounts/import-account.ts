import { parseDate } from '@posthorn/contracts/formats'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import type { AccountTransfer } from '@posthorn/contracts/schemas/account-transfer'
import { shardOf } from '@posthorn/contracts/shards'
import { validationError } from '@posthorn/contracts/validate'
import type { RecordedEvent, Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { insertAccount } from '../store/accounts/accounts.ts'
import { upsertPassword } from '../store/accounts/credentials.ts'
import { type AccountInput, planAccount } from './plan-account.ts'
import { assertUserUnique, findAppFor } from './plan-oauth2.ts'
import type { PasswordPlan, ServerInput } from './plan-server.ts'
import { recordAdded } from './register.ts'
import { sealColumns } from './seal-account.ts'

type Credentials = AccountTransfer['credentials']

export interface AccountImport {
  transfer: AccountTransfer
  /**
   * Credentials of the imported account as auth-bridge has checked them, sealed (encrypted) for
   * this instance.
   */
  credentials: Credentials
  /** Id of the account's OAuth2 application at this instance. */
  app: string | undefined
  paused: boolean | undefined
  /**
   * Earliest time of receipt from which messages of the imported account are announced (reported as
   * new).
   */
  notifyFrom: Date
  sealer: Sealer
  serviceUrl: string | null
}

/**
 * Registers an account of another instance, with the rules of a registration.
 *
 * @returns the events of the account; undefined if an account with the id exists
 * @throws AppError `invalid`
 */
export async function importAccount(
  tx: Tx,
  { credentials, sealer, serviceUrl, ...rest }: AccountImport,
): Promise<RecordedEvent[] | undefined> {
  const { account, name, tenantSet = [] } = rest.transfer
  const input = inputOf({ credentials, ...rest })
  const app = await findAppFor(tx, input.oauth2, undefined)
  const { columns, passwords } = planAccount(input, undefined, app)
  assertCredentials(passwords, credentials)
  await assertUserUnique(tx, account, columns.oauth2)
  const sealed = await sealColumns(columns, { account, sealer })
  const inserted = await insertAccount(tx, {
    ...sealed,
    name,
    tenantSet,
    account,
    shard: shardOf(account),
  })
  if (!inserted) return undefined
  for (const kind of kinds) {
    const secret = credentials[kind]
    if (secret !== undefined) await upsertPassword(tx, { account, kind, sealed: secret })
  }
  return recordAdded(tx, { account, createdAt: inserted.createdAt, serviceUrl })
}

const kinds = ['imap', 'smtp', 'oauth2'] as const

/** Text in place of a sealed secret of an imported account. The text itself is not stored. */
const placeholder = 'sealed'

/** Registration with the settings of an import, and with placeholders in place of its secrets. */
function inputOf({
  transfer,
  credentials,
  app: provider,
  paused,
  notifyFrom,
}: Omit<AccountImport, 'sealer' | 'serviceUrl'>): AccountInput {
  const { account: _account, credentials: _sealed, tenantSet: _tenantSet, ...settings } = transfer
  const { imap, smtp, oauth2, ...plain } = settings
  const exported = parseDate(settings.notifyFrom ?? '') ?? notifyFrom
  const token = credentials.oauth2 === undefined ? {} : { accessToken: placeholder }
  return {
    ...plain,
    notifyFrom: new Date(Math.max(exported.getTime(), notifyFrom.getTime())).toISOString(),
    ...(paused !== undefined && { paused }),
    // Sets servers that the imported account does not have to `false`. Absent servers would be
    // completed with the servers of the OAuth2 provider.
    imap: imap ? serverInput(imap) : false,
    smtp: smtp ? serverInput(smtp) : false,
    ...(oauth2 && provider !== undefined && { oauth2: { ...oauth2, provider, ...token } }),
  }
}

function serverInput({ auth, ...server }: NonNullable<AccountTransfer['imap']>): ServerInput {
  if (!auth) return { ...server, ...(auth === false && { auth }) }
  const { user, accessToken } = auth
  const login = accessToken ? { user, accessToken: placeholder } : { user, pass: placeholder }
  return { ...server, auth: login }
}

/** Checks that the import has a secret for each login, and no others. */
function assertCredentials(passwords: readonly PasswordPlan[], credentials: Credentials): void {
  const needed = new Set(passwords.flatMap((plan) => ('seal' in plan ? [plan.kind] : [])))
  const errors: FieldError[] = kinds
    .filter((kind) => needed.has(kind) !== (credentials[kind] !== undefined))
    .map((kind) =>
      fieldError(`credentials.${kind}`, needed.has(kind) ? 'is required' : 'has no login'),
    )
  if (errors.length > 0) throw validationError(errors)
}
