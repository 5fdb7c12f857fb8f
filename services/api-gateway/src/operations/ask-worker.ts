import type { Bus, Streamed } from '@posthorn/bus'
import type { Command, CommandRequest, CommandResponse } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { getShard } from '../store/accounts.ts'
import type { Context } from './handle.ts'

export interface AskDeps {
  db: Db
  bus: Bus
  /** The least that a worker is given. */
  timeoutMs: number
}

/** A request for an account, as every operation that a worker answers has it. */
export interface Asked extends Context {
  params: { account: string }
  headers: { 'x-svc-timeout'?: number }
}

/**
 * Puts a question to the worker that holds the account. That the account is not connected is the worker's to say.
 *
 * @throws AppError `not-found` for an account that does not exist, `unavailable` and `timeout` as the bus has them
 */
export async function askWorker<C extends Command>(
  deps: AskDeps,
  asked: Asked,
  [command, request]: [C, CommandRequest<C>],
): Promise<CommandResponse<C>> {
  return deps.bus.ask(command, request, await optionsFor(deps, asked))
}

/** The same for commands whose answer is followed by bytes. */
export async function askWorkerForStream<C extends Command>(
  deps: AskDeps,
  asked: Asked,
  [command, request]: [C, CommandRequest<C>],
): Promise<Streamed<C>> {
  return deps.bus.askStream(command, request, await optionsFor(deps, asked))
}

async function optionsFor({ db, timeoutMs }: AskDeps, { params, headers, signal }: Asked) {
  const shard = await getShard(db, params.account)
  const asked = headers['x-svc-timeout'] ?? 0
  return { key: `shard.${shard}`, timeoutMs: Math.max(timeoutMs, asked), signal }
}
