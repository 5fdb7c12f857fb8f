import type { Entry, MappedEntry } from '@posthorn/emailengine'
import type { PosthornError } from '@posthorn/client'
import type { Progress } from '../../io/progress.ts'
import type { ImportKind } from './group.ts'
import type { ImportReport } from './report.ts'

/**
 * Result of importing a batch of EmailEngine entities, such as accounts. Entities that the result
 * does not count were imported as new.
 */
export interface BatchResult {
  unchanged?: number
  started?: number
  skipped?: readonly { id: string; reason: string }[]
}

/** Import of one kind of EmailEngine entities, such as accounts. */
export interface KindImport<Input> {
  kind: ImportKind
  entries: AsyncIterable<Entry<Input>>
  /** Number of EmailEngine entities of the kind, if known before the entities are read. */
  total?: number
  /** Maximum EmailEngine entities per call of `write` by the import. Default 1. */
  batchSize?: number
  /**
   * Maximum batches of EmailEngine entities that the import writes at the same time. Default 16.
   */
  concurrency?: number
  /**
   * Writes imported EmailEngine entities to Posthorn, or with `--dry-run` finds out what a write
   * would do.
   */
  write: (entries: readonly MappedEntry<Input>[]) => Promise<BatchResult>
}

const defaultConcurrency = 16

/** Report, progress and signal of a run of the EmailEngine import. */
export interface ImportRun {
  report: ImportReport
  progress: Progress
  signal: AbortSignal
}

/**
 * Imports the EmailEngine entities of one kind. Stops at the first error that is not about a single
 * entity: entities that were written stay, and a repeated import continues.
 */
export async function importKind<Input>(
  {
    kind,
    entries,
    total,
    batchSize = 1,
    concurrency = defaultConcurrency,
    write,
  }: KindImport<Input>,
  { report, progress, signal }: ImportRun,
): Promise<void> {
  const counts = report.counts(kind)
  let done = 0
  const finish = async (batch: readonly MappedEntry<Input>[]) => {
    const { unchanged = 0, started = 0, skipped = [] } = await writeBatch(batch, write)
    counts.unchanged += unchanged
    counts.started += started
    counts.imported += batch.length - unchanged - started - skipped.length
    const reasons = new Map(skipped.map(({ id, reason }) => [id, reason]))
    for (const { id, changes, omitted } of batch) {
      const reason = reasons.get(id)
      if (reason !== undefined) await report.entity({ kind, id, skipped: reason })
      // The import result of a batch that has unchanged entities does not tell which of its
      // entities are new.
      else if (unchanged + started === 0 && changes.length + omitted.length > 0)
        await report.entity({ kind, id, changes, omitted })
    }
    done += batch.length
    progress.show(`${kind}: ${done}${total === undefined ? '' : ` of ${total}`}`)
  }
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const start = async (batch: readonly MappedEntry<Input>[]) => {
    const task: Promise<void> = finish(batch)
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => running.delete(task))
    running.add(task)
    if (running.size >= concurrency) await Promise.race(running)
  }
  let batch: MappedEntry<Input>[] = []
  for await (const entry of entries) {
    if (failure || signal.aborted) break
    if (entry.skipped !== undefined) {
      await report.entity({ kind, id: entry.id, skipped: entry.skipped })
      done += 1
      continue
    }
    batch.push(entry as MappedEntry<Input>)
    if (batch.length < batchSize) continue
    await start(batch)
    batch = []
  }
  if (batch.length > 0 && !failure && !signal.aborted) await start(batch)
  await Promise.all(running)
  if (failure) throw failure.error
  signal.throwIfAborted()
}

/**
 * Writes a batch of imported EmailEngine entities to Posthorn. If the API rejects the batch because
 * of one entity, each entity is written alone.
 */
async function writeBatch<Input>(
  batch: readonly MappedEntry<Input>[],
  write: KindImport<Input>['write'],
): Promise<BatchResult> {
  try {
    return await write(batch)
  } catch (error) {
    const reason = rejectionOf(error)
    if (reason === undefined) throw error
    const [entry] = batch
    if (batch.length === 1 && entry) return { skipped: [{ id: entry.id, reason }] }
    const results = []
    for (const single of batch) results.push(await writeBatch([single], write))
    return {
      unchanged: sum(results, 'unchanged'),
      started: sum(results, 'started'),
      skipped: results.flatMap(({ skipped = [] }) => skipped),
    }
  }
}

function sum(results: readonly BatchResult[], name: 'unchanged' | 'started'): number {
  return results.reduce((total, { [name]: count = 0 }) => total + count, 0)
}

/**
 * Reason for which the API rejects an imported EmailEngine entity. Undefined for errors that
 * concern the whole import.
 */
function rejectionOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'PosthornError') return undefined
  const { status, code, message, fields } = error as PosthornError
  const isUnknownOperation = status === 404 && code === undefined
  if (![400, 404, 409, 413, 422].includes(status) || isUnknownOperation) return undefined
  const details = fields.map(({ message }) => message).join(', ')
  return details === '' ? message : `${message}: ${details}`
}
