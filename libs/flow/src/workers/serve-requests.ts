import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import type { WorkerMessage } from './worker-channel.ts'

export interface ServeRequestsOptions<Response> {
  /**
   * CPU time after which a worker (thread or process) of a pool interrupts a message and returns
   * the finished responses. The remaining requests of the message go back to the queue of the pool.
   * Defaults to no limit.
   */
  sliceMs?: number
  /**
   * Returns the parts of a worker's response that are moved to the worker pool instead of copied.
   * Ignored if the worker is a process.
   */
  transferOf?: (response: Response) => Transferable[]
}

type Handler<Request, Response> = (request: Request) => Response | Promise<Response>

/**
 * Serves the requests of a `WorkerPool`. The `module` of a worker calls this function once. `start`
 * returns the handler, which is called for one request at a time. An error of `start` or of the
 * handler ends the worker, because the state of the worker is then unknown. Expected errors must be
 * returned as responses.
 */
export async function serveRequests<StartData, Request, Response>(
  start: (startData: StartData) => Handler<Request, Response> | Promise<Handler<Request, Response>>,
  { sliceMs = Infinity, transferOf = () => [] }: ServeRequestsOptions<Response> = {},
): Promise<void> {
  const handle = await start(JSON.parse(process.argv[2] ?? 'null') as StartData)
  const { onRequests, send, cpuMicros, progress } = parentPort
    ? threadSide(parentPort)
    : processSide()
  const serve = async (requests: Request[]) => {
    const responses: Response[] = []
    const endMicros = cpuMicros() + sliceMs * 1_000
    for (const [index, request] of requests.entries()) {
      progress[0] = index
      responses.push(await handle(request))
      if (cpuMicros() > endMicros) break
    }
    send({ responses, cpuMicros: cpuMicros() }, responses.flatMap(transferOf))
  }
  onRequests((requests) => void serve(requests as Request[]))
  send({ cpuMicros: cpuMicros() }, [])
}

interface WorkerSide {
  onRequests: (listener: (requests: unknown) => void) => void
  send: (message: WorkerMessage, transfer: Transferable[]) => void
  cpuMicros: () => number
  progress: Int32Array
}

function threadSide(port: NonNullable<typeof parentPort>): WorkerSide {
  return {
    onRequests: (listener) => void port.on('message', listener),
    send: (message, transfer) => port.postMessage(message, transfer),
    cpuMicros: () => sum(process.threadCpuUsage()),
    progress: workerData as Int32Array,
  }
}

function processSide(): WorkerSide {
  // The event `disconnect` means that the process with the worker pool has ended.
  process.on('disconnect', () => process.exit())
  return {
    onRequests: (listener) => void process.on('message', listener),
    send: (message) => void process.send?.(message),
    cpuMicros: () => sum(process.cpuUsage()),
    progress: new Int32Array(1),
  }
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}
