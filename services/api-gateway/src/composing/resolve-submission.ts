import { defined } from '@posthorn/contracts/defined'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { Reference, ReferenceResult } from '@posthorn/contracts/schemas/reference'
import type { Submission } from '@posthorn/contracts/schemas/submission'
import { type Db, hasMailbox, type SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { fixedBackoff, retryUntil } from '@posthorn/flow'
import type { MessageReader, ReadPart } from '@posthorn/message-reader'
import type { AttachedContent } from '@posthorn/mime'
import type { TemplateContent, TemplateFormat } from '@posthorn/templates'
import type { BodyMemoryLimiter } from '../http/body-memory.ts'
import type { WorkerCall, WorkerDeps } from '../http/call-worker.ts'
import type { SendingAccount } from '../store/accounts/accounts.ts'
import { findNamedTemplate } from '../store/messages/templates.ts'
import { collectAttachments } from './attachments.ts'
import { readOriginal, referenceResult, withLanguage } from './references.ts'

export interface ResolveDeps extends WorkerDeps {
  settings: SettingsCache
  /** Limit of the memory for attachments and messages that are read from mailboxes. */
  storedMemory: BodyMemoryLimiter
  reader: Pick<MessageReader, 'forAccount'>
}

/** Submission with all data that it refers to: template, referenced message and attachments. */
export interface ResolvedSubmission {
  account: string
  owner: SendingAccount
  submission: Submission
  /** Texts of a submission's message, in which placeholders are not replaced yet. */
  texts: TemplateContent
  /** Format of the message template; absent if the submission has no template to render. */
  format?: TemplateFormat
  /** Message that the submission replies to or forwards; undefined if that message is missing. */
  original: MessageDetail | undefined
  /**
   * Function that parses message content for the account. Parses large content in a separate
   * process.
   */
  read: ReadPart
  reference?: ReferenceResult
  attached: readonly AttachedContent[]
}

interface SubmitCall extends WorkerCall {
  body: Submission
}

/**
 * Reads the template, referenced message and attachments of a submission. Has no effects, so a
 * failure queues no message. Disposal of `held` releases the memory of the attachments.
 */
export async function resolveSubmission(
  deps: ResolveDeps,
  call: SubmitCall,
  { owner, held }: { owner: SendingAccount; held: DisposableStack },
): Promise<ResolvedSubmission> {
  const { account } = call.params
  const submission = call.body
  const { reference } = submission
  assertMailbox(submission, owner)
  const texts = await resolveTexts(deps.db, submission, account)
  const original = reference && (await readOriginalWithRetry(deps, call, reference))
  return {
    account,
    owner: withLanguage(owner, await deps.settings.get()),
    submission,
    original,
    read: deps.reader.forAccount(account, call.signal),
    ...texts,
    ...defined({ reference: reference && referenceResult(reference, original) }),
    attached: await resolveAttachments(deps, call, { original, held }),
  }
}

/** Checks that the account has a mailbox if a submission refers to a stored message. */
function assertMailbox({ reference, attachments }: Submission, owner: SendingAccount): void {
  const refers = reference ?? attachments?.find((attachment) => attachment.reference)
  if (refers && !hasMailbox(owner))
    throw new AppError('invalid', 'The account has no mailbox to refer to', {
      code: 'ReferenceNotSupported',
    })
}

/** Resolves the texts of a submission. Texts of the template override texts of the request. */
async function resolveTexts(
  db: Db,
  { render, template, mailMerge, subject, text, html, previewText }: Submission,
  account: string,
): Promise<Pick<ResolvedSubmission, 'texts' | 'format'>> {
  const stored = template === undefined ? undefined : await loadTemplate(db, template, account)
  const texts = { ...defined({ subject, text, html, previewText }), ...stored?.content }
  const isRendered = render !== false && (render ?? stored ?? mailMerge) !== undefined
  if (!isRendered) return { texts }
  return { texts, format: stored?.format ?? (render && render.format) ?? 'html' }
}

/** Loads a message template of the account, or a shared template, by id or name. */
async function loadTemplate(db: Db, reference: string, account: string) {
  const template = await findNamedTemplate(db, reference, account)
  if (template) return template
  throw new AppError('not-found', 'The template does not exist', { code: 'TemplateNotFound' })
}

async function resolveAttachments(
  deps: ResolveDeps,
  call: SubmitCall,
  { original, held }: { original: MessageDetail | undefined; held: DisposableStack },
): Promise<AttachedContent[]> {
  const { attachments, reference } = call.body
  const { storedMemory } = deps
  const { maxBytes } = storedMemory
  const bytes = maxStoredBytes(call.body, original, maxBytes)
  if (bytes > 0) held.use(await storedMemory.acquire(bytes, call.signal))
  const forwarded = reference?.forwardAttachments ? original?.attachments : undefined
  return collectAttachments(deps, call, defined({ attachments, forwarded, maxBytes }))
}

/**
 * Upper bound of the attachment bytes that a submission reads from the mailbox. The size of an
 * attachment that the request names by a reference is unknown.
 */
function maxStoredBytes(
  { attachments = [], reference }: Submission,
  original: MessageDetail | undefined,
  maxBytes: number,
): number {
  if (attachments.some((attachment) => attachment.reference)) return maxBytes
  const forwarded = (reference?.forwardAttachments && original?.attachments) || []
  const sum = forwarded.reduce((bytes, { encodedSize }) => bytes + encodedSize, 0)
  return Math.min(sum, maxBytes)
}

/**
 * Delays before a message that a submission refers to is read again, after a temporary failure. The
 * handoff of an account to another worker takes about a second.
 */
const retryDelaysMs = [200, 600]

function readOriginalWithRetry(
  deps: ResolveDeps,
  call: SubmitCall,
  reference: Reference,
): Promise<MessageDetail | undefined> {
  return retryUntil(() => readReferenced(deps, call, reference), {
    delayMs: fixedBackoff(retryDelaysMs),
    maxAttempts: retryDelaysMs.length + 1,
    isRetryable: isTemporary,
    signal: call.signal,
  })
}

function isTemporary(error: unknown): boolean {
  const codes: unknown[] = ['WorkerNotAvailable', 'IMAPUnavailable']
  return error instanceof AppError && codes.includes(error.code)
}

async function readReferenced(deps: ResolveDeps, call: SubmitCall, reference: Reference) {
  try {
    return await readOriginal(deps, call, reference)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MessageNotFound') throw error
    throw new AppError('not-found', 'The referenced message does not exist', {
      code: 'ReferenceNotFound',
    })
  }
}
