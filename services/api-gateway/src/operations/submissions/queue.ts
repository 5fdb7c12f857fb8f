import type { DraftSubmission, SubmissionResult } from '@posthorn/contracts'
import { parseDate } from '@posthorn/contracts'
import type { Bus } from '@posthorn/bus'
import {
  assertCanSend,
  type Db,
  type Filing,
  newQueueId,
  type SettingsCache,
  type Tx,
} from '@posthorn/db'
import { type Sealer, sealLogin } from '@posthorn/secrets'
import type { Afterwards } from '../../afterwards.ts'
import { getSendingAccount, type SendingAccount } from '../../store/accounts.ts'
import { answerOnce, findAnswer, type OnceKey } from '../../store/idempotency.ts'
import { recipientKey } from '../../store/lists.ts'
import {
  assertGateway,
  type InsertSubmission,
  insertRows,
  insertSubmissions,
  type NewSubmission,
  queueTogether,
} from '../../store/outbox.ts'
import type { Composed } from './compose-copy.ts'

export interface QueueDeps {
  db: Db
  /** Connections of their own: a message may take longer to store than anything else may take. */
  outbox: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  afterwards: Afterwards
}

/** How messages of one request are sent, whatever they say. */
export interface Sending {
  account: string
  owner: SendingAccount
  how: DraftSubmission & { listId?: string }
  filing?: Pick<Filing, 'reference' | 'draft'>
  once?: OnceKey | undefined
  useStructuredFormat?: boolean | undefined
}

/** The account, if it may send by the way that is asked for. @throws AppError, see `assertCanSend` */
export async function getSender(
  db: Db,
  account: string,
  { gateway }: { gateway?: string },
): Promise<SendingAccount> {
  const owner = await getSendingAccount(db, account)
  if (gateway !== undefined) await assertGateway(db, gateway)
  assertCanSend({ ...owner, gateway: gateway ?? null })
  return owner
}

/** Stores messages to be sent; the sender is told of those that are due, and finds them without that as well. */
export class Queue {
  readonly #deps: QueueDeps
  readonly #insert: InsertSubmission

  constructor(deps: QueueDeps) {
    this.#deps = deps
    this.#insert = insertSubmissions(deps.outbox)
  }

  /** What makes rows of messages. */
  async rows(sending: Sending): Promise<(message: Composed, sendAt: Date) => NewSubmission> {
    const { deliveryAttempts = 10 } = await this.#deps.settings.get()
    const { account, owner, how, once } = sending
    const filing = filingOf(sending)
    const always = {
      account,
      shard: owner.shard,
      source: 'api' as const,
      maxAttempts: how.deliveryAttempts ?? deliveryAttempts,
      gateway: how.gateway ?? null,
      proxy: how.proxy === undefined ? null : await sealLogin(how.proxy, this.#deps.sealer),
      localAddress: how.localAddress ?? null,
      dsn: how.dsn ? JSON.stringify(how.dsn) : null,
      filing: filing ? JSON.stringify(filing) : null,
      idempotencyKey: once?.key ?? null,
      useStructuredFormat: sending.useStructuredFormat ?? false,
    }
    return ({ mime, messageId, envelope, subject = null }, sendAt) => ({
      ...always,
      queueId: newQueueId(Date.now()),
      messageId,
      envelope: JSON.stringify(envelope),
      subject,
      mime,
      ...listOf(how, envelope),
      sendAt,
      nextAttemptAt: sendAt,
    })
  }

  /** The answer to the same request, if it came before. */
  async known(once: OnceKey | undefined): Promise<SubmissionResult | undefined> {
    const answer = once && (await findAnswer<SubmissionResult>(this.#deps.db, once))
    return answer && withKey(answer, once, 'HIT')
  }

  /** Queues one message, or none, and gives the answer, or the one that the same request was given meanwhile. */
  async one(
    row: NewSubmission | undefined,
    answer: SubmissionResult,
    once: OnceKey | undefined,
  ): Promise<SubmissionResult> {
    if (once)
      return this.many(once, async (insert) => {
        await insert(row ? [row] : [])
        return answer
      })
    if (row) {
      await this.#insert(row)
      this.#hint([row])
    }
    return answer
  }

  /** Queues what the work inserts, all of it or nothing, and gives its answer. */
  async many(
    once: OnceKey | undefined,
    work: (insert: (rows: NewSubmission[]) => Promise<void>) => Promise<SubmissionResult>,
  ): Promise<SubmissionResult> {
    const { outbox } = this.#deps
    const due: Pick<NewSubmission, 'queueId' | 'sendAt'>[] = []
    const inTx = (tx: Tx) =>
      work(async (rows) => {
        await insertRows(tx, rows)
        due.push(...rows.map(({ queueId, sendAt }) => ({ queueId, ...(sendAt ? { sendAt } : {}) })))
      })
    if (!once) {
      const answer = await queueTogether(outbox, inTx)
      this.#hint(due)
      return answer
    }
    const { answer, isNew } = await answerOnce(outbox, once, inTx)
    if (isNew) this.#hint(due)
    return withKey(answer, once, isNew ? 'MISS' : 'HIT')
  }

  #hint(rows: readonly Pick<NewSubmission, 'queueId' | 'sendAt'>[]): void {
    const { afterwards, bus } = this.#deps
    const now = new Date()
    for (const { queueId, sendAt } of rows)
      if (!sendAt || sendAt <= now)
        afterwards.do(bus.publishHint('sender.submissions', { queueId }))
  }
}

function withKey(
  answer: SubmissionResult,
  once: OnceKey | undefined,
  status: 'MISS' | 'HIT',
): SubmissionResult {
  return once ? { ...answer, idempotency: { key: once.key, status } } : answer
}

/** What the request says of the mailbox once the message is sent; null where it says nothing, or there is none. */
function filingOf({ owner: { imap }, how, filing = {} }: Sending): Filing | null {
  if (!imap || imap.disabled) return null
  const { copy, sentMailPath } = how
  const asked = {
    ...filing,
    ...(typeof copy === 'boolean' ? { copy } : {}),
    ...(sentMailPath === undefined ? {} : { sentMailPath }),
  }
  return Object.keys(asked).length === 0 ? null : asked
}

/** By which the sender sees whether the recipient has left the list meanwhile. A message of a list has one recipient. */
function listOf({ listId }: Sending['how'], { to: [recipient = ''] }: Composed['envelope']) {
  if (listId === undefined) return {}
  return { listId: listId.toLowerCase(), listRecipient: recipientKey(recipient) }
}

/** A time that has passed means now. */
export function sendTime(sendAt: string | undefined, now = new Date()): Date {
  const asked = sendAt === undefined ? undefined : parseDate(sendAt)
  return asked && asked > now ? asked : now
}
