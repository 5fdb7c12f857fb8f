import { ada, ids, jane, messageIds, onlyPage } from './cast.ts'

const listed = {
  exportId: ids.export,
  status: 'completed',
  created: '2030-02-01T08:00:00.000Z',
  expiresAt: '2030-02-02T08:00:12.000Z',
}
const completed = {
  ...listed,
  phase: 'complete',
  folders: [],
  startDate: '2030-01-01T00:00:00.000Z',
  endDate: '2030-02-01T00:00:00.000Z',
  isEncrypted: true,
  progress: {
    foldersScanned: 4,
    foldersTotal: 4,
    messagesQueued: 54,
    messagesExported: 54,
    messagesSkipped: 0,
    bytesWritten: 412_870,
  },
  truncated: false,
  error: null,
}
const message = {
  id: ids.message,
  path: 'INBOX',
  date: '2030-01-31T07:58:00.000Z',
  subject: 'Invoice of January',
  from: ada,
  to: [jane],
  messageId: messageIds.fromAda,
}

/** Examples of responses of the operations on exports, by operation id. */
export const exportResponses = {
  createExport: { exportId: ids.export, status: 'queued', created: listed.created },
  listExports: { ...onlyPage(1), exports: [listed] },
  getExport: completed,
  // The example shows the content of the compressed export file: a text cannot show the compressed
  // bytes.
  downloadExport: `${JSON.stringify(message)}\n`,
  deleteExport: { deleted: true },
  listAllExports: {
    ...onlyPage(1),
    storedBytes: 412_870,
    maxStoredBytes: 21_474_836_480,
    exports: [
      {
        ...completed,
        account: 'jane',
        errorCode: null,
        startedAt: '2030-02-01T08:00:01.000Z',
        finishedAt: '2030-02-01T08:00:12.000Z',
        unavailableSince: null,
        worker: null,
        storedBytes: 412_870,
      },
    ],
  },
}
