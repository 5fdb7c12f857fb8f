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
 * Commits the id of the draft that will be sent: the draft that the owner of the mailbox stored if
 * it is unchanged, otherwise a new draft.
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
    // The Gmail client refuses to search a large number of drafts for a message id. The draft that
    // the owner stored then counts as missing.
    if (isMailApiError(error, 'refused')) return []
    throw error
  })
  return draft && isUnchanged(draft, stored) ? { ...draft, stored: true } : undefined
}

/** True if a draft at the mail provider still has the content that was submitted. */
export function isUnchanged(
  { messageId, version }: ProviderDraft,
  stored: Pick<StoredDraft, 'messageId' | 'version'>,
): boolean {
  return messageId === stored.messageId && version === stored.version
}

/** Finds the draft with a known id at the mail provider. Undefined if the draft does not exist. */
export async function findDraft(
  { api, signal }: Pick<DepositContext, 'api' | 'signal'>,
  { id }: ProviderDraft,
): Promise<ProviderDraft | undefined> {
  const [draft] = await api.findDrafts({ draftId: id }, signal)
  return draft
}

/**
 * Creates a draft at the mail provider, or continues with the draft of an interrupted attempt.
 * Commits the draft's id.
 */
async function depositDraft(context: DepositContext): Promise<ProviderDraft> {
  const { submission, api } = context
  const adopted = submission.mayHaveDraft ? await findOrphan(context) : undefined
  if (!adopted) return commit(context, await createDraft(context))
  const names = await api.omittedHeaders?.(contentOf(context), depositOptions(submission))
  return commit(context, names?.length ? { ...adopted, omittedHeaders: names } : adopted)
}

/**
 * Commits the id of a draft at the mail provider. If the commit fails, the record that a draft may
 * exist stays, so the next attempt or a cleanup finds the draft.
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
 * Finds the draft that an earlier attempt created without committing its id. The search index of
 * the provider may lag behind. Undefined if the draft may belong to another submission with this
 * Message-ID, whose recipients may differ.
 */
async function findOrphan(context: DepositContext): Promise<ProviderDraft | undefined> {
  const { db, api, submission, signal, log } = context
  const [draft] = await api.findDrafts({ messageIdHeader: submission.messageId }, signal)
  // Ignores a draft that was deleted, but that the mail provider's search index still reports.
  if (!draft || !(await findDraft(context, draft))) return undefined
  // The check for other drafts with this Message-ID comes after the search, because each draft that
  // the search can find was recorded before it was created.
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
    // If deleting the record of a failed draft deposit fails, too, a cleanup later searches for the
    // draft without result.
    const mayLeaveDraft = mayHaveEffect(error) || (isMailApiError(error) && error.leavesDraft)
    // If the content of the draft could not be read, the record of the deposit stays, because there
    // may be an incomplete draft, or another sender may work on the submission.
    const isUnread = error instanceof RecordError || error instanceof PreAttemptError
    if (!mayLeaveDraft && !isUnread) await forgetDeposit(db, submission).catch(() => undefined)
    throw error
  }
}

/**
 * Content of a message for a mail API. Includes the Bcc field: mail APIs take the recipients from
 * the header and remove Bcc before sending. A large message is read from Postgres in ranges.
 */
export function contentOf({
  db,
  submission,
  signal,
}: Pick<DepositContext, 'db' | 'submission' | 'signal'>): MessageContent {
  const { mime, mimeBytes, envelope } = submission
  const loaded = withBcc(mime, envelope)
  if (mimeBytes <= mime.length) return loaded
  /** Number of bytes by which the added Bcc field makes the message longer. */
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
