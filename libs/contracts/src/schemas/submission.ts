import { type Static, Type } from 'typebox'
import { AttachmentSource, RawMessage } from './attachment.ts'
import { contentFields } from './content.ts'
import { Dsn } from './dsn.ts'
import { Address, Bool, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'
import { Reference, ReferenceResult } from './reference.ts'

/**
 * Maximum number of recipients of a mail merge, which sends a separate message to each recipient.
 */
export const maxMergeRecipients = 1000

const Params = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Values of the placeholders in subject and texts, by name. A placeholder refers to a value as `params.<name>`.',
})

/**
 * Id of a list from which recipients can unsubscribe (RFC 2919). The id has the syntax of a host
 * name.
 */
export const ListId = Text(
  'Id of a mailing list of the account, with the syntax of a host name (RFC 2919). The message gets an unsubscribe link. Unsubscribed recipients are skipped.',
  { minLength: 1, maxLength: 253, format: 'list-id' },
)

const sendAt = Type.Optional(
  Time(
    'Earliest time at which the message is sent (ISO 8601). Defaults to the time of the request.',
  ),
)
/** Locale and time zone with which dates are written in messages that a submission quotes. */
export const quotationFormat = {
  locale: Type.Optional(
    Text(
      'Language tag, such as `en-GB`, for dates in the quotation of a reply or forward. Defaults to `locale` of the account.',
      {
        maxLength: 100,
        format: 'one-line',
      },
    ),
  ),
  tz: Type.Optional(
    Text(
      'Time zone, such as `Europe/Tallinn`, for dates in the quotation of a reply or forward. Defaults to `tz` of the account.',
      {
        maxLength: 100,
        format: 'one-line',
      },
    ),
  ),
}

/**
 * Options for sending a submission (request to send a message), independent of the content of the
 * message.
 */
const delivery = {
  sendAt,
  deliveryAttempts: Type.Optional(
    Int(
      'Maximum number of attempts to send the message. Defaults to the setting `deliveryAttempts`.',
      {
        minimum: 1,
        maximum: 100,
      },
    ),
  ),
  gateway: Type.Optional(
    Text(
      'Id of a gateway (SMTP server that sends for accounts). The gateway sends the message instead of the mail server of the account.',
      {
        minLength: 1,
        maxLength: 256,
      },
    ),
  ),
  dsn: Type.Optional(Dsn),
  proxy: Type.Optional(
    Text(
      'URL of a proxy for the connection to the mail server. Tokens that are bound to an account or have restricted permissions cannot set a proxy. Without effect for accounts on a mail API.',
      { maxLength: 1024, format: 'proxy-url' },
    ),
  ),
  localAddress: Type.Optional(
    Text(
      'Local IP address for the connection to the mail server. Not used unless the setting `localAddresses` contains the address. Without effect for accounts on a mail API.',
      { maxLength: 64, format: 'ip-address' },
    ),
  ),
  copy: Type.Optional(
    Nullable(
      Bool(
        'If true, a copy of the sent message is stored in the Sent mailbox. Defaults to the value of `copy` of the account. Without effect for accounts on a mail API, whose providers store sent messages.',
      ),
    ),
  ),
  sentMailPath: Type.Optional(
    Text(
      'Path of the mailbox in which the copy of the sent message is stored. Defaults to the Sent mailbox of the account. Without effect for accounts on a mail API.',
      { minLength: 1, maxLength: 1024, format: 'mailbox-path' },
    ),
  ),
}

const MergeRecipient = Strict({
  to: described('Recipient of this message of the mail merge.', Address),
  messageId: contentFields.messageId,
  params: Type.Optional(Params),
  sendAt,
})

export const Submission = Strict({
  ...contentFields,
  attachments: Type.Optional(
    Type.Array(AttachmentSource, {
      maxItems: 1000,
      single: true,
      description:
        'Attachments of the message. The contents are in the request or are stored attachments of the account.',
    }),
  ),
  reference: Type.Optional(Reference),
  raw: Type.Optional(RawMessage),
  mailMerge: Type.Optional(
    Type.Array(MergeRecipient, {
      minItems: 1,
      maxItems: maxMergeRecipients,
      description:
        'Recipients of a mail merge, at most 1,000. Each recipient receives a separate message, with the values of `params`.',
    }),
  ),
  template: Type.Optional(
    Text(
      'Id or name of a stored template for subject and texts. Searched in this order: ids, names of templates of the account, names of shared templates.',
      { minLength: 1, maxLength: 256 },
    ),
  ),
  render: Type.Optional(
    Type.Union(
      [
        Strict({
          format: Type.Optional(
            OneOf(['html', 'markdown'], {
              default: 'html',
              description:
                'Format of `html`: `html` (default) or `markdown`, which is converted to HTML.',
            }),
          ),
          params: Type.Optional(Params),
        }),
        Type.Literal(false),
      ],
      {
        description:
          'Rendering of the placeholders in the subject and texts of the message. False: placeholders are not replaced.',
      },
    ),
  ),
  ...delivery,
  trackOpens: Type.Optional(
    Bool(
      'If true, opens of the message are tracked and cause `trackOpen`. Defaults to the setting `trackOpens`.',
    ),
  ),
  trackClicks: Type.Optional(
    Bool(
      'If true, clicks on links in the message are tracked and cause `trackClick`. Defaults to the setting `trackClicks`.',
    ),
  ),
  trackingEnabled: Type.Optional(Type.Boolean({ hidden: true })),
  listId: Type.Optional(ListId),
  baseUrl: Type.Optional(
    Text(
      'Base URL of tracking and unsubscribe links in the message. Defaults to the setting `serviceUrl`.',
      {
        maxLength: 2048,
        format: 'http-url',
      },
    ),
  ),
  ...quotationFormat,
  dryRun: Type.Optional(
    Bool(
      'If true, the response contains the composed message, and nothing is sent. Unsubscribe links are placeholders then. Defaults to false.',
      { default: false },
    ),
  ),
})
export type Submission = Static<typeof Submission>

/** Request to send a stored draft. The request contains only sending options. */
export const DraftSubmission = Strict({ envelope: contentFields.envelope, ...delivery })
export type DraftSubmission = Static<typeof DraftSubmission>

const Idempotency = Type.Object(
  {
    key: Text('Value of the header `Idempotency-Key` of the request.'),
    status: OneOf(['MISS', 'HIT'], {
      description:
        '`HIT` if an earlier request had the same idempotency key: this response then repeats the response to the earlier request. Otherwise `MISS`.',
    }),
  },
  { description: 'Use of the header `Idempotency-Key`. Absent if the request had no such header.' },
)
export type Idempotency = Static<typeof Idempotency>

const Skipped = Type.Object(
  {
    reason: Text('Reason of the blocklist entry of the recipient, such as `unsubscribe`.'),
    listId: Text('Id of the mailing list from which the recipient has unsubscribed.'),
  },
  {
    description:
      'Blocklist entry because of which no message was queued: the recipient has unsubscribed from the mailing list. Absent if the message was queued.',
  },
)

export const MergeResult = Type.Object({
  success: Bool('True if the message to this recipient was queued or skipped.'),
  to: Type.Object(
    {
      name: Type.Optional(Text('Display name of the recipient.')),
      address: Text('Email address of the recipient.'),
    },
    { description: 'Recipient of this message of the mail merge.' },
  ),
  messageId: Type.Optional(Text('Message-ID header of the message to this recipient.')),
  queueId: Type.Optional(
    Text(
      'Id of the submission (queued message) to this recipient. Absent if no message was queued.',
    ),
  ),
  sendAt: Type.Optional(Text('Earliest time at which the message is sent (ISO 8601).')),
  error: Type.Optional(
    Text('Reason for which the message to this recipient was not queued. Absent after a success.'),
  ),
  code: Type.Optional(
    Text(
      'Code of the error for which the message to this recipient was not queued. Absent after a success.',
    ),
  ),
  statusCode: Type.Optional(
    Nullable(
      Int(
        'HTTP status of the error for which the message to this recipient was not queued, such as 400.',
      ),
    ),
  ),
  skipped: Type.Optional(Skipped),
})
export type MergeResult = Static<typeof MergeResult>

export const SubmissionResult = Type.Object({
  response: Text(
    'Confirmation text: `Queued for delivery`, or `Dry run` for a request with `dryRun`.',
  ),
  messageId: Type.Optional(Text('Message-ID header of the message. Absent with `mailMerge`.')),
  sendAt: Type.Optional(
    Text(
      'Earliest time at which the message is sent (ISO 8601). Absent in the response to a request with `dryRun`.',
    ),
  ),
  queueId: Type.Optional(
    Text(
      'Id of the submission (queued message). Absent for a request with `dryRun` or `mailMerge`, and if the message was skipped.',
    ),
  ),
  reference: Type.Optional(ReferenceResult),
  preview: Type.Optional(
    Text(
      'Composed message in base64. For a mail merge, the first message. Only in the response to a request with `dryRun`.',
    ),
  ),
  skipped: Type.Optional(Skipped),
  idempotency: Type.Optional(Idempotency),
  mailMerge: Type.Optional(
    Type.Array(MergeResult, {
      description: 'Results of the mail merge, in the order of the recipients in the request.',
    }),
  ),
})
export type SubmissionResult = Static<typeof SubmissionResult>
