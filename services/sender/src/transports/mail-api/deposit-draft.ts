import { isMailApiError, type MailApi, type MessageContent } from '@posthorn/backends/mail-api'
import type { Db, ProviderDraft, StoredDraft } from '@posthorn/db'
import { withBcc } from '@posthorn/mime'
import type { Logger } from '@posthorn/telemetry'
import {
  beginDeposit,
  commitDraft,
  forgetDeposit,
  isSharedMessageId,
} from '../../store/provider-drafts.ts'
import { readMime } from '../../store/stored-mime.ts'
import type { Submission } from '../../store/submission.ts'
import { PreAttemptError, RecordError } from '../transport.ts'
import { mayHaveEffect } from './mail-api-failures.ts'

export interface DepositContext {
  db: Db
  api: MailApi
  submission: Submission
  log: Logger
  leaseMs: number
  signal: AbortSignal
}

/**
 * Commits the id of the draft to send: the draft that the owner stored while unchanged, otherwise a
 * new draft.
 */
export async function prepareDraft(context: DepositContext): Promise<ProviderDraft> {
  const { storedDraft, providerDraft } = context.submission
  if (!storedDraft || providerDraft) return depositDraft(context)
  const stored = await findStored(context, storedDraft)
  if (stored) return commit(context, stored)
  context.log.info('stored draft changed or missing, sending its copy')
  return depositDraft(context)
}

async function findStored(
  { api, signal }: DepositContext,
  stored: StoredDraft,
): Promise<ProviderDraft | undefined> {
  const { messageId, messageIdHeader: header } = stored
  const [draft] = await api.findDrafts({ messageId, header }, signal).catch((error: unknown) => {
    // The client of Gmail refuses to search too many drafts for a message id.
    if (isMailApiError(error, 'refused')) return []
    throw error
  })
  return draft && isUnchanged(draft, stored) ? { ...draft, stored: true } : undefined
}

/** True if a draft at the provider still has the content that was submitted. */
export function isUnchanged(
  { messageId, version }: ProviderDraft,
  stored: Pick<StoredDraft, 'messageId' | 'version'>,
): boolean {
  return messageId === stored.messageId && version === stored.version
}

/** Draft at the mail provider with a known id, if the draft exists. */
export async function findDraft(
  { api, signal }: Pick<DepositContext, 'api' | 'signal'>,
  { id }: ProviderDraft,
): Promise<ProviderDraft | undefined> {
  const [draft] = await api.findDrafts({ draftId: id }, signal)
  return draft
}

/**
 * Deposits a draft at the mail provider, or adopts the draft of an interrupted attempt, and commits
 * the draft's id.
 */
async function depositDraft(context: DepositContext): Promise<ProviderDraft> {
  const { submission, api } = context
  const adopted = submission.mayHaveDraft ? await findOrphan(context) : undefined
  if (!adopted) return commit(context, await createDraft(context))
  const names = await api.omittedHeaders?.(contentOf(context), depositOptions(submission))
  return commit(context, names?.length ? { ...adopted, omittedHeaders: names } : adopted)
}

/**
 * Commits the id of a draft at the mail provider. If the commit fails, the recorded deposit stays:
 * the next attempt or a cleanup finds the draft.
 */
async function commit(
  { db, submission, leaseMs }: DepositContext,
  draft: ProviderDraft,
): Promise<ProviderDraft> {
  const isCommitted = await commitDraft(db, submission, { draft, leaseMs }).catch(
    (cause: unknown) => {
      throw new PreAttemptError('draft not committed', { cause })
    },
  )
  if (!isCommitted) throw new RecordError('outbox lease lost')
  return draft
}

/**
 * Draft that an earlier attempt deposited without committing its id. The search index of the
 * provider may lag behind. Finds no draft if the draft may belong to another submission with this
 * Message-ID, whose recipients may differ.
 */
async function findOrphan(context: DepositContext): Promise<ProviderDraft | undefined> {
  const { db, api, submission, signal, log } = context
  const [draft] = await api.findDrafts({ messageIdHeader: submission.messageId }, signal)
  // The provider's search index may also report a deleted draft.
  if (!draft || !(await findDraft(context, draft))) return undefined
  // The check for other drafts with this Message-ID runs after the search: the deposit of a found
  // draft was recorded before.
  const isShared = await isSharedMessageId(db, submission).catch((cause: unknown) => {
    throw new PreAttemptError('other drafts unknown', { cause })
  })
  if (isShared) return undefined
  log.info({ draft: draft.id }, 'draft of an earlier attempt adopted')
  return draft
}

async function createDraft(context: DepositContext) {
  const { db, api, submission, signal, leaseMs } = context
  const isRecorded = await beginDeposit(db, submission, { leaseMs }).catch((cause: unknown) => {
    throw new PreAttemptError('deposit not recorded', { cause })
  })
  if (!isRecorded) throw new RecordError('outbox lease lost')
  try {
    return await api.depositDraft(contentOf(context), depositOptions(submission), signal)
  } catch (error) {
    // If deleting the record of the deposit fails, a cleanup searches for the draft in vain.
    const mayLeaveDraft = mayHaveEffect(error) || (isMailApiError(error) && error.leavesDraft)
    // The content could not be read: there may be an incomplete draft, or another sender.
    const isUnread = error instanceof RecordError || error instanceof PreAttemptError
    if (!mayLeaveDraft && !isUnread) await forgetDeposit(db, submission).catch(() => undefined)
    throw error
  }
}

/**
 * Message for a mail API. Mail APIs take the recipients from the header, and remove Bcc from the
 * message. A large message is read in ranges.
 */
export function contentOf({
  db,
  submission,
  signal,
}: Pick<DepositContext, 'db' | 'submission' | 'signal'>): MessageContent {
  const { mime, mimeBytes, envelope } = submission
  const loaded = withBcc(mime, envelope)
  if (mimeBytes <= mime.length) return loaded
  /** Bytes that the Bcc field adds. */
  const added = loaded.length - mime.length
  return {
    length: mimeBytes + added,
    async read(start, end) {
      signal.throwIfAborted()
      const first = loaded.subarray(start, end)
      if (end <= loaded.length) return first
      const range = { start: Math.max(start, loaded.length) - added, end: end - added }
      const rest = await readMime(db, submission, range).catch((cause: unknown) => {
        throw new PreAttemptError('content not read', { cause })
      })
      if (!rest || rest.length < range.end - range.start) throw new RecordError('outbox lease lost')
      return first.length === 0 ? rest : Buffer.concat([first, rest])
    },
  }
}

export function depositOptions({ providerThread, useStructuredFormat }: Submission) {
  return {
    ...(providerThread !== null && { threadId: providerThread }),
    ...(useStructuredFormat && { structured: true }),
  }
}
