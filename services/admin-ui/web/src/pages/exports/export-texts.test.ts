import { expect, test } from '@jest/globals'
import { ExportRequest } from '@posthorn/contracts/schemas/export'
import { matches } from '@posthorn/contracts/validate'
import type { ExportEntry } from '../../data/lists/exports.ts'
import { exportBody, exportPart, progressText } from './export-texts.ts'

const running: ExportEntry = {
  account: 'anna',
  exportId: 'exp_1',
  status: 'processing',
  phase: 'exporting',
  folders: [],
  startDate: '2026-01-01T00:00:00.000Z',
  endDate: '2026-02-01T00:00:00.000Z',
  isEncrypted: true,
  progress: {
    foldersScanned: 1,
    foldersTotal: 4,
    messagesQueued: 2000,
    messagesExported: 500,
    messagesSkipped: 0,
    bytesWritten: 10,
  },
  created: '2026-03-01T00:00:00.000Z',
  expiresAt: '2026-03-02T00:00:00.000Z',
  truncated: false,
  error: null,
  errorCode: null,
  startedAt: null,
  finishedAt: null,
  unavailableSince: null,
  worker: null,
  storedBytes: 10,
}

test('exportBody: mailboxes by line, and a text type', () => {
  const body = exportBody({
    startDate: '2026-01-01T00:00Z',
    endDate: '2026-02-01T00:00Z',
    folders: 'INBOX\n\n \\Sent \r\n',
    textType: 'plain',
    includeAttachments: 'true',
  })
  expect(body).toEqual({
    startDate: '2026-01-01T00:00:00.000Z',
    endDate: '2026-02-01T00:00:00.000Z',
    folders: ['INBOX', '\\Sent'],
    textType: 'plain',
    includeAttachments: true,
  })
  expect(matches(ExportRequest, body)).toBe(true)
})

test('exportBody: no mailboxes and no choices are the defaults of the API', () => {
  const body = exportBody({ startDate: '2026-01-01T00:00Z', endDate: '2026-02-01T00:00Z' })
  expect(body).not.toHaveProperty('folders')
  expect(body).toMatchObject({ textType: '*', includeAttachments: false })
})

test.each([
  [{}, 0.25, '500 of 2,000 messages'],
  [{ phase: 'indexing' }, 0.25, 'searches messages: 1 of 4 mailboxes'],
  [{ status: 'queued' }, undefined, 'waits for a worker'],
  [{ status: 'completed', phase: 'complete' }, undefined, '500 of 2,000 messages'],
  [
    { unavailableSince: '2026-03-01T00:00:00.000Z' },
    0.25,
    '500 of 2,000 messages, the mail server does not respond',
  ],
] as const)('progressText: of an export with %j', (changes, part, text) => {
  const entry: ExportEntry = { ...running, ...changes }
  expect(exportPart(entry)).toBe(part)
  expect(progressText(entry)).toBe(text)
})

test('progressText: names messages that could not be read', () => {
  const progress = { ...running.progress, messagesSkipped: 3 }
  expect(progressText({ ...running, progress })).toContain('3 could not be read')
})

test('exportPart: is unknown before the mailboxes and messages are counted', () => {
  const progress = { ...running.progress, foldersTotal: 0, messagesQueued: 0 }
  expect(exportPart({ ...running, progress })).toBeUndefined()
  expect(exportPart({ ...running, progress, phase: 'indexing' })).toBeUndefined()
})
