/**
 * Beginnings of cells that spreadsheets take for a formula, also after apostrophes. A formula in a
 * foreign text could send the contents of the spreadsheet to another server.
 */
const formula = /^'*[=+\-@\t\r\n]/

/**
 * Writes rows as CSV (RFC 4180). A cell that spreadsheets would take for a formula begins with an
 * apostrophe.
 */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",;\r\n\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Reads the rows of a CSV text (RFC 4180), with commas, semicolons or tabs between the cells. An
 * apostrophe that `writeCsv` has added is removed. Empty lines are left out.
 *
 * @throws Error if a quoted cell does not end
 */
export function readCsv(text: string): string[][] {
  const reader = new CsvReader(text.replace(/^\u{FEFF}/u, ''))
  const rows: string[][] = []
  for (let row = reader.row(); row !== undefined; row = reader.row())
    if (row.some((cell) => cell !== '')) rows.push(row)
  return rows
}

/** Separator of the cells in a CSV text: the first one in the first line. */
function separatorOf(text: string): string {
  return /^[^\r\n]*?([,;\t])/.exec(text)?.[1] ?? ','
}

/** Reader of the rows in a CSV text, one after another. */
class CsvReader {
  readonly #text: string
  readonly #separator: string
  #position = 0

  constructor(text: string) {
    this.#text = text
    this.#separator = separatorOf(text)
  }

  /** Reads the next row of the CSV text. Undefined after the last row. */
  row(): string[] | undefined {
    if (this.#position >= this.#text.length) return undefined
    const cells = [this.#cell()]
    while (this.#text[this.#position] === this.#separator) {
      this.#position += 1
      cells.push(this.#cell())
    }
    if (this.#text[this.#position] === '\r') this.#position += 1
    if (this.#text[this.#position] === '\n') this.#position += 1
    return cells
  }

  #cell(): string {
    const cell = this.#text[this.#position] === '"' ? this.#quoted() : ''
    const text = (cell + this.#plain()).trim()
    return text.startsWith("'") && formula.test(text.slice(1)) ? text.slice(1) : text
  }

  /** Reads the unquoted text of a CSV cell up to the separator or the end of the line. */
  #plain(): string {
    const start = this.#position
    while (this.#position < this.#text.length) {
      const char = this.#text[this.#position] ?? ''
      if (char === this.#separator || char === '\r' || char === '\n') break
      this.#position += 1
    }
    return this.#text.slice(start, this.#position)
  }

  #quoted(): string {
    const parts: string[] = []
    for (let start = this.#position + 1; ; start = this.#position + 1) {
      const end = this.#text.indexOf('"', start)
      if (end < 0) throw new Error('The file has a quotation mark without its second one.')
      parts.push(this.#text.slice(start, end))
      this.#position = end + 1
      if (this.#text[this.#position] !== '"') return parts.join('"')
    }
  }
}
