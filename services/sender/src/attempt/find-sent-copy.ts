import { setTimeout as delay } from 'node:timers/promises'
import type { Bus } from '@posthorn/bus'
import { findSent, shardOf } from '@posthorn/contracts'
import { isPermanent, messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { PreAttemptError } from '../transports/transport.ts'

export interface FindDeps {
  bus: Pick<Bus, 'request'>
  log: Logger
  /** How long a mailbox that cannot be had keeps the message from being sent again. */
  findSentMs: number
  signal: AbortSignal
}

export interface SentLookup {
  account: string
  messageId: string
  sentMailPath?: string | undefined
}

const askMs = 10_000
const pauseMs = 1_000

/**
 * Whether a message that may have been handed over is where the server files what it took. When that cannot be found out, it is taken as
 * not sent: rather twice than never.
 *
 * @throws NotAttempted when the process stops meanwhile
 */
export async function findSentCopy(
  { bus, log, findSentMs, signal }: FindDeps,
  { account, messageId, sentMailPath }: SentLookup,
): Promise<boolean> {
  const until = Date.now() + findSentMs
  const how = { key: `shard.${shardOf(account)}`, timeoutMs: Math.min(askMs, findSentMs), signal }
  const request = { account, messageId, ...(sentMailPath === undefined ? {} : { sentMailPath }) }
  for (;;) {
    try {
      const { found } = await bus.request(findSent, request, how)
      return found
    } catch (error) {
      if (signal.aborted) throw new PreAttemptError('called off', { cause: error })
      if (isPermanent(error) || Date.now() + pauseMs > until) {
        log.warn({ reason: messageOf(error) }, 'it cannot be found out whether it was sent before')
        return false
      }
    }
    await delay(pauseMs, undefined, { signal }).catch((cause: unknown) => {
      throw new PreAttemptError('called off', { cause })
    })
  }
}
