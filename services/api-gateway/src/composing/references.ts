import { getMessage } from '@posthorn/contracts/commands/messages'
import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { Reference, ReferenceResult } from '@posthorn/contracts/schemas/reference'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { AppError } from '@posthorn/errors'
import type { ReadPart } from '@posthorn/message-reader'
import type { ReferenceResult as ReferredDraft } from '@posthorn/mime'
import { callWorker, type WorkerCall, type WorkerDeps } from '../http/call-worker.ts'

/** Field errors of a reference to a message (reply or forward) that the schema cannot express. */
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

/**
 * Rejects a reference to a thread if the account has a mail server: mail servers have no threads.
 *
 * @throws AppError `invalid` `UnsupportedOperation`
 */
export function assertNoThread(reference: Reference | undefined): void {
  if (reference && reference.message === undefined)
    throw new AppError('invalid', 'The account cannot refer to a thread, only to a message', {
      code: 'UnsupportedOperation',
    })
}

/**
 * Reads the message that a new message replies to or forwards. Undefined if the message is missing
 * or incomplete and `ignoreMissing` is set.
 *
 * @throws AppError `not-found` `MessageNotFound`, `unavailable` `IMAPUnavailable` if the mail
 * server does not describe the message, `invalid` `UnsupportedOperation` if the described part does
 * not suffice; none of these if `ignoreMissing` is set
 */
export async function readOriginal(
  deps: WorkerDeps,
  call: WorkerCall,
  reference: Reference,
): Promise<MessageDetail | undefined> {
  const { account } = call.params
  const { message = '', messageId, inline, ignoreMissing } = reference
  // Requests the original message's HTML without scripts, because the quoted text becomes HTML of
  // the new message.
  const text = inline ? { webSafeHtml: true, embedAttachedImages: false } : {}
  try {
    const original = await callWorker(deps, call, [getMessage, { account, message, ...text }])
    if (messageId !== undefined && bareId(messageId) !== bareId(original.messageId))
      throw messageNotFound()
    assertDescribed(original, reference)
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

/**
 * True if an error says that a referenced message is missing, or that its description does not
 * suffice for a reply or forward. Other errors may be temporary.
 */
function isMissing(error: unknown): boolean {
  return (
    error instanceof IncompleteOriginalError ||
    (error instanceof AppError && error.code === 'MessageNotFound')
  )
}

/** Error of a referenced message whose description does not suffice for a reply or forward. */
class IncompleteOriginalError extends AppError {}

/**
 * Rejects a referenced message if data is missing that the reply or forward needs. The new message
 * would otherwise silently lack text, attachments or recipients. A reply needs the sender only.
 */
function assertDescribed(
  { incomplete, incompleteIn }: MessageDetail,
  { action = 'reply' }: Reference,
): void {
  if (!incomplete) return
  if (!incompleteIn)
    throw new IncompleteOriginalError(
      'unavailable',
      'The mail server does not describe the message, retry',
      { code: 'IMAPUnavailable' },
    )
  if (action === 'forward' && incompleteIn.includes('structure'))
    throw unsupported('The message has too many parts to be forwarded. Attach its source instead')
  if (action === 'reply-all' && incompleteIn.includes('envelope'))
    throw unsupported('The message has too many recipients to reply to all. Reply to its sender')
}

function unsupported(message: string): AppError {
  return new IncompleteOriginalError('invalid', message, { code: 'UnsupportedOperation' })
}

/**
 * Part of the response to a submission that reports about the message to which the submission
 * refers.
 */
export function referenceResult(
  { message, threadId }: Reference,
  original: MessageDetail | undefined,
): ReferenceResult {
  const error = original ? undefined : messageNotFound().message
  return defined({ message, threadId, success: original !== undefined, error })
}

/** Message that a new message refers to, with the sender of the new message. */
export interface ReferencedOriginal {
  original: MessageDetail | undefined
  owner: OwnerWithLanguage
  /**
   * Function that parses message content for the account, large content in a separate process. The
   * content of the original message is untrusted.
   */
  read: ReadPart
}

/** Fields of a new message that decide how the message refers to its original. */
interface ReferringMessage {
  reference?: Reference
  from?: Mailbox
  locale?: string
  tz?: string
}

type Draft = ReferredDraft['draft']
type DraftInput = { [K in keyof Draft]?: Draft[K] | undefined }

/**
 * Completes a new message from the message that it replies to or forwards. Returns the new message
 * unchanged without a reference. A reply to all recipients leaves out the account's own sender
 * address.
 *
 * @throws AppError `unprocessable` if quoting the original message exceeds the CPU time or memory
 * of the message reader process
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

/** Address with an optional display name (RFC 5322 mailbox). */
export type Mailbox = NonNullable<MessageContent['from']>

/** Name and address of the owner of the account that sends a message. */
export interface Owner {
  name: string
  email: string | null
}

/** Owner of the sending account with the language and time zone of quotations. */
export interface OwnerWithLanguage extends Owner {
  locale: string | null
  tz: string | null
}

/**
 * Adds the language and time zone of the operator's settings for quotations, unless the account's
 * owner has its own.
 */
export function withLanguage<T extends OwnerWithLanguage>(
  owner: T,
  { locale, timezone }: Pick<Settings, 'locale' | 'timezone'>,
): T {
  return {
    ...owner,
    locale: owner.locale ?? locale ?? null,
    tz: owner.tz ?? timezone ?? null,
  }
}
