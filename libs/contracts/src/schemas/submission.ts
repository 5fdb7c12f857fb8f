import { type Static, Type } from 'typebox'
import { AttachmentSource, Base64Content } from './attachment.ts'
import { contentFields } from './content.ts'
import { Address, IsoDate, MailAddress, Nullable, OneOf, Strict } from './primitives.ts'
import { Reference, ReferenceResult } from './reference.ts'

/** Maximum recipients of one mail merge. */
export const maxMergeRecipients = 1000

const Params = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Values of the placeholders.',
})

/** Requested delivery status notifications (RFC 3461). */
export const Dsn = Strict({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 256, format: 'one-line' })),
  return: OneOf(['headers', 'full']),
  notify: Type.Optional(
    Type.Array(OneOf(['never', 'success', 'failure', 'delay']), {
      maxItems: 4,
      uniqueItems: true,
      single: true,
    }),
  ),
  recipient: Type.Optional(MailAddress),
})
export type Dsn = Static<typeof Dsn>

/**
 * Id of a list from which recipients can unsubscribe, with the syntax of a host name (RFC 2919).
 */
export const ListId = Type.String({ minLength: 1, maxLength: 253, format: 'list-id' })

/** Sending options, independent of the content. */
const delivery = {
  sendAt: Type.Optional(IsoDate),
  deliveryAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  gateway: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  dsn: Type.Optional(Dsn),
  proxy: Type.Optional(
    Type.String({
      maxLength: 1024,
      format: 'proxy-url',
      description:
        'URL of a proxy. Rejected for tokens that are bound to an account or have restricted permissions.',
    }),
  ),
  localAddress: Type.Optional(Type.String({ maxLength: 64, format: 'ip-address' })),
  copy: Type.Optional(Nullable(Type.Boolean())),
  sentMailPath: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, format: 'mailbox-path' }),
  ),
}

const MergeRecipient = Strict({
  to: Address,
  messageId: contentFields.messageId,
  params: Type.Optional(Params),
  sendAt: Type.Optional(IsoDate),
})

export const Submission = Strict({
  ...contentFields,
  attachments: Type.Optional(Type.Array(AttachmentSource, { maxItems: 1000, single: true })),
  reference: Type.Optional(Reference),
  raw: Type.Optional({ ...Base64Content, description: 'Complete message (RFC 5322) as base64.' }),
  mailMerge: Type.Optional(
    Type.Array(MergeRecipient, {
      minItems: 1,
      maxItems: maxMergeRecipients,
      description: 'Recipients of a mail merge. Each receives a separate message.',
    }),
  ),
  template: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  render: Type.Optional(
    Type.Union([
      Strict({
        format: Type.Optional(OneOf(['html', 'markdown'], { default: 'html' })),
        params: Type.Optional(Params),
      }),
      Type.Literal(false),
    ]),
  ),
  ...delivery,
  trackOpens: Type.Optional(Type.Boolean()),
  trackClicks: Type.Optional(Type.Boolean()),
  trackingEnabled: Type.Optional(Type.Boolean({ hidden: true })),
  listId: Type.Optional(ListId),
  baseUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      format: 'http-url',
      description: 'Base URL of links to this service. Defaults to the setting `serviceUrl`.',
    }),
  ),
  locale: Type.Optional(Type.String({ maxLength: 100, format: 'one-line' })),
  tz: Type.Optional(Type.String({ maxLength: 100, format: 'one-line' })),
  dryRun: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'If true, returns the composed message without sending it.',
    }),
  ),
})
export type Submission = Static<typeof Submission>

/** Sending options of a stored draft. */
export const DraftSubmission = Strict({ envelope: contentFields.envelope, ...delivery })
export type DraftSubmission = Static<typeof DraftSubmission>

const Idempotency = Type.Object({ key: Type.String(), status: OneOf(['MISS', 'HIT']) })
export type Idempotency = Static<typeof Idempotency>

/** Present if the recipient has unsubscribed from the list, so nothing was queued. */
const Skipped = Type.Object({ reason: Type.String(), listId: Type.String() })

export const MergeResult = Type.Object({
  success: Type.Boolean(),
  to: Type.Object({ name: Type.Optional(Type.String()), address: Type.String() }),
  messageId: Type.Optional(Type.String()),
  queueId: Type.Optional(Type.String()),
  sendAt: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  statusCode: Type.Optional(Nullable(Type.Integer())),
  skipped: Type.Optional(Skipped),
})
export type MergeResult = Static<typeof MergeResult>

export const SubmissionResult = Type.Object({
  response: Type.String(),
  messageId: Type.Optional(Type.String({ description: 'Message-ID. Absent with `mailMerge`.' })),
  sendAt: Type.Optional(
    Type.String({ description: 'Time of sending (ISO 8601). Absent in a dry run.' }),
  ),
  queueId: Type.Optional(
    Type.String({
      description:
        'Id of the submission. Absent if no message or more than one message was queued.',
    }),
  ),
  reference: Type.Optional(ReferenceResult),
  preview: Type.Optional(
    Type.String({
      description: 'Composed message as base64, the first one of a mail merge. Only in a dry run.',
    }),
  ),
  skipped: Type.Optional(Skipped),
  idempotency: Type.Optional(Idempotency),
  mailMerge: Type.Optional(Type.Array(MergeResult)),
})
export type SubmissionResult = Static<typeof SubmissionResult>
