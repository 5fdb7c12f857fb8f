import {
  getDraftVersion,
  getMessage,
  getMessageSource,
} from '@posthorn/contracts/commands/messages'
import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { validationError } from '@posthorn/contracts/validate'
import { hasMailbox, sendsByApi } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { newMessageId } from '@posthorn/mime'
import { readBytes } from '../../composing/attachments.ts'
import type { ResolveDeps } from '../../composing/resolve-submission.ts'
import { senderOf } from '../../composing/compose-copy.ts'
import { callWorker, streamFromWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/handle.ts'
import type { SendingAccount } from '../../store/accounts/accounts.ts'
import { idempotencyKeyOf } from '../../store/messages/idempotency-keys.ts'
import { assertProxyAllowed, dsnFields, recipientFields } from './check-submission.ts'
import { getSender, type OutboxWriter, sendTime } from './outbox-writer.ts'

/**
 * Submits a draft of the mailbox with its current content. The mailbox work after sending deletes
 * the draft. A mail API sends the stored draft itself, unless the request replaces the draft's
 * recipients. The composed copy of the draft has a new Message-ID, so that senders cannot mistake
 * the owner's draft for the copy.
 */
export function onSubmitDraft(deps: ResolveDeps, writer: OutboxWriter) {
  const { storedMemory } = deps
  const { maxBytes } = storedMemory
  return handle(operations.submitDraft, async (input) => {
    const { body: options, params } = input
    const { account, message } = params
    const { dsn, envelope } = options
    const errors = [...dsnFields(dsn), ...recipientFields(defined({ envelope }))]
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
    const byApi = sendsByApi(owner, options.gateway)
    // Reads the version of a draft before its content, so that a change of the draft between the
    // two reads is detected.
    const { version } =
      byApi && !envelope
        ? await callWorker(deps, input, [getDraftVersion, { account, message }])
        : {}
    const source = await streamFromWorker(deps, input, [getMessageSource, { account, message }])
    const stored = await readBytes(source.body, maxBytes, 'The draft is too large')
    const from = senderOf({}, { ...owner, email: owner.email ?? '' })
    const content = defined({ envelope, messageId: byApi ? newMessageId(from) : undefined })
    const read = deps.reader.forAccount(account, input.signal)
    const prepared = await read('prepare', [stored, { path: 'message', from, content }])
    if (prepared.envelope.to.length === 0)
      throw new AppError('invalid', 'The draft has no recipients', {
        code: 'DraftHasNoRecipients',
      })
    const sendAt = sendTime(options.sendAt)
    const { messageId: messageIdHeader, threadId: thread } = draft
    const createRow = await writer.rowFactory({
      account,
      read,
      owner,
      options,
      idempotencyKey,
      thread,
      ...(byApi && !envelope
        ? { storedDraft: defined({ messageId: message, messageIdHeader, version }) }
        : { filing: { draft: message } }),
    })
    const row = await createRow(prepared, sendAt)
    const { messageId, queueId } = row
    const response = 'Queued for delivery'
    const result = { response, messageId, sendAt: sendAt.toISOString(), queueId }
    return await writer.writeOne(row, result, idempotencyKey)
  })
}

function assertMailbox(owner: SendingAccount): void {
  if (!hasMailbox(owner))
    throw new AppError('invalid', 'The account has no mailbox with drafts', {
      code: 'UnsupportedOperation',
    })
}

function assertDraft({ draft, flags, messageSpecialUse, specialUse }: MessageDetail): void {
  const isFlagged = draft ?? flags.some((flag) => flag.toLowerCase() === '\\draft')
  if (!isFlagged && messageSpecialUse !== '\\Drafts' && specialUse !== '\\Drafts')
    throw new AppError('invalid', 'The message is not a draft', { code: 'MessageNotDraft' })
}
