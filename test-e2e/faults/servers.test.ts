import { afterAll, expect, test } from '@jest/globals'
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
  await job.endWithoutLoss()
  expect(findDuplicateEvents(world.webhooks())).toEqual([])
  expect(world.services.pids).toEqual(pids)
})
