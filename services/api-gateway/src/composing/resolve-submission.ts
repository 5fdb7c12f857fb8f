import { setTimeout as delay } from 'node:timers/promises'
import type { MessageDetail, Reference, ReferenceResult, Submission } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { LinkKeys } from '@posthorn/links'
import type { AttachedContent } from '@posthorn/mime'
import type { Renderer, TemplateContent, TemplateFormat } from '@posthorn/templates'
import type { SendingAccount } from '../store/accounts.ts'
import { getTemplate } from '../store/templates.ts'
import type { WorkerDeps, WorkerCall } from '../http/call-worker.ts'
import type { BodyMemoryLimiter } from '../http/body-memory.ts'
import { AttachmentCollector } from './collect-attachments.ts'
import { readOriginal } from './read-original.ts'
import { referenceResult } from './reference-outcome.ts'
import { withLanguage } from './with-language.ts'

export interface ResolveDeps extends WorkerDeps {
  settings: SettingsCache
  renderer: Renderer
  links: LinkKeys
  maxUploadBytes: number
  storedMemory: BodyMemoryLimiter
}

/** A submission with all that it refers to. */
export interface ResolvedSubmission {
  account: string
  owner: SendingAccount
  submission: Submission
  /** What it says, before any placeholder is filled in. */
  texts: TemplateContent
  /** Absent: the texts stay as they are. */
  format?: TemplateFormat
  /** The message that is answered or passed on, where it is there. */
  original: MessageDetail | undefined
  reference?: ReferenceResult
  attached: readonly AttachedContent[]
}

interface Submitted extends WorkerCall {
  body: Submission
}

/**
 * Reads what a submission refers to: template, message, attachments. Changes nothing anywhere. What it reads has its room in memory until
 * `held` is disposed.
 */
export async function resolveSubmission(
  deps: ResolveDeps,
  input: Submitted,
  { owner, held }: { owner: SendingAccount; held: DisposableStack },
): Promise<ResolvedSubmission> {
  const { account } = input.params
  const submission = input.body
  const { reference } = submission
  assertMailbox(submission, owner)
  const written = await textsOf(deps, submission, account)
  const original = reference && (await findOriginal(deps, input, reference))
  return {
    account,
    owner: withLanguage(owner, await deps.settings.get()),
    submission,
    original,
    ...written,
    ...(reference ? { reference: referenceResult(reference, original !== undefined) } : {}),
    attached: await attachmentsOf(deps, input, { original, held }),
  }
}

/** Only where there is a mailbox can there be anything in it to refer to. */
function assertMailbox({ reference, attachments }: Submission, { imap }: SendingAccount): void {
  const refers = reference ?? attachments?.find((attachment) => attachment.reference)
  if (refers && (!imap || imap.disabled))
    throw new AppError('invalid', 'The account has no mailbox to refer to', {
      code: 'ReferenceNotSupported',
    })
}

/** What the template says takes the place of what the request says; what it leaves out does not. */
async function textsOf(
  { db }: ResolveDeps,
  submission: Submission,
  account: string,
): Promise<Pick<ResolvedSubmission, 'texts' | 'format'>> {
  const { render, template, mailMerge } = submission
  const stored = template === undefined ? undefined : await templateOf(db, template, account)
  const texts = { ...ownTexts(submission), ...stored?.content }
  const isRendered = render !== false && (render ?? stored ?? mailMerge) !== undefined
  if (!isRendered) return { texts }
  return { texts, format: stored?.format ?? (render && render.format) ?? 'html' }
}

function ownTexts({ subject, text, html, previewText }: Submission): TemplateContent {
  const written = Object.entries({ subject, text, html, previewText })
  return Object.fromEntries(written.filter(([, value]) => value !== undefined)) as TemplateContent
}

/** A template of the account, or of all accounts. */
async function templateOf(db: Db, id: string, account: string) {
  const template = await getTemplate(db, id)
  if (template && (template.account ?? account) === account) return template
  throw new AppError('not-found', 'The template does not exist', { code: 'TemplateNotFound' })
}

async function attachmentsOf(
  deps: ResolveDeps,
  input: Submitted,
  { original, held }: { original: MessageDetail | undefined; held: DisposableStack },
): Promise<AttachedContent[]> {
  const { attachments = [], reference } = input.body
  const bytes = storedBytes(input.body, original, deps)
  if (bytes > 0) held.use(await deps.storedMemory.acquire(bytes, input.signal))
  const collector = new AttachmentCollector(deps, input, deps.maxUploadBytes)
  const own = await collector.ofUpload(attachments)
  if (!original || !reference?.forwardAttachments) return own
  return [...own, ...(await collector.ofMessage(original))]
}

/** How much may come out of the mailbox. How large an attachment is that is named by its id, nobody knows before it comes. */
function storedBytes(
  { attachments = [], reference }: Submission,
  original: MessageDetail | undefined,
  { maxUploadBytes }: ResolveDeps,
): number {
  if (attachments.some((attachment) => attachment.reference)) return maxUploadBytes
  const forwarded = (reference?.forwardAttachments && original?.attachments) || []
  const sum = forwarded.reduce((bytes, { encodedSize }) => bytes + encodedSize, 0)
  return Math.min(sum, maxUploadBytes)
}

/** Waits before each further try. */
const pausesMs = [200, 600]

/** A worker that changes hands is back within moments: worth waiting for. */
async function findOriginal(
  deps: ResolveDeps,
  input: Submitted,
  reference: Reference,
): Promise<MessageDetail | undefined> {
  for (const pauseMs of pausesMs) {
    try {
      return await readReferenced(deps, input, reference)
    } catch (error) {
      if (!isPassing(error)) throw error
      await delay(pauseMs, undefined, { signal: input.signal })
    }
  }
  return readReferenced(deps, input, reference)
}

function isPassing(error: unknown): boolean {
  const codes: unknown[] = ['WorkerNotAvailable', 'IMAPUnavailable']
  return error instanceof AppError && codes.includes(error.code)
}

async function readReferenced(deps: ResolveDeps, input: Submitted, reference: Reference) {
  try {
    return await readOriginal(deps, input, reference)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MessageNotFound') throw error
    throw new AppError('not-found', 'The referenced message does not exist', {
      code: 'ReferenceNotFound',
    })
  }
}
