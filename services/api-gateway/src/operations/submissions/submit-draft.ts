import {
  fieldError,
  getMessage,
  getMessageSource,
  validationError,
  type MessageDetail,
  operations,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { prepareStoredMessage } from '@posthorn/mime'
import type { SendingAccount } from '../../store/accounts.ts'
import {
  type WorkerDeps,
  type WorkerCall,
  callWorker,
  streamFromWorker,
} from '../../http/call-worker.ts'
import type { BodyMemoryLimiter } from '../../http/body-memory.ts'
import { senderOf } from '../../composing/sender.ts'
import { handle } from '../../http/route.ts'
import { assertProxyAllowed, dsnFields } from './check-submission.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { getSender, OutboxWriter, type OutboxWriterDeps, sendTime } from './outbox-writer.ts'

export interface Deps extends WorkerDeps, OutboxWriterDeps {
  maxUploadBytes: number
  storedMemory: BodyMemoryLimiter
}

interface AskedForDraft extends WorkerCall {
  params: { account: string; message: string }
}

/** Takes a stored draft for sending, as it is in the mailbox now. It is removed from there once it has been sent. */
export function onSubmitDraft(deps: Deps) {
  const queue = new OutboxWriter(deps)
  return handle(operations.submitDraft, async (input) => {
    const { body: how, params } = input
    const { account, message } = params
    const fields = [
      ...dsnFields(how.dsn),
      ...(how.envelope?.to?.length === 0
        ? [fieldError('envelope.to', 'must name at least one recipient')]
        : []),
    ]
    if (fields.length > 0) throw validationError(fields)
    assertProxyAllowed(how, input.caller)
    const once = idempotencyKeyOf('submitDraft', input)
    const known = await queue.findResponse(once)
    if (known) return known
    const owner = await getSender(deps.db, account, how)
    assertMailbox(owner)
    const draft = await callWorker(deps, input, [getMessage, { account, message }])
    assertDraft(draft)
    const bytes = Math.min(draft.size ?? deps.maxUploadBytes, deps.maxUploadBytes)
    using _room = await deps.storedMemory.acquire(bytes, input.signal)
    const opened = prepareStoredMessage(await sourceOf(deps, input), {
      path: 'message',
      from: senderOf({}, { ...owner, email: owner.email ?? '' }),
      content: how.envelope ? { envelope: how.envelope } : {},
    })
    if (opened.envelope.to.length === 0)
      throw new AppError('invalid', 'The draft has no recipients', { code: 'DraftHasNoRecipients' })
    const sendAt = sendTime(how.sendAt)
    const rowOf = await queue.rowFactory({
      account,
      owner,
      options: how,
      idempotencyKey: once,
      filing: { draft: message },
    })
    const row = rowOf(opened, sendAt)
    const { messageId, queueId } = row
    const answer = {
      response: 'Queued for delivery',
      messageId,
      sendAt: sendAt.toISOString(),
      queueId,
    }
    return await queue.writeOne(row, answer, once)
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

/** The bytes of the draft, no more of them than may be submitted in other ways. */
async function sourceOf(deps: Deps, asked: AskedForDraft): Promise<Buffer> {
  const { account, message } = asked.params
  const { body } = await streamFromWorker(deps, asked, [getMessageSource, { account, message }])
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > deps.maxUploadBytes) throw new AppError('too-large', 'The draft is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
