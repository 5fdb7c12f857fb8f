import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Bool, Strict } from '../schemas/primitives.ts'
import { PausableQueue, QueueJobs } from '../schemas/queue.ts'

const { read, write } = operationKinds('Settings', 'admin')
const params = Strict({ queue: PausableQueue })
const paused = Bool('True if the work queue is paused.')

export const getQueue = defineOperation({
  ...read,
  id: 'getQueue',
  method: 'get',
  path: '/v1/settings/queue/:queue',
  summary: 'Read the state of a queue',
  description:
    'Reads whether a work queue is paused, and how many entries it has. The queue `submit` sends messages, the queue `notify` delivers webhooks.',
  params,
  responseDescription:
    'Number of entries in the work queue by state, and whether the queue is paused.',
  response: Type.Object({ queue: PausableQueue, jobs: QueueJobs, paused }),
})

export const updateQueue = defineOperation({
  ...write,
  id: 'updateQueue',
  method: 'put',
  path: '/v1/settings/queue/:queue',
  summary: 'Pause or resume a queue',
  description:
    'Pauses or resumes a work queue: `submit` sends messages, `notify` delivers webhooks. All replicas stop starting new work of a paused queue within 1 second. Work in progress is completed.',
  params,
  body: Strict({
    paused: Type.Optional(
      Bool(
        'If true, the queue is paused. If false, the queue is resumed. If absent, the state is not changed.',
      ),
    ),
  }),
  responseDescription: 'State of the work queue after the change.',
  response: Type.Object({ queue: PausableQueue, paused }),
})
