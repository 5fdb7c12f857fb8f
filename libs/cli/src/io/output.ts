import { once } from 'node:events'
import { type Column, TableFormat } from './table.ts'
import { jsonText, printable } from './printable.ts'
import type { OutputStream } from './terminal.ts'

/** Number of rows after which a command's output table prints the rows read so far. */
const defaultRowsPerPrint = 200

/** Options of a table that a command prints. */
export interface TableOptions {
  /** Text for people if the output table has no rows. */
  empty: string
  /**
   * Number of rows after which the output table prints the rows read so far: the size of a page.
   * Default 200.
   */
  rowsPerPrint?: number
}

/** Options of the standard output of a command. */
export interface OutputOptions {
  /** True to print JSON for programs instead of texts and tables for people. */
  json: boolean
  /**
   * Signal that aborts when the reader has closed the standard output. Later writes are discarded.
   */
  closed: AbortSignal
}

/**
 * Standard output of a command. For people: tables and texts. For programs (`json`): a JSON value
 * per line, with the members of the API. Writes wait until the reader has taken the earlier bytes,
 * so that a long list needs little memory.
 */
export class Output {
  readonly isJson: boolean
  readonly #stream: OutputStream
  readonly #closed: AbortSignal

  constructor(stream: OutputStream, { json, closed }: OutputOptions) {
    this.#stream = stream
    this.#closed = closed
    this.isJson = json
  }

  /** Prints the result of a command: `text` for people, or `value` as JSON. */
  async result(value: unknown, text: string | readonly string[]): Promise<void> {
    if (this.isJson) await this.#write(`${jsonText(value)}\n`)
    else await this.lines(typeof text === 'string' ? [text] : text)
  }

  /** Prints output lines for people unchanged, except for characters that change the terminal. */
  async lines(lines: readonly string[]): Promise<void> {
    await this.#write(lines.map((line) => `${printable(line)}\n`).join(''))
  }

  /**
   * Prints rows of a list while they are read, as a table or as a JSON value per line. After an
   * error, the rows before the error are printed.
   */
  async table<T>(
    rows: Iterable<T> | AsyncIterable<T>,
    columns: readonly Column<T>[],
    { empty, rowsPerPrint = defaultRowsPerPrint }: TableOptions,
  ): Promise<void> {
    const table = new TableFormat(columns, this.#stream.isTTY ? { lineWidth: this.#width() } : {})
    let pending: T[] = []
    let isEmpty = true
    const print = async () => {
      if (pending.length === 0) return
      isEmpty = false
      const lines = this.isJson ? pending.map((row) => jsonText(row)) : table.format(pending)
      pending = []
      await this.#write(lines.map((line) => `${line}\n`).join(''))
    }
    try {
      for await (const row of rows) {
        pending.push(row)
        if (pending.length >= rowsPerPrint) await print()
      }
    } finally {
      await print()
    }
    if (isEmpty && !this.isJson) await this.lines([empty])
  }

  /** Prints rows such as events one by one as they happen. */
  async stream<T>(rows: AsyncIterable<T>, text: (row: T) => string): Promise<void> {
    for await (const row of rows) await this.result(row, text(row))
  }

  /** Writes bytes to standard output unchanged, such as the source of a message. */
  async bytes(chunk: Uint8Array): Promise<void> {
    await this.#write(chunk)
  }

  #width(): number {
    return this.#stream.columns || 80
  }

  async #write(chunk: string | Uint8Array): Promise<void> {
    if (chunk.length === 0 || this.#closed.aborted || this.#stream.write(chunk)) return
    // The wait for the standard output rejects only if the output is closed meanwhile.
    await once(this.#stream, 'drain', { signal: this.#closed }).catch(() => undefined)
  }
}
