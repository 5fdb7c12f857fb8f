import { type Static, Type } from 'typebox'
import { maxJobIds } from '../job-limits.ts'
import { accountFilter, maxSearchLength } from './account-filter.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  Nullable,
  OneOf,
  Strict,
  Text,
  Time,
} from './primitives.ts'

export const accountJobActions = ['reconnect', 'sync', 'flush', 'delete', 'logs'] as const
export type AccountJobAction = (typeof accountJobActions)[number]

export const outboxJobActions = ['hold', 'release', 'send', 'cancel'] as const
export type OutboxJobAction = (typeof outboxJobActions)[number]

const jobStates = ['queued', 'running', 'done', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** Maximum accounts or submissions of a bulk job. A filter selects no more. */
export const maxJobRows = 500_000

/** Filter that selects the accounts of a bulk job. Absent members match any account. */
export const AccountJobFilter = Strict(
  {
    ...accountFilter,
    query: Type.Optional(
      Text('Text that the id, the name or the email address of the selected accounts contains.', {
        minLength: 1,
        maxLength: maxSearchLength,
      }),
    ),
  },
  {
    description:
      'Filter that selects the accounts of the job. Absent members match any account, so an empty filter selects all accounts.',
  },
)
export type AccountJobFilter = Static<typeof AccountJobFilter>

/** Filter that selects the submissions of a bulk job. Absent members match any submission. */
export const OutboxJobFilter = Strict(
  {
    account: Type.Optional(described('Id of the account that sends the messages.', AccountId)),
    state: Type.Optional(
      OneOf(['queued', 'held'], {
        description:
          'State of the selected messages. If absent, queued and held messages are selected.',
      }),
    ),
    query: Type.Optional(
      Text(
        'Text that the subject or an envelope recipient of the selected messages contains, or their whole Message-ID.',
        { minLength: 1, maxLength: maxSearchLength },
      ),
    ),
    createdBefore: Type.Optional(
      Time('Time before which the selected messages were submitted (ISO 8601), exclusive.'),
    ),
  },
  {
    description:
      'Filter that selects the messages of the job among those that are queued or held. Absent members match any message, so an empty filter selects all of them.',
  },
)
export type OutboxJobFilter = Static<typeof OutboxJobFilter>

const confirm = Type.Optional(
  Bool(
    'Confirmation, which must be true for an action that deletes more than one entry or selects the entries by a filter.',
    { default: false },
  ),
)

const maxEntries = Type.Optional(
  Int(
    'Maximum number of entries that the filter may select, such as the number that a person has confirmed. If the filter selects more when the job starts, the job is cancelled and acts on no entry. Only allowed with `filter`. If absent, there is no maximum.',
    { minimum: 1, maximum: maxJobRows },
  ),
)

/** Request to run an action on many accounts. */
export const AccountJobRequest = Strict({
  action: OneOf(accountJobActions, {
    description:
      'Action on each account. `reconnect`: close and reopen its connections; `sync`: sync all its mailboxes; `flush`: rebuild its mailbox index; `delete`: delete the account; `logs`: switch its protocol log on or off.',
  }),
  filter: Type.Optional(AccountJobFilter),
  ids: Type.Optional(
    Type.Array(AccountId, {
      minItems: 1,
      maxItems: maxJobIds,
      description: 'Ids of the accounts. The request contains either `filter` or `ids`.',
    }),
  ),
  maxEntries,
  logs: Type.Optional(
    Bool(
      'New value of the member `logs` of the accounts. Required for the action `logs`, not allowed for other actions.',
    ),
  ),
  confirm,
})
export type AccountJobRequest = Static<typeof AccountJobRequest>

/** Request to run an action on many submissions. */
export const OutboxJobRequest = Strict({
  action: OneOf(outboxJobActions, {
    description:
      'Action on each message. `hold`: keep the message from being sent; `release`: end the hold; `send`: make the message due immediately; `cancel`: delete the message from the outbox without sending it.',
  }),
  filter: Type.Optional(OutboxJobFilter),
  ids: Type.Optional(
    Type.Array(Text('Id of a submission (`queueId`).', { minLength: 1, maxLength: 256 }), {
      minItems: 1,
      maxItems: maxJobIds,
      description:
        'Ids of the submissions (`queueId`). The request contains either `filter` or `ids`.',
    }),
  ),
  maxEntries,
  confirm,
})
export type OutboxJobRequest = Static<typeof OutboxJobRequest>

const JobError = Type.Object(
  {
    id: Text('Id of the account or submission whose action failed.'),
    code: Nullable(Text('Code of the error, such as `NoAvailable`. Null without a code.')),
    message: Text('Text of the error.'),
  },
  { description: 'Failed action of a job.' },
)

const time = (description: string) => Nullable(Time(description))
const progress = {
  state: OneOf(jobStates, {
    description:
      'State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended; `cancelled`: cancelled before the last action, or because the filter selected more than `maxEntries`.',
  }),
  maxEntries: Nullable(
    Int('Maximum number of entries that the filter may select. Null if there is no maximum.'),
  ),
  total: Nullable(
    Int(
      'Number of selected entries, at most 500,000. Null until the filter was evaluated at the start of the job.',
    ),
  ),
  done: Int('Number of entries whose action succeeded.'),
  failed: Int('Number of entries whose action failed.'),
  skipped: Int(
    'Number of entries without an action, because the filter did not match any more when it was their turn.',
  ),
  errors: Type.Array(JobError, { description: 'First failed actions of the job, at most 10.' }),
  createdAt: Time('Time at which the job was requested (ISO 8601).'),
  startedAt: time('Time at which the job started (ISO 8601). Null before the start.'),
  finishedAt: time(
    'Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7 days later.',
  ),
}
const noFilter = 'Null if the request contained `ids`.'

/** Job that runs an action on many accounts, with its progress. */
export const AccountJob = Type.Object({
  id: Text('Id of the job.'),
  action: OneOf(accountJobActions, { description: 'Action on each account.' }),
  filter: described(
    `Filter that selects the accounts of the job. ${noFilter}`,
    Nullable(AccountJobFilter),
  ),
  logs: Nullable(
    Bool('New value of the member `logs` of the accounts. Null for other actions than `logs`.'),
  ),
  ...progress,
})

/** Job that runs an action on many submissions, with its progress. */
export const OutboxJob = Type.Object({
  id: Text('Id of the job.'),
  action: OneOf(outboxJobActions, { description: 'Action on each message.' }),
  filter: described(
    `Filter that selects the messages of the job. ${noFilter}`,
    Nullable(OutboxJobFilter),
  ),
  ...progress,
})
