import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandError } from '../exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Parts of the context of a command that an input needs. */
export interface InputContext {
  terminal: Pick<Terminal, 'stdin'>
  /** Ends the wait for input: a terminal or a pipe may never send the end. */
  signal: AbortSignal
}

/**
 * Opens a file, or standard input if the path is `-`. The stream fails when the signal aborts.
 * `inputError` describes its errors.
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

/** Describes an error of an input. An interruption stays as it is. */
export function inputError(path: string, error: unknown): Error {
  const { name, message } = error as Error
  if (name === 'AbortError') return error as Error
  return new CommandError(`${path} cannot be read: ${message}`)
}
