import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { failedExportPhases } from '../schemas/export.ts'
import { Int, OneOf, Text, Texts, Time } from '../schemas/primitives.ts'

/** An export is complete and can be downloaded. Published by sync-worker, once per export. */
export const exportCompleted = defineEvent(
  'exportCompleted',
  Type.Object({
    exportId: Text('Id of the export.'),
    folders: Texts('Mailboxes as requested. Empty: the default.'),
    startDate: Time('Start of the range of times of receipt (ISO 8601).'),
    endDate: Time('End of the range of times of receipt (ISO 8601).'),
    messagesExported: Int('Number of messages in the file.'),
    messagesSkipped: Int('Number of messages that could not be read.'),
    bytesWritten: Int('Size of the file in bytes.'),
    duration: Int('Time from the start of the export to its end, in milliseconds.'),
    expiresAt: Time('Time at which the file is deleted (ISO 8601).'),
  }),
)
export type ExportCompleted = Static<typeof exportCompleted.data>

/** An export ended with an error for good. Published by sync-worker, once per export. */
export const exportFailed = defineEvent(
  'exportFailed',
  Type.Object({
    exportId: Text('Id of the export.'),
    error: Text('Text of the error.'),
    errorCode: Type.Optional(Text('Code of the error.')),
    phase: OneOf(failedExportPhases, { description: 'Phase in which the export failed.' }),
    messagesExported: Int('Number of messages that were exported before.'),
    messagesQueued: Int('Number of messages that were found.'),
  }),
)
export type ExportFailed = Static<typeof exportFailed.data>
