import type { ApiMessage, MailApi } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { type Announcement, type MessageNovelty, noveltyOf } from '../../../events/announce.ts'
import type { Account } from '../../../store/accounts.ts'
import type { FolderNames } from '../events/folder-names.ts'
import type { DraftedMessage, MessageDrafter } from '../events/message-drafter.ts'
import type { GetRetries } from '../events/feed-events.ts'
import type { IndexedMessage } from '../index/indexed-message.ts'
import type { FeedStore } from './feed-store.ts'
import type { IndexWriter } from './index-writer.ts'
import { compareMessage, type Finding } from './plan-batch.ts'
import type { ReportedChanges } from './reported-changes.ts'
import type { StoredIndex } from './stored-index.ts'

/** One account whose feeds are read. */
export interface FeedContext {
  readonly api: MailApi
  readonly store: FeedStore
  readonly index: StoredIndex
  readonly writer: IndexWriter
  readonly names: FolderNames
  /** True in a pass that does not list the folders. */
  readonly isListStored?: true
  readonly drafter: MessageDrafter
  readonly report: ReportedChanges
  /** Messages that were read because the provider noticed them, before the feeds were. */
  readonly copies: Map<string, ApiMessage>
  readonly account: Pick<Account, 'account' | 'registeredAt' | 'notifyFrom' | 'paths'>
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** The folders have to be listed: a message is in a new one. Nothing about it is stored. */
export class UnknownFolderError extends Error {}

/** Outcome of reading a message; with `announcement` if its `messageNew` is due. */
export type ReadFinding = Finding & { announcement?: Omit<Announcement, 'key'> }

/**
 * Messages per request. A batch of Gmail may have 25 parts, one of Graph 20, and each message may
 * have texts of some megabytes.
 */
export const maxGets = 20

export interface Stored {
  states: ReadonlyMap<string, IndexedMessage>
  /** True if a feed named the message as present. */
  isNamed: (id: string) => boolean
  /** Messages that need not be read again. */
  copies?: ReadonlyMap<string, ApiMessage>
}

/** Reads at most `maxGets` messages and compares them with the index. */
export async function readMessages(
  context: FeedContext,
  ids: readonly string[],
  { states, isNamed, copies }: Stored,
): Promise<ReadFinding[]> {
  const { api, drafter, names, signal } = context
  const toGet = ids.filter((id) => !copies?.has(id))
  const got =
    toGet.length === 0 ? [] : await api.getMessages(toGet, await drafter.getOptions(), signal)
  const messages = [...ids.flatMap((id) => copies?.get(id) ?? []), ...got]
  const byId = new Map(messages.map((message) => [message.id, message]))
  if (context.isListStored && messages.some(({ folderId }) => !names.isKnown(folderId)))
    throw new UnknownFolderError('A message is in a folder that was not listed yet')
  await nameLabels(context, messages)
  const ownDrafts = await findOwnDrafts(context, messages)
  const findings: ReadFinding[] = []
  for (const id of ids) {
    const finding = compareMessage({
      id,
      message: byId.get(id),
      isNamed: isNamed(id),
      before: states.get(id),
      ownDrafts,
      isListed: (folderId) => names.isListed(folderId),
    })
    findings.push(await withAnnouncement(context, finding))
  }
  await drafter.addSummaries(findings.flatMap(({ announcement }) => announcement ?? []))
  return findings
}

/** Lists the folders again if messages have labels that were created after the last listing. */
export async function nameLabels(
  { api, names, signal }: FeedContext,
  messages: readonly Pick<IndexedMessage, 'labels'>[],
): Promise<void> {
  const unnamed = names.findUnnamed(messages.flatMap(({ labels }) => labels))
  if (unnamed.length > 0) names.addNames(await api.folders(signal), unnamed)
}

/** Adds further members to the data of a late messageNew. */
export function withRetries(finding: ReadFinding, retries: GetRetries): ReadFinding {
  const { announcement } = finding
  if (!announcement) return finding
  const draft = { ...announcement.draft, ...retries }
  return { ...finding, announcement: { ...announcement, draft } }
}

async function findOwnDrafts(
  { store }: FeedContext,
  messages: readonly ApiMessage[],
): Promise<ReadonlySet<string>> {
  const drafts = messages.filter(({ draft }) => draft)
  if (drafts.length === 0) return new Set()
  return store.findOwnDrafts(
    drafts.map(({ id, envelope: { messageId } }) => defined({ id, messageId })),
  )
}

async function withAnnouncement(context: FeedContext, finding: Finding): Promise<ReadFinding> {
  if (finding.kind !== 'new' && finding.kind !== 'moved') return finding
  const { kind, message } = finding
  if (kind === 'new' && isSilent(context, message)) return finding
  const drafted = await context.drafter.draft(message, context.names)
  return { ...finding, announcement: { ...drafted, ...novelty(context, finding, drafted) } }
}

function novelty(
  { account: { notifyFrom } }: FeedContext,
  { kind, message }: Finding & { message: ApiMessage },
  { draft }: DraftedMessage,
): MessageNovelty {
  // Each save of a draft is a new message. Its Message-ID stays new for a copy that arrives.
  if (message.draft) return { mayBeNew: false }
  const result = noveltyOf(draft, { arrivedAt: message.receivedAt, notifyFrom })
  return kind === 'moved' ? { ...result, mayBeNew: false } : result
}

/** True for a message that arrived before the account, while the index is filled. */
function isSilent({ writer, account }: FeedContext, { receivedAt }: ApiMessage): boolean {
  const { filledAt, announceFrom } = writer.mailbox
  return filledAt === null && isBefore(receivedAt, announceFrom ?? account.notifyFrom)
}

/** Providers report whole seconds: a message of the same second did not arrive before. */
function isBefore(receivedAt: Date, since: Date): boolean {
  return receivedAt.getTime() < Math.floor(since.getTime() / 1_000) * 1_000
}
