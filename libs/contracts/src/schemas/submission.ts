import { type Static, Type } from 'typebox'
import { AttachmentSource, RawMessage } from './attachment.ts'
import { contentFields } from './content.ts'
import {
  Address,
  Bool,
  described,
  Int,
  MailAddress,
  Nullable,
  OneOf,
  Strict,
  Text,
  Time,
} from './primitives.ts'
import { Reference, ReferenceResult } from './reference.ts'

/**
 * Maximum number of recipients of a mail merge, which sends a separate message to each recipient.
 */
export const maxMergeRecipients = 1000

const Params = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Values of the placeholders.',
})

/** Request for delivery status notifications about a submission (RFC 3461). */
export const Dsn = Strict(
  {
    id: Type.Optional(
      Text('Envelope id (ENVID), returned in notifications.', {
        minLength: 1,
        maxLength: 256,
        format: 'one-line',
      }),
    ),
    return: OneOf(['headers', 'full'], {
      description: 'Part of the message that notifications contain (RET).',
    }),
    notify: Type.Optional(
      Type.Array(OneOf(['never', 'success', 'failure', 'delay']), {
        maxItems: 4,
        uniqueItems: true,
        single: true,
        description: 'Conditions of a notification (NOTIFY). `never` excludes the others.',
      }),
    ),
    recipient: Type.Optional(described('Original recipient (ORCPT).', MailAddress)),
  },
  {
    description:
      'Requested delivery status notifications (RFC 3461). Without effect for accounts on a mail API.',
  },
)
export type Dsn = Static<typeof Dsn>

/**
 * Id of a list from which recipients can unsubscribe (RFC 2919). The id has the syntax of a host
 * name.
 */
export const ListId = Text(
  'Id of a list of the account from which recipients can unsubscribe, with the syntax of a host name (RFC 2919).',
  { minLength: 1, maxLength: 253, format: 'list-id' },
)

const sendAt = Type.Optional(Time('Earliest time of sending (ISO 8601). Defaults to now.'))
/** Locale and time zone with which dates are written in messages that a submission quotes. */
export const quotationFormat = {
  locale: Type.Optional(
    Text('Language tag of dates in quoted messages. Defaults to that of the account.', {
      maxLength: 100,
      format: 'one-line',
    }),
  ),
  tz: Type.Optional(
    Text('Time zone of dates in quoted messages. Defaults to that of the account.', {
      maxLength: 100,
      format: 'one-line',
    }),
  ),
}

/**
 * Options for sending a submission (request to send a message), independent of the content of the
 * message.
 */
const delivery = {
  sendAt,
  deliveryAttempts: Type.Optional(
    Int('Maximum number of attempts. Defaults to the setting `deliveryAttempts`.', {
      minimum: 1,
      maximum: 100,
    }),
  ),
  gateway: Type.Optional(
    Text('Id of a gateway that sends instead of the server of the account.', {
      minLength: 1,
      maxLength: 256,
    }),
  ),
  dsn: Type.Optional(Dsn),
  proxy: Type.Optional(
    Text(
      'URL of a proxy. Rejected for tokens that are bound to an account or have restricted permissions. Without effect for accounts on a mail API.',
      { maxLength: 1024, format: 'proxy-url' },
    ),
  ),
  localAddress: Type.Optional(
    Text(
      'Local IP address of the connection, one of the setting `localAddresses`. Without effect for accounts on a mail API.',
      { maxLength: 64, format: 'ip-address' },
    ),
  ),
  copy: Type.Optional(
    Nullable(
      Bool(
        'If true, the sent message is stored in the Sent mailbox. Defaults to the account. Without effect for accounts on a mail API, whose providers store it.',
      ),
    ),
  ),
  sentMailPath: Type.Optional(
    Text(
      'Path of the mailbox for the copy. Defaults to the Sent mailbox of the account. Without effect for accounts on a mail API.',
      { minLength: 1, maxLength: 1024, format: 'mailbox-path' },
    ),
  ),
}

const MergeRecipient = Strict({
  to: described('Recipient.', Address),
  messageId: contentFields.messageId,
  params: Type.Optional(Params),
  sendAt,
})

export const Submission = Strict({
  ...contentFields,
  attachments: Type.Optional(
    Type.Array(AttachmentSource, { maxItems: 1000, single: true, description: 'Attachments.' }),
  ),
  reference: Type.Optional(Reference),
  raw: Type.Optional(RawMessage),
  mailMerge: Type.Optional(
    Type.Array(MergeRecipient, {
      minItems: 1,
      maxItems: maxMergeRecipients,
      description: 'Recipients of a mail merge. Each receives a separate message.',
    }),
  ),
  template: Type.Optional(
    Text(
      'Id or name of a template for subject and texts. The order of the search: ids, names of the account, names of shared templates.',
      { minLength: 1, maxLength: 256 },
    ),
  ),
  render: Type.Optional(
    Type.Union(
      [
        Strict({
          format: Type.Optional(
            OneOf(['html', 'markdown'], { default: 'html', description: 'Format of `html`.' }),
          ),
          params: Type.Optional(Params),
        }),
        Type.Literal(false),
      ],
      { description: 'Rendering of placeholders in subject and texts. False for none.' },
    ),
  ),
  ...delivery,
  trackOpens: Type.Optional(
    Bool('If true, opens are tracked. Defaults to the setting `trackOpens`.'),
  ),
  trackClicks: Type.Optional(
    Bool('If true, clicks are tracked. Defaults to the setting `trackClicks`.'),
  ),
  trackingEnabled: Type.Optional(Type.Boolean({ hidden: true })),
  listId: Type.Optional(ListId),
  baseUrl: Type.Optional(
    Text('Base URL of links to this service. Defaults to the setting `serviceUrl`.', {
      maxLength: 2048,
      format: 'http-url',
    }),
  ),
  ...quotationFormat,
  dryRun: Type.Optional(
    Bool(
      'If true, returns the composed message without sending it. Unsubscribe links are placeholders.',
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
    key: Text('Value of the header `Idempotency-Key`.'),
    status: OneOf(['MISS', 'HIT'], {
      description: '`HIT` if an earlier request had the same key, and this is its response.',
    }),
  },
  { description: 'Idempotency of the request. Absent without the header `Idempotency-Key`.' },
)
export type Idempotency = Static<typeof Idempotency>

const Skipped = Type.Object(
  { reason: Text('Reason of the block.'), listId: Text('Id of the list.') },
  {
    description:
      'Present if the recipient has unsubscribed from the list of the account, so that nothing was queued.',
  },
)

export const MergeResult = Type.Object({
  success: Bool('True if the message was queued or skipped.'),
  to: Type.Object(
    { name: Type.Optional(Text('Display name.')), address: Text('Email address.') },
    { description: 'Recipient.' },
  ),
  messageId: Type.Optional(Text('Message-ID header.')),
  queueId: Type.Optional(Text('Id of the submission.')),
  sendAt: Type.Optional(Text('Time of sending (ISO 8601).')),
  error: Type.Optional(Text('Reason for which the message was not queued.')),
  code: Type.Optional(Text('Error code.')),
  statusCode: Type.Optional(Nullable(Int('HTTP status of the error.'))),
  skipped: Type.Optional(Skipped),
})
export type MergeResult = Static<typeof MergeResult>

export const SubmissionResult = Type.Object({
  response: Text('Confirmation: `Queued for delivery`, or the result of a dry run.'),
  messageId: Type.Optional(Text('Message-ID. Absent with `mailMerge`.')),
  sendAt: Type.Optional(Text('Time of sending (ISO 8601). Absent in a dry run.')),
  queueId: Type.Optional(
    Text('Id of the submission. Absent if no message or more than one message was queued.'),
  ),
  reference: Type.Optional(ReferenceResult),
  preview: Type.Optional(
    Text('Composed message as base64, the first one of a mail merge. Only in a dry run.'),
  ),
  skipped: Type.Optional(Skipped),
  idempotency: Type.Optional(Idempotency),
  mailMerge: Type.Optional(
    Type.Array(MergeResult, { description: 'Result per recipient of a mail merge.' }),
  ),
})
export type SubmissionResult = Static<typeof SubmissionResult>
