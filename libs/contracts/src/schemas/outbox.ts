import { type Static, Type } from 'typebox'
import { Bool, Int, Nullable, OneOf, Text, Texts, Time } from './primitives.ts'
import { networkPath, networkPathDescription } from './smtp-status.ts'

/**
 * States of a submission. Submissions in the states `sent`, `failed` and `bounced` are deleted
 * after a retention period. `bounced`: the message was sent, and a report says that a recipient did
 * not get the message.
 */
export const outboxStates = ['queued', 'held', 'sent', 'failed', 'bounced'] as const

/**
 * Steps in sending a submission. In the step `error`, `nextAttempt` is the time of the next
 * attempt, or false without another attempt.
 */
const progressStatuses = [
  'queued',
  'processing',
  'smtp-starting',
  'smtp-completed',
  'submitted',
  'error',
] as const

const Progress = Type.Object(
  {
    status: OneOf(progressStatuses, {
      description:
        'Step of the current attempt. `processing`: started; `smtp-starting`: connecting; `smtp-completed`: message transmitted, waiting for the reply; `submitted`: accepted by the server; `error`: the last attempt failed.',
    }),
    response: Type.Optional(Text('Reply of the server that accepted the message.')),
    messageId: Type.Optional(Text('Message-ID used by the server.')),
    originalMessageId: Type.Optional(Text('Submitted Message-ID, if the server replaced it.')),
    error: Type.Optional(
      Type.Object(
        {
          message: Text('Text of the error.'),
          code: Type.Optional(Text('Code of the error, such as `ECONNECTION`.')),
          statusCode: Type.Optional(Int('SMTP reply code.')),
          networkRouting: Type.Optional(
            Nullable(Type.Object(networkPath, { description: networkPathDescription })),
          ),
        },
        { description: 'Error of the last attempt.' },
      ),
    ),
  },
  { description: 'Progress of sending.' },
)

/**
 * Submission (request to send a message) as an entry of the outbox. Credentials in `proxy` are
 * masked.
 */
export const OutboxEntry = Type.Object({
  queueId: Text('Id of the submission.'),
  account: Text('Account that sends the message.'),
  source: OneOf(['api', 'smtp'], { description: 'Interface that received the submission.' }),
  state: OneOf(outboxStates, {
    description:
      'State of the submission. `bounced`: sent, but a `messageBounce` with the action `failed` arrived for a recipient.',
  }),
  messageId: Text('Message-ID header.'),
  envelope: Type.Object(
    {
      from: Text('Address that receives bounces (MAIL FROM).'),
      to: Texts('Addresses that receive the message (RCPT TO).'),
    },
    { description: 'Envelope of SMTP.' },
  ),
  subject: Nullable(Text('Subject. Null if there is none.')),
  gateway: Nullable(Text('Id of the gateway. Null: the server of the account.')),
  proxy: Nullable(Text('URL of the requested proxy, with a masked login. Null if none.')),
  localAddress: Nullable(Text('Requested local IP address. Null if none.')),
  idempotencyKey: Nullable(Text('Idempotency key of the request. Null if it had none.')),
  useStructuredFormat: Bool('Value of the parameter `useStructuredFormat`.'),
  created: Time('Time of the submission (ISO 8601).'),
  scheduled: Time('Earliest time of sending (ISO 8601).'),
  nextAttempt: Type.Union([Time('Time (ISO 8601).'), Type.Literal(false)], {
    description:
      'Time of the next attempt (ISO 8601). False while an attempt runs and if the message is held, sent, failed or bounced.',
  }),
  attemptsMade: Int('Number of attempts so far.'),
  attempts: Int('Maximum number of attempts.'),
  progress: Progress,
})
export type OutboxEntry = Static<typeof OutboxEntry>
