import { messageMissing } from '../events/feed-events.ts'
import { maxGets } from '../messages/get-messages.ts'
import { retryDelaysMs } from '../../unreported-messages.ts'
import { changeOfFindings } from './apply-batch.ts'
import type { FeedPass } from './feed-pass.ts'
import type { PendingMessage } from './stored/feed-store.ts'
import { type ReadFinding, readMessages, withRetries } from './read-messages.ts'
import { indexPart, type LoadedMessages } from './stored/stored-index.ts'

/**
 * Reads pending messages again: messages that feeds named but the provider did not return. The
 * feeds must have been read before, because they report deletions.
 *
 * After the last attempt, records `messageMissing`. If the index contains the message, also records
 * `messageDeleted` for its folder, because the message was moved away. A refused message stays in
 * the index, and a later change of the message is still announced.
 */
export async function retryPending(pass: FeedPass): Promise<void> {
  const { store, index, writer, signal, now } = pass
  for (;;) {
    signal.throwIfAborted()
    const due = await store.listDuePending(now(), maxGets)
    if (due.length === 0) return
    const byId = new Map(due.map((pending) => [pending.message, pending]))
    const ids = [...byId.keys()]
    let loaded = await index.load(indexPart, ids)
    const save = async (findings: readonly ReadFinding[]) => {
      await writer.commit(changeOfRetries(pass, { findings, loaded, byId }))
      loaded = await index.load(indexPart, ids)
    }
    const states = () => loaded.states
    // A message may be pending for the folder in which it is indexed. Such a message was removed
    // from the folder and then refused, so it does not count as named by a feed.
    const isNamed = (id: string) => byId.get(id)?.folder !== states().get(id)?.folderId
    await save(await readMessages(pass, ids, { states, isNamed, store: save }))
  }
}

interface Retries {
  findings: readonly ReadFinding[]
  loaded: LoadedMessages
  byId: ReadonlyMap<string, PendingMessage>
}

type Unread = Extract<ReadFinding, { kind: 'missing' | 'refused' }>

function changeOfRetries(pass: FeedPass, { findings, loaded, byId }: Retries) {
  const late = findings.flatMap((finding) => {
    const pending = byId.get(idOf(finding))
    return isUnread(finding) || !pending ? [] : [withRetries(finding, retriesOf(pending.tries + 1))]
  })
  const unread = findings.filter(isUnread)
  const ended = unread.filter(({ id }) => isLast(byId.get(id)))
  const lost = ended.flatMap(({ kind, id }): ReadFinding[] => {
    const state = loaded.states.get(id)
    return kind === 'missing' && state ? [{ kind: 'deleted', state }] : []
  })
  const input = { findings: [...late, ...lost], loaded, named: new Map(), folder: null }
  const change = changeOfFindings(pass, input)
  // A refused message that is in the index was announced before. It stays unchanged in the index
  // until it can be read.
  const reported = ended.filter(({ kind, id }) => kind === 'missing' || !loaded.states.has(id))
  const pendingOf = (each: readonly Unread[]) => each.flatMap(({ id }) => byId.get(id) ?? [])
  return {
    ...change,
    changedPending: delayed(pass, pendingOf(unread.filter((each) => !ended.includes(each)))),
    events: [...change.events, ...missingEvents(pass, pendingOf(reported))],
    deletedPending: [...change.deletedPending, ...late.map(idOf), ...ended.map(({ id }) => id)],
  }
}

/**
 * True if this was the last attempt to read a pending message (named by a feed, but not returned).
 */
function isLast(pending: PendingMessage | undefined): boolean {
  return pending !== undefined && pending.tries + 1 >= retryDelaysMs.length
}

function isUnread(finding: ReadFinding): finding is Unread {
  return finding.kind === 'missing' || finding.kind === 'refused'
}

function idOf(finding: { id: string } | { state: { id: string } }): string {
  return 'id' in finding ? finding.id : finding.state.id
}

function delayed({ now }: FeedPass, pending: readonly PendingMessage[]): PendingMessage[] {
  return pending.map(({ tries, ...rest }) => {
    const delayMs = retryDelaysMs[tries + 1] ?? 0
    return { ...rest, tries: tries + 1, nextAt: new Date(now().getTime() + delayMs) }
  })
}

function missingEvents({ events }: FeedPass, pending: readonly PendingMessage[]) {
  return pending.map(({ message, folder, tries }) =>
    messageMissing(events, { id: message, folder, ...retriesOf(tries + 1) }),
  )
}

function retriesOf(tries: number) {
  const delays = retryDelaysMs.slice(0, tries)
  return { missingRetries: tries, missingDelay: delays.reduce((sum, delay) => sum + delay, 0) }
}
