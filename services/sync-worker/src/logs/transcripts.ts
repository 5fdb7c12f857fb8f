import type { TranscriptLine } from '@posthorn/backends'
import type { Settings } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { insertLogLines, type LogLine, trimLog } from '../store/logs.ts'
import { LogBacklog } from './backlog.ts'
import { formatLogLine } from './line.ts'

/** Stores what accounts with `logs` say to their servers. */
export interface Transcripts extends AsyncDisposable {
  /** Begins the log of one connection. What it returns takes a line at once, and never fails: logs are not worth a session. */
  open(account: string): (line: TranscriptLine) => void
}

export interface TranscriptsDeps {
  db: Db
  log: Logger
  /** What is to be kept now. */
  retention: () => Promise<LogRetention>
}

export interface LogRetention {
  /** Of all accounts, whatever their own `logs` say. */
  all: boolean
  /** Lines kept of an account. */
  keepLines: number
}

/** What the setting `logs` says, where it says something. */
export function logRetention({ logs }: Pick<Settings, 'logs'>, keepLines: number): LogRetention {
  return { all: logs?.all === true, keepLines: logs?.maxLogLines ?? keepLines }
}

const flushMs = 500
const batchSize = 1_000
const limits = { perAccount: 2_000, characters: 8 * 1024 * 1024 }

/** Lines are stored twice a second, many together; what Postgres cannot take in time is dropped and counted. Disposing stores what waits. */
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
        const { all, keepLines } = await deps.retention()
        await insertLogLines(deps.db, batch, all)
        backlog.remove(batch)
        await trimmer.stored(batch, keepLines)
      }
    } catch (error) {
      deps.log.debug({ reason: messageOf(error) }, 'log lines wait for Postgres')
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
    open(account) {
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

/** Keeps the logs short: after every tenth of what is kept an account's older lines go. */
class Trimmer {
  readonly #db: Db
  /** Lines stored since an account's log was cut, of those that are logged. */
  readonly #added = new Map<string, number>()

  constructor(db: Db) {
    this.#db = db
  }

  async stored(batch: readonly LogLine[], keepLines: number): Promise<void> {
    for (const [account, lines] of Map.groupBy(batch, (line) => line.account)) {
      const added = (this.#added.get(account) ?? keepLines) + lines.length
      const due = added >= keepLines / 10
      if (due) await trimLog(this.#db, account, keepLines)
      this.#added.set(account, due ? 0 : added)
    }
  }
}
