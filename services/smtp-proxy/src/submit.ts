import { createHash } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
import {
  assertCanSend,
  type Db,
  type DsnRequest,
  type Filing,
  hasMailbox,
  type MailboxColumns,
  newQueueId,
  sendsByApi,
  type SettingsCache,
} from '@posthorn/db'
import { assertHeaderEnvelope } from '@posthorn/mime'
import type { Logger } from '@posthorn/telemetry'
import { type AccessDeps, checkSession, type User } from './access.ts'
import type { Controls } from './control-headers.ts'
import { prepareMessage } from './prepare-message.ts'
import { SmtpRejection } from './rejection.ts'
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

export interface SubmittedMessage {
  envelope: Envelope
  dsn: DsnRequest | undefined
  message: Buffer
}

/**
 * Stores a submitted message in the outbox and wakes a sender. Returns the SMTP reply after the
 * commit.
 *
 * @throws SmtpRejection or AppError for a message that is not accepted
 */
export async function submit(
  deps: SubmitDeps,
  user: User | undefined,
  { envelope, dsn, message }: SubmittedMessage,
): Promise<string> {
  const { db, bus, settings, log } = deps
  const now = new Date()
  const { deliveryAttempts = 10, webhooksHeaderAlias } = await settings.get()
  const hasLogin = user !== undefined
  const options = defined({ from: envelope.from, now, headerAlias: webhooksHeaderAlias, hasLogin })
  const prepared = prepareMessage(message, options)
  const { mime, messageId, subject, controls } = prepared
  await checkSession(deps, user)
  const account = accountOf(user, controls)
  const sender = await getSender(db, account, controls)
  if (sendsByApi(sender, controls.gateway)) assertHeaderEnvelope(mime, envelope)
  const queueId = newQueueId(now.getTime())
  // Replaces a requested send time in the past by the current time.
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
    ...columnsOf(controls, { dsn, sender }),
  }
  const key = idempotencyOf(controls.idempotencyKey, envelope, {
    response: 'Queued for delivery',
    messageId,
    sendAt: sendAt.toISOString(),
    queueId,
  })
  const stored = await storeSubmission(db, row, key)
  if (stored.result === 'deleted') throw unknownAccount()
  if (stored.result === 'mismatch')
    throw new SmtpRejection(
      '554 5.6.0',
      'The idempotency key was used for a message to other recipients',
    )
  if (stored.result === 'repeated') return replyFor(stored.response.queueId, now)
  // Publishes a hint that wakes a sender for the new submission. The hint may be lost, because
  // senders also poll the outbox.
  if (sendAt <= now)
    bus
      .publishHint('sender.submissions', { queueId })
      .catch((err: unknown) => log.debug({ err, queueId }, 'publishing a hint failed'))
  log.info(
    { account, queueId, bytes: mime.length, recipients: envelope.to.length },
    'submission queued',
  )
  return replyFor(queueId, now)
}

const replyFor = (queueId: string, now: Date) =>
  `Message queued for delivery as ${queueId} (${now.toISOString()})`

const unknownAccount = () => new SmtpRejection('550 5.7.1', 'Account not found')

/**
 * Account that sends the submitted message: the account of the SMTP login, or of the header
 * X-SVC-Account if no login is required.
 */
function accountOf(user: User | undefined, { account, aliasAccount }: Controls): string {
  if (user && account !== undefined && account !== user.account)
    throw new SmtpRejection(
      '550 5.7.1',
      'The header X-SVC-Account names another account than the login',
    )
  const sending = user?.account ?? account ?? aliasAccount
  if (sending === undefined)
    throw new SmtpRejection('550 5.7.1', 'Log in, or name an account in the header X-SVC-Account')
  return sending
}

/**
 * Finds the account that sends the submitted message.
 * @throws SmtpRejection 550, AppError if the account cannot send or has not connected yet
 */
async function getSender(db: Db, account: string, { gateway }: Controls) {
  const sender = await findSendingAccount(db, account)
  if (!sender) throw unknownAccount()
  if (gateway !== undefined && !(await gatewayExists(db, gateway)))
    throw new SmtpRejection(
      '550 5.7.1',
      'The gateway that the header X-SVC-Gateway names was not found',
    )
  assertCanSend({ ...sender, gateway: gateway ?? null })
  return sender
}

function columnsOf(
  controls: Controls,
  { dsn, sender }: Pick<SubmittedMessage, 'dsn'> & { sender: MailboxColumns },
): Partial<NewSubmission> {
  const filing = filingOf(controls, sender)
  return {
    gateway: controls.gateway ?? null,
    localAddress: controls.localAddress ?? null,
    dsn: dsn ? JSON.stringify(dsn) : null,
    idempotencyKey: controls.idempotencyKey ?? null,
    filing: filing ? JSON.stringify(filing) : null,
  }
}

/**
 * Mailbox work after sending the message, such as the copy in Sent. Null if the account has no
 * mailbox.
 */
function filingOf({ copy, sentMailPath }: Controls, sender: MailboxColumns): Filing | null {
  if (!hasMailbox(sender)) return null
  return defined({ copy, sentMailPath })
}

/**
 * Idempotency record of a submitted message. The record compares envelopes only: clients rebuild a
 * repeated message with a new Date, Message-ID and boundaries.
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
