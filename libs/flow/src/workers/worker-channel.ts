import { fork } from 'node:child_process'
import type { Transferable } from 'node:worker_threads'
import { Worker } from 'node:worker_threads'
import { readCpuMicros } from './cpu-time.ts'
import type { WorkerFailure } from './worker-error.ts'

/**
 * Stack size of a worker in MB: large enough for nested data, such as a template or a MIME
 * structure.
 */
const stackMb = 8

/**
 * Message from a worker to its pool. A message without responses reports that the worker is ready.
 */
export interface WorkerMessage {
  /** Responses of the worker to the first requests of a message, at least one. */
  responses?: unknown[]
  /** CPU time of the worker since its start. */
  cpuMicros: number
}

export interface WorkerOptions {
  /** Module of the worker, which calls `serveRequests`. */
  module: URL
  /**
   * Isolation of the worker. `thread`: starts within milliseconds, and shares the memory of this
   * process. `process`: also survives one allocation beyond the heap, for which V8 ends a process
   * with all of its threads.
   */
  isolation: 'thread' | 'process'
  /**
   * Argument of the function of a worker that `serveRequests` calls at the start. Passed as JSON.
   */
  startData?: unknown
  /** Maximum JavaScript heap of a worker. */
  maxHeapMb: number
}

export interface WorkerListener {
  onMessage: (message: WorkerMessage) => void
  /** Called at least once after the worker ended. */
  onEnd: (failure: WorkerFailure, cause?: Error) => void
}

/** Channel to a worker that has no environment, options, input and output. */
export interface WorkerChannel {
  send(requests: readonly unknown[], transfer: readonly Transferable[]): void
  /** CPU time of the worker since its start; undefined if the worker has ended. */
  cpuMicros(): Promise<number | undefined>
  /** Index of the worker's request in progress within its message. */
  currentIndex(): number
  /**
   * Sets whether the worker keeps this process alive: a busy worker does, an idle worker does not.
   */
  setReferenced(isBusy: boolean): void
  /** Ends the worker immediately. */
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
 * Starts a worker process that may read files, because it loads its own code, and has no other
 * permission.
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
    // V8 aborts a worker process whose heap is full.
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
 * True for a worker's error of a full heap or stack, or of a buffer that could not be allocated.
 */
function isMemoryError(error: Error): boolean {
  return (
    error.name === 'RangeError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
  )
}
