import type { Logger } from '@posthorn/telemetry'
import type { ImapFlowError, ImapFlowOptions } from 'imapflow'
import type { Transcript } from './transcript.ts'

/** Log message of imapflow for a response that its handler failed to process. */
const unprocessed = 'Failed to process untagged response'

/**
 * Logger for imapflow. imapflow returns `false` for many rejected commands and logs the reason
 * only, so the logger stores the last rejection for the error of the command. The logger also
 * counts the responses that imapflow skips. Texts are logged at trace level, never whole entries,
 * because entries contain mail data.
 */
export class RejectionLogger {
  /**
   * Last rejection that the IMAP server sent to the running command. Cleared by the caller of the
   * command.
   */
  last: ImapFlowError | undefined
  /** Number of IMAP responses that imapflow skipped because it could not parse or process them. */
  unreadable = 0
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * Logger for imapflow that passes every log entry to the transcript of the IMAP session. Without
   * a transcript, imapflow does not format log entries.
   */
  logger(transcript?: Transcript): NonNullable<ImapFlowOptions['logger']> {
    const toTranscript = (entry: unknown) => {
      if (typeof entry === 'object' && entry !== null) transcript?.write(entry)
    }
    const toTranscriptAndStore = (entry: unknown) => {
      toTranscript(entry)
      this.#store(entry)
    }
    const isLevelEnabled = (level: string) =>
      transcript !== undefined || level === 'warn' || level === 'error'
    const logger = {
      trace: toTranscript,
      debug: toTranscript,
      info: toTranscript,
      warn: toTranscriptAndStore,
      error: toTranscriptAndStore,
      fatal: toTranscriptAndStore,
      isLevelEnabled,
    }
    return logger
  }

  #store(entry: unknown): void {
    if (typeof entry !== 'object' || entry === null) return
    const { err, msg, payloadBytes } = entry as Record<string, unknown>
    const error = err instanceof Error ? (err as ImapFlowError) : undefined
    if (error?.responseStatus) this.last = error
    else if (payloadBytes !== undefined || msg === unprocessed) this.unreadable++
    this.#log.trace(
      { text: typeof msg === 'string' ? msg : undefined, error: error?.message, code: error?.code },
      'imapflow log entry',
    )
  }
}
