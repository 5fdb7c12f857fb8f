import { printable } from './printable.ts'

/** Column of an output table: its title, and the text of a row in the column. */
export interface Column<T> {
  title: string
  text: (row: T) => string | number | boolean | null | undefined
  /** True for a column with ids that other commands take: the first column, which is never cut. */
  isKey?: boolean
}

/** Spaces between two columns of an output table. */
const gap = '  '
/**
 * Maximum width of a table column, in characters, if the table is not the only content of its line.
 */
const maxWidth = 60

/**
 * Formats rows as a table with aligned columns. The column widths are those of the first rows that
 * are formatted, so that a long list is printed while it is read. Lines are cut at `lineWidth`.
 */
export class TableFormat<T> {
  readonly #columns: readonly Column<T>[]
  readonly #lineWidth: number
  #widths: number[] | undefined

  constructor(columns: readonly Column<T>[], { lineWidth = Infinity } = {}) {
    this.#columns = columns
    this.#lineWidth = lineWidth
  }

  /** Output lines of table rows. The first call also returns the line of the titles. */
  format(rows: readonly T[]): string[] {
    const cells = rows.map((row) => this.#columns.map(({ text }) => textOf(text(row))))
    const isFirst = this.#widths === undefined
    const all = isFirst ? [this.#columns.map(({ title }) => title), ...cells] : cells
    this.#widths ??= this.#columns.map(({ isKey }, index) =>
      Math.min(
        isKey ? Infinity : maxWidth,
        Math.max(...all.map((line) => widthOf(line[index] ?? ''))),
      ),
    )
    return all.map((line) => this.#line(line))
  }

  #line(cells: readonly string[]): string {
    const last = cells.length - 1
    const line = cells
      .map((cell, index) => (index === last ? cell : this.#pad(cell, index)))
      .join(gap)
      .trimEnd()
    const [key = ''] = cells
    const isWide = widthOf(key) + gap.length + 1 > this.#lineWidth
    // An id in a table stays whole, without a following `…`, which would look like a part of the
    // id.
    if (isWide && this.#columns[0]?.isKey) return key
    return cut(line, this.#lineWidth)
  }

  #pad(text: string, index: number): string {
    const width = this.#widths?.[index] ?? 0
    return this.#columns[index]?.isKey ? text.padEnd(width) : pad(text, width)
  }
}

function textOf(value: string | number | boolean | null | undefined): string {
  return value === null || value === undefined || value === '' ? '-' : printable(String(value))
}

function pad(text: string, width: number): string {
  return cut(text, width) + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Characters that a terminal shows in two columns: East Asian scripts and emoji. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const segmenter = new Intl.Segmenter()

/** Pattern of texts whose characters all need one column of a terminal, as most texts of a list. */
const simple = /^[ -~]*$/

/** Number of terminal columns that a text needs. */
export function widthOf(text: string): number {
  // Node's text segmenter needs memory for each character, too much for the texts of a long list.
  if (simple.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

/** Cuts a text at a number of terminal columns. A text that was cut ends with `…`. */
function cut(text: string, width: number): string {
  if (text.length <= width && widthOf(text) <= width) return text
  if (simple.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`
  let result = ''
  let used = 1
  for (const { segment } of segmenter.segment(text)) {
    used += wide.test(segment) ? 2 : 1
    if (used > width) break
    result += segment
  }
  return `${result}…`
}
