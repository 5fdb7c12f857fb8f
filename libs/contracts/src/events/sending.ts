import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Int, Text, Texts } from '../schemas/primitives.ts'
import { networkPath, networkPathDescription } from '../schemas/smtp-status.ts'

const envelope = Type.Object(
  {
    from: Text('Address that receives bounces (MAIL FROM).'),
    to: Texts('Addresses that receive the message (RCPT TO).'),
  },
  { description: 'SMTP envelope: addresses that mail servers use to transport the message.' },
)
const networkRouting = Type.Optional(
  Type.Object(
    {
      ...networkPath,
      requestedLocalAddress: Type.Optional(
        Text(
          'Local IP address that the submission requested. Only present if the address was not available.',
        ),
      ),
    },
    { description: networkPathDescription },
  ),
)
export type NetworkRouting = NonNullable<Static<typeof networkRouting>>
const messageId = Text('Message-ID header of the message.')
const queueId = Text(
  'Id of the submission: `queueId` in the response to the request to send the message.',
)

/**
 * The outgoing server accepted a message, which does not confirm delivery to the recipient.
 * Published by sender, at least once. Repetitions have the same event id.
 */
export const messageSent = defineEvent(
  'messageSent',
  Type.Object({
    messageId: Text(
      'Message-ID header of the sent message. The mail server may have replaced the submitted Message-ID.',
    ),
    originalMessageId: Type.Optional(
      Text(
        'Message-ID header of the submitted message. Only present if the mail server replaced this header in the sent message.',
      ),
    ),
    response: Text(
      'Reply of the mail server that accepted the message. For a mail API, a text with the id of the message.',
    ),
    queueId,
    envelope,
    networkRouting,
    omittedHeaders: Type.Optional(
      Texts(
        'Names of submitted headers that the sent message lacks, or for which the sent message has only 1 of several values. The message format of the mail API cannot keep these headers. At most 100 names. Absent if all headers were kept.',
      ),
    ),
  }),
)

/** An attempt to send a message failed. Published by sender, once per attempt. */
export const messageDeliveryError = defineEvent(
  'messageDeliveryError',
  Type.Object({
    queueId,
    envelope,
    messageId,
    error: Text('Text of the error of the attempt to send the message.'),
    errorCode: Type.Optional(
      Text(
        'Code of the error of the attempt to send the message, such as `EPROTOCOL` for SMTP or `SendAsDenied` for a mail API.',
      ),
    ),
    smtpResponse: Type.Optional(
      Text(
        'Reply of the mail server to the failed SMTP command. Absent if the mail server did not reply.',
      ),
    ),
    smtpResponseCode: Type.Optional(
      Int(
        'SMTP reply code of the mail server to the failed SMTP command, such as 450. Absent if the mail server did not reply.',
      ),
    ),
    smtpCommand: Type.Optional(
      Text('SMTP command that the mail server rejected, such as `RCPT TO`.'),
    ),
    networkRouting,
    job: Type.Object(
      {
        id: Text(
          'Id of the submission: `queueId` in the response to the request to send the message.',
        ),
        attemptsMade: Int('Number of attempts to send the message so far.'),
        attempts: Int('Maximum number of attempts to send the message.'),
        nextAttempt: Type.Union([Type.String(), Type.Literal(false)], {
          description:
            'Time of the next attempt to send the message (ISO 8601). False if no attempt follows.',
        }),
      },
      { description: 'Number of attempts to send the message, and the time of the next attempt.' },
    ),
  }),
)

/**
 * Sending a message failed permanently: all attempts failed or the server rejected the message.
 * Published by sender, once per submission. `error` is the first line of the error of the first
 * failed attempt.
 */
export const messageFailed = defineEvent(
  'messageFailed',
  Type.Object({
    messageId,
    queueId,
    error: Text('First line of the error of the first failed attempt to send the message.'),
    networkRouting,
  }),
)
