import type { Bus, StreamedReply } from '@posthorn/bus'
import {
  type Command,
  type CommandRequest,
  type CommandResponse,
  shardOf,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { getShard } from '../store/accounts.ts'
import type { RequestContext } from './route.ts'

export interface WorkerDeps {
  db: Db
  bus: Bus
  /** The least that a worker is given. */
  timeoutMs: number
}

/** A request for an account, as every operation that a worker answers has it. */
export interface WorkerCall extends RequestContext {
  params: { account: string }
  headers: { 'x-svc-timeout'?: number }
}

/**
 * Puts a question to the worker that holds the account. That the account is not connected is the worker's to say.
 *
 * @throws AppError `not-found` for an account that does not exist, `unavailable` and `timeout` as the bus has them
 */
export async function callWorker<C extends Command>(
  deps: WorkerDeps,
  asked: WorkerCall,
  [command, request]: [C, CommandRequest<C>],
): Promise<CommandResponse<C>> {
  return unlessUnknown(deps, asked, deps.bus.request(command, request, optionsFor(deps, asked)))
}

/** The same for commands whose answer is followed by bytes. */
export async function streamFromWorker<C extends Command>(
  deps: WorkerDeps,
  asked: WorkerCall,
  [command, request]: [C, CommandRequest<C>],
): Promise<StreamedReply<C>> {
  return unlessUnknown(
    deps,
    asked,
    deps.bus.requestStream(command, request, optionsFor(deps, asked)),
  )
}

/** An account nobody holds may be one that does not exist: only then Postgres is asked, and those that are there do not wait for it. */
async function unlessUnknown<T>(
  { db }: WorkerDeps,
  { params }: WorkerCall,
  answer: Promise<T>,
): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AppError && error.code === 'WorkerNotAvailable')
      await getShard(db, params.account)
    throw error
  }
}

function optionsFor({ timeoutMs }: WorkerDeps, { params, headers, signal }: WorkerCall) {
  const asked = headers['x-svc-timeout'] ?? 0
  return {
    key: `shard.${shardOf(params.account)}`,
    timeoutMs: Math.max(timeoutMs, asked),
    signal,
  }
}
