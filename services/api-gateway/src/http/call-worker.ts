import { type Bus, type StreamedReply, UnroutedError } from '@posthorn/bus'
import type { Command, CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import { unavailableAccount } from '@posthorn/contracts/schemas/account-state'
import { shardOf } from '@posthorn/contracts/shards'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { backoff, retryUntil, sleep, withTimeout } from '@posthorn/flow'
import { wasConnected } from '../store/accounts/accounts.ts'
import type { RequestContext } from './handle.ts'

export interface WorkerDeps {
  db: Db
  bus: Bus
  /** Minimum timeout of a command to a worker. */
  timeoutMs: number
}

/** Parts of an API request that a command to a worker needs. */
export interface WorkerCall extends Pick<RequestContext, 'signal'> {
  params: { account: string }
  headers: { 'x-svc-timeout'?: number }
}

/**
 * Part of the timeout of a command to a worker that is reserved for the last attempt to send the
 * command. The last attempt can thus reach the next worker that holds the account.
 */
const lastAttemptMs = 200
/**
 * Maximum wait for a Postgres query after RabbitMQ could not deliver a command to a worker. The
 * command has waited up to 1.5 s, and Postgres may be unavailable for the same reason, such as a
 * network failure.
 */
const maxCheckMs = 300
/**
 * Delay before a command to a worker is sent again. The next worker holds an account within about 1
 * s.
 */
const backoffMs = backoff({ baseMs: 100, maxMs: 500, jitter: 0.2 })

/**
 * Sends a command to the worker that holds the account. If the account is disconnected, the worker
 * reports an error.
 *
 * @throws AppError `not-found` if the account is missing, `unavailable` or `timeout`
 */
export async function callWorker<C extends Command>(
  deps: WorkerDeps,
  call: WorkerCall,
  [command, request]: [C, CommandRequest<C>],
): Promise<CommandResponse<C>> {
  const send = (timeoutMs: number) =>
    deps.bus.request(command, request, rpcOptions(call, timeoutMs))
  return await untilHeld(deps, call, { command, send })
}

/** Variant of `callWorker` for commands to a worker whose response is followed by bytes. */
export async function streamFromWorker<C extends Command>(
  deps: WorkerDeps,
  call: WorkerCall,
  [command, request]: [C, CommandRequest<C>],
): Promise<StreamedReply<C>> {
  const send = (timeoutMs: number) =>
    deps.bus.requestStream(command, request, rpcOptions(call, timeoutMs))
  return await untilHeld(deps, call, { command, send })
}

interface WorkerRequest<T> {
  command: Command
  send: (timeoutMs: number) => Promise<T>
}

/**
 * Sends a command to the worker that holds the account. Repeats the command within the timeout
 * while no worker holds the account. A command that a worker may have executed is repeated only if
 * it is repeatable. If RabbitMQ is unavailable, there is no second attempt.
 */
async function untilHeld<T>(
  deps: WorkerDeps,
  call: WorkerCall,
  { command, send }: WorkerRequest<T>,
): Promise<T> {
  const { signal, headers } = call
  const endAt = performance.now() + requestTimeout(deps, headers)
  const remainingMs = () => endAt - performance.now()
  const delayMs = (attempt: number) =>
    Math.max(0, Math.min(backoffMs(attempt), remainingMs() - lastAttemptMs))
  const isRetryable = (error: unknown) =>
    isUnheld(error) &&
    deps.bus.up &&
    remainingMs() > lastAttemptMs &&
    (command.repeatable || error instanceof UnroutedError)
  try {
    return await send(remainingMs())
  } catch (error) {
    if (!isUnheld(error)) throw error
    const check = assertWasConnected(deps, call, error)
    const fail = () => {
      throw error
    }
    await (deps.bus.up ? check : withTimeout(check, maxCheckMs, fail))
    if (!isRetryable(error)) throw error
  }
  await sleep(delayMs(1), signal)
  return await retryUntil(() => send(remainingMs()), { delayMs, signal, isRetryable })
}

function isUnheld(error: unknown): boolean {
  return error instanceof AppError && error.code === 'WorkerNotAvailable'
}

/**
 * Throws `not-found` if the account does not exist, and `NotYetConnected` if the account was
 * registered just now. Postgres is queried only if no worker holds the account, so calls for
 * connected accounts do not wait for Postgres.
 */
async function assertWasConnected(
  { db }: WorkerDeps,
  { params }: WorkerCall,
  cause: unknown,
): Promise<void> {
  if (await wasConnected(db, params.account)) return
  throw new AppError('unavailable', unavailableAccount.notYetConnected, {
    code: 'NotYetConnected',
    cause,
    extras: { state: 'init' },
  })
}

function rpcOptions({ params, signal }: WorkerCall, timeoutMs: number) {
  return { key: `shard.${shardOf(params.account)}`, timeoutMs: Math.ceil(timeoutMs), signal }
}

/**
 * Timeout of a worker command: the configured timeout, or a longer timeout that the API request
 * demands in its header `X-SVC-Timeout`.
 */
export function requestTimeout(
  { timeoutMs }: Pick<WorkerDeps, 'timeoutMs'>,
  headers: WorkerCall['headers'],
): number {
  return Math.max(timeoutMs, headers['x-svc-timeout'] ?? 0)
}
