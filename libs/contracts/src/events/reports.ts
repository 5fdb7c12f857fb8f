import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Int, Text, Texts } from '../schemas/primitives.ts'

const MessageHeaders = Type.Record(Type.String(), Type.Array(Type.String()), {
  description:
    'Headers of the original message: the lower-case name of each header, with all values of this header.',
})

/**
 * A delivery report for a sent message names a failed or delayed recipient. Published by
 * sync-worker, at least once per recipient. Repetitions have the same event id.
 */
export const messageBounce = defineEvent(
  'messageBounce',
  Type.Object({
    bounceMessage: Text('Id of the message that contains the delivery report.'),
    recipient: Text('Email address of the recipient that the delivery report names.'),
    action: Text(
      'Result for the recipient in the delivery report: `failed`, `delayed`, `delivered`, `relayed` or `expanded`.',
    ),
    response: Type.Object(
      {
        source: Text('Type of the diagnostic text in the delivery report, such as `smtp`.'),
        message: Text('Text of the response of the receiving mail server.'),
        status: Type.Optional(
          Text('Enhanced status code of the receiving mail server, such as `5.1.1` (RFC 3463).'),
        ),
        category: Text(
          'Category of the failure to deliver the message to the recipient, such as `user_unknown`, `mailbox_full` or `spam_blocked`.',
        ),
        recommendedAction: Text(
          'Recommended reaction to the failure, such as `remove` (the address), `retry` or `review`.',
        ),
        blocklist: Type.Optional(
          Type.Object(
            {
              name: Text('Name of the public blocklist of senders, such as `Spamhaus`.'),
              type: Text(
                'Kind of the entry in the public blocklist of senders: `ip` (IP address) or `domain`.',
              ),
            },
            {
              description:
                'Public blocklist of senders that the receiving mail server consulted. Absent if the response names no blocklist.',
            },
          ),
        ),
        retryAfter: Type.Optional(
          Int(
            'Recommended delay before another attempt to send the message, in seconds. Absent if unknown.',
          ),
        ),
      },
      { description: 'Response of the receiving mail server, as quoted by the delivery report.' },
    ),
    mta: Type.Optional(
      Text('Host name of the mail server that rejected the message or sent the delivery report.'),
    ),
    queueId: Type.Optional(
      Text(
        'Id of the submission (queued message). Only present if this installation sent the original message.',
      ),
    ),
    messageId: Type.Optional(
      Text(
        'Message-ID header of the original message. Absent if the delivery report does not contain this header.',
      ),
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
    complaintMessage: Text('Id of the message that contains the abuse report.'),
    arf: Type.Object(
      {
        source: Type.Optional(Text('Domain of the mail provider that sent the abuse report.')),
        feedbackType: Text('Type of the abuse report, such as `abuse` or `fraud`.'),
        abuseType: Type.Optional(Text('Type of the abuse, as stated by the abuse report.')),
        userAgent: Type.Optional(Text('Name of the software that created the abuse report.')),
        version: Type.Optional(Text('Version of the format of the abuse report.')),
        originalMailFrom: Type.Optional(
          Text('Envelope sender of the reported message (MAIL FROM).'),
        ),
        originalRcptTo: Texts(
          'Envelope recipients of the reported message (RCPT TO). Empty if unknown.',
        ),
        arrivalDate: Type.Optional(Text('Time of receipt of the reported message (ISO 8601).')),
        sourceIp: Type.Optional(Text('IP address from which the reported message was received.')),
        reportingMta: Type.Optional(Text('Mail server that sent the abuse report.')),
        reportedDomain: Type.Optional(Texts('Domains that the abuse report is about.')),
        authFailure: Type.Optional(
          Text('Authentication method that failed for the reported message (RFC 6591).'),
        ),
      },
      {
        description:
          'Fields of the abuse report (RFC 5965). Fields that the abuse report does not contain are absent.',
      },
    ),
    headers: Type.Object(
      {
        messageId: Type.Optional(Text('Message-ID header of the reported message.')),
        from: Type.Optional(Text('From header of the reported message.')),
        to: Type.Optional(Texts('To headers of the reported message.')),
        cc: Type.Optional(Texts('Cc headers of the reported message.')),
        subject: Type.Optional(Text('Subject header of the reported message.')),
        date: Type.Optional(Text('Date header of the reported message.')),
      },
      {
        description:
          'Headers of the reported message, as far as the abuse report contains the headers.',
      },
    ),
  }),
)
export type MessageComplaint = Static<typeof messageComplaint.data>
