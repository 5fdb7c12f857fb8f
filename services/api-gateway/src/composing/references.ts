import { getMessage } from '@posthorn/contracts/commands/messages'
import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { Reference, ReferenceResult } from '@posthorn/contracts/schemas/reference'
import { AppError } from '@posthorn/errors'
import type { ReadPart } from '@posthorn/message-reader'
import type { ReferenceResult as ReferredDraft } from '@posthorn/mime'
import { callWorker, type WorkerCall, type WorkerDeps } from '../http/call-worker.ts'
import type { Mailbox, OwnerWithLanguage } from './sender.ts'

/** Field errors of a reference that the schema cannot express. */
export function referenceFields(reference: Reference | undefined): FieldError[] {
  if (!reference) return []
  const { message, threadId, action = 'reply', forwardAttachments } = reference
  const errors: FieldError[] = []
  if (message === undefined && threadId === undefined)
    errors.push(fieldError('reference.message', 'is required'))
  if (forwardAttachments && action !== 'forward')
    errors.push(fieldError('reference.forwardAttachments', 'is allowed with action "forward" only'))
  return errors
}

/** @throws AppError `invalid` `UnsupportedOperation`: mail servers have no threads to refer to */
export function assertNoThread(reference: Reference | undefined): void {
  if (reference && reference.message === undefined)
    throw new AppError('invalid', 'The account cannot refer to a thread, only to a message', {
      code: 'UnsupportedOperation',
    })
}

/**
 * Reads the referenced message. Undefined if it is missing or incomplete and `ignoreMissing` is
 * set.
 *
 * @throws AppError `not-found` `MessageNotFound`, `unavailable` `IMAPUnavailable` if the mail
 * server
 *   does not describe the message, unless `ignoreMissing` is set
 */
export async function readOriginal(
  deps: WorkerDeps,
  call: WorkerCall,
  { message = '', messageId, inline = false, ignoreMissing = false }: Reference,
): Promise<MessageDetail | undefined> {
  const { account } = call.params
  // The quoted text becomes HTML of the new message: nothing in it may run there.
  const text = inline ? { webSafeHtml: true, embedAttachedImages: false } : {}
  try {
    const original = await callWorker(deps, call, [getMessage, { account, message, ...text }])
    if (messageId !== undefined && bareId(messageId) !== bareId(original.messageId))
      throw messageNotFound()
    if (original.incomplete) throw notDescribed()
    return original
  } catch (error) {
    if (ignoreMissing && isMissing(error)) return undefined
    throw error
  }
}

function bareId(messageId = ''): string {
  return messageId.trim().replace(/^<|>$/g, '')
}

function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}

/** True for a message that is missing or not described. Other failures may end by themselves. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof AppError && (error.code === 'MessageNotFound' || error.message === undescribed)
  )
}

const undescribed = 'The mail server does not describe the message, retry'

/** Error of a reference without its texts and attachments, which must not become an empty quote. */
function notDescribed(): AppError {
  return new AppError('unavailable', undescribed, { code: 'IMAPUnavailable' })
}

/** Part of the response about the referenced message. */
export function referenceResult(
  { message, threadId }: Reference,
  original: MessageDetail | undefined,
): ReferenceResult {
  const error = original ? undefined : messageNotFound().message
  return defined({ message, threadId, success: original !== undefined, error })
}

/** Message that a new one refers to, with the sender of the new one. */
export interface ReferencedOriginal {
  original: MessageDetail | undefined
  owner: OwnerWithLanguage
  /** Readings of the account: the original is foreign content. */
  read: ReadPart
}

/** Fields of a new message that decide how it refers to the original. */
interface ReferringMessage {
  reference?: Reference
  from?: Mailbox
  locale?: string
  tz?: string
}

type Draft = ReferredDraft['draft']
type DraftInput = { [K in keyof Draft]?: Draft[K] | undefined }

/**
 * Completes a draft from the message it replies to or forwards. Unchanged without a reference. A
 * reply to all leaves out the sender.
 *
 * @throws AppError `unprocessable` if quoting the original exceeds the limits of the reader
 */
export async function referTo(
  { to, cc, bcc, subject, text, html }: DraftInput,
  { reference, from, ...language }: ReferringMessage,
  { original, owner, read }: ReferencedOriginal,
): Promise<ReferredDraft> {
  const draft: Draft = defined({ to, cc, bcc, subject, text, html })
  if (!original || !reference) return { draft }
  const { action = 'reply', inline = false } = reference
  const own = [from?.address, owner.email].filter((address) => typeof address === 'string')
  const locale = (language.locale ?? owner.locale) || undefined
  const tz = (language.tz ?? owner.tz) || undefined
  const options = { action, inline, own, ...defined({ locale, tz }) }
  return read('quote', [draft, original, options])
}
