import {
  defined,
  fieldError,
  getMessage,
  getMessageSource,
  validationError,
  type MessageDetail,
  operations,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { prepareStoredMessage } from '@posthorn/mime'
import { readBytes } from '../../composing/attachments.ts'
import { senderOf } from '../../composing/sender.ts'
import type { BodyMemoryLimiter } from '../../http/body-memory.ts'
import { callWorker, streamFromWorker, type WorkerDeps } from '../../http/call-worker.ts'
import { handle } from '../../http/handle.ts'
import type { SendingAccount } from '../../store/accounts.ts'
import { assertProxyAllowed, dsnFields } from './check-submission.ts'
import { idempotencyKeyOf } from '../../store/idempotency-keys.ts'
import { getSender, type OutboxWriter, sendTime } from './outbox-writer.ts'

export interface SubmitDraftDeps extends WorkerDeps {
  storedMemory: BodyMemoryLimiter
  writer: OutboxWriter
}

/** Stores a draft for sending, with its current content. Filing deletes it once it is sent. */
export function onSubmitDraft(deps: SubmitDraftDeps) {
  const { storedMemory, writer } = deps
  const { maxBytes } = storedMemory
  return handle(operations.submitDraft, async (input) => {
    const { body: options, params } = input
    const { account, message } = params
    const errors = dsnFields(options.dsn)
    if (options.envelope?.to?.length === 0)
      errors.push(fieldError('envelope.to', 'must name at least one recipient'))
    if (errors.length > 0) throw validationError(errors)
    assertProxyAllowed(options, input.caller)
    const idempotencyKey = idempotencyKeyOf('submitDraft', input)
    const earlier = await writer.findResponse(idempotencyKey)
    if (earlier) return earlier
    const owner = await getSender(deps.db, account, options)
    assertMailbox(owner)
    const draft = await callWorker(deps, input, [getMessage, { account, message }])
    assertDraft(draft)
    const bytes = Math.min(draft.size ?? maxBytes, maxBytes)
    using _memory = await storedMemory.acquire(bytes, input.signal)
    const source = await streamFromWorker(deps, input, [getMessageSource, { account, message }])
    const prepared = prepareStoredMessage(
      await readBytes(source.body, maxBytes, 'The draft is too large'),
      {
        path: 'message',
        from: senderOf({}, { ...owner, email: owner.email ?? '' }),
        content: defined({ envelope: options.envelope }),
      },
    )
    if (prepared.envelope.to.length === 0)
      throw new AppError('invalid', 'The draft has no recipients', { code: 'DraftHasNoRecipients' })
    const sendAt = sendTime(options.sendAt)
    const filing = { draft: message }
    const createRow = await writer.rowFactory({ account, owner, options, idempotencyKey, filing })
    const row = createRow(prepared, sendAt)
    const { messageId, queueId } = row
    const response = 'Queued for delivery'
    const result = { response, messageId, sendAt: sendAt.toISOString(), queueId }
    return await writer.writeOne(row, result, idempotencyKey)
  })
}

function assertMailbox({ imap }: SendingAccount): void {
  if (!imap || imap.disabled)
    throw new AppError('invalid', 'The account has no mailbox with drafts', {
      code: 'UnsupportedOperation',
    })
}

function assertDraft({ draft, flags, messageSpecialUse, specialUse }: MessageDetail): void {
  const isFlagged = draft ?? flags.some((flag) => flag.toLowerCase() === '\\draft')
  if (!isFlagged && messageSpecialUse !== '\\Drafts' && specialUse !== '\\Drafts')
    throw new AppError('invalid', 'The message is not a draft', { code: 'MessageNotDraft' })
}
