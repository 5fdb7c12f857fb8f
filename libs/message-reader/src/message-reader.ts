import { AppError, errorFromWire } from '@posthorn/errors'
import { QueueFullError, WorkerError, type WorkerFailure, WorkerPool } from '@posthorn/flow'
import type { ReadRequest, ReadResponse } from './reader-main.ts'
import { getReading, type ReadingInput, type ReadingName, type ReadingOutput } from './readings.ts'
import type { ReadPart } from './readings.ts'

/**
 * Limit that was exceeded when a message or request was read, or `not-started` if no reader process
 * could be started.
 */
export type OverrunReason = Exclude<WorkerFailure, 'disposed'> | 'queue'

/** Report about a part of a message or request whose reading exceeded a limit. */
export interface ReadingOverrun {
  account: string
  part: ReadingName
  reason: OverrunReason
}

export interface MessageReaderOptions {
  /** Maximum number of processes that read messages. A process is started when it is needed. */
  processes: number
  /** Maximum CPU time for reading one part of a message or request. */
  timeoutMs: number
  /**
   * Maximum number of parts of messages and requests that wait for a reader process. Further parts
   * get a reduced result immediately. Defaults to 2,000, because a connection reads only one part
   * at a time.
   */
  maxWaiting?: number
  /**
   * Maximum JavaScript heap of a reader process in MB. Defaults to 256, several times the size of
   * the largest texts.
   */
  maxHeapMb?: number
  onOverrun: (overrun: ReadingOverrun) => void
}

const defaultHeapMb = 256
const defaultWaiting = 2_000
/**
 * Time after which a reader process that has nothing to read is ended. Starting a process takes
 * longer than reading most parts of messages.
 */
const idleMs = 600_000

/**
 * Message reader: reads large content of messages and requests in separate processes, and small
 * content in the calling thread. A reading that exceeds a limit is reported and gets a reduced
 * result. Accounts take turns, and one account never occupies all processes. No reading is
 * repeated.
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
   * Returns the function that reads parts of messages for an account. When `signal` aborts, running
   * calls of the function are aborted and reject with the reason of the signal.
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
   * @throws AppError of the function that reads the part; `unavailable` when the message reader is
   * disposed; if a limit is exceeded and there is no reduced result, `unprocessable`, or
   * `unavailable` if a repeat may succeed
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

/**
 * Reason why reading a part of a message or request failed. An error that the reading function
 * itself has thrown counts as `crash`, in this process or in a reader process.
 */
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
