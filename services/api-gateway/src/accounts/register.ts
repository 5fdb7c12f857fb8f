import { randomBytes } from 'node:crypto'
import { accountAdded, type AccountRegistration, shardOf } from '@posthorn/contracts'
import { deriveEventId, type RecordedEvent, recordEvents, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Sealer } from '@posthorn/secrets'
import { insertAccount, lockAccount, type LockedAccount, updateAccount } from '../store/accounts.ts'
import { assertUserUnique, findAppFor } from './plan-oauth2-account.ts'
import { planAccount } from './plan-account.ts'
import { sealColumns } from './seal-in-place.ts'
import { storePasswords } from './store-passwords.ts'

export interface Registration {
  account: string
  body: AccountRegistration
  sealer: Sealer
  serviceUrl: string | null
}

/**
 * Registers an account or changes the one there is. Of two at once that bring a new id, exactly one adds it.
 *
 * @returns the events of a new account; undefined for one that was there
 */
export async function register(tx: Tx, given: Registration): Promise<RecordedEvent[] | undefined> {
  for (let tries = 0; tries < 3; tries += 1) {
    const stored = await lockAccount(tx, given.account)
    if (stored) {
      const { columns, passwords } = await plan(tx, given, stored)
      await updateAccount(tx, given.account, columns)
      await storePasswords(tx, given, passwords)
      return undefined
    }
    const events = await add(tx, given)
    if (events) return events
  }
  throw new AppError('unavailable', 'The account is being changed by others; retry shortly')
}

/** Undefined when another request has added the account meanwhile: the insert waits for its commit. */
async function add(tx: Tx, given: Registration): Promise<RecordedEvent[] | undefined> {
  const { account, body, serviceUrl } = given
  const { columns, passwords } = await plan(tx, given, undefined)
  const row = { name: body.name, ...columns, account, shard: shardOf(account) }
  const inserted = await insertAccount(tx, row)
  if (!inserted) return undefined
  await storePasswords(tx, given, passwords)
  const eventId = deriveEventId([accountAdded.name, account, inserted.createdAt.getTime()])
  const event = { eventId, event: accountAdded.name, account, data: { account } }
  return recordEvents(tx, [event], serviceUrl)
}

async function plan(tx: Tx, given: Registration, stored: LockedAccount | undefined) {
  const body = bodyOf(given)
  const planned = planAccount(body, stored, await findAppFor(tx, body.oauth2, stored))
  await assertUserUnique(tx, given.account, planned.columns.oauth2)
  return { ...planned, columns: await sealColumns(planned.columns, given) }
}

function bodyOf({ body: { account: _account, ...rest } }: Registration) {
  return rest
}

/** 21 characters, 126 random bits. */
export function newAccountId(): string {
  return randomBytes(16).toString('base64url').slice(0, 21)
}
