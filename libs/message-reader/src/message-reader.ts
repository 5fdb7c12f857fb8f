import { AppError, errorFromWire } from '@posthorn/errors'
import { QueueFullError, WorkerError, type WorkerFailure, WorkerPool } from '@posthorn/flow'
import type { ReadRequest, ReadResponse } from './reader-main.ts'
import { getReading, type ReadingInput, type ReadingName, type ReadingOutput } from './readings.ts'
import type { ReadPart } from './readings.ts'

/**
 * Limit that the reading of a message or request exceeded, or `not-started` if no process could be
 * started.
 */
export type OverrunReason = Exclude<WorkerFailure, 'disposed'> | 'queue'

/** Reading of a message or request that exceeded a limit. */
export interface ReadingOverrun {
  account: string
  part: ReadingName
  reason: OverrunReason
}

export interface MessageReaderOptions {
  /** Maximum processes that read messages, started on demand. */
  processes: number
  /** Maximum CPU time of reading one part of a message or request. */
  timeoutMs: number
  /**
   * Maximum waiting readings; further readings are degraded. Default 2,000, as a connection reads
   * one part at a time.
   */
  maxWaiting?: number
  /**
   * Maximum JavaScript heap of a reader process. Default 256 MB, several times the largest texts.
   */
  maxHeapMb?: number
  onOverrun: (overrun: ReadingOverrun) => void
}

const defaultHeapMb = 256
const defaultWaiting = 2_000
/**
 * Idle time after which reader processes end. Starting a process takes longer than most readings.
 */
const idleMs = 600_000

/**
 * Reads content of messages and requests in separate processes, small content in the calling
 * thread. A reading beyond a limit is reported and has a degraded result. Accounts take turns, and
 * no account uses all processes. Never repeats a reading.
 */
export class MessageReader implements AsyncDisposable {
  readonly #pool: WorkerPool<ReadRequest, ReadResponse>
  readonly #timeoutMs: number
  readonly #onOverrun: MessageReaderOptions['onOverrun']

  constructor(options: MessageReaderOptions) {
    const { processes, timeoutMs, maxWaiting = defaultWaiting, onOverrun } = options
    this.#timeoutMs = timeoutMs
    this.#onOverrun = onOverrun
    this.#pool = new WorkerPool({
      module: new URL('./reader-main.ts', import.meta.url),
      isolation: 'process',
      maxWorkers: processes,
      timeoutMs,
      maxHeapMb: options.maxHeapMb ?? defaultHeapMb,
      maxWaiting,
      idleMs,
    })
  }

  /**
   * Function that reads messages for an account. The signal ends its readings with the signal's
   * reason.
   */
  forAccount(account: string, signal?: AbortSignal): ReadPart {
    return (name, input) => this.#read({ account, signal }, name, input)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  /**
   * Reads one part of a message or request.
   *
   * @throws AppError of the reading; `unavailable` when disposed; for a reading without a degraded
   *   result `unprocessable`, or `unavailable` if a repeat may succeed
   */
  async #read<Name extends ReadingName>(
    { account, signal }: { account: string; signal: AbortSignal | undefined },
    name: Name,
    input: ReadingInput<Name>,
  ): Promise<ReadingOutput<Name>> {
    const { read, isSmall, degrade, timeoutFactor = 1, tooLong } = getReading(name)
    try {
      if (isSmall(input)) return (await read(input)) as ReadingOutput<Name>
      const timeoutMs = timeoutFactor * this.#timeoutMs
      const options = { key: account, timeoutMs, ...(signal && { signal }) }
      const response = await this.#pool.run({ name, input }, options)
      if ('error' in response) throw errorFromWire(response.error)
      return response.output as ReadingOutput<Name>
    } catch (error) {
      if (error instanceof AppError) throw error
      signal?.throwIfAborted()
      const reason = reasonOf(error)
      if (reason === 'disposed')
        throw new AppError('unavailable', 'The service is stopping', { cause: error })
      this.#onOverrun({ account, part: name, reason })
      if (degrade) return degrade(input)
      throw overrunError(reason, error, tooLong)
    }
  }
}

/** Reason of a failed reading. Errors of a reading itself count as `crash`, wherever it runs. */
function reasonOf(error: unknown): OverrunReason | 'disposed' {
  if (error instanceof QueueFullError) return 'queue'
  return error instanceof WorkerError ? error.failure : 'crash'
}

function overrunError(
  reason: OverrunReason,
  cause: unknown,
  tooLong = 'The message takes too long to read',
): AppError {
  return reason === 'timeout' || reason === 'memory'
    ? new AppError('unprocessable', tooLong, { cause })
    : new AppError('unavailable', 'Messages cannot be read now, retry later', { cause })
}
