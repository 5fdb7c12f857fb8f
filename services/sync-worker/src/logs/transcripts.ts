import type { TranscriptLine } from '@posthorn/backends'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { insertLogLines, type LogLine, trimLog } from '../store/logs.ts'
import { LogBacklog } from './backlog.ts'

export type Transcripts = ReturnType<typeof startTranscripts>

export interface TranscriptsDeps {
  db: Db
  log: Logger
  /** Returns the current retention of protocol logs. */
  retention: () => Promise<LogRetention>
}

export interface LogRetention {
  /** True to store the protocol logs of all accounts, even of accounts whose `logs` is off. */
  all: boolean
  /** Maximum protocol log lines per account. */
  maxLines: number
}

/** Retention of protocol logs: from the setting `logs`, by default `maxLines` lines per account. */
export function logRetention({ logs }: Pick<Settings, 'logs'>, maxLines: number): LogRetention {
  return { all: logs?.all === true, maxLines: logs?.maxLogLines ?? maxLines }
}

const flushMs = 500
const batchSize = 1_000
const limits = { perAccount: 2_000, totalCharacters: 8 * 1024 * 1024 }

/**
 * Starts the storage of protocol logs for accounts whose `logs` is on. Writes the lines in batches,
 * twice a second. If Postgres is slow or unavailable, drops and counts the lines beyond the limits
 * of the buffer. Disposal writes the buffered lines.
 */
export function startTranscripts({ db, log, retention }: TranscriptsDeps) {
  const backlog = new LogBacklog(limits)
  /**
   * Number of lines that were added to each account's protocol log after its old lines were last
   * deleted.
   */
  const added = new Map<string, number>()
  let connections = 0

  /**
   * Deletes the old lines of an account's protocol log after each addition of a tenth of
   * `maxLines`.
   */
  async function trim(batch: readonly LogLine[], maxLines: number): Promise<void> {
    for (const [account, lines] of Map.groupBy(batch, (line) => line.account)) {
      const count = (added.get(account) ?? maxLines) + lines.length
      const isDue = count >= maxLines / 10
      if (isDue) await trimLog(db, account, maxLines)
      added.set(account, isDue ? 0 : count)
    }
  }
  async function flush(): Promise<void> {
    try {
      while (!backlog.isEmpty) {
        const batch = backlog.peek(batchSize)
        const { all, maxLines } = await retention()
        await insertLogLines(db, batch, all)
        backlog.remove(batch)
        await trim(batch, maxLines)
      }
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'transcript flush failed, will retry')
    }
  }
  const flushing = runPeriodically({ everyMs: flushMs, log, name: 'transcripts' }, flush)

  return {
    /**
     * Starts the protocol log of one mail connection. The returned function buffers a line and
     * never fails.
     */
    forConnection(account: string) {
      const connection = ++connections
      return (line: TranscriptLine): void =>
        backlog.add(account, formatLogLine(line, connection), line.afterLogin)
    },
    async [Symbol.asyncDispose]() {
      await flushing[Symbol.asyncDispose]()
      await flush()
    },
  }
}

const speakers = { client: 'C:', server: 'S:', us: '--' } as const
const maxText = 2_000

/**
 * Formats a line of a protocol log: time, number of the connection in this process, speaker, and
 * text. Replaces control characters, so that the text cannot contain a line break.
 */
export function formatLogLine({ at, from, text }: TranscriptLine, connection: number): string {
  const plain = text
    .slice(0, maxText)
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd')
  return `${at.toISOString()} [${connection}] ${speakers[from]} ${plain}`
}
