import type { ExportEntry } from '../drivers/export-driver.ts'
import { compareEntries, unpackEntry } from './index-entries.ts'

/**
 * Position in a sorted run (piece of an export's message list): number of the part, and offset of
 * the next entry in the part.
 */
export type RunPosition = readonly [part: number, offset: number]

/**
 * Position in the merge of an export's sorted runs (pieces of the message list). Stored with each
 * chunk of the export file.
 */
export interface MergePosition {
  /**
   * Position in each sorted run of the export's message list. A run without a position is read from
   * its first entry.
   */
  runs: RunPosition[]
  /**
   * Last merged entry of the export's message list, so that the same message in another sorted run
   * is not exported again.
   */
  last?: ExportEntry
}

/** Next entry of a merge of an export's sorted runs, and the position after the entry. */
export interface MergedEntry extends ExportEntry {
  run: number
  after: RunPosition
}

/** Loads a part of a sorted run of an export's message list. Undefined after the last part. */
export type LoadPart = (run: number, part: number) => Promise<Buffer | undefined>

interface Head {
  run: number
  part: number
  content: Buffer
  entry: ExportEntry
  /** Offset of the message list entry that follows `entry` in the part of a sorted run. */
  next: number
}

/**
 * Merges the sorted runs (pieces) of an export's message list into one sequence by date. Holds one
 * part of each run in memory. A merge that is repeated from a stored position returns the same
 * entries.
 */
export class RunMerge {
  readonly #load: LoadPart
  readonly #heads: Head[] = []
  #last: ExportEntry | undefined

  private constructor(load: LoadPart, last: ExportEntry | undefined) {
    this.#load = load
    this.#last = last
  }

  /**
   * Opens the merge of `runs` sorted runs (pieces of an export's message list) at a stored
   * position.
   */
  static async open(runs: number, position: MergePosition, load: LoadPart): Promise<RunMerge> {
    const merge = new RunMerge(load, position.last)
    for (let run = 0; run < runs; run++) {
      const [part, offset] = position.runs[run] ?? [0, 0]
      await merge.#addHead(run, part, offset)
    }
    return merge
  }

  /**
   * Returns the next message list entries of the merge in order: `limit` entries, or fewer at the
   * end.
   */
  async take(limit: number): Promise<MergedEntry[]> {
    const taken: MergedEntry[] = []
    while (taken.length < limit) {
      const head = this.#first()
      if (!head) break
      const { run, part, entry, next } = head
      await this.#advance(head)
      // After a stored position of the export, another sorted run may still contain an entry that
      // was exported already.
      if (this.#last && compareEntries(this.#last, entry) >= 0) continue
      this.#last = entry
      taken.push({ ...entry, run, after: [part, next] })
    }
    return taken
  }

  #first(): Head | undefined {
    let first: Head | undefined
    for (const head of this.#heads)
      if (!first || compareEntries(head.entry, first.entry) < 0) first = head
    return first
  }

  async #advance(head: Head): Promise<void> {
    const unpacked = unpackEntry(head.content, head.next)
    if (unpacked) {
      Object.assign(head, unpacked)
      return
    }
    this.#heads.splice(this.#heads.indexOf(head), 1)
    await this.#addHead(head.run, head.part + 1, 0)
  }

  async #addHead(run: number, part: number, offset: number): Promise<void> {
    const content = await this.#load(run, part)
    if (!content) return
    const unpacked = unpackEntry(content, offset)
    if (unpacked) this.#heads.push({ run, part, content, ...unpacked })
    else await this.#addHead(run, part + 1, 0)
  }
}

/** Computes the position of a merge of an export's sorted runs after an entry. Pure. */
export function positionAfter(position: MergePosition, entry: MergedEntry): MergePosition {
  const runs = Array.from({ length: Math.max(position.runs.length, entry.run + 1) }, (_, run) =>
    run === entry.run ? entry.after : (position.runs[run] ?? ([0, 0] as const)),
  )
  return { runs, last: { order: entry.order, id: entry.id } }
}
