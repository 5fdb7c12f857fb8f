import { messageMissing } from '../events/feed-events.ts'
import { changeOfFindings, retryDelaysMs } from './apply-batch.ts'
import type { PendingMessage } from './feed-store.ts'
import {
  type FeedContext,
  maxGets,
  type ReadFinding,
  readMessages,
  withRetries,
} from './read-messages.ts'
import { indexPart } from './stored-index.ts'

/**
 * Reads messages again that feeds named and the provider did not return. After the last attempt
 * `messageMissing` is recorded, and `messageDeleted` in the folder that the index has: it moved
 * away. A later change of the message still announces it. Call it after the feeds were read, which
 * report what was deleted.
 */
export async function retryPending(context: FeedContext): Promise<void> {
  const { store, index, writer, signal, now } = context
  for (;;) {
    signal.throwIfAborted()
    const due = await store.listDuePending(now(), maxGets)
    if (due.length === 0) return
    const byId = new Map(due.map((pending) => [pending.message, pending]))
    const loaded = await index.load(indexPart, [...byId.keys()])
    const { states } = loaded
    const findings = await readMessages(context, [...byId.keys()], { states, isNamed: () => true })
    const late = findings.flatMap((finding) => {
      const pending = byId.get(idOf(finding))
      return finding.kind === 'missing' || !pending
        ? []
        : [withRetries(finding, retriesOf(pending.tries + 1))]
    })
    const missing = findings.flatMap((finding) =>
      finding.kind === 'missing' ? (byId.get(finding.id) ?? []) : [],
    )
    const lost = missing.filter(isLast).flatMap(({ message }): ReadFinding[] => {
      const state = states.get(message)
      return state ? [{ kind: 'deleted', state }] : []
    })
    const change = changeOfFindings(context, {
      findings: [...late, ...lost],
      loaded,
      named: new Map(),
      folder: null,
    })
    await writer.commit(withMissing(context, change, missing))
  }
}

/** True if the message is not read again after this attempt. */
function isLast({ tries }: PendingMessage): boolean {
  return tries + 1 >= retryDelaysMs.length
}

function idOf(finding: { id: string } | { state: { id: string } }): string {
  return 'id' in finding ? finding.id : finding.state.id
}

function withMissing(
  { account, names, writer, now }: FeedContext,
  change: ReturnType<typeof changeOfFindings>,
  missing: readonly PendingMessage[],
) {
  const next = ({ tries, ...pending }: PendingMessage) => ({ ...pending, tries: tries + 1 })
  const ended = missing.filter(isLast).map(next)
  const context = { account, names, epoch: writer.nextEpoch }
  const changedPending = missing
    .filter((pending) => !isLast(pending))
    .map(next)
    .map((pending) => ({
      ...pending,
      nextAt: new Date(now().getTime() + (retryDelaysMs[pending.tries] ?? 0)),
    }))
  const events = ended.map(({ message, folder, tries }) =>
    messageMissing(context, { id: message, folder, ...retriesOf(tries) }),
  )
  return {
    ...change,
    changedPending,
    events: [...change.events, ...events],
    deletedPending: [...change.deletedPending, ...ended.map(({ message }) => message)],
  }
}

function retriesOf(tries: number) {
  const delays = retryDelaysMs.slice(0, tries)
  return { missingRetries: tries, missingDelay: delays.reduce((sum, delay) => sum + delay, 0) }
}
