import { type Static, Type } from 'typebox'
import { MailboxTarget } from './mailbox-name.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  Nullable,
  OneOf,
  Strict,
  Text,
  Texts,
  Time,
} from './primitives.ts'

/** Statuses of an export, in the order of its life. The last three statuses are final. */
export const exportStatuses = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type ExportStatus = (typeof exportStatuses)[number]

/** Phases of an export that the API shows. A stored export starts in `pending`. */
export const exportPhases = ['indexing', 'exporting', 'complete'] as const
export type ExportPhase = (typeof exportPhases)[number]

/** Phases of a failed export, as the event exportFailed names them. */
export const failedExportPhases = ['pending', 'indexing', 'exporting', 'unknown'] as const

/** Text that each message of an export contains. */
export const exportTextTypes = ['plain', 'html', '*'] as const
export type ExportTextType = (typeof exportTextTypes)[number]

/** Maximum bytes of each text of an exported message if the request does not set the maximum. */
export const defaultExportTextBytes = 5 * 1024 ** 2

export const ExportRequest = Strict({
  folders: Type.Optional(
    Type.Array(MailboxTarget, {
      maxItems: 1000,
      single: true,
      description:
        'Mailboxes to export, as paths or special uses such as `\\Sent`. Unknown ones are skipped. Absent or empty: the mailbox of all messages if the account has one, otherwise all mailboxes except junk and trash.',
    }),
  ),
  startDate: Time(
    'Start of the range of times of receipt (ISO 8601), inclusive. The `date` of a message, from its Date header, can be another.',
  ),
  endDate: Time(
    'End of the range of times of receipt (ISO 8601), exclusive. Must be after `startDate`.',
  ),
  textType: Type.Optional(
    OneOf(exportTextTypes, {
      default: '*',
      description: 'Text of the messages to include: `plain`, `html`, or `*` for both.',
    }),
  ),
  maxBytes: Type.Optional(
    Int('Maximum bytes of the plain text and of the HTML of a message, each. 0: no limit.', {
      minimum: 0,
      maximum: 1_073_741_824,
      default: defaultExportTextBytes,
    }),
  ),
  includeAttachments: Type.Optional(
    Bool('If true, includes the contents of attachments in base64.', { default: false }),
  ),
})
export type ExportRequest = Static<typeof ExportRequest>

export const exportId = Text('Id of the export: `exp_` and 24 hexadecimal digits.', {
  minLength: 1,
  maxLength: 256,
})
const status = OneOf(exportStatuses, { description: 'Status of the export.' })
const created = Time('Time the export was created (ISO 8601).')
const expiresAt = Time(
  'Time at which a finished export is deleted (ISO 8601). Moves forward while the export makes progress.',
)

export const ExportProgress = Type.Object(
  {
    foldersScanned: Int('Number of mailboxes that were searched.'),
    foldersTotal: Int('Number of mailboxes to search. 0 before the search starts.'),
    messagesQueued: Int('Number of messages found so far.'),
    messagesExported: Int('Number of messages in the file.'),
    messagesSkipped: Int('Number of messages that could not be read.'),
    bytesWritten: Int('Size of the compressed file so far, in bytes.'),
  },
  { description: 'Progress of the export.' },
)

/** Export in a list. */
export const ExportEntry = Type.Object({ exportId, status, created, expiresAt })

export const ExportRecord = Type.Object({
  exportId,
  status,
  phase: Type.Optional(
    OneOf(exportPhases, {
      description: 'Phase of the export. Absent before it starts.',
    }),
  ),
  folders: Texts('Mailboxes as requested. Empty: the default.'),
  startDate: Time('Start of the range of times of receipt (ISO 8601).'),
  endDate: Time('End of the range of times of receipt (ISO 8601).'),
  isEncrypted: Type.Literal(true, { description: 'Always true: exports are stored encrypted.' }),
  progress: ExportProgress,
  created,
  expiresAt,
  estimatedEnd: Type.Optional(
    Time('Estimated time of the end (ISO 8601). Absent while unknown, and after the end.'),
  ),
  truncated: Bool(
    'True if the export ended at `exportMaxMessages`, `exportMaxSize` or the limit of storage, or if a folder could not be read, so that the file lacks messages.',
  ),
  error: Nullable(Text('Error that ended the export. Null without an error.')),
})
export type ExportRecord = Static<typeof ExportRecord>

/** Export as operators see it. */
export const AdminExport = Type.Object({
  ...ExportRecord.properties,
  account: described('Account of the export.', AccountId),
  errorCode: Nullable(Text('Code of the error. Null without a code.')),
  startedAt: Nullable(Time('Time a worker started the export (ISO 8601). Null before.')),
  finishedAt: Nullable(Time('Time the export ended (ISO 8601). Null before.')),
  unavailableSince: Nullable(
    Time(
      'Time since which the mail server of the account cannot be used (ISO 8601). Null if it can, and after the end.',
    ),
  ),
  worker: Nullable(
    Text('Id of the sync-worker that is responsible for the account. Null without one.'),
  ),
  storedBytes: Int('Bytes of the stored file.'),
})
