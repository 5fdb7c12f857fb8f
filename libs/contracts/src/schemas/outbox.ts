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
        'Step in sending the message. `queued`: not started; `processing`: attempt started; `smtp-starting`: connecting to the mail server; `smtp-completed`: message transmitted, waiting for the reply; `submitted`: accepted by the mail server; `error`: the last attempt failed.',
    }),
    response: Type.Optional(
      Text(
        'Reply of the mail server that accepted the message. Absent until the message is accepted.',
      ),
    ),
    messageId: Type.Optional(
      Text(
        'Message-ID header of the message that the mail server accepted. Absent until the message is accepted.',
      ),
    ),
    originalMessageId: Type.Optional(
      Text(
        'Message-ID header of the submitted message. Only present if the mail server replaced this header in the sent message.',
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          message: Text('Text of the error of the last attempt to send the message.'),
          code: Type.Optional(
            Text(
              'Code of the error of the last attempt to send the message, such as `ECONNECTION`.',
            ),
          ),
          statusCode: Type.Optional(
            Int(
              'SMTP reply code of the mail server to the last attempt to send the message, such as 451. Absent if the mail server did not reply.',
            ),
          ),
          networkRouting: Type.Optional(
            Nullable(Type.Object(networkPath, { description: networkPathDescription })),
          ),
        },
        {
          description:
            'Error of the last attempt to send the message. Absent if no attempt failed.',
        },
      ),
    ),
  },
  { description: 'Progress in sending the message: step, reply and error.' },
)

/**
 * Submission (request to send a message) as an entry of the outbox. Credentials in `proxy` are
 * masked.
 */
export const OutboxEntry = Type.Object({
  queueId: Text('Id of the submission.'),
  account: Text('Id of the account that sends the message.'),
  source: OneOf(['api', 'smtp'], {
    description: 'Interface that received the submission: `api` (REST API) or `smtp` (SMTP proxy).',
  }),
  state: OneOf(outboxStates, {
    description:
      'State of the submission. `queued`: waiting or being sent; `held`: held by an operator; `sent`: accepted by the mail server; `failed`: ended without success; `bounced`: sent, but a `messageBounce` with the action `failed` arrived for a recipient.',
  }),
  messageId: Text('Message-ID header of the message.'),
  envelope: Type.Object(
    {
      from: Text('Address that receives bounces (MAIL FROM).'),
      to: Texts('Addresses that receive the message (RCPT TO).'),
    },
    { description: 'SMTP envelope: addresses that mail servers use to transport the message.' },
  ),
  subject: Nullable(Text('Subject of the message. Null if the message has no subject.')),
  gateway: Nullable(
    Text(
      'Id of the gateway that sends the message. Null: the mail server of the account sends the message.',
    ),
  ),
  proxy: Nullable(
    Text(
      'URL of the proxy that the submission requests, with a masked login. Null if no proxy was requested.',
    ),
  ),
  localAddress: Nullable(
    Text(
      'Local IP address that the submission requests for the connection. Null if no address was requested.',
    ),
  ),
  idempotencyKey: Nullable(
    Text(
      'Value of the header `Idempotency-Key` of the request. Null if the request had no such header.',
    ),
  ),
  useStructuredFormat: Bool(
    'Value of the parameter `useStructuredFormat` of the request, for accounts on a mail API.',
  ),
  created: Time('Time at which the submission was received (ISO 8601).'),
  scheduled: Time(
    'Earliest time at which the message is sent (ISO 8601): `sendAt` of the submission, or else the time of the submission.',
  ),
  nextAttempt: Type.Union(
    [Time('Time of the next attempt to send the message (ISO 8601).'), Type.Literal(false)],
    {
      description:
        'Time of the next attempt to send the message (ISO 8601). False during an attempt, and if the message is held, sent, failed or bounced.',
    },
  ),
  attemptsMade: Int('Number of attempts to send the message so far.'),
  attempts: Int('Maximum number of attempts to send the message.'),
  progress: Progress,
})
export type OutboxEntry = Static<typeof OutboxEntry>
