import { AppError } from '@posthorn/errors'
import { WorkerError, type WorkerFailure, WorkerPool } from '@posthorn/flow'
import type {
  CallLimits,
  Functions,
  FunctionInput,
  Job,
  JobResult,
  JobResults,
  FunctionResult,
  StaticMatch,
} from './jobs.ts'

export interface SandboxOptions extends Partial<CallLimits> {
  /**
   * CPU time after which the worker thread of a job (call of user functions) is terminated, if the
   * engine did not stop the job.
   */
  killMs?: number
}

const defaults: CallLimits = {
  cpuMs: 100,
  memoryBytes: 64 * 1024 * 1024,
  outputChars: 8 * 1024 * 1024,
  inputChars: 8 * 1024 * 1024,
}
const defaultKillMs = 1_000

/**
 * Maximum JavaScript heap of a worker thread: compiled functions, payloads and outputs. The QuickJS
 * instance has its own limit.
 */
const maxHeapMb = 128
/**
 * Maximum jobs (calls of user functions) in one message to a worker thread: a message costs more
 * than a job.
 */
const maxBatch = 32

/** Failure reasons of user functions whose worker thread was ended. */
const endReasons: Partial<Record<WorkerFailure, string>> = {
  timeout: 'takes too much time',
  memory: 'takes too much memory',
  crash: 'could not be carried out',
}

/**
 * Check that is evaluated before a queued call of a user's function starts. Returns the reason if
 * the call must be skipped.
 */
export type SkipCheck = () => string | undefined

/**
 * Runs functions of users in worker threads, started on demand and ended when idle. Every call ends
 * within its limits and affects no other call. Rejects only if no thread can be started.
 */
export class Sandbox implements AsyncDisposable {
  readonly #killMs: number
  readonly #pool: WorkerPool<Job, JobResult>

  constructor({ killMs = defaultKillMs, ...limits }: SandboxOptions = {}) {
    this.#killMs = killMs
    this.#pool = new WorkerPool({
      module: new URL('./worker.ts', import.meta.url),
      isolation: 'thread',
      startData: { ...defaults, ...limits },
      timeoutMs: killMs,
      maxHeapMb,
      maxBatch,
    })
  }

  /**
   * Calls the filter function of a webhook route and, if it accepts the payload, the map function.
   */
  apply(
    functions: Functions,
    input: FunctionInput,
    skipReason?: SkipCheck,
  ): Promise<FunctionResult> {
    const onEnded: EndHandler<'apply'> = (reason, usedMs) => failed(functions, reason, usedMs)
    return this.#run({ kind: 'apply', functions, input }, onEnded, skipReason)
  }

  /**
   * Returns the result that the filter function of a webhook route has for every event with a name.
   * The result is `depends` if the filter reads anything but the name.
   */
  matchStatically(filter: string, event: string): Promise<StaticMatch> {
    return this.#run({ kind: 'match', filter, event }, () => 'depends')
  }

  /** Syntax error in the source of a user's function; undefined if the source is valid. */
  async check(source: string): Promise<string | undefined> {
    return (await this.#run({ kind: 'check', source }, (reason) => reason)) ?? undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  /**
   * Runs a job (call of user functions) in a worker thread. Returns the result of the job, or the
   * result of `onEnded` if the thread was ended or the job was skipped.
   */
  async #run<J extends Job>(
    job: J,
    onEnded: EndHandler<J['kind']>,
    skipReason?: SkipCheck,
  ): Promise<JobResults[J['kind']]> {
    const precondition = () => {
      const reason = skipReason?.()
      if (reason !== undefined) throw new SkippedCall(reason)
    }
    try {
      return (await this.#pool.run(job, { precondition })) as JobResults[J['kind']]
    } catch (error) {
      if (error instanceof SkippedCall) return onEnded(error.message, 0)
      if (!(error instanceof WorkerError)) throw error
      const reason = endReasons[error.failure]
      if (reason !== undefined) return onEnded(reason, this.#killMs)
      const isStopping = error.failure === 'disposed'
      const message = isStopping
        ? 'The service is stopping'
        : 'Functions cannot be run now, retry later'
      throw new AppError('unavailable', message, { cause: error })
    }
  }
}

/**
 * Function that creates the result of a job (call of user functions) that did not end. The
 * parameters are the reason and the CPU time that the job used.
 */
type EndHandler<K extends Job['kind']> = (reason: string, usedMs: number) => JobResults[K]

class SkippedCall extends Error {}

/**
 * Result of a call of a webhook route's filter and map function that did not end. Which function
 * failed is unknown. The filter counts as failed, so that the event is not delivered.
 */
function failed({ filter }: Functions, reason: string, usedMs: number): FunctionResult {
  const name = filter === null ? 'map' : 'filter'
  return { applies: name === 'map', problems: [{ function: name, reason }], logs: [], usedMs }
}
