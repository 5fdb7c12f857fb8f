import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { failedExportPhases } from '../schemas/export.ts'
import { Int, OneOf, Text, Texts, Time } from '../schemas/primitives.ts'

/**
 * An export of an account's messages is complete and can be downloaded. Published by sync-worker,
 * once per export.
 */
export const exportCompleted = defineEvent(
  'exportCompleted',
  Type.Object({
    exportId: Text('Id of the export, for `GET /v1/account/{account}/export/{exportId}`.'),
    folders: Texts(
      'Requested mailboxes, as paths or special uses. Empty if the request named no mailboxes.',
    ),
    startDate: Time('Earliest time of receipt of the exported messages (ISO 8601), inclusive.'),
    endDate: Time('Time before which the exported messages were received (ISO 8601), exclusive.'),
    messagesExported: Int('Number of messages in the export file.'),
    messagesSkipped: Int(
      'Number of messages that the export could not read. The export file lacks these messages.',
    ),
    bytesWritten: Int('Size of the compressed export file in bytes.'),
    duration: Int('Time from the start of the export to its end, in milliseconds.'),
    expiresAt: Time('Time at which the export and the export file are deleted (ISO 8601).'),
  }),
)
export type ExportCompleted = Static<typeof exportCompleted.data>

/**
 * An export of an account's messages ended with a permanent error. Published by sync-worker, once
 * per export.
 */
export const exportFailed = defineEvent(
  'exportFailed',
  Type.Object({
    exportId: Text('Id of the export, for `GET /v1/account/{account}/export/{exportId}`.'),
    error: Text('Text of the error that ended the export.'),
    errorCode: Type.Optional(
      Text('Code of the error that ended the export. Absent if the error has no code.'),
    ),
    phase: OneOf(failedExportPhases, {
      description:
        'Phase in which the export failed. `pending`: before the start; `indexing`: search of messages; `exporting`: writing of messages; `unknown`: the phase is not known.',
    }),
    messagesExported: Int(
      'Number of messages that were written to the export file before the error ended the export.',
    ),
    messagesQueued: Int(
      'Number of messages to export that were found before the error ended the export.',
    ),
  }),
)
export type ExportFailed = Static<typeof exportFailed.data>
