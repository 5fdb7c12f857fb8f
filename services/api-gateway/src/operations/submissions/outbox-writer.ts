import { addressKey } from '@posthorn/contracts/address-key'
import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import type { DraftSubmission, SubmissionResult } from '@posthorn/contracts/schemas/submission'
import {
  assertCanSend,
  type Db,
  type Filing,
  hasMailbox,
  newQueueId,
  sendsByApi,
  type StoredDraft,
  type Tx,
} from '@posthorn/db'
import type { ReadPart } from '@posthorn/message-reader'
import { sealLogin } from '@posthorn/secrets'
import type { ComposedCopy } from '../../composing/compose-copy.ts'
import { getSendingAccount, type SendingAccount } from '../../store/accounts/accounts.ts'
import { getGateway } from '../../store/messages/gateways.ts'
import {
  findIdempotentResponse,
  type IdempotencyKey,
  runIdempotent,
} from '../../store/messages/idempotency-keys.ts'
import {
  createSubmissionInserter,
  inOutboxTransaction,
  type InsertSubmission,
  insertRows,
  type NewSubmission,
} from '../../store/messages/outbox.ts'
import type { OperationDeps } from '../operation-deps.ts'

type WriterDeps = Pick<OperationDeps, 'db' | 'outbox' | 'bus' | 'sealer' | 'settings' | 'tasks'>

/** Options that all messages of one submission request share. */
export interface SendOptions {
  account: string
  /**
   * Function that parses message content for the account. Parses large content in a separate
   * process.
   */
  read: ReadPart
  owner: SendingAccount
  options: DraftSubmission & { listId?: string }
  filing?: Pick<Filing, 'reference' | 'draft'>
  /**
   * Thread at the mail provider that the messages of the submission continue. For accounts at a
   * mail API.
   */
  thread?: string | undefined
  /**
   * Draft in the mailbox at the mail provider, which the provider itself sends; see
   * `outbox.stored_draft`.
   */
  storedDraft?: StoredDraft | undefined
  /**
   * True to send the messages of the submission in the mail provider's own format instead of MIME.
   * For accounts at a mail API.
   */
  useStructuredFormat?: boolean
  idempotencyKey?: IdempotencyKey | undefined
}

/**
 * Loads the account that sends a submission.
 *
 * @throws AppError if the account may not send by the requested gateway, see `assertCanSend`
 */
export async function getSender(db: Db, account: string, { gateway }: { gateway?: string }) {
  const owner = await getSendingAccount(db, account)
  if (gateway !== undefined) await getGateway(db, gateway)
  assertCanSend({ ...owner, gateway: gateway ?? null })
  return owner
}

/**
 * Stores submissions in the outbox and publishes hints (bus messages) about due submissions. If a
 * hint is lost, senders find the submission by polling.
 */
export class OutboxWriter {
  readonly #deps: WriterDeps
  readonly #insert: InsertSubmission

  constructor(deps: WriterDeps) {
    this.#deps = deps
    this.#insert = createSubmissionInserter(deps.outbox)
  }

  /**
   * Returns a function that creates outbox rows with the options of a submission request. The
   * function throws AppError `invalid` `UnsupportedOperation` for an envelope that the account
   * cannot send.
   */
  async rowFactory(
    sendOptions: SendOptions,
  ): Promise<(message: ComposedCopy, sendAt: Date) => Promise<NewSubmission>> {
    const { deliveryAttempts = 10 } = await this.#deps.settings.get()
    const { account, owner, options, idempotencyKey, read } = sendOptions
    const filing = filingOf(sendOptions)
    const { proxy } = options
    const byApi = sendsByApi(owner, options.gateway)
    const shared = {
      account,
      shard: owner.shard,
      source: 'api' as const,
      maxAttempts: options.deliveryAttempts ?? deliveryAttempts,
      gateway: options.gateway ?? null,
      proxy: proxy === undefined ? null : await sealLogin(proxy, this.#deps.sealer),
      localAddress: options.localAddress ?? null,
      dsn: options.dsn ? JSON.stringify(options.dsn) : null,
      filing: filing ? JSON.stringify(filing) : null,
      idempotencyKey: idempotencyKey?.key ?? null,
      ...(byApi && apiColumns(sendOptions)),
    }
    return async ({ mime, messageId, envelope, subject = null }, sendAt) => {
      if (byApi) await read('headerEnvelope', { mime, envelope })
      return {
        ...shared,
        queueId: newQueueId(Date.now()),
        messageId,
        envelope: JSON.stringify(envelope),
        subject,
        mime,
        ...listColumns(options, envelope),
        sendAt,
        nextAttemptAt: sendAt,
      }
    }
  }

  /** Finds the response to an earlier submission request with the same idempotency key. */
  async findResponse(key: IdempotencyKey | undefined): Promise<SubmissionResult | undefined> {
    const response = key && (await findIdempotentResponse<SubmissionResult>(this.#deps.db, key))
    return response && withKey(response, key, 'HIT')
  }

  /**
   * Stores at most one submission in the outbox and returns `response`. If a concurrent request
   * with the same idempotency key has stored its submission, returns the response to that request.
   */
  async writeOne(
    row: NewSubmission | undefined,
    response: SubmissionResult,
    key: IdempotencyKey | undefined,
  ): Promise<SubmissionResult> {
    if (key)
      return this.writeMany(key, async (insert) => {
        await insert(row ? [row] : [])
        return response
      })
    if (row) {
      await this.#insert(row)
      this.#publishHints([row])
    }
    return response
  }

  /**
   * Stores all outbox rows that the function `work` inserts, in one transaction. Returns the
   * response that `work` returns.
   */
  async writeMany(
    key: IdempotencyKey | undefined,
    work: (insert: (rows: NewSubmission[]) => Promise<void>) => Promise<SubmissionResult>,
  ): Promise<SubmissionResult> {
    const { outbox } = this.#deps
    const inserted: HintedRow[] = []
    const inTx = (tx: Tx) =>
      work(async (rows) => {
        await insertRows(tx, rows)
        // Keeps ids and times of the inserted outbox rows, but not their bytes: all messages of a
        // mail merge together may be large.
        inserted.push(...rows.map(({ queueId, sendAt }) => defined({ queueId, sendAt })))
      })
    if (!key) {
      const response = await inOutboxTransaction(outbox, inTx)
      this.#publishHints(inserted)
      return response
    }
    const { response, isNew } = await runIdempotent(outbox, key, inTx)
    if (isNew) this.#publishHints(inserted)
    return withKey(response, key, isNew ? 'MISS' : 'HIT')
  }

  #publishHints(rows: readonly HintedRow[]): void {
    const { tasks, bus } = this.#deps
    const now = new Date()
    for (const { queueId, sendAt } of rows)
      if (!sendAt || sendAt <= now) tasks.run(bus.publishHint('sender.submissions', { queueId }))
  }
}

type HintedRow = Pick<NewSubmission, 'queueId' | 'sendAt'>

function withKey(
  response: SubmissionResult,
  key: IdempotencyKey | undefined,
  status: 'MISS' | 'HIT',
): SubmissionResult {
  return key ? { ...response, idempotency: { key: key.key, status } } : response
}

/**
 * Work in the mailbox after a message was sent (filing): copy in the Sent mailbox, flag of the
 * referenced message, removal of the draft. Null if the request has no filing options, or if the
 * account has no mailbox.
 */
function filingOf({ owner, options, filing }: SendOptions): Filing | null {
  if (!hasMailbox(owner)) return null
  const { copy, sentMailPath } = options
  const all = {
    ...filing,
    ...defined({ copy: typeof copy === 'boolean' ? copy : undefined, sentMailPath }),
  }
  return Object.keys(all).length === 0 ? null : all
}

function apiColumns({ thread, storedDraft, useStructuredFormat = false }: SendOptions) {
  return {
    providerThread: thread ?? null,
    storedDraft: storedDraft ? JSON.stringify(storedDraft) : null,
    useStructuredFormat,
  }
}

/**
 * Outbox columns by which the sender checks again whether the recipient is blocked on a mailing
 * list. Messages of a mailing list have one recipient.
 */
function listColumns(
  { listId }: SendOptions['options'],
  { to: [recipient = ''] }: ComposedCopy['envelope'],
) {
  if (listId === undefined) return {}
  return { listId: listId.toLowerCase(), listRecipient: addressKey(recipient) }
}

/** Time at which a message is to be sent. A requested time in the past becomes the current time. */
export function sendTime(sendAt: string | undefined, now = new Date()): Date {
  const requested = sendAt === undefined ? undefined : parseDate(sendAt)
  return requested && requested > now ? requested : now
}
