import type { TranscriptLine } from '@posthorn/backends'
import type { Settings } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { insertLogLines, type LogLine, trimLog } from '../store/logs.ts'
import { LogBacklog } from './backlog.ts'

/** Stores the protocol logs of accounts with `logs`. */
export interface Transcripts extends AsyncDisposable {
  /** Starts the log of one connection. The returned function buffers a line and never fails. */
  forConnection(account: string): (line: TranscriptLine) => void
}

export interface TranscriptsDeps {
  db: Db
  log: Logger
  /** Current retention. */
  retention: () => Promise<LogRetention>
}

export interface LogRetention {
  /** True to log all accounts, regardless of their own `logs`. */
  all: boolean
  /** Maximum lines per account. */
  maxLines: number
}

/** Retention of the setting `logs`, with a default for the number of lines. */
export function logRetention({ logs }: Pick<Settings, 'logs'>, maxLines: number): LogRetention {
  return { all: logs?.all === true, maxLines: logs?.maxLogLines ?? maxLines }
}

const flushMs = 500
const batchSize = 1_000
const limits = { perAccount: 2_000, totalCharacters: 8 * 1024 * 1024 }

/**
 * Writes protocol logs in batches, twice a second. Lines beyond the limits, because Postgres is
 * slow or unavailable, are dropped and counted. Disposal writes the buffered lines.
 */
export function startTranscripts(deps: TranscriptsDeps): Transcripts {
  const backlog = new LogBacklog(limits)
  const trimmer = new Trimmer(deps.db)
  let connections = 0
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  async function flush(): Promise<void> {
    try {
      while (!backlog.isEmpty) {
        const batch = backlog.peek(batchSize)
        const { all, maxLines } = await deps.retention()
        await insertLogLines(deps.db, batch, all)
        backlog.remove(batch)
        await trimmer.trim(batch, maxLines)
      }
    } catch (error) {
      deps.log.debug({ reason: messageOf(error) }, 'transcript flush failed, will retry')
    }
  }
  function schedule(): void {
    timer ??= setTimeout(() => {
      flushing = flush().finally(() => {
        timer = undefined
        if (!backlog.isEmpty) schedule()
      })
    }, flushMs)
  }

  return {
    forConnection(account) {
      const connection = ++connections
      return (line) => {
        backlog.add(account, formatLogLine(line, connection))
        schedule()
      }
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await flushing
      clearTimeout(timer)
      await flush()
    },
  }
}

const speakers = { client: 'C:', server: 'S:', us: '--' } as const
const maxText = 2_000

/**
 * Formats a line: time, connection number of this process, speaker, text. Replaces control
 * characters, so that the text cannot contain a line break.
 */
export function formatLogLine({ at, from, text }: TranscriptLine, connection: number): string {
  const plain = text
    .slice(0, maxText)
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd')
  return `${at.toISOString()} [${connection}] ${speakers[from]} ${plain}`
}

/** Deletes old lines of an account each time a tenth of its limit was added. */
class Trimmer {
  readonly #db: Db
  /** Lines added per account since its last trim. */
  readonly #added = new Map<string, number>()

  constructor(db: Db) {
    this.#db = db
  }

  async trim(batch: readonly LogLine[], maxLines: number): Promise<void> {
    for (const [account, lines] of Map.groupBy(batch, (line) => line.account)) {
      const added = (this.#added.get(account) ?? maxLines) + lines.length
      const isDue = added >= maxLines / 10
      if (isDue) await trimLog(this.#db, account, maxLines)
      this.#added.set(account, isDue ? 0 : added)
    }
  }
}
