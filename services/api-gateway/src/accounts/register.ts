import { randomBytes } from 'node:crypto'
import { accountAdded } from '@posthorn/contracts/events/account'
import type { AccountRegistration } from '@posthorn/contracts/schemas/account'
import { shardOf } from '@posthorn/contracts/shards'
import { deriveEventId, type RecordedEvent, recordEvents, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import {
  insertAccount,
  lockAccount,
  type LockedAccount,
  updateAccount,
} from '../store/accounts/accounts.ts'
import { assertOneOrigin } from './assert-no-redirect.ts'
import { assertPasswordsFit } from './bound-logins.ts'
import { planAccount } from './plan-account.ts'
import { assertUserUnique, findAppFor } from './plan-oauth2.ts'
import { sealColumns, type SealDeps, storePasswords } from './seal-account.ts'
import { type ChangedBy, tenantMembers } from './tenant-members.ts'

export interface Registration extends SealDeps {
  by: ChangedBy
  body: AccountRegistration
  serviceUrl: string | null
}

/**
 * Registers a new account or changes an existing account. If concurrent requests name the same new
 * id, exactly one of the requests registers the account.
 *
 * @returns the events of a new account; undefined for an existing account
 */
export async function register(
  tx: Tx,
  registration: Registration,
): Promise<RecordedEvent[] | undefined> {
  const { account } = registration
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const stored = await lockAccount(tx, account)
    if (stored) {
      const { columns, passwords, app } = await plan(tx, registration, stored)
      assertPasswordsFit(stored, { columns, passwords })
      await updateAccount(tx, account, columns)
      await storePasswords(tx, { ...registration, before: stored, columns, app }, passwords)
      return undefined
    }
    const events = await insert(tx, registration)
    if (events) return events
  }
  throw new AppError('unavailable', 'Concurrent update of the account, retry')
}

/**
 * Inserts an account. Undefined if a concurrent request inserts the account; waits for the commit
 * of that request.
 */
async function insert(tx: Tx, registration: Registration): Promise<RecordedEvent[] | undefined> {
  const { account, body, serviceUrl } = registration
  const { columns, passwords, app } = await plan(tx, registration, undefined)
  const row = { name: body.name, ...columns, account, shard: shardOf(account) }
  const inserted = await insertAccount(tx, row)
  if (!inserted) return undefined
  await storePasswords(tx, { ...registration, before: undefined, columns, app }, passwords)
  return recordAdded(tx, { account, createdAt: inserted.createdAt, serviceUrl })
}

/** Records the event accountAdded of a new account. */
export function recordAdded(
  tx: Tx,
  {
    account,
    createdAt,
    serviceUrl,
  }: Pick<Registration, 'account' | 'serviceUrl'> & { createdAt: Date },
): Promise<RecordedEvent[]> {
  const eventId = deriveEventId([accountAdded.name, account, createdAt.getTime()])
  const event = { eventId, event: accountAdded.name, account, data: { account } }
  return recordEvents(tx, [event], serviceUrl)
}

async function plan(tx: Tx, registration: Registration, stored: LockedAccount | undefined) {
  const { account: _account, ...body } = registration.body
  const app = await findAppFor(tx, body.oauth2, stored)
  const planned = planAccount(body, stored, app)
  assertOneOrigin(registration.by, planned.columns, stored)
  await assertUserUnique(tx, registration.account, planned.columns.oauth2)
  const origins = tenantMembers(registration.by, planned.columns, stored)
  const columns = { ...(await sealColumns(planned.columns, registration)), ...origins }
  return { ...planned, app, columns }
}

/** Account id of 21 characters with 126 random bits. */
export function newAccountId(): string {
  return randomBytes(16).toString('base64url').slice(0, 21)
}
