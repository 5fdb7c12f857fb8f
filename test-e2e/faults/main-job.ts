import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { eventually, type TestUser } from '@posthorn/testkit'
import { freshMessageId, plainMessage, type Webhook, type World } from '../world.ts'

export interface MainJob extends AsyncDisposable {
  /** Resolves when the job has received and submitted its first messages. */
  started(): Promise<void>
  /**
   * Resolves after `rounds` more attempts of the job to receive a message and to submit a message.
   */
  more(rounds: number): Promise<void>
  /**
   * Stops the job and waits until all stored mail and all submissions with status 200 have their
   * webhooks.
   */
  endWithoutLoss(): Promise<void>
}

interface Participants {
  from: TestUser & { account: string }
  to: TestUser & { account: string }
}

/**
 * Repeatedly delivers a message to the account `from`, and submits a message from this account to
 * `to`. Failed calls are not counted.
 */
export function startMainJob(world: World, { from, to }: Participants): MainJob {
  const delivered: string[] = []
  const submitted: string[] = []
  const progress = new EventEmitter()
  let rounds = 0
  let ended = false
  const loop = (async () => {
    while (!ended) {
      const messageId = freshMessageId()
      await world.mail.deliver(from.user, plainMessage({ messageId }))
      delivered.push(messageId)
      const accepted = await submit(world, from.account, to.address)
      if (accepted) submitted.push(accepted)
      rounds++
      progress.emit('round')
      await delay(50) // pace of the job, not a wait
    }
  })()
  const reach = async (target: number) => {
    while (rounds < target) await Promise.race([loop, once(progress, 'round')])
  }
  return {
    started: () => reach(3),
    more: (count) => reach(rounds + count),
    async endWithoutLoss() {
      ended = true
      await loop
      await eventually(
        () => {
          const seen = new Set(
            world
              .webhooks()
              .map(({ event, account, data }) => `${event} ${account} ${data?.messageId}`),
          )
          expect({
            missing: delivered.filter((id) => !seen.has(`messageNew ${from.account} ${id}`)),
            unsent: submitted.filter((id) => !seen.has(`messageSent ${from.account} ${id}`)),
            notArrived: submitted.filter((id) => !seen.has(`messageNew ${to.account} ${id}`)),
          }).toEqual({ missing: [], unsent: [], notArrived: [] })
        },
        { timeoutMs: 150_000 },
      )
    },
    async [Symbol.asyncDispose]() {
      ended = true
      await loop
    },
  }
}

async function submit(world: World, account: string, address: string): Promise<string | undefined> {
  try {
    const body = { to: [{ address }], subject: 'Under fire', text: 'Hello' }
    return (await world.posthorn.submitMessage({ account, body })).messageId
  } catch {
    return undefined // error or no response, the submission does not count
  }
}

/** Finds received or sent messages with two event ids, which is an error even after kills. */
export function findDuplicateEvents(webhooks: readonly Webhook[]): string[] {
  const ids = new Map<string, Set<string>>()
  for (const { event, account, data, eventId, path } of webhooks) {
    const fact = { messageNew: `${account} ${path} ${data.id}`, messageSent: `${data.queueId}` }[
      event
    ]
    if (fact === undefined) continue
    const key = `${event} ${fact}`
    ids.set(key, (ids.get(key) ?? new Set()).add(eventId))
  }
  return [...ids].filter(([, eventIds]) => eventIds.size > 1).map(([key]) => key)
}
