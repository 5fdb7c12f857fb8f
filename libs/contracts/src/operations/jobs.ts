import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { AccountJob, AccountJobRequest, OutboxJob, OutboxJobRequest } from '../schemas/job.ts'
import { pageCounts, pageQuery, Strict, Text } from '../schemas/primitives.ts'

const { read, write, destructive } = operationKinds('Jobs', 'admin', '*')
const params = Strict({ job: Text('Id of the job.', { format: 'uuid' }) })
const rules =
  'The entries are selected by a filter or by up to 1,000 ids. The job runs in the background and continues after the loss of a replica. Jobs with the same action run one after the other. At most 10 unfinished jobs exist; further requests get the status 429.'
const cancelled =
  'Actions that were started are completed, all others do not run. A job that has ended cannot be cancelled: `UnsupportedOperation`. Cancelling a job twice has no further effect.'

export const createAccountJob = defineOperation({
  ...destructive,
  id: 'createAccountJob',
  method: 'post',
  path: '/admin/api/accountJobs',
  summary: 'Run an action on many accounts',
  description: `Reconnects, syncs, flushes or deletes many accounts, or switches their protocol logs on or off. ${rules} Reconnects start at a pace of 25 per second, so 10,000 accounts take 7 minutes. Deleting more than one account needs \`confirm\`.`,
  body: AccountJobRequest,
  responseDescription: 'The new job, in the state `queued`.',
  response: AccountJob,
  errors: ['StepUpRequired'],
})

export const listAccountJobs = defineOperation({
  ...read,
  id: 'listAccountJobs',
  method: 'get',
  path: '/admin/api/accountJobs',
  summary: 'List jobs on accounts',
  description:
    'Lists the jobs on accounts with their progress, newest first. Jobs are deleted 7 days after their end.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the jobs on accounts, newest first.',
  response: Type.Object({
    ...pageCounts,
    jobs: Type.Array(AccountJob, { description: 'Jobs on accounts of this page, newest first.' }),
  }),
})

export const getAccountJob = defineOperation({
  ...read,
  id: 'getAccountJob',
  method: 'get',
  path: '/admin/api/accountJobs/:job',
  summary: 'Read the progress of a job on accounts',
  description: 'Reads the state of a job on accounts, its counts and its first errors.',
  params,
  responseDescription: 'The job with its progress.',
  response: AccountJob,
  errors: ['NotFound'],
})

export const cancelAccountJob = defineOperation({
  ...write,
  id: 'cancelAccountJob',
  method: 'delete',
  path: '/admin/api/accountJobs/:job',
  summary: 'Cancel a job on accounts',
  description: `Cancels a job on accounts between two actions. ${cancelled}`,
  params,
  responseDescription: 'The job in the state `cancelled`.',
  response: AccountJob,
  errors: ['NotFound', 'UnsupportedOperation'],
})

export const createOutboxJob = defineOperation({
  ...destructive,
  id: 'createOutboxJob',
  method: 'post',
  path: '/admin/api/outboxJobs',
  summary: 'Run an action on many messages in the outbox',
  description: `Holds, releases, sends or cancels many messages in the outbox. ${rules} Cancelling more than one message needs \`confirm\`.`,
  body: OutboxJobRequest,
  responseDescription: 'The new job, in the state `queued`.',
  response: OutboxJob,
  errors: ['StepUpRequired'],
})

export const listOutboxJobs = defineOperation({
  ...read,
  id: 'listOutboxJobs',
  method: 'get',
  path: '/admin/api/outboxJobs',
  summary: 'List jobs on the outbox',
  description:
    'Lists the jobs on messages in the outbox with their progress, newest first. Jobs are deleted 7 days after their end.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the jobs on the outbox, newest first.',
  response: Type.Object({
    ...pageCounts,
    jobs: Type.Array(OutboxJob, { description: 'Jobs on the outbox of this page, newest first.' }),
  }),
})

export const getOutboxJob = defineOperation({
  ...read,
  id: 'getOutboxJob',
  method: 'get',
  path: '/admin/api/outboxJobs/:job',
  summary: 'Read the progress of a job on the outbox',
  description:
    'Reads the state of a job on messages in the outbox, its counts and its first errors.',
  params,
  responseDescription: 'The job with its progress.',
  response: OutboxJob,
  errors: ['NotFound'],
})

export const cancelOutboxJob = defineOperation({
  ...write,
  id: 'cancelOutboxJob',
  method: 'delete',
  path: '/admin/api/outboxJobs/:job',
  summary: 'Cancel a job on the outbox',
  description: `Cancels a job on messages in the outbox between two actions. ${cancelled}`,
  params,
  responseDescription: 'The job in the state `cancelled`.',
  response: OutboxJob,
  errors: ['NotFound', 'UnsupportedOperation'],
})
