import type { ExportEntry } from '../drivers/export-driver.ts'
import { compareEntries, unpackEntry } from './index-entries.ts'

/** Position in one run: number of the part, and offset of the next entry in the part. */
export type RunPosition = readonly [part: number, offset: number]

/** Position of a merge, stored with each chunk. */
export interface MergePosition {
  /** Position per run. Runs without a position start at their first entry. */
  runs: RunPosition[]
  /** Last entry, so that the same message in another run is not repeated. */
  last?: ExportEntry
}

/** Next entry of a merge, with the position after the entry. */
export interface MergedEntry extends ExportEntry {
  run: number
  after: RunPosition
}

/** Loads a part of a run. Undefined after the last part. */
export type LoadPart = (run: number, part: number) => Promise<Buffer | undefined>

interface Head {
  run: number
  part: number
  content: Buffer
  entry: ExportEntry
  /** Offset after the entry. */
  next: number
}

/**
 * Merges sorted runs of entries into one sequence by date. Has one part per run in memory. A repeat
 * from a stored position gives the same entries.
 */
export class RunMerge {
  readonly #load: LoadPart
  readonly #heads: Head[] = []
  #last: ExportEntry | undefined

  private constructor(load: LoadPart, last: ExportEntry | undefined) {
    this.#load = load
    this.#last = last
  }

  /** Opens a merge of `runs` runs at a position. */
  static async open(runs: number, position: MergePosition, load: LoadPart): Promise<RunMerge> {
    const merge = new RunMerge(load, position.last)
    for (let run = 0; run < runs; run++) {
      const [part, offset] = position.runs[run] ?? [0, 0]
      await merge.#addHead(run, part, offset)
    }
    return merge
  }

  /** Takes up to `limit` entries in order. Fewer, or none, at the end. */
  async take(limit: number): Promise<MergedEntry[]> {
    const taken: MergedEntry[] = []
    while (taken.length < limit) {
      const head = this.#first()
      if (!head) break
      const { run, part, entry, next } = head
      await this.#advance(head)
      // A stored position does not pass entries of other runs that are repeated.
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

/** Position of a merge after an entry. Pure. */
export function positionAfter(position: MergePosition, entry: MergedEntry): MergePosition {
  const runs = Array.from({ length: Math.max(position.runs.length, entry.run + 1) }, (_, run) =>
    run === entry.run ? entry.after : (position.runs[run] ?? ([0, 0] as const)),
  )
  return { runs, last: { order: entry.order, id: entry.id } }
}
