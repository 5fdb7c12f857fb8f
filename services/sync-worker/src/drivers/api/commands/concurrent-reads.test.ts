import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { ApiMessage, MailApi } from '@posthorn/backends/mail-api'
import type { ApiCommand } from './api-command.ts'
import { FolderCache } from './folder-cache.ts'
import { getMessage } from './get-message.ts'
import { listMessages } from './list-messages.ts'

const message = {
  id: '18c2f0a1b2c3d4e5',
  receivedAt: new Date(0),
  envelope: { from: [], sender: [], replyTo: [], to: [], cc: [], bcc: [] },
  headers: [],
  attachments: [],
  labels: ['INBOX'],
  unseen: true,
  flagged: false,
  draft: false,
} as unknown as ApiMessage

/**
 * Context of a mail API command whose provider responds in a later turn of the event loop, with the
 * recorded requests.
 */
function commandOf(placement: 'labels' | 'folder', total?: number) {
  const requests: string[] = []
  const answers: Record<string, unknown> = {
    folders: [{ id: 'INBOX', path: ['INBOX'], editable: false, assignable: true }],
    listMessages: { entries: [], ...(total !== undefined && { total }) },
    folderCounts: { messages: 7, unseen: 1 },
    getMessage: message,
  }
  const request = (name: string) => async () => {
    requests.push(`${name} sent`)
    await setImmediate()
    requests.push(`${name} answered`)
    return answers[name]
  }
  const api = Object.fromEntries(Object.keys(answers).map((name) => [name, request(name)]))
  const command = {
    api: { ...api, traits: { placement } } as unknown as MailApi,
    account: 'jane',
    session: {},
    folders: new FolderCache(),
    settings: { get: async () => ({}) },
    bounces: { addTo: async (_db: unknown, _command: unknown, list: unknown) => list },
    signal: new AbortController().signal,
  } as unknown as ApiCommand
  return { command, requests }
}

const listed = { account: 'jane', path: 'INBOX', page: 0, pageSize: 20 }

test.each([
  [12, 0],
  [undefined, 1],
])('listMessages: a list with the number %p, sends %d requests for it', async (total, sent) => {
  const { command, requests } = commandOf('folder', total)
  await command.folders.get(command)
  await listMessages(listed, 'graph')(command)
  expect(requests.filter((each) => each === 'folderCounts sent')).toHaveLength(sent)
})

test('getMessage: reads unknown folders while it reads the message', async () => {
  const { command, requests } = commandOf('labels')
  await getMessage({ account: 'jane', message: message.id })(command)
  expect(requests.slice(0, 2)).toEqual(['getMessage sent', 'folders sent'])
})
