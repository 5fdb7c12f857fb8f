import { messageMissing } from '../events/feed-events.ts'
import { maxGets } from '../messages/get-messages.ts'
import { changeOfFindings, retryDelaysMs } from './apply-batch.ts'
import type { PendingMessage } from './feed-store.ts'
import { type FeedContext, type ReadFinding, readMessages, withRetries } from './read-messages.ts'
import { indexPart, type LoadedMessages } from './stored-index.ts'

/**
 * Reads messages again that feeds named and the provider did not return. After the last attempt
 * `messageMissing` is recorded; a later change of the message still announces it. Call it after the
 * feeds were read, which report what was deleted.
 */
export async function retryPending(context: FeedContext): Promise<void> {
  const { store, index, writer, signal, now } = context
  for (;;) {
    signal.throwIfAborted()
    const due = await store.listDuePending(now(), maxGets)
    if (due.length === 0) return
    const byId = new Map(due.map((pending) => [pending.message, pending]))
    const ids = [...byId.keys()]
    let loaded = await index.load(indexPart, ids)
    const save = async (findings: readonly ReadFinding[]) => {
      await writer.commit(changeOfRetries(context, { findings, loaded, byId }))
      loaded = await index.load(indexPart, ids)
    }
    const readings = { states: () => loaded.states, store: save }
    await save(await readMessages(context, ids, readings))
  }
}

interface Retries {
  findings: readonly ReadFinding[]
  loaded: LoadedMessages
  byId: ReadonlyMap<string, PendingMessage>
}

function changeOfRetries(context: FeedContext, { findings, loaded, byId }: Retries) {
  const late = findings.flatMap((finding) => {
    const pending = byId.get(idOf(finding))
    return isUnread(finding) || !pending ? [] : [withRetries(finding, retriesOf(pending.tries + 1))]
  })
  const missing = findings.flatMap((finding) =>
    isUnread(finding) ? (byId.get(finding.id) ?? []) : [],
  )
  const input = { findings: late, loaded, named: new Map(), feedFolder: null }
  const change = changeOfFindings(context, input)
  return withMissing(context, { change, missing, loaded })
}

function isUnread(finding: ReadFinding): finding is ReadFinding & { id: string } {
  return finding.kind === 'missing' || finding.kind === 'refused'
}

function idOf(finding: { id: string } | { state: { id: string } }): string {
  return 'id' in finding ? finding.id : finding.state.id
}

interface MissingMessages {
  change: ReturnType<typeof changeOfFindings>
  missing: readonly PendingMessage[]
  loaded: LoadedMessages
}

function withMissing(
  { account, names, writer, now }: FeedContext,
  { change, missing, loaded }: MissingMessages,
) {
  const tried = missing.map((pending) => ({ ...pending, tries: pending.tries + 1 }))
  const isLast = ({ tries }: PendingMessage) => tries >= retryDelaysMs.length
  const context = { account, names, epoch: writer.nextEpoch }
  const changedPending = tried
    .filter((pending) => !isLast(pending))
    .map((pending) => ({
      ...pending,
      nextAt: new Date(now().getTime() + (retryDelaysMs[pending.tries] ?? 0)),
    }))
  const events = tried
    // One of the index was announced: it stays as it is until it can be read.
    .filter((pending) => isLast(pending) && !loaded.states.has(pending.message))
    .map(({ message, folder, tries }) =>
      messageMissing(context, { id: message, folder, ...retriesOf(tries) }),
    )
  return {
    ...change,
    changedPending,
    events: [...change.events, ...events],
    deletedPending: [
      ...change.deletedPending,
      ...tried.filter(isLast).map(({ message }) => message),
    ],
  }
}

function retriesOf(tries: number) {
  const delays = retryDelaysMs.slice(0, tries)
  return { missingRetries: tries, missingDelay: delays.reduce((sum, delay) => sum + delay, 0) }
}
