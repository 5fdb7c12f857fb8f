import { type Operation, precompile } from '@posthorn/contracts'
import type { Router, Request, Response } from 'express'
import type { Admitted, Gate } from '../access/gate.ts'
import { asUnavailable } from '../store/database-errors.ts'
import { BodyMemoryLimiter } from './body-memory.ts'
import type { RequestContext, EventStreamResponse, Route } from './route.ts'
import { readInput } from './read-input.ts'
import { sendStream } from './send-stream.ts'

export interface MountOptions {
  gate: Gate
  maxUploadBytes: number
  /** Told of every answer that is out, or was given up. */
  answered: (status: number) => void
}

/** Puts operations on their paths: who asks, may they, what do they want, do it, answer. */
export function mountOperations(
  router: Router,
  routes: readonly Route[],
  options: MountOptions,
): void {
  const bodies = new BodyMemoryLimiter(options)
  for (const route of routes) {
    prepareSchemas(route.operation)
    router[route.operation.method](route.operation.path, async (request, response) => {
      response.once('close', () => options.answered(response.statusCode))
      try {
        await answer(route, { ...options, bodies }, { request, response })
      } catch (error) {
        if (isClientDisconnect(response, error)) return
        throw asUnavailable(error)
      }
    })
  }
}

/** Compiled now, lest the first request of each kind waits for it. */
function prepareSchemas({ params, query, headers, body }: Operation): void {
  for (const schema of [params, query, headers]) if (schema) precompile(schema, 'text')
  if (body) precompile(body)
}

async function answer(
  route: Route,
  { gate, ...options }: MountOptions & { bodies: BodyMemoryLimiter },
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const admitted = await gate(route.operation, request, response)
  try {
    await carryOut(route, options, { ...admitted, request, response })
  } catch (error) {
    admitted.settled(error)
    throw error
  }
}

async function carryOut(
  { operation, run }: Route,
  { maxUploadBytes, bodies }: Omit<MountOptions, 'gate'> & { bodies: BodyMemoryLimiter },
  { request, response, caller, settled }: Admitted & { request: Request; response: Response },
): Promise<void> {
  const signal = whileWaiting(response)
  using _room = await bodies.acquireForBody(operation, request, signal)
  const input = await readInput(operation, request, maxUploadBytes)
  // A process that was paused finds requests whose clients have left: nothing is done for them any more.
  if (signal.aborted) return
  const context: RequestContext = { caller, signal }
  const result = await run({ ...input, ...context } as never)
  settled()
  const { produces = 'application/json' } = operation
  if (typeof result === 'function') await (result as EventStreamResponse)(response)
  else if (produces === 'application/json') response.json(result)
  else await sendStream(response, typeOf(produces), result as AsyncIterable<Uint8Array>)
}

/** What we call text is UTF-8. */
function typeOf(produces: string) {
  return { 'Content-Type': produces + (produces.startsWith('text/') ? '; charset=utf-8' : '') }
}

/** What was called off since the client went away is nobody's trouble. */
function isClientDisconnect(response: Response, error: unknown): boolean {
  return response.destroyed && error instanceof Error && error.name === 'AbortError'
}

/** Aborts when the connection goes before the answer is out. */
function whileWaiting(response: Response): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  response.once('close', () => response.writableFinished || gone.abort())
  return gone.signal
}
