import { afterAll, expect, test } from '@jest/globals'
import { serviceNames } from '@posthorn/local/role-passwords'
import { eventually } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import { findDuplicateEvents, type MainJob, startMainJob } from './main-job.ts'

const world = await startWorld()
afterAll(() => world[Symbol.asyncDispose]())
const jane = await world.connectAccount('jane')
const john = await world.connectAccount('john')

test.each(serviceNames)(
  '%s killed during the main job: nothing is lost, repeated webhooks keep their event id',
  async (name) => {
    await using job: MainJob = startMainJob(world, { from: jane, to: john })
    await job.started()
    await world.services.kill(name)
    await job.more(5)
    await world.services.start(name)
    await job.more(5)
    const { delivered, submitted } = await job.end()

    await eventually(() => expect(missing(delivered)).toEqual([]), { timeoutMs: 60_000 })
    await eventually(() => expect(unsent(submitted)).toEqual([]), { timeoutMs: 60_000 })
    expect(findDuplicateEvents(world.webhooks())).toEqual([])
  },
)

function missing(ids: readonly string[]): string[] {
  const seen = new Set(
    world
      .webhooks()
      .filter(({ event, account }) => event === 'messageNew' && account === 'jane')
      .map(({ data }) => data.messageId),
  )
  return ids.filter((id) => !seen.has(id))
}

function unsent(ids: readonly string[]): string[] {
  const sent = new Set(
    world
      .webhooks()
      .filter(({ event }) => event === 'messageSent')
      .map(({ data }) => data.messageId),
  )
  const arrived = new Set(
    world
      .webhooks()
      .filter(({ event, account }) => event === 'messageNew' && account === 'john')
      .map(({ data }) => data.messageId),
  )
  return ids.filter((id) => !sent.has(id) || !arrived.has(id))
}
