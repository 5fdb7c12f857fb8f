import { type Db, inMs, isSentByApi, type Tx } from '@posthorn/db'
import { sql } from 'kysely'
import {
  isClaimable,
  hasUnknownOutcome,
  isOutside,
  type KnownSenders,
  laneHost,
  mayBeFree,
  mayTakeOver,
} from './outbox.ts'
import { loadedMime, memoryBytes, mimeBytes } from './stored-mime.ts'
import type { DueSubmission, LaneKeys, Submission } from './submission.ts'

export interface DueOptions {
  limit: number
  /** Lanes (accounts, gateways, hosts) without capacity. Outbox rows of these lanes are skipped. */
  saturated: LaneKeys
  /**
   * Other senders, with the results of the checks whether they have ended. Accounts that another
   * sender has locked are skipped. Rows with an unknown outcome are skipped while their sender is
   * alive and may still record the outcome.
   */
  senders: Pick<KnownSenders, 'worker' | 'silent'>
}

/** Lists due outbox rows, oldest first. Claims no rows. */
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
      memoryBytes.as('bytes'),
      isSentByApi.as('byApi'),
      sql<boolean>`(attempts = 0 and max_attempts > 1 and not ${isSentByApi})`.as('fresh'),
      sql<
        string | null
      >`case when ${hasUnknownOutcome} and worker <> ${worker}::uuid then worker end`.as('holder'),
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
  /**
   * Sender processes that have ended. Outbox rows that these processes left with an unknown outcome
   * may be claimed.
   */
  dead: readonly string[]
}

/** Due outbox row that a sender tries to claim. */
export type ClaimedCandidate = Pick<DueSubmission, 'queueId' | 'account' | 'byApi'>

/**
 * Claims the outbox rows that are still due, in no particular order, and counts one attempt for
 * each. Skips rows that are locked, and rows of a mail API whose account cannot be locked.
 * `candidates` has at most one row per account of a mail API. The claim is committed before any
 * attempt starts.
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
        // The queue ids are passed as one array, so that the text of the SQL statement is equal for
        // any number of claimed outbox rows.
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
    .returning(['outbox.queueId', 'outbox.account', 'messageId', 'envelope', 'attempts'])
    .returning([loadedMime.as('mime'), mimeBytes.as('mimeBytes')])
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

// Mail APIs permit few concurrent requests per mailbox, of which all senders together use one
// request (Microsoft Graph: 4 in all). Therefore one sender at a time works for an account at a
// mail API.

/** Submission or draft cleanup for which an account at a mail API is locked. */
export interface LockClaim {
  account: string
  queueId: string
}

/**
 * Takes the account locks with which this process is the only one to send messages, or remove
 * drafts, of accounts at mail APIs. Returns the queue ids of the claims whose account lock this
 * process now holds, or held before. An account that is paused, or locked by another process, is
 * left out.
 */
export async function lockAccounts(
  db: Db | Tx,
  claims: readonly LockClaim[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Set<string>> {
  // All statements lock accounts in the order of account ids, so that statements cannot deadlock.
  const sorted = claims.toSorted((a, b) => (a.account < b.account ? -1 : 1))
  const { rows } = await sql<{ queueId: string }>`
    insert into sending_locks as lock (account, queue_id, worker, lease_until)
    select account, queue_id, ${worker}::uuid, ${inMs(leaseMs)}
    from unnest(${sql.val(sorted.map(({ account }) => account))}::text[],
      ${sql.val(sorted.map(({ queueId }) => queueId))}::text[]) as claim (account, queue_id)
    on conflict (account) do update set queue_id = excluded.queue_id, worker = excluded.worker,
      lease_until = excluded.lease_until
    where (lock.lease_until <= now() or lock.worker = excluded.worker)
      and (lock.paused_until is null or lock.paused_until <= now())
    returning queue_id as "queueId"`.execute(db)
  return new Set(rows.map(({ queueId }) => queueId))
}

/** Keys of the lanes (limits) of accounts that another sender locked or the provider paused. */
export async function listLockedAccounts(db: Db, worker: string): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from sending_locks where paused_until > now()
      or lease_until > now() and worker <> ${worker}::uuid`.execute(db)
  return rows.map(({ account }) => account)
}

/** Keys of the lanes (limits) of accounts that their mail providers paused. */
export async function listPausedAccounts(db: Db): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from sending_locks where paused_until > now()`.execute(db)
  return rows.map(({ account }) => account)
}

/**
 * Renews the account locks of this sender that were last taken for the submissions or cleanups
 * `queueIds`.
 */
export async function renewLocks(
  db: Db,
  queueIds: readonly string[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<void> {
  if (queueIds.length === 0) return
  await sql`update sending_locks set lease_until = ${inMs(leaseMs)}
    where worker = ${worker}::uuid and queue_id = any(${sql.val(queueIds)}::text[])`.execute(db)
}

/**
 * Unlocks accounts at mail APIs, except accounts that were meanwhile locked for another submission
 * or cleanup. The lock rows of paused accounts stay; other unused rows are deleted, so that the
 * table stays small.
 */
export async function unlockAccounts(
  db: Db | Tx,
  claims: readonly LockClaim[],
  worker: string,
): Promise<void> {
  const isHeld = sql`worker = ${worker}::uuid and (account, queue_id) in (
    select * from unnest(${sql.val(claims.map(({ account }) => account))}::text[],
      ${sql.val(claims.map(({ queueId }) => queueId))}::text[]))`
  await sql`
    with unlocked as (
      delete from sending_locks where ${isHeld} and coalesce(paused_until <= now(), true)
    )
    update sending_locks set lease_until = now()
    where ${isHeld} and paused_until > now()`.execute(db)
}

/**
 * Pauses an account at a mail API: no sender process sends a message of the account in the next
 * `ms`.
 */
export async function pauseAccount(db: Db, account: string, ms: number): Promise<void> {
  await sql`update sending_locks set paused_until = ${inMs(ms)} where account = ${account}`.execute(
    db,
  )
}
