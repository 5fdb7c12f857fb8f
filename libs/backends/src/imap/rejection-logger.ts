import type { Logger } from '@posthorn/telemetry'
import type { ImapFlowError, ImapFlowOptions } from 'imapflow'
import type { Transcript } from './transcript.ts'

/**
 * imapflow answers many refused commands with `false` and tells the reason to its logger alone. This is that logger: it keeps the last
 * refusal for the error that we make of the `false`, and passes texts (never whole entries, which hold mail and sometimes more) on at trace.
 */
export class RejectionLogger {
  #last: ImapFlowError | undefined
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /** What the server said to the last refused command since `clear`. */
  get last(): ImapFlowError | undefined {
    return this.#last
  }

  clear(): void {
    this.#last = undefined
  }

  /** With a transcript, that is told everything; without, imapflow does not even write it out. */
  logger(transcript?: Transcript): NonNullable<ImapFlowOptions['logger']> {
    const tell = (entry: unknown) => {
      if (typeof entry === 'object' && entry !== null) transcript?.write(entry)
    }
    const note = (entry: unknown) => {
      tell(entry)
      this.#note(entry)
    }
    const isLevelEnabled = (level: string) =>
      transcript !== undefined || level === 'warn' || level === 'error'
    const logger = {
      trace: tell,
      debug: tell,
      info: tell,
      warn: note,
      error: note,
      fatal: note,
      isLevelEnabled,
    }
    return logger
  }

  #note(entry: unknown): void {
    if (typeof entry !== 'object' || entry === null) return
    const { err, msg } = entry as { err?: unknown; msg?: unknown }
    const error = err instanceof Error ? (err as ImapFlowError) : undefined
    if (error?.responseStatus) this.#last = error
    this.#log.trace(
      { said: typeof msg === 'string' ? msg : undefined, why: error?.message, code: error?.code },
      'imap library',
    )
  }
}
