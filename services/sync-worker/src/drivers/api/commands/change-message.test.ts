import { expect, test } from '@jest/globals'
import type { MailApi } from '@posthorn/backends/mail-api'
import type { ApiCommand } from './api-command.ts'
import { deleteMessage, updateMessage } from './change-message.ts'

const change = {
  updateMessage: updateMessage({ message: 'm1', update: { flags: { add: ['\\Seen'] } } } as never),
  deleteMessage: deleteMessage({ message: 'm1', force: true } as never),
}

test.each([
  ['updateMessage', 'folder', [], [['m1']]],
  ['updateMessage', 'labels', [], [undefined]],
  ['deleteMessage', 'folder', [], [['m1']]],
  // The response may have been lost, or the message moved.
  ['updateMessage', 'folder', ['m1'], [['m1']]],
] as const)('%s: placement %s, missing %j, requests a pass over %j', async (...row) => {
  const [name, placement, missing, expected] = row
  const result = async () => ({ missing })
  const api = {
    traits: { placement, removes: true },
    updateMessages: result,
    removeMessages: result,
  }
  const passes: unknown[] = []
  const requestPass = (messages?: readonly string[]) => void passes.push(messages)
  const { signal } = new AbortController()
  const command = { api: api as unknown as MailApi, signal, requestPass } as ApiCommand
  const work = change[name](command)
  if (missing.length > 0) await expect(work).rejects.toMatchObject({ code: 'MessageNotFound' })
  else await work
  expect(passes).toEqual(expected)
})
