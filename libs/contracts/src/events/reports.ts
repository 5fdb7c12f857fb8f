import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Int, Text, Texts } from '../schemas/primitives.ts'

const MessageHeaders = Type.Record(Type.String(), Type.Array(Type.String()), {
  description: 'Headers of the original message: lower-case name and its values.',
})

/**
 * A delivery report for a sent message names a failed or delayed recipient. Published by
 * sync-worker, at least once per recipient. Repetitions have the same event id.
 */
export const messageBounce = defineEvent(
  'messageBounce',
  Type.Object({
    bounceMessage: Text('Id of the report message.'),
    recipient: Text('Address of the recipient.'),
    action: Text(
      'Action of the report: `failed`, `delayed`, `delivered`, `relayed` or `expanded`.',
    ),
    response: Type.Object(
      {
        source: Text('Type of the diagnostic, such as `smtp`.'),
        message: Text('Text of the response.'),
        status: Type.Optional(Text('Enhanced status code (RFC 3463).')),
        category: Text('Category of the failure, such as `user_unknown` or `mailbox_full`.'),
        recommendedAction: Text('Recommended action, such as `remove`, `retry` or `review`.'),
        blocklist: Type.Optional(
          Type.Object(
            { name: Text('Name of the blocklist.'), type: Text('Listed item: `ip` or `domain`.') },
            { description: 'Blocklist that the receiving server consulted.' },
          ),
        ),
        retryAfter: Type.Optional(Int('Recommended delay of a retry in seconds.')),
      },
      { description: 'Response of the receiving server.' },
    ),
    mta: Type.Optional(Text('Host name of the server that reported.')),
    queueId: Type.Optional(Text('Id of the submission, if the message was sent by this service.')),
    messageId: Type.Optional(
      Text('Message-ID of the original message. Absent if the report does not contain it.'),
    ),
    messageHeaders: Type.Optional(MessageHeaders),
  }),
)
export type MessageBounce = Static<typeof messageBounce.data>

/**
 * An abuse report (RFC 5965) for a message arrived. Published by sync-worker, at least once.
 * Repetitions have the same event id.
 */
export const messageComplaint = defineEvent(
  'messageComplaint',
  Type.Object({
    complaintMessage: Text('Id of the report message.'),
    arf: Type.Object(
      {
        source: Type.Optional(Text('Domain of the reporter.')),
        feedbackType: Text('Type of the report, such as `abuse`.'),
        abuseType: Type.Optional(Text('Type of the abuse.')),
        userAgent: Type.Optional(Text('Software that created the report.')),
        version: Type.Optional(Text('Version of the report format.')),
        originalMailFrom: Type.Optional(Text('MAIL FROM of the reported message.')),
        originalRcptTo: Texts('RCPT TO of the reported message.'),
        arrivalDate: Type.Optional(Text('Time of receipt of the reported message (ISO 8601).')),
        sourceIp: Type.Optional(Text('IP address from which the message was received.')),
        reportingMta: Type.Optional(Text('Server that reports.')),
        reportedDomain: Type.Optional(Texts('Domains that the report concerns.')),
        authFailure: Type.Optional(Text('Failed authentication method (RFC 6591).')),
      },
      { description: 'Fields of the report (RFC 5965).' },
    ),
    headers: Type.Object(
      {
        messageId: Type.Optional(Text('Message-ID header.')),
        from: Type.Optional(Text('From header.')),
        to: Type.Optional(Texts('To headers.')),
        cc: Type.Optional(Texts('Cc headers.')),
        subject: Type.Optional(Text('Subject header.')),
        date: Type.Optional(Text('Date header.')),
      },
      { description: 'Headers of the reported message.' },
    ),
  }),
)
export type MessageComplaint = Static<typeof messageComplaint.data>
