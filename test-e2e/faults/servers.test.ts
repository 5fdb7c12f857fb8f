import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import { findDuplicateEvents, startMainJob } from './main-job.ts'

const world = await startWorld({ servers: 'own' })
afterAll(() => world[Symbol.asyncDispose]())
const { postgres, rabbit } = world
if (!postgres || !rabbit) throw new Error('the world must have its own servers')
const jane = await world.connectAccount('jane')
const john = await world.connectAccount('john')
const pids = { ...world.services.pids }

test.each([
  ['RabbitMQ killed and started', async () => (await rabbit.kill(), rabbit.restart())],
  ['RabbitMQ restarted', () => rabbit.restart()],
  ['RabbitMQ started with an empty disk', () => rabbit.wipe()],
  ['Postgres killed and started', async () => (await postgres.kill(), postgres.restart())],
  ['Postgres restarted', () => postgres.restart()],
])('%s during the main job: nothing is lost, and no service restarts', async (_name, fault) => {
  await using job = startMainJob(world, { from: jane, to: john })
  await job.started()
  await fault()
  await job.more(5)
  const { delivered, submitted } = await job.end()
  await eventually(
    () => {
      const webhooks = world.webhooks()
      const seen = new Set(
        webhooks
          .filter(({ event, account }) => event === 'messageNew' && account === 'jane')
          .map(({ data }) => data.messageId),
      )
      const sent = new Set(
        webhooks.filter(({ event }) => event === 'messageSent').map(({ data }) => data.messageId),
      )
      expect({
        missing: delivered.filter((id) => !seen.has(id)),
        unsent: submitted.filter((id) => !sent.has(id)),
      }).toEqual({ missing: [], unsent: [] })
    },
    { timeoutMs: 60_000 },
  )
  expect(findDuplicateEvents(world.webhooks())).toEqual([])
  expect(world.services.pids).toEqual(pids)
})
