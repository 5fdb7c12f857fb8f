import type { ExportRequest } from '@posthorn/contracts/schemas/export'
import { type Db, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type RawBuilder, sql } from 'kysely'
import { accountNotFound } from '../accounts/accounts.ts'

/** SQL condition: true for an export that has not ended. */
export const isUnfinished = sql<boolean>`exports.status in ('queued', 'processing')`

/** SQL condition: true for an export with stored chunks. */
export const hasChunks = sql<boolean>`exports.stored_bytes > 0`

/**
 * Error for an unknown account in operations on exports. Unlike other operations, these send an
 * error code.
 */
export function exportAccountNotFound(): AppError {
  return new AppError('not-found', accountNotFound().message, { code: 'AccountNotFound' })
}

/**
 * Gets columns of the account whose exports are requested, which also checks that the account
 * exists.
 * @throws AppError `not-found` `AccountNotFound`
 */
export function getExportAccount(db: Db, account: string) {
  return db
    .selectFrom('accounts')
    .select(['shard', 'backend', 'imap'])
    .where('account', '=', account)
    .executeTakeFirstOrThrow(exportAccountNotFound)
}

export interface NewExport extends Omit<Required<ExportRequest>, 'startDate' | 'endDate'> {
  startDate: Date
  endDate: Date
  exportId: string
  account: string
  shard: number
  /** Key of the export's chunks, sealed (encrypted) for auth-bridge. */
  sealed: string
}

export interface ExportLimits {
  /** Maximum unfinished exports of one account. */
  maxOfAccount: number
  /** Maximum unfinished exports of all accounts. */
  maxOfAll: number
  /** Maximum bytes of the stored chunks of all exports. */
  maxStoredBytes: number
  /** Time after which an export without progress expires. */
  maxAgeMs: number
}

/**
 * Inserts an export within the limits. Creations of all replicas run one after the other. Returns
 * the time of the creation.
 *
 * @throws AppError `rate-limited` `TooManyExports`
 */
export async function insertExport(tx: Tx, input: NewExport, limits: ExportLimits): Promise<Date> {
  // The SQL function holds a lock until the end of the transaction, so one export is created at a
  // time. The next statement reads the exports of all earlier creations.
  await sql`select ensure_export_partition()`.execute(tx)
  await assertWithinLimits(tx, input.account, limits)
  const { createdAt } = await tx
    .insertInto('exports')
    .values({
      exportId: input.exportId,
      account: input.account,
      shard: input.shard,
      day: sql<Date>`(now() at time zone 'UTC')::date`,
      folders: input.folders,
      startDate: input.startDate,
      endDate: input.endDate,
      textType: input.textType,
      maxBytes: String(input.maxBytes),
      includeAttachments: input.includeAttachments,
      sealed: input.sealed,
      expiresAt: sql<Date>`now() + make_interval(secs => ${limits.maxAgeMs / 1000})`,
    })
    .returning('createdAt')
    .executeTakeFirstOrThrow()
  return createdAt
}

async function assertWithinLimits(
  tx: Tx,
  account: string,
  { maxOfAccount, maxOfAll, maxStoredBytes }: ExportLimits,
): Promise<void> {
  const { ofAccount, ofAll, storedBytes } = await tx
    .selectFrom('exports')
    .select((exports) => [
      exports.fn.countAll<string>().filterWhere(isUnfinished).as('ofAll'),
      exports.fn
        .countAll<string>()
        .filterWhere(isUnfinished)
        .filterWhere('account', '=', account)
        .as('ofAccount'),
      storedBytesSum.as('storedBytes'),
    ])
    // This SQL condition lets the indexes leave out cancelled exports, whose rows stay until they
    // expire.
    .where(sql<boolean>`(${isUnfinished} or ${hasChunks})`)
    .executeTakeFirstOrThrow()
  if (Number(ofAccount) >= maxOfAccount)
    throw tooMany(
      `The account has ${ofAccount} unfinished exports (exportMaxConcurrent), wait for one to end or cancel one`,
    )
  if (Number(ofAll) >= maxOfAll)
    throw tooMany(
      `${ofAll} exports of all accounts are unfinished (exportMaxGlobalConcurrent), retry later`,
    )
  if (Number(storedBytes) >= maxStoredBytes)
    throw tooMany(
      'The storage of exports is full (SVC_EXPORT_STORAGE), delete finished exports or retry later',
    )
}

/** SQL expression: total bytes of the stored chunks of the selected exports. */
export const storedBytesSum: RawBuilder<string> = sql<string>`coalesce(sum(stored_bytes), 0)`

function tooMany(message: string): AppError {
  return new AppError('rate-limited', message, { code: 'TooManyExports' })
}
