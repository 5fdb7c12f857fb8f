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
import type { BackgroundTasks } from '../../background-tasks.ts'
import { getSendingAccount, type SendingAccount } from '../../store/accounts.ts'
import {
  runIdempotent,
  findIdempotentResponse,
  type IdempotencyKey,
} from '../../store/idempotency.ts'
import { recipientKey } from '../../store/lists.ts'
import {
  assertGateway,
  type InsertSubmission,
  insertRows,
  createSubmissionInserter,
  type NewSubmission,
  inOutboxTransaction,
} from '../../store/outbox.ts'
import type { ComposedCopy } from '../../composing/compose-copy.ts'

export interface OutboxWriterDeps {
  db: Db
  /** Connections of their own: a message may take longer to store than anything else may take. */
  outbox: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: BackgroundTasks
}

/** How messages of one request are sent, whatever they say. */
export interface SendOptions {
  account: string
  owner: SendingAccount
  options: DraftSubmission & { listId?: string }
  filing?: Pick<Filing, 'reference' | 'draft'>
  idempotencyKey?: IdempotencyKey | undefined
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
export class OutboxWriter {
  readonly #deps: OutboxWriterDeps
  readonly #insert: InsertSubmission

  constructor(deps: OutboxWriterDeps) {
    this.#deps = deps
    this.#insert = createSubmissionInserter(deps.outbox)
  }

  /** What makes rows of messages. */
  async rowFactory(
    sending: SendOptions,
  ): Promise<(message: ComposedCopy, sendAt: Date) => NewSubmission> {
    const { deliveryAttempts = 10 } = await this.#deps.settings.get()
    const { account, owner, options: how, idempotencyKey: once } = sending
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
  async findResponse(once: IdempotencyKey | undefined): Promise<SubmissionResult | undefined> {
    const answer = once && (await findIdempotentResponse<SubmissionResult>(this.#deps.db, once))
    return answer && withKey(answer, once, 'HIT')
  }

  /** Queues one message, or none, and gives the answer, or the one that the same request was given meanwhile. */
  async writeOne(
    row: NewSubmission | undefined,
    answer: SubmissionResult,
    once: IdempotencyKey | undefined,
  ): Promise<SubmissionResult> {
    if (once)
      return this.writeMany(once, async (insert) => {
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
  async writeMany(
    once: IdempotencyKey | undefined,
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
      const answer = await inOutboxTransaction(outbox, inTx)
      this.#hint(due)
      return answer
    }
    const { answer, isNew } = await runIdempotent(outbox, once, inTx)
    if (isNew) this.#hint(due)
    return withKey(answer, once, isNew ? 'MISS' : 'HIT')
  }

  #hint(rows: readonly Pick<NewSubmission, 'queueId' | 'sendAt'>[]): void {
    const { tasks, bus } = this.#deps
    const now = new Date()
    for (const { queueId, sendAt } of rows)
      if (!sendAt || sendAt <= now) tasks.run(bus.publishHint('sender.submissions', { queueId }))
  }
}

function withKey(
  answer: SubmissionResult,
  once: IdempotencyKey | undefined,
  status: 'MISS' | 'HIT',
): SubmissionResult {
  return once ? { ...answer, idempotency: { key: once.key, status } } : answer
}

/** What the request says of the mailbox once the message is sent; null where it says nothing, or there is none. */
function filingOf({ owner: { imap }, options: how, filing = {} }: SendOptions): Filing | null {
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
function listOf(
  { listId }: SendOptions['options'],
  { to: [recipient = ''] }: ComposedCopy['envelope'],
) {
  if (listId === undefined) return {}
  return { listId: listId.toLowerCase(), listRecipient: recipientKey(recipient) }
}

/** A time that has passed means now. */
export function sendTime(sendAt: string | undefined, now = new Date()): Date {
  const asked = sendAt === undefined ? undefined : parseDate(sendAt)
  return asked && asked > now ? asked : now
}
