import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from '../exit-codes.ts'
import { printable } from './printable.ts'
import type { Terminal } from './terminal.ts'

/** Questions to the user of a terminal, on standard error. */
export class Prompt {
  readonly #terminal: Terminal
  readonly #signal: AbortSignal

  constructor(terminal: Terminal, signal: AbortSignal) {
    this.#terminal = terminal
    this.#signal = signal
  }

  /**
   * Asks the user for a text. Without a terminal, fails with `remedy`, which names the option to
   * use.
   */
  async text(question: string, { remedy }: { remedy: string }): Promise<string> {
    return this.#ask(question, { remedy, isHidden: false })
  }

  /** Asks the user for a secret, which the terminal does not show. */
  async secret(question: string, { remedy }: { remedy: string }): Promise<string> {
    return this.#ask(question, { remedy, isHidden: true })
  }

  /** Asks the user for a yes before a destructive command. */
  async confirm(question: string): Promise<boolean> {
    const remedy = 'confirm with --yes'
    const answer = await this.#ask(`${question} [y/N] `, { remedy, isHidden: false })
    return /^y(es)?$/i.test(answer.trim())
  }

  async #ask(
    question: string,
    { remedy, isHidden }: { remedy: string; isHidden: boolean },
  ): Promise<string> {
    const { stdin, stderr } = this.#terminal
    if (!stdin.isTTY || !stderr.isTTY) throw new UsageError(`no terminal for a question: ${remedy}`)
    const nothing = new Writable({ write: (_chunk, _encoding, done) => done() })
    // Node's readline echoes the keys to its output, because it sets the terminal to raw mode. A
    // secret needs an output that shows nothing.
    const lines = createInterface({
      input: stdin,
      output: isHidden ? nothing : stderr,
      terminal: true,
    })
    // The question follows the raw mode: the terminal itself would show an answer that a program
    // pastes as soon as it reads the question.
    stderr.write(printable(question))
    try {
      // In raw mode of the terminal, Ctrl-C is a key. The interrupt aborts the question, as it
      // aborts other work.
      lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      const closed = new Promise<never>((_resolve, reject) => {
        lines.once('close', () => reject(new UsageError(`no answer: ${remedy}`)))
      })
      return await Promise.race([lines.question('', { signal: this.#signal }), closed])
    } finally {
      lines.close()
      if (isHidden) stderr.write('\n')
    }
  }
}
