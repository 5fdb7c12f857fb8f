import { type Db, inMs, isSentByApi, type Tx } from '@posthorn/db'
import { sql } from 'kysely'
import {
  isClaimable,
  isInDoubt,
  isOutside,
  type KnownSenders,
  laneHost,
  mayBeFree,
  mayTakeOver,
} from './outbox.ts'
import { listLockedAccounts, lockAccounts, unlockAccounts } from './sending-locks.ts'
import type { DueSubmission, LaneKeys, Submission } from './submission.ts'

export interface DueOptions {
  limit: number
  /** Lanes without capacity. Rows of these lanes are skipped. */
  saturated: LaneKeys
  /**
   * Senders by their state. Accounts that another sender has locked are skipped, and rows in doubt
   * of living senders.
   */
  senders: Pick<KnownSenders, 'worker' | 'silent'>
}

/** Lists due rows, oldest first. Claims nothing. */
export async function listDue(
  db: Db,
  { limit, saturated, senders }: DueOptions,
): Promise<DueSubmission[]> {
  const { worker } = senders
  const locked = await listLockedAccounts(db, worker)
  const lanes = { ...saturated, accounts: [...saturated.accounts, ...locked] }
  return db
    .selectFrom('outbox')
    .innerJoin('accounts', 'accounts.account', 'outbox.account')
    .leftJoin('gateways', 'gateways.gateway', 'outbox.gateway')
    .select([
      'outbox.queueId',
      'outbox.account',
      'outbox.gateway',
      laneHost.as('host'),
      sql<number>`coalesce(octet_length(mime), 0)`.as('bytes'),
      isSentByApi.as('byApi'),
      sql<boolean>`(attempts = 0 and max_attempts > 1 and not ${isSentByApi})`.as('fresh'),
      sql<string | null>`case when ${isInDoubt} and worker <> ${worker}::uuid then worker end`.as(
        'holder',
      ),
    ])
    .where(isClaimable)
    .where(mayBeFree(senders))
    .where(isOutside(lanes))
    .orderBy('nextAttemptAt')
    .limit(limit)
    .execute()
}

interface ClaimOptions {
  worker: string
  leaseMs: number
  /** Senders that have ended. Rows in doubt of these senders may be claimed. */
  dead: readonly string[]
}

/** Row to claim. */
export type ClaimedCandidate = Pick<DueSubmission, 'queueId' | 'account' | 'byApi'>

/**
 * Claims the rows that are still due, counting one attempt each, in no particular order. Skips rows
 * that are locked, and rows of a mail API whose account cannot be locked. Takes at most one row per
 * account of a mail API. The claim is committed before any attempt starts.
 */
export async function claimDue(
  db: Db,
  candidates: readonly ClaimedCandidate[],
  options: ClaimOptions,
): Promise<Submission[]> {
  const byApi = candidates.filter((row) => row.byApi)
  if (byApi.length > 0)
    return db.transaction().execute((tx) => claimWithLocks(tx, { candidates, byApi }, options))
  return claimRows(
    db,
    candidates.map(({ queueId }) => queueId),
    options,
  )
}

async function claimWithLocks(
  tx: Tx,
  { candidates, byApi }: Record<'candidates' | 'byApi', readonly ClaimedCandidate[]>,
  options: ClaimOptions,
): Promise<Submission[]> {
  const locked = await lockAccounts(tx, byApi, options)
  const queueIds = candidates
    .filter((row) => !row.byApi || locked.has(row.queueId))
    .map(({ queueId }) => queueId)
  const claimed = await claimRows(tx, queueIds, options)
  const claimedIds = new Set(claimed.map(({ queueId }) => queueId))
  const unused = byApi.filter(({ queueId }) => locked.has(queueId) && !claimedIds.has(queueId))
  if (unused.length > 0) await unlockAccounts(tx, unused, options.worker)
  return claimed
}

async function claimRows(db: Db | Tx, queueIds: string[], options: ClaimOptions) {
  if (queueIds.length === 0) return []
  const rows = await updateDue(db, queueIds, options)
  return rows.map((row) => toSubmission(row, options.worker))
}

const leftList = sql<string | null>`(select list_id from account_list_blocks
  where list_id = outbox.list_id and recipient = outbox.list_recipient
    and account = outbox.account)`

const mayHaveDraft = sql<boolean>`exists (select from draft_cleanups
  where draft_cleanups.queue_id = outbox.queue_id)`

function updateDue(db: Db | Tx, queueIds: string[], options: ClaimOptions) {
  const { worker, leaseMs } = options
  return db
    .with('due', (db) =>
      db
        .selectFrom('outbox')
        .leftJoin('gateways', 'gateways.gateway', 'outbox.gateway')
        .select(['queueId', 'gateways.host', 'gateways.port', 'gateways.secure'])
        .select(['gateways.username', 'gateways.version as gatewayVersion'])
        // An array makes the statement the same for any number of rows.
        .where(sql<boolean>`(queue_id = any(${sql.val(queueIds)}::text[]))`)
        .where(isClaimable)
        .where(mayTakeOver(options))
        .forUpdate('outbox')
        .skipLocked(),
    )
    .updateTable('outbox')
    .from(['due', 'accounts'])
    .whereRef('outbox.queueId', '=', 'due.queueId')
    .whereRef('accounts.account', '=', 'outbox.account')
    .set({
      attempts: sql`attempts + 1`,
      worker,
      leaseUntil: inMs(leaseMs),
      attemptStartedAt: sql<Date>`now()`,
    })
    .returning(['outbox.queueId', 'outbox.account', 'messageId', 'envelope', 'mime', 'attempts'])
    .returning(['maxAttempts', 'firstError', 'outbox.gateway', 'outbox.proxy', 'localAddress'])
    .returning(['dsn', 'dataSentAt', 'handedOver', 'response', 'filing', leftList.as('leftList')])
    .returning(['providerDraft', 'storedDraft', 'providerThread', 'useStructuredFormat'])
    .returning(mayHaveDraft.as('mayHaveDraft'))
    .returning(['due.host', 'due.port', 'due.secure', 'due.username', 'due.gatewayVersion'])
    .returning(['accounts.backend', 'accounts.imap', 'accounts.smtp', 'accounts.oauth2'])
    .returning([
      'accounts.copy',
      'accounts.smtpEhloName',
      'accounts.proxy as accountProxy',
      'accounts.version',
      'accounts.tenantSet',
    ])
    .execute()
}

type ClaimedRow = Awaited<ReturnType<typeof updateDue>>[number]
type GatewayColumn = 'gateway' | 'host' | 'port' | 'secure' | 'username' | 'gatewayVersion'

function toSubmission(
  { attempts, oauth2, mime, dataSentAt, response, ...row }: ClaimedRow,
  worker: string,
): Submission {
  const { account, backend, imap, smtp, copy, smtpEhloName, accountProxy: proxy, version } = row
  const isTenantsServer = row.tenantSet.includes('smtp')
  return {
    ...row,
    worker,
    attempt: attempts,
    sender: {
      account,
      backend,
      imap,
      smtp,
      isTenantsServer,
      byOAuth2: oauth2 !== null,
      copy,
      smtpEhloName,
      proxy,
      version,
    },
    gateway: toGateway(row),
    mime: mime ?? Buffer.alloc(0),
    maybeSent: dataSentAt !== null,
    partlySent: response !== null,
  }
}

function toGateway(row: Pick<ClaimedRow, GatewayColumn>): Submission['gateway'] {
  const { gateway: name, host, port, secure, username, gatewayVersion: version } = row
  if (name === null) return undefined
  const isFound = host !== null && port !== null && secure !== null && version !== null
  return { name, server: isFound ? { host, port, secure, username, version } : undefined }
}
