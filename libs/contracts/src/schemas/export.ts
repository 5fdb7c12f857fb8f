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

/**
 * Statuses of an export of messages, in the order in which an export passes them. The last three
 * statuses are final.
 */
export const exportStatuses = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type ExportStatus = (typeof exportStatuses)[number]

/** Phases of an export of messages that the API shows. A stored export starts in `pending`. */
export const exportPhases = ['indexing', 'exporting', 'complete'] as const
export type ExportPhase = (typeof exportPhases)[number]

/** Phases of a failed export, as the event exportFailed names them. */
export const failedExportPhases = ['pending', 'indexing', 'exporting', 'unknown'] as const

/** Values of the export option for message texts: plain text, HTML, or both (`*`). */
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
        'Mailboxes to export, as paths or special uses such as `\\Sent`. Unknown mailboxes are skipped. Absent or empty: the mailbox with the special use `\\All`, or all mailboxes except junk and trash if the account has no such mailbox.',
    }),
  ),
  startDate: Time(
    'Earliest time of receipt of the exported messages (ISO 8601), inclusive. The time of receipt can differ from the Date header of a message.',
  ),
  endDate: Time(
    'Time before which the exported messages were received (ISO 8601), exclusive. Must be after `startDate`.',
  ),
  textType: Type.Optional(
    OneOf(exportTextTypes, {
      default: '*',
      description:
        'Text of each message that the export contains: `plain`, `html`, or `*` (default) for both.',
    }),
  ),
  maxBytes: Type.Optional(
    Int(
      'Maximum size in bytes of each text of a message: of the plain text, and of the HTML. Longer texts are cut. 0: no limit. Defaults to 5,242,880.',
      {
        minimum: 0,
        maximum: 1_073_741_824,
        default: defaultExportTextBytes,
      },
    ),
  ),
  includeAttachments: Type.Optional(
    Bool('If true, the export contains the contents of attachments in base64. Defaults to false.', {
      default: false,
    }),
  ),
})
export type ExportRequest = Static<typeof ExportRequest>

export const exportId = Text('Id of the export: `exp_` and 24 hexadecimal digits.', {
  minLength: 1,
  maxLength: 256,
})
const status = OneOf(exportStatuses, {
  description:
    'Status of the export. `queued`: waiting for a worker; `processing`: in progress; `completed`: the file can be downloaded; `failed`: ended by an error; `cancelled`: ended by a request.',
})
const created = Time('Time at which the export was requested (ISO 8601).')
const expiresAt = Time(
  'Time at which the export and the export file are deleted (ISO 8601). The time moves forward while the export makes progress.',
)

export const ExportProgress = Type.Object(
  {
    foldersScanned: Int('Number of mailboxes that the export has searched for messages so far.'),
    foldersTotal: Int(
      'Number of mailboxes that the export searches for messages. 0 before the search starts.',
    ),
    messagesQueued: Int('Number of messages to export that were found so far.'),
    messagesExported: Int('Number of messages written to the export file so far.'),
    messagesSkipped: Int(
      'Number of messages that the export could not read. The export file lacks these messages.',
    ),
    bytesWritten: Int('Size of the compressed export file so far, in bytes.'),
  },
  { description: 'Progress of the export, in mailboxes, messages and bytes.' },
)

/** Export of an account's messages, as an entry of a list. */
export const ExportEntry = Type.Object({ exportId, status, created, expiresAt })

export const ExportRecord = Type.Object({
  exportId,
  status,
  phase: Type.Optional(
    OneOf(exportPhases, {
      description:
        'Phase of the export. `indexing`: searches messages; `exporting`: writes messages to the file; `complete`: the file is complete. Absent before the start of the export.',
    }),
  ),
  folders: Texts(
    'Requested mailboxes, as paths or special uses. Empty if the request named no mailboxes.',
  ),
  startDate: Time('Earliest time of receipt of the exported messages (ISO 8601), inclusive.'),
  endDate: Time('Time before which the exported messages were received (ISO 8601), exclusive.'),
  isEncrypted: Type.Literal(true, { description: 'Always true: exports are stored encrypted.' }),
  progress: ExportProgress,
  created,
  expiresAt,
  estimatedEnd: Type.Optional(
    Time(
      'Estimated time at which the export ends (ISO 8601). Absent while unknown, and after the end of the export.',
    ),
  ),
  truncated: Bool(
    'True if the file lacks messages: the export reached `exportMaxMessages`, `exportMaxSize` or the limit of the export storage, or a mailbox could not be read.',
  ),
  error: Nullable(Text('Text of the error that ended the export. Null if there was no error.')),
})
export type ExportRecord = Static<typeof ExportRecord>

/**
 * Export of an account's messages as operators see it, with more members than for other callers.
 */
export const AdminExport = Type.Object({
  ...ExportRecord.properties,
  account: described('Id of the account whose messages are exported.', AccountId),
  errorCode: Nullable(
    Text(
      'Code of the error that ended the export. Null if there was no error, or if the error has no code.',
    ),
  ),
  startedAt: Nullable(
    Time(
      'Time at which a sync-worker started the export (ISO 8601). Null before the start of the export.',
    ),
  ),
  finishedAt: Nullable(
    Time('Time at which the export ended (ISO 8601). Null before the end of the export.'),
  ),
  unavailableSince: Nullable(
    Time(
      'Time since which the mail server of the account has been unavailable for the export (ISO 8601). Null if the server is available, and after the end of the export.',
    ),
  ),
  worker: Nullable(
    Text(
      'Id of the sync-worker that serves the account. Null if no sync-worker serves the account.',
    ),
  ),
  storedBytes: Int('Size of the stored export file in bytes.'),
})
