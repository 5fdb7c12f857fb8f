import { once } from 'node:events'
import { type Column, TableFormat } from './table.ts'
import { jsonText, printable } from './printable.ts'
import type { OutputStream } from './terminal.ts'

/** Rows after which a table prints what was read so far. */
const defaultRowsPerPrint = 200

/** Options of a table. */
export interface TableOptions {
  /** Text for people if there are no rows. */
  empty: string
  /** Rows after which the table prints what was read so far: the size of a page. Default 200. */
  rowsPerPrint?: number
}

/** Options of the output of a command. */
export interface OutputOptions {
  /** True prints JSON for programs instead of texts and tables for people. */
  json: boolean
  /** Aborts when the reader has closed the output. Later writes are discarded. */
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

  /** Prints a result: `text` for people, or `value` as JSON. */
  async result(value: unknown, text: string | readonly string[]): Promise<void> {
    if (this.isJson) await this.#write(`${jsonText(value)}\n`)
    else await this.lines(typeof text === 'string' ? [text] : text)
  }

  /** Prints lines for people as they are, except for characters that change the terminal. */
  async lines(lines: readonly string[]): Promise<void> {
    await this.#write(lines.map((line) => `${printable(line)}\n`).join(''))
  }

  /**
   * Prints rows while they are read, as a table or as a JSON value per line. After an error, the
   * rows before it are printed.
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

  /** Prints rows one by one as they happen, such as events. */
  async stream<T>(rows: AsyncIterable<T>, text: (row: T) => string): Promise<void> {
    for await (const row of rows) await this.result(row, text(row))
  }

  /** Writes bytes unchanged, such as the source of a message. */
  async bytes(chunk: Uint8Array): Promise<void> {
    await this.#write(chunk)
  }

  #width(): number {
    return this.#stream.columns || 80
  }

  async #write(chunk: string | Uint8Array): Promise<void> {
    if (chunk.length === 0 || this.#closed.aborted || this.#stream.write(chunk)) return
    // Rejects only if the output is closed while the write waits.
    await once(this.#stream, 'drain', { signal: this.#closed }).catch(() => undefined)
  }
}
