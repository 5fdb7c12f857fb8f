import type { Bus, StreamedReply } from '@posthorn/bus'
import {
  type Command,
  type CommandRequest,
  type CommandResponse,
  shardOf,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { wasConnected } from '../store/accounts.ts'
import type { RequestContext } from './handle.ts'

export interface WorkerDeps {
  db: Db
  bus: Bus
  /** Minimum timeout of a command. */
  timeoutMs: number
}

/** Parts of a request that a command to a worker needs. */
export interface WorkerCall extends RequestContext {
  params: { account: string }
  headers: { 'x-svc-timeout'?: number }
}

/**
 * Sends a command to the worker that holds the account. The worker reports a disconnected account.
 *
 * @throws AppError `not-found` if the account is missing, `unavailable` or `timeout`
 */
export async function callWorker<C extends Command>(
  deps: WorkerDeps,
  call: WorkerCall,
  [command, request]: [C, CommandRequest<C>],
): Promise<CommandResponse<C>> {
  return checkAccount(deps, call, deps.bus.request(command, request, rpcOptions(deps, call)))
}

/** Variant of `callWorker` for commands whose response is followed by bytes. */
export async function streamFromWorker<C extends Command>(
  deps: WorkerDeps,
  call: WorkerCall,
  [command, request]: [C, CommandRequest<C>],
): Promise<StreamedReply<C>> {
  return checkAccount(deps, call, deps.bus.requestStream(command, request, rpcOptions(deps, call)))
}

/**
 * Responds `not-found` if no worker holds the account because it does not exist, and
 * `NotYetConnected` if it was registered just now. Postgres is queried only in these cases, so
 * calls for connected accounts do not wait for it.
 */
async function checkAccount<T>(
  { db }: WorkerDeps,
  { params }: WorkerCall,
  reply: Promise<T>,
): Promise<T> {
  try {
    return await reply
  } catch (error) {
    const isUnheld = error instanceof AppError && error.code === 'WorkerNotAvailable'
    if (!isUnheld || (await wasConnected(db, params.account))) throw error
    throw new AppError('unavailable', 'The account is not connected yet', {
      code: 'NotYetConnected',
      cause: error,
      extras: { state: 'init' },
    })
  }
}

function rpcOptions(deps: WorkerDeps, { params, headers, signal }: WorkerCall) {
  const key = `shard.${shardOf(params.account)}`
  return { key, timeoutMs: requestTimeout(deps, headers), signal }
}

/** Timeout of a command: that of the configuration, or a longer one that the client requests. */
export function requestTimeout(
  { timeoutMs }: Pick<WorkerDeps, 'timeoutMs'>,
  headers: WorkerCall['headers'],
): number {
  return Math.max(timeoutMs, headers['x-svc-timeout'] ?? 0)
}
