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
  summary: 'Read the state of a queue',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  params,
  response: Type.Object({ queue: PausableQueue, jobs: QueueJobs, paused: Type.Boolean() }),
})

export const updateQueue = defineOperation({
  id: 'updateQueue',
  method: 'put',
  path: '/v1/settings/queue/:queue',
  tag: 'Settings',
  summary: 'Pause or resume a queue',
  description:
    'All replicas stop starting new work of a paused queue within 1 second. Work in progress is completed.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  params,
  body: Strict({
    paused: Type.Optional(
      Type.Boolean({ description: 'New state. If absent, the state is not changed.' }),
    ),
  }),
  response: Type.Object({ queue: PausableQueue, paused: Type.Boolean() }),
})
