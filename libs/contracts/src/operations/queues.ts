import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'
import { PausableQueue, QueueJobs } from '../schemas/queue.ts'

const params = Strict({ queue: PausableQueue })

export const getQueue = defineOperation({
  id: 'getQueue',
  method: 'get',
  path: '/v1/settings/queue/:queue',
  tag: 'Settings',
  summary: 'Read how a queue is doing',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  params,
  response: Type.Object({ queue: PausableQueue, jobs: QueueJobs, paused: Type.Boolean() }),
})

/** Every process starts nothing more of a paused queue within a second; what was started is finished, and nothing is lost. */
export const updateQueue = defineOperation({
  id: 'updateQueue',
  method: 'put',
  path: '/v1/settings/queue/:queue',
  tag: 'Settings',
  summary: 'Pause a queue, or let it go on',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  params,
  body: Strict({ paused: Type.Optional(Type.Boolean({ description: 'Absent: as it is' })) }),
  response: Type.Object({ queue: PausableQueue, paused: Type.Boolean() }),
})
