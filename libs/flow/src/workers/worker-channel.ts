import { fork } from 'node:child_process'
import type { Transferable } from 'node:worker_threads'
import { Worker } from 'node:worker_threads'
import { readCpuMicros } from './cpu-time.ts'
import type { WorkerFailure } from './worker-error.ts'

/**
 * Stack size of a worker thread in MB. The stack must be large enough for nested data, such as a
 * template or a MIME structure.
 */
const stackMb = 8

/**
 * Message from a worker (thread or process) to its pool. If `responses` is absent, the message
 * reports that the worker is ready.
 */
export interface WorkerMessage {
  /** Responses to the first requests of a message from the worker pool, at least one. */
  responses?: unknown[]
  /** CPU time in microseconds that the worker (thread or process) has used since its start. */
  cpuMicros: number
}

export interface WorkerOptions {
  /**
   * URL of the module that the worker (thread or process) runs. The module has to call
   * `serveRequests`.
   */
  module: URL
  /**
   * Isolation of the worker. `thread`: the worker starts within milliseconds and shares the memory
   * of this process. `process`: this process survives even a single allocation larger than the
   * worker's heap, for which V8 ends the whole process of the worker.
   */
  isolation: 'thread' | 'process'
  /**
   * Argument for the function `start` that the worker (thread or process) passes to
   * `serveRequests`. Sent to the worker as JSON.
   */
  startData?: unknown
  /** Maximum size in MB of the JavaScript heap of a worker (thread or process). */
  maxHeapMb: number
}

export interface WorkerListener {
  onMessage: (message: WorkerMessage) => void
  /** Called when the worker (thread or process) has ended, possibly several times. */
  onEnd: (failure: WorkerFailure, cause?: Error) => void
}

/**
 * Channel to a worker (thread or process). The worker has no environment variables, options, input
 * and output.
 */
export interface WorkerChannel {
  send(requests: readonly unknown[], transfer: readonly Transferable[]): void
  /**
   * CPU time in microseconds that the worker (thread or process) has used since its start.
   * Undefined if the worker has ended.
   */
  cpuMicros(): Promise<number | undefined>
  /**
   * Index of the request that the worker (thread or process) is executing, within the current
   * message from its pool.
   */
  currentIndex(): number
  /**
   * Determines whether the worker (thread or process) keeps this process alive. A busy worker does,
   * an idle worker does not.
   */
  setReferenced(isBusy: boolean): void
  /** Ends the worker thread or process immediately. */
  terminate(): Promise<void>
}

export function startWorker(options: WorkerOptions, listener: WorkerListener): WorkerChannel {
  return options.isolation === 'thread'
    ? startThread(options, listener)
    : startProcess(options, listener)
}

function startThread(
  { module, startData, maxHeapMb }: WorkerOptions,
  { onMessage, onEnd }: WorkerListener,
): WorkerChannel {
  const progress = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(module, {
    workerData: progress,
    env: {},
    execArgv: [],
    argv: startArguments(startData),
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, stackSizeMb: stackMb },
  })
  worker.on('message', onMessage)
  worker.on('error', (error: Error) => onEnd(isMemoryError(error) ? 'memory' : 'crash', error))
  worker.on('exit', () => onEnd('crash'))
  return {
    send: (requests, transfer) => worker.postMessage(requests, transfer),
    cpuMicros: () =>
      worker.cpuUsage().then(
        ({ user, system }) => user + system,
        () => undefined,
      ),
    currentIndex: () => progress[0] ?? 0,
    setReferenced: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    terminate: async () => void (await worker.terminate()),
  }
}

/**
 * Starts a worker process. Its only permission is to read files, which it needs to load its own
 * code.
 */
function startProcess(
  { module, startData, maxHeapMb }: WorkerOptions,
  { onMessage, onEnd }: WorkerListener,
): WorkerChannel {
  const child = fork(module, startArguments(startData), {
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--disable-proto=delete',
      `--max-old-space-size=${maxHeapMb}`,
    ],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const ended = Promise.withResolvers<void>()
  child.on('message', onMessage)
  child.on('error', (error) => {
    onEnd('crash', error)
    ended.resolve()
  })
  child.on('exit', (_code, signal) => {
    // V8 aborts the worker process with one of these signals when its heap is full.
    onEnd(signal === 'SIGABRT' || signal === 'SIGTRAP' ? 'memory' : 'crash')
    ended.resolve()
  })
  return {
    send: (requests) => void child.send([...requests], (error) => error && onEnd('crash', error)),
    cpuMicros: () => readCpuMicros(child.pid ?? 0),
    currentIndex: () => 0,
    setReferenced(isBusy) {
      const method = isBusy ? 'ref' : 'unref'
      child[method]()
      child.channel?.[method]()
    },
    terminate() {
      child.ref()
      child.kill('SIGKILL')
      return ended.promise
    },
  }
}

function startArguments(startData: unknown): string[] {
  return startData === undefined ? [] : [JSON.stringify(startData)]
}

/**
 * True if the error of a worker thread means that its heap or stack was full, or that a buffer
 * could not be allocated.
 */
function isMemoryError(error: Error): boolean {
  return (
    error.name === 'RangeError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
  )
}
