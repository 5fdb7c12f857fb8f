import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Bool, Strict } from '../schemas/primitives.ts'
import { PausableQueue, QueueJobs } from '../schemas/queue.ts'

const { read, write } = operationKinds('Settings', 'admin')
const params = Strict({ queue: PausableQueue })
const paused = Bool('True if the queue is paused.')

export const getQueue = defineOperation({
  ...read,
  id: 'getQueue',
  method: 'get',
  path: '/v1/settings/queue/:queue',
  summary: 'Read the state of a queue',
  params,
  response: Type.Object({ queue: PausableQueue, jobs: QueueJobs, paused }),
})

export const updateQueue = defineOperation({
  ...write,
  id: 'updateQueue',
  method: 'put',
  path: '/v1/settings/queue/:queue',
  summary: 'Pause or resume a queue',
  description:
    'All replicas stop starting new work of a paused queue within 1 second. Work in progress is completed.',
  params,
  body: Strict({
    paused: Type.Optional(Bool('New state. If absent, the state is not changed.')),
  }),
  response: Type.Object({ queue: PausableQueue, paused }),
})
