import { messageMissing } from '../events/feed-events.ts'
import { changeOfFindings, retryDelaysMs } from './apply-batch.ts'
import type { PendingMessage } from './feed-store.ts'
import { type FeedContext, maxGets, readMessages, withRetries } from './read-messages.ts'
import { indexPart } from './stored-index.ts'

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
    const loaded = await index.load(indexPart, [...byId.keys()])
    const findings = await readMessages(context, [...byId.keys()], loaded)
    const late = findings.flatMap((finding) => {
      const pending = byId.get(idOf(finding))
      return finding.kind === 'missing' || !pending
        ? []
        : [withRetries(finding, retriesOf(pending.tries + 1))]
    })
    const missing = findings.flatMap((finding) =>
      finding.kind === 'missing' ? (byId.get(finding.id) ?? []) : [],
    )
    const change = changeOfFindings(context, { findings: late, loaded, named: new Map() })
    await writer.commit(withMissing(context, change, missing))
  }
}

function idOf(finding: { id: string } | { state: { id: string } }): string {
  return 'id' in finding ? finding.id : finding.state.id
}

function withMissing(
  { account, names, writer, now }: FeedContext,
  change: ReturnType<typeof changeOfFindings>,
  missing: readonly PendingMessage[],
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
    .filter(isLast)
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
