import { afterAll, expect, test } from '@jest/globals'
import { coreServices } from '@posthorn/local/role-passwords'
import { startWorld } from '../world.ts'
import { findDuplicateEvents, startMainJob } from './main-job.ts'

const world = await startWorld()
afterAll(() => world[Symbol.asyncDispose]())
const jane = await world.connectAccount('jane')
const john = await world.connectAccount('john')

test.each(coreServices)(
  '%s killed during the main job: nothing is lost, repeated webhooks keep their event id',
  async (name) => {
    await using job = startMainJob(world, { from: jane, to: john })
    await job.started()
    await world.services.kill(name)
    await job.more(5)
    await world.services.start(name)
    await job.more(5)
    await job.endWithoutLoss()
    expect(findDuplicateEvents(world.webhooks())).toEqual([])
  },
)
