import { createHash } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import {
  assertCanSend,
  type Db,
  type DsnRequest,
  type Filing,
  newQueueId,
  type SendPrerequisites,
  type SettingsCache,
} from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { type AccessDeps, checkSession, type User } from './access.ts'
import type { Controls } from './control-headers.ts'
import { prepareMessage } from './prepare-message.ts'
import { Refusal } from './refusal.ts'
import { findSendingAccount, gatewayExists } from './store/accounts.ts'
import { type Idempotency, type NewSubmission, storeSubmission } from './store/outbox.ts'

export interface SubmitDeps extends AccessDeps {
  db: Db
  bus: Pick<Bus, 'request' | 'publishHint'>
  settings: SettingsCache
  log: Logger
}

export interface Envelope {
  from: string
  to: string[]
}

export interface Submitted {
  envelope: Envelope
  dsn: DsnRequest | undefined
  message: Buffer
}

/** Stores a message to be sent. What it answers is a promise: the row is committed. */
export async function submit(
  deps: SubmitDeps,
  user: User | undefined,
  { envelope, dsn, message }: Submitted,
): Promise<string> {
  const { db, bus, settings, log } = deps
  const now = new Date()
  const prepared = prepareMessage(message, { from: envelope.from, now })
  const { mime, messageId, subject, controls } = prepared
  await checkSession(deps, user)
  const account = accountOf(user, controls)
  const sender = await getSender(db, account, controls)
  const { deliveryAttempts = 10 } = await settings.get()
  const queueId = newQueueId(now.getTime())
  // A time that has passed means now.
  const sendAt = controls.sendAt && controls.sendAt > now ? controls.sendAt : now
  const row: NewSubmission = {
    queueId,
    account,
    shard: sender.shard,
    source: 'smtp',
    messageId,
    subject,
    envelope: JSON.stringify(envelope),
    mime,
    sendAt,
    nextAttemptAt: sendAt,
    maxAttempts: controls.deliveryAttempts ?? deliveryAttempts,
    ...optionsOf(controls, { dsn, imap: sender.imap }),
  }
  const key = idempotencyOf(controls.idempotencyKey, envelope, {
    response: 'Queued for delivery',
    messageId,
    sendAt: sendAt.toISOString(),
    queueId,
  })
  const stored = await storeSubmission(db, row, key)
  if (stored.result === 'gone') throw unknownAccount()
  if (stored.result === 'mismatch')
    throw new Refusal('554 5.6.0', 'The idempotency key was used for a message to other recipients')
  if (stored.result === 'repeated') return answer(stored.response.queueId, now)
  // The sender's sweep finds the row without it, only later.
  if (sendAt <= now)
    bus
      .publishHint('sender.submissions', { queueId })
      .catch((err: unknown) => log.debug({ err, queueId }, 'no hint'))
  log.info({ account, queueId, bytes: mime.length, recipients: envelope.to.length }, 'queued')
  return answer(queueId, now)
}

const answer = (queueId: string, now: Date) =>
  `Message queued for delivery as ${queueId} (${now.toISOString()})`

const unknownAccount = () => new Refusal('550 5.7.1', 'There is no such account')

/** Whose message it is: of who logged in, or of whom the header names where nobody has to. */
function accountOf(user: User | undefined, { account }: Controls): string {
  if (user && account !== undefined && account !== user.account)
    throw new Refusal('550 5.7.1', 'The header X-SVC-Account names another account than the login')
  const whose = user?.account ?? account
  if (whose === undefined)
    throw new Refusal('550 5.7.1', 'Log in, or name an account in the header X-SVC-Account')
  return whose
}

/** @throws Refusal 550; AppError where the account cannot send, or not yet */
async function getSender(db: Db, account: string, { gateway }: Controls) {
  const sender = await findSendingAccount(db, account)
  if (!sender) throw unknownAccount()
  if (gateway !== undefined && !(await gatewayExists(db, gateway)))
    throw new Refusal('550 5.7.1', 'The gateway that the header X-SVC-Gateway names was not found')
  assertCanSend({ ...sender, gateway: gateway ?? null })
  return sender
}

function optionsOf(
  controls: Controls,
  { dsn, imap }: Pick<Submitted, 'dsn'> & Pick<SendPrerequisites, 'imap'>,
): Partial<NewSubmission> {
  const filing = filingOf(controls, imap)
  return {
    gateway: controls.gateway ?? null,
    localAddress: controls.localAddress ?? null,
    dsn: dsn ? JSON.stringify(dsn) : null,
    idempotencyKey: controls.idempotencyKey ?? null,
    filing: filing ? JSON.stringify(filing) : null,
  }
}

/** What is left to do in the mailbox once the message is sent; null where there is none, or nothing. */
function filingOf(
  { copy, sentMailPath }: Controls,
  imap: SendPrerequisites['imap'],
): Filing | null {
  if (!imap || imap.disabled || copy === false) return null
  return {
    ...(copy === undefined ? {} : { copy }),
    ...(sentMailPath === undefined ? {} : { sentMailPath }),
  }
}

/**
 * A client that repeats itself builds its message anew, with another Date, Message-ID and boundaries: who it is from and to is what
 * must be the same.
 */
function idempotencyOf(
  key: string | undefined,
  { from, to }: Envelope,
  response: Idempotency['response'],
): Idempotency | undefined {
  if (key === undefined) return undefined
  const hash = createHash('sha256')
    .update(JSON.stringify(['smtp', from, [...to].sort()]))
    .digest()
  return { key, hash, response }
}
