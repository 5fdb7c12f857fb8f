import type { Db, DsnRequest, Filing } from '@posthorn/db'
import { sql } from 'kysely'
import type { SendingAccount, SendingGateway } from './accounts.ts'

/** A due row as the lanes see it. */
export interface DueSubmission {
  queueId: string
  account: string
  /** The outgoing server it goes to instead of the account's own. */
  gateway: string | null
  /** `host:port` of the server it goes to; empty where there is none. */
  host: string
  bytes: number
  /** Never attempted, and not at its last attempt: what becomes of the process while it waits costs it nothing that matters. */
  fresh: boolean
}

/** Who holds a row: a process and the attempt it counted. A row taken over is at another attempt. */
export interface OutboxLease {
  queueId: string
  worker: string
  attempt: number
}

/** A row in hand. */
export interface Submission extends OutboxLease {
  account: string
  /** The account as it was when the row was claimed. */
  sender: SendingAccount
  /** Where it goes instead of the account's server: the name, and what was known of it when the row was claimed. */
  gateway: { gateway: string; server: SendingGateway | undefined } | undefined
  proxy: string | null
  localAddress: string | null
  dsn: DsnRequest | null
  messageId: string
  envelope: { from: string; to: string[] }
  mime: Buffer
  maxAttempts: number
  firstError: string | null
  /** An attempt ended between the final dot and the record of an answer: the server may have taken the message. */
  maybeSent: boolean
  /** Some recipients have it: they are not in the envelope any more. */
  partlySent: boolean
  /** The list that its recipient has left since it was submitted. */
  leftList: string | null
  /** What it asks for in the mailbox once it is sent. */
  filing: Filing | null
}

export interface DueOptions {
  limit: number
  /** Lanes in which nothing can start now. */
  closed: { accounts: string[]; gateways: string[]; hosts: string[] }
}

export const isDue = sql<boolean>`(state = 'queued' and next_attempt_at <= now() and (lease_until is null or lease_until < now()))`
const laneHost = sql<string>`coalesce(case when outbox.gateway is null
  then lower(accounts.smtp ->> 'host') || ':' || (accounts.smtp ->> 'port') else lower(gateways.host) || ':' || gateways.port end, '')`
const laneAccount = sql<string>`(outbox.account || coalesce(E'\\n' || outbox.gateway, ''))`

/** What could be sent now, longest waiting first. Takes nothing. */
export function listDue(db: Db, { limit, closed }: DueOptions): Promise<DueSubmission[]> {
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
      sql<boolean>`(attempts = 0 and max_attempts > 1)`.as('fresh'),
    ])
    .where(isDue)
    .whereRef('attempts', '<', 'maxAttempts')
    .where(sql<boolean>`(${laneAccount} <> all(${sql.val(closed.accounts)}::text[]))`)
    .where(
      sql<boolean>`(outbox.gateway is null or outbox.gateway <> all(${sql.val(closed.gateways)}::text[]))`,
    )
    .where(sql<boolean>`(${laneHost} <> all(${sql.val(closed.hosts)}::text[]))`)
    .orderBy('nextAttemptAt')
    .limit(limit)
    .execute()
}

/** Counts an attempt on each of the rows that is due still, and holds them until the lease ends. Committed before anything is sent. */
export async function claimDue(
  db: Db,
  queueIds: string[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Submission[]> {
  if (queueIds.length === 0) return []
  const rows = await updateDue(db, queueIds, { worker, leaseMs })
  return rows.map((row) => ({ ...toSubmission(row), worker }))
}

const claimedColumns = [
  'outbox.queueId',
  'outbox.account',
  'messageId',
  'envelope',
  'mime',
  'attempts',
  'maxAttempts',
  'firstError',
  'outbox.gateway',
  'outbox.proxy',
  'localAddress',
  'dsn',
  'dataSentAt',
  'response',
  'filing',
  'due.host',
  'due.port',
  'due.secure',
  'due.username',
  'due.gatewayVersion',
  'accounts.imap',
  'accounts.smtp',
  'accounts.oauth2',
  'accounts.copy',
  'accounts.smtpEhloName',
  'accounts.proxy as accountProxy',
  'accounts.version',
] as const

const leftList = sql<string | null>`(select list_id from list_blocks
  where list_id = outbox.list_id and recipient = outbox.list_recipient)`

function updateDue(
  db: Db,
  queueIds: string[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
) {
  return db
    .with('due', (db) =>
      db
        .selectFrom('outbox')
        .leftJoin('gateways', 'gateways.gateway', 'outbox.gateway')
        .select([
          'queueId',
          'gateways.host',
          'gateways.port',
          'gateways.secure',
          'gateways.username',
          'gateways.version as gatewayVersion',
        ])
        // One statement for any number.
        .where(sql<boolean>`(queue_id = any(${sql.val(queueIds)}::text[]))`)
        .where(isDue)
        .whereRef('attempts', '<', 'maxAttempts')
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
    .returning([...claimedColumns, leftList.as('leftList')])
    .execute()
}

type ClaimedRow = Awaited<ReturnType<typeof updateDue>>[number]

function toSubmission(row: ClaimedRow): Omit<Submission, 'worker'> {
  const { queueId, account, messageId, envelope, maxAttempts, firstError } = row
  const { gateway, host, port, secure, username, gatewayVersion } = row
  const server =
    host !== null && port !== null && secure !== null && gatewayVersion !== null
      ? { host, port, secure, username, version: gatewayVersion }
      : undefined
  return {
    queueId,
    account,
    messageId,
    envelope,
    maxAttempts,
    firstError,
    sender: {
      account,
      imap: row.imap,
      smtp: row.smtp,
      byOAuth2: row.oauth2 !== null,
      copy: row.copy,
      smtpEhloName: row.smtpEhloName,
      proxy: row.accountProxy,
      version: row.version,
    },
    gateway: gateway === null ? undefined : { gateway, server },
    proxy: row.proxy,
    localAddress: row.localAddress,
    dsn: row.dsn,
    attempt: row.attempts,
    mime: row.mime ?? Buffer.alloc(0),
    maybeSent: row.dataSentAt !== null,
    partlySent: row.response !== null,
    leftList: row.leftList,
    filing: row.filing,
  }
}

/** Keeps the rows in hand for another lease. Returns those that are held still. */
export async function renewLeases(
  db: Db,
  holds: OutboxLease[],
  leaseMs: number,
): Promise<Set<string>> {
  if (holds.length === 0) return new Set()
  const { rows } = await sql<{ queueId: string }>`
    with mine as (${leasedRows(holds)})
    update outbox set lease_until = ${inMs(leaseMs)} from mine
    where outbox.queue_id = mine.queue_id returning outbox.queue_id as "queueId"`.execute(db)
  return new Set(rows.map(({ queueId }) => queueId))
}

/**
 * Commits that the final dots of these messages are about to be written. From here on the server may have them, whatever becomes of
 * us. Returns those that are marked; the others are not ours any more, and their dots must not be written.
 */
export async function markDataSent(
  db: Db,
  holds: OutboxLease[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await sql<{ queueId: string }>`
    with mine as (${leasedRows(holds)})
    update outbox set data_sent_at = now(), lease_until = ${inMs(leaseMs)} from mine
    where outbox.queue_id = mine.queue_id and outbox.lease_until > now()
    returning outbox.queue_id as "queueId"`.execute(db)
  return new Set(rows.map(({ queueId }) => queueId))
}

/** Locks those rows that are held so. In one order everywhere, so that statements about many rows cannot wait for each other. */
export function leasedRows(holds: OutboxLease[]) {
  return sql`
    select outbox.queue_id from outbox join unnest(
      ${sql.val(holds.map(({ queueId }) => queueId))}::text[], ${sql.val(holds.map(({ worker }) => worker))}::uuid[],
      ${sql.val(holds.map(({ attempt }) => attempt))}::integer[]) as held (queue_id, worker, attempt)
      on outbox.queue_id = held.queue_id and outbox.worker = held.worker and outbox.attempts = held.attempt
    where outbox.state = 'queued' order by outbox.queue_id for update of outbox`
}

/** Gives a row back as if it had not been claimed. Its dot was not written, whatever was marked. */
export async function releaseClaim(
  db: Db,
  { queueId, worker, attempt, maybeSent }: OutboxLease & Pick<Submission, 'maybeSent'>,
  delayMs: number,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      attempts: sql`attempts - 1`,
      worker: null,
      leaseUntil: null,
      nextAttemptAt: inMs(delayMs),
      ...(maybeSent ? {} : { dataSentAt: null }),
    })
    .where('queueId', '=', queueId)
    .where('worker', '=', worker)
    .where('attempts', '=', attempt)
    .where('state', '=', 'queued')
    .execute()
}

/** The same for rows whose attempts did not begin: due as they were. */
export async function releaseUnstarted(db: Db, holds: OutboxLease[]): Promise<void> {
  if (holds.length === 0) return
  await sql`
    with mine as (${leasedRows(holds)})
    update outbox set attempts = attempts - 1, worker = null, lease_until = null from mine
    where outbox.queue_id = mine.queue_id`.execute(db)
}

function inMs(ms: number) {
  return sql<Date>`now() + make_interval(secs => ${ms / 1_000})`
}
