import { type Db, inMs, type Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { isClaimable } from './outbox.ts'
import { mayTakeOver } from './senders.ts'
import { lockAccounts, unlockAccounts } from './sending-locks.ts'
import { loadedMime, mimeBytes } from './stored-mime.ts'
import type { DueSubmission, Submission } from './submission.ts'

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
