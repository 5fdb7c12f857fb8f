import { expect, test } from '@jest/globals'
import { type GetOptions, MailApiError } from '@posthorn/backends/mail-api'
import type { ExportReadOptions } from '../../export-driver.ts'
import type { ApiCommand } from '../commands/api-command.ts'
import { readMessages } from './read-messages.ts'

const options: ExportReadOptions = {
  textType: '*',
  maxBytes: undefined,
  includeAttachments: false,
  acceptsPartial: false,
}
const failure = new MailApiError('unavailable', 'try again', { status: 503 })

/**
 * Reads message `a` for an export, while the provider refuses some requests but the mailbox can be
 * used.
 */
async function read(getMessages: (wanted: GetOptions) => { id: string }[]) {
  const api = {
    getMessages: async (_ids: readonly string[], wanted: GetOptions) => getMessages(wanted),
    profile: async () => ({}),
  }
  const command = { api, signal: new AbortController().signal } as unknown as ApiCommand
  return Array.fromAsync(readMessages(command, ['a'], options))
}

test('readMessages: message for which the provider fails, is unreadable with the error', async () => {
  const readings = await read(() => {
    throw failure
  })
  expect(readings).toEqual([{ state: 'unreadable', error: failure }])
})

test('readMessages: message without refused attachments, is unreadable with the error', async () => {
  const readings = await read(({ attachments }) => {
    if (attachments) throw failure
    return [{ id: 'a' }]
  })
  expect(readings).toEqual([{ state: 'unreadable', error: failure }])
})

test('readMessages: message that the provider does not return, is missing', async () => {
  expect(await read(() => [])).toEqual([{ state: 'missing' }])
})
