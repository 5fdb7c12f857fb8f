import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandError } from '../exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Standard input and abort signal, which a command needs to read its input. */
export interface InputContext {
  terminal: Pick<Terminal, 'stdin'>
  /** Signal that ends the wait for input: a terminal or a pipe may never send the end. */
  signal: AbortSignal
}

/**
 * Opens a command's input file, or standard input if the path is `-`. The stream fails when the
 * signal aborts. `inputError` describes the errors of the stream.
 */
export function openInput(path: string, { terminal, signal }: InputContext): Readable {
  if (path === '-') return addAbortSignal(signal, terminal.stdin)
  return createReadStream(path, { signal })
}

/**
 * Reads the text of a file, or of standard input if the path is `-`.
 *
 * @throws CommandError if the input cannot be read
 */
export async function readInput(path: string, context: InputContext): Promise<string> {
  return text(openInput(path, context)).catch((error: unknown) => {
    throw inputError(path, error)
  })
}

/** Describes an error of reading an input file. An interruption is returned unchanged. */
export function inputError(path: string, error: unknown): Error {
  const { name, message } = error as Error
  if (name === 'AbortError') return error as Error
  return new CommandError(`${path} cannot be read: ${message}`)
}
