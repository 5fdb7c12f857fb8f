import type { Output } from '../../io/output.ts'
import type { ImportKind } from './group.ts'

/**
 * Report about an EmailEngine entity that was not imported unchanged: what differs, what is
 * missing, or why the entity is skipped.
 */
export interface EntityReport {
  kind: ImportKind
  id: string
  changes?: readonly string[]
  omitted?: readonly string[]
  skipped?: string
}

/** Numbers of imported, unchanged and skipped EmailEngine entities of one kind. */
export interface KindCounts {
  kind: ImportKind
  imported: number
  /** Number of EmailEngine entities that existed in Posthorn before the import. */
  unchanged: number
  /** Number of accounts of an earlier import with `--paused` that this import has started. */
  started: number
  /** Number of EmailEngine entities that were imported with another effect or without a member. */
  changed: number
  skipped: number
}

/**
 * Maximum lines about single entities of a kind in the import report for people. Programs get all
 * lines.
 */
const maxLines = 20

/**
 * Report of an import of EmailEngine entities. Differences are printed when they occur, so that a
 * long import needs little memory. The numbers are printed at the end.
 */
export class ImportReport {
  readonly #output: Output
  readonly #counts = new Map<ImportKind, KindCounts>()
  readonly #lines = new Map<ImportKind, number>()

  constructor(output: Output) {
    this.#output = output
  }

  counts(kind: ImportKind): KindCounts {
    const counts = this.#counts.get(kind) ?? {
      kind,
      imported: 0,
      unchanged: 0,
      started: 0,
      changed: 0,
      skipped: 0,
    }
    this.#counts.set(kind, counts)
    return counts
  }

  /** Reports an EmailEngine entity that is imported with differences, or skipped. */
  async entity(entity: EntityReport): Promise<void> {
    const counts = this.counts(entity.kind)
    if (entity.skipped === undefined) counts.changed += 1
    else counts.skipped += 1
    const lines = (this.#lines.get(entity.kind) ?? 0) + 1
    this.#lines.set(entity.kind, lines)
    if (this.#output.isJson) await this.#output.result(entity, '')
    else if (lines <= maxLines) await this.#output.lines([lineOf(entity)])
    else if (lines === maxLines + 1)
      await this.#output.lines([`${entity.kind}: more differences with --json`])
  }

  /** Prints the numbers of imported, changed and skipped EmailEngine entities of all kinds. */
  async end(): Promise<void> {
    const counts = [...this.#counts.values()]
    if (this.#output.isJson) return this.#output.result({ counts }, '')
    const number = (name: Exclude<keyof KindCounts, 'kind'>) => ({
      title: name.toUpperCase(),
      text: (row: KindCounts) => row[name],
    })
    await this.#output.table(
      counts,
      [
        { title: 'KIND', text: ({ kind }) => kind },
        number('imported'),
        number('unchanged'),
        number('started'),
        number('changed'),
        number('skipped'),
      ],
      { empty: 'nothing to import' },
    )
  }

  /** True if an account was not imported from EmailEngine. */
  get isIncomplete(): boolean {
    return (this.#counts.get('accounts')?.skipped ?? 0) > 0
  }
}

function lineOf({ kind, id, changes = [], omitted = [], skipped }: EntityReport): string {
  if (skipped !== undefined) return `${kind} ${id}: skipped: ${skipped}`
  const parts = [...changes, ...omitted.map((text) => `not imported: ${text}`)]
  return `${kind} ${id}: ${parts.join('; ')}`
}
