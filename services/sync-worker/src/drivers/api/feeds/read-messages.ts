import { type ApiMessage, type GetOptions, isIncompleteId } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { measureJson } from '@posthorn/db'
import { type Announcement, type MessageNovelty, noveltyOf } from '../../../events/announce.ts'
import type { DraftedMessage } from '../../messages/message-new.ts'
import type { MessageDrafter } from '../messages/message-drafter.ts'
import type { GetRetries } from '../events/feed-events.ts'
import type { IndexedMessage } from '../index/indexed-message.ts'
import { getMessages, groupSize, type GotMessages } from '../messages/get-messages.ts'
import type { FeedPass } from './feed-pass.ts'
import { compareMessage, type Finding } from './plan-batch.ts'
import { indexPart } from './stored/stored-index.ts'

/**
 * Error for a message in a folder that was never listed. The folders must be listed before anything
 * about the message can be stored.
 */
export class UnknownFolderError extends Error {
  override name = 'UnknownFolderError'
}

type WithoutMessage<F> = F extends Finding ? Omit<F, 'message'> : never

/** Message that the provider refuses while it returns other messages: the message may exist. */
interface Refused {
  kind: 'refused'
  id: string
}

/** Result of reading a message, with an `announcement` if a `messageNew` is due. */
export type ReadFinding = (WithoutMessage<Finding> | Refused) & {
  announcement?: Omit<Announcement, 'key'>
}

/** Maximum number of `messageNew` events per transaction. */
const maxAnnouncements = 50
/** Approximate maximum bytes of events per transaction. The last message may exceed the limit. */
const maxBatchBytes = 4 * 1024 * 1024

export interface Readings {
  /**
   * Returns the indexed states of messages at a mail API. Called again after each call of `store`,
   * which changes the message index.
   */
  states: () => ReadonlyMap<string, IndexedMessage>
  /** True if a feed (list of changes) named the message as present. */
  isNamed: (id: string) => boolean
  /**
   * True in the first full round (list of all messages) of a feed. Old messages then cause no
   * event.
   */
  isInitial?: boolean
  /**
   * Arrival time before which new messages cause no event. If absent, all new messages cause an
   * event.
   */
  silentBefore?: Date
  /** Copies of messages at the provider that were read already and need not be read again. */
  copies?: ReadonlyMap<string, ApiMessage>
  /**
   * Stores findings (compared messages) as soon as they fill a transaction, so that their memory is
   * freed.
   */
  store: (findings: readonly ReadFinding[]) => Promise<void>
}

/**
 * Reads messages and compares each message with the message index. Events are built one by one,
 * because each event may contain attachments of 25 MiB. Returns the findings (compared messages)
 * that `store` has not stored yet.
 *
 * @throws UnknownFolderError in a sync pass that does not list the folders
 */
export async function readMessages(
  pass: FeedPass,
  ids: readonly string[],
  { states, isNamed, isInitial = false, silentBefore, copies = new Map(), store }: Readings,
): Promise<ReadFinding[]> {
  const { drafter, signal } = pass
  const options = await drafter.getOptions()
  const size = groupSize(options)
  const batch = new DraftBatch()
  const since = pass.isInitial({ isInitial }) ? startOf(pass) : silentBefore
  for (let from = 0; from < ids.length; from += size) {
    const group = ids.slice(from, from + size)
    const compare = await readGroup(pass, group, { options, copies, isNamed })
    for (const id of group) {
      signal.throwIfAborted()
      batch.add(await withAnnouncement(pass, compare(id, states()), since))
      if (batch.isFull) await store(await batch.take(drafter))
    }
  }
  signal.throwIfAborted()
  return batch.take(drafter)
}

/** Batch of findings (compared messages) for one transaction, and the size of their events. */
class DraftBatch {
  #findings: ReadFinding[] = []
  #announcements = 0
  #bytes = 0

  get isFull(): boolean {
    return this.#announcements >= maxAnnouncements || this.#bytes > maxBatchBytes
  }

  add(finding: ReadFinding): void {
    this.#findings.push(finding)
    if (!finding.announcement) return
    this.#announcements += 1
    const { draft, report } = finding.announcement
    this.#bytes += measureJson([draft, report], { maxBytes: maxBatchBytes })
  }

  /**
   * Empties the batch of findings (compared messages). Returns these findings, with summaries added
   * to the new messages.
   */
  async take(drafter: Pick<MessageDrafter, 'addSummaries'>): Promise<ReadFinding[]> {
    const findings = this.#findings
    this.#findings = []
    this.#announcements = 0
    this.#bytes = 0
    await drafter.addSummaries(findings.flatMap(({ announcement }) => announcement ?? []))
    return findings
  }
}

type Compare = (id: string, states: ReadonlyMap<string, IndexedMessage>) => Finding | Refused

type GroupReadings = Required<Pick<Readings, 'copies' | 'isNamed'>> & { options: GetOptions }

/**
 * Reads a group of messages from the provider. Returns the function that compares one of these
 * messages with the message index.
 */
async function readGroup(
  pass: FeedPass,
  ids: readonly string[],
  { options, copies, isNamed }: GroupReadings,
): Promise<Compare> {
  const { names } = pass
  const toGet = ids.filter((id) => !copies.has(id))
  const got = await getGroup(pass, toGet, options)
  const messages = [...ids.flatMap((id) => copies.get(id) ?? []), ...got.messages]
  const byId = new Map(messages.map((message) => [message.id, message]))
  if (pass.isListStored && messages.some(({ folderId }) => !names.isKnown(folderId)))
    throw new UnknownFolderError('A message is in a folder that was not listed yet')
  await nameLabels(pass, messages)
  const ownDrafts = await findOwnDrafts(pass, messages)
  const isListed = (folderId: string | undefined) => names.isListed(folderId)
  return (id, states) => {
    if (got.refused.has(id)) return { kind: 'refused', id }
    const stored = { isNamed: isNamed(id), before: states.get(id) }
    return compareMessage({ id, message: byId.get(id), ...stored, ownDrafts, isListed })
  }
}

/** Reads messages from the provider, at most `groupSize` messages. */
export function getGroup(
  { api, index, onRefusal, signal }: FeedPass,
  ids: readonly string[],
  options: GetOptions,
): Promise<GotMessages> {
  const listKnown = async () => {
    const { messages } = await index.scan(indexPart, '')
    return messages.map(({ id }) => id)
  }
  return getMessages({ api, listKnown, onRefusal, signal }, ids, options)
}

/**
 * Lists the folders again if messages have labels that were created after the folders were last
 * listed.
 */
export async function nameLabels(
  { api, names, signal }: FeedPass,
  messages: readonly Pick<IndexedMessage, 'labels'>[],
): Promise<void> {
  const unnamed = names.findUnnamed(messages.flatMap(({ labels }) => labels))
  if (unnamed.length > 0) names.addNames(await api.folders(signal), unnamed)
}

/** Adds the number and delay of the repeated reads to a late `messageNew` event. */
export function withRetries(finding: ReadFinding, retries: GetRetries): ReadFinding {
  const { announcement } = finding
  if (!announcement) return finding
  const draft = { ...announcement.draft, ...retries }
  return { ...finding, announcement: { ...announcement, draft } }
}

async function findOwnDrafts(
  { store }: FeedPass,
  messages: readonly ApiMessage[],
): Promise<ReadonlySet<string>> {
  const drafts = messages.filter(({ draft }) => draft)
  if (drafts.length === 0) return new Set()
  const isIncomplete = ({ envelope }: ApiMessage) => isIncompleteId(envelope.messageId)
  const submitted = await store.findOwnDrafts(
    drafts.map(({ id, envelope: { messageId } }) => defined({ id, messageId })),
  )
  return new Set([...submitted, ...drafts.filter(isIncomplete).map(({ id }) => id)])
}

async function withAnnouncement(
  pass: FeedPass,
  finding: Finding | Refused,
  silentBefore: Date | undefined,
): Promise<ReadFinding> {
  if (finding.kind !== 'new' && finding.kind !== 'moved') return finding
  const { message, ...rest } = finding
  const isOld = silentBefore !== undefined && isBefore(message.receivedAt, silentBefore)
  if (rest.kind === 'new' && isOld) return rest
  const drafted = await pass.drafter.draft(message, pass.names)
  return { ...rest, announcement: { ...drafted, ...novelty(pass, finding, drafted) } }
}

function novelty(
  { account: { notifyFrom } }: FeedPass,
  { kind, message }: Finding & { message: ApiMessage },
  { draft }: DraftedMessage,
): MessageNovelty {
  // A draft never seems new, because each save of a draft creates another message. Its Message-ID
  // is not recorded as announced, so that an arriving copy of the draft still seems new.
  if (message.draft) return { mayBeNew: false }
  const result = noveltyOf(draft, { arrivedAt: message.receivedAt, notifyFrom })
  return kind === 'moved' ? { ...result, mayBeNew: false } : result
}

/**
 * Arrival time from which messages are announced by `messageNew`. The time stored with the message
 * index takes precedence over the time of the account.
 */
function startOf({ writer, account }: FeedPass): Date {
  return writer.mailbox.announceFrom ?? account.notifyFrom
}

/**
 * True if a message arrived before a time. Providers report whole seconds, so a message of the same
 * second does not count as earlier.
 */
function isBefore(receivedAt: Date, since: Date): boolean {
  return receivedAt.getTime() < Math.floor(since.getTime() / 1_000) * 1_000
}
