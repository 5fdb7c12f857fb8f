import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Int, Text, Texts } from '../schemas/primitives.ts'
import { networkPath, networkPathDescription } from '../schemas/smtp-status.ts'

const envelope = Type.Object(
  {
    from: Text('Address that receives bounces (MAIL FROM).'),
    to: Texts('Addresses that receive the message (RCPT TO).'),
  },
  { description: 'Envelope of SMTP.' },
)
const networkRouting = Type.Optional(
  Type.Object(
    {
      ...networkPath,
      requestedLocalAddress: Type.Optional(
        Text('Requested local IP address, if it was not available.'),
      ),
    },
    { description: networkPathDescription },
  ),
)
export type NetworkRouting = NonNullable<Static<typeof networkRouting>>
const messageId = Text('Message-ID header.')
const queueId = Text('Id of the submission.')

/**
 * The outgoing server accepted a message, which does not confirm delivery to the recipient.
 * Published by sender, at least once. Repetitions have the same event id.
 */
export const messageSent = defineEvent(
  'messageSent',
  Type.Object({
    messageId: Text('Message-ID header, as the server changed it.'),
    originalMessageId: Type.Optional(Text('Submitted Message-ID, if the server replaced it.')),
    response: Text('Reply of the server, or a text with the id of the message at a mail API.'),
    queueId,
    envelope,
    networkRouting,
    omittedHeaders: Type.Optional(
      Texts(
        'Names of submitted header fields that the sent message lacks, or has with one of several values, because the message format of a mail API cannot keep them. At most 100. Absent if there are none.',
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
    error: Text('Text of the error.'),
    errorCode: Type.Optional(
      Text('Code of the error, such as `EPROTOCOL`, or `SendAsDenied` of a mail API.'),
    ),
    smtpResponse: Type.Optional(Text('Reply of the server.')),
    smtpResponseCode: Type.Optional(Int('SMTP reply code.')),
    smtpCommand: Type.Optional(Text('SMTP command that failed.')),
    networkRouting,
    job: Type.Object(
      {
        id: Text('Id of the submission.'),
        attemptsMade: Int('Number of attempts so far.'),
        attempts: Int('Maximum number of attempts.'),
        nextAttempt: Type.Union([Type.String(), Type.Literal(false)], {
          description: 'Time of the next attempt (ISO 8601). False if there is none.',
        }),
      },
      { description: 'Attempts of the submission.' },
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
    error: Text("First line of the first failed attempt's error."),
    networkRouting,
  }),
)
