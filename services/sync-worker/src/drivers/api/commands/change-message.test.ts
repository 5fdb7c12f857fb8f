import { describe, expect, test } from '@jest/globals'
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
  // If the provider reports the message as missing, an earlier response to the change may have been
  // lost, or the message may have been moved.
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

describe('updateMessage: state after the change', () => {
  const before = { id: 'm1', unseen: true, flagged: false, draft: false, labels: ['old'] }
  const after = { ...before, flagged: true, labels: ['new'] }
  const envelope = { from: [], sender: [], replyTo: [], to: [], cc: [], bcc: [] }
  const update = {
    flags: { add: ['\\Flagged'] },
    labels: { add: ['new'], delete: ['old'] },
  }

  /**
   * Runs a change of a message's flags and labels. Reads of the message return the states in order,
   * and then the last state again.
   */
  async function run(states: readonly object[], unchanged: string[] = []) {
    let reads = 0
    const api = {
      traits: { placement: 'folder' },
      updateMessages: async () => ({ missing: [], unchanged }),
      getMessage: async () => {
        const state = states[Math.min(reads++, states.length - 1)]
        if (!state) throw new Error('The message cannot be read')
        return { envelope, receivedAt: new Date(0), ...state }
      },
    }
    const command = {
      api: api as unknown as MailApi,
      signal: new AbortController().signal,
      deadline: Date.now() + 60_000,
      requestPass: () => undefined,
      folders: { get: async () => ({ folders: [], isCached: true }) },
      settings: { get: async () => ({}) },
    } as unknown as ApiCommand
    const work = updateMessage({ message: 'm1', update } as never)
    return { result: await work(command), reads }
  }

  test('outdated at first, is read again', async () => {
    expect(await run([before, before, after])).toEqual({
      result: {
        flags: { add: true, result: ['\\Flagged'] },
        labels: { add: true, delete: true, result: ['new'] },
      },
      reads: 3,
    })
  })

  test('outdated for long, is left out of the confirmed change', async () => {
    const { result } = await run([before])
    expect(result).toEqual({ flags: { add: true }, labels: { add: true, delete: true } })
  })

  test('of a change that the provider does not show, decides about each step', async () => {
    const flagged = { ...before, flagged: true }
    const { result } = await run([flagged], ['m1'])
    expect(result).toEqual({
      flags: { add: true, result: ['\\Flagged'] },
      labels: { add: false, delete: false, result: ['old'] },
    })
  })

  test('unreadable after a change that the provider does not show, is no success', async () => {
    const { result } = await run([], ['m1'])
    expect(result).toEqual({ flags: { add: false }, labels: { add: false, delete: false } })
  })
})
