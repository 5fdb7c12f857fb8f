import { expect, test } from '@jest/globals'
import type { FetchOptions, MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'
import { type BatchOptions, ExportBatch, maxLateBytes } from './export-batch.ts'

const { signal } = new AbortController()
const row = {
  number: 1,
  id: '1',
  path: 'INBOX',
  uidValidity: '1',
  listed: true,
  specialUse: null,
  attributes: [],
}
const noAddresses = { from: [], sender: [], replyTo: [], to: [], cc: [], bcc: [] }
const selected = { uidValidity: 1n }
/** Fake SQL query of a mailbox row, which returns the mailbox of the test. */
const query: object = new Proxy(
  {},
  {
    get: (_target, key) =>
      key === 'executeTakeFirst'
        ? async () => row
        : key === 'execute'
          ? async () => [row]
          : () => query,
  },
)

/**
 * Export batch of one message with a text of `size` bytes. The batch has no memory for the message,
 * so the message is read late.
 */
async function lateBatch(
  exportMemory: Semaphore,
  size: number,
  {
    select = async () => selected,
    refusals = new Map<number, number>(),
    expected = { sections: [] } as BatchOptions['expected'],
    onFetch = (_options: FetchOptions) => {},
  } = {},
) {
  async function* fetchMessages(_uids: unknown, fetchOptions: FetchOptions) {
    onFetch(fetchOptions)
    const bodyStructure = { type: 'text/plain', part: '1', size, encoding: '7bit', parameters: {} }
    const headers = Buffer.from('Subject: x\r\n\r\n')
    const dates = { internalDate: new Date(0) }
    yield {
      uid: 1,
      flags: [],
      labels: [],
      envelope: noAddresses,
      size,
      bodyStructure,
      headers,
      ...dates,
    }
  }
  const requests: object[] = []
  const session = { context: { sync: { request: (all: object) => void requests.push(all) } } }
  const mail = {
    fetchMessages,
    ensureSelected: select,
    readParts: async () => new Map([['1', Buffer.from('x')]]),
    capabilities: {},
  } as unknown as MailSession
  const deps = {
    db: query,
    settings: { get: async () => ({}) },
    bounces: { addTo: async (_db: unknown, _target: unknown, details: object[]) => details },
    reader: { forAccount: () => async () => ({ plain: 'x' }) },
    exportMemory,
  }
  const options = {
    deps,
    target: { account: 'a', session, signal },
    mail,
    options: { textType: '*', maxBytes: undefined, includeAttachments: false },
    refusals,
    expected,
  } as unknown as BatchOptions
  const batch = new ExportBatch(options, ['1.1'])
  await batch.fetch()
  return { readings: batch.read(), requests }
}

test('ExportBatch.read: large messages of two accounts, are not in memory together', async () => {
  const memory = new Semaphore(maxLateBytes)
  const [{ readings: one }, { readings: other }] = await Promise.all([
    lateBatch(memory, 20 * 1024 * 1024),
    lateBatch(memory, 20 * 1024 * 1024),
  ])
  expect((await one.next()).value).toMatchObject({ state: 'read', message: { text: {} } })
  const second = other.next()
  await new Promise(setImmediate)
  expect(memory.waiting).toBe(1)
  // The first message was exported, so its memory is free for the second message.
  expect(await one.next()).toMatchObject({ done: true })
  expect((await second).value).toMatchObject({ state: 'read' })
  await other.return(undefined)
  expect(memory.isIdle).toBe(true)
})

test('ExportBatch.read: mailbox renamed after the fetch, is unavailable until it is listed', async () => {
  let selects = 0
  const select = async () => {
    if (++selects > 1) throw new AppError('not-found', 'no such mailbox')
    return selected
  }
  const refusals = new Map([[1, 5]])
  const memory = new Semaphore(maxLateBytes)
  const { readings, requests } = await lateBatch(memory, maxLateBytes, { select, refusals })
  // The fetch of the batch could select the mailbox, which deleted the record of the mailbox's
  // earlier failures.
  expect(refusals.size).toBe(0)
  await expect(readings.next()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(refusals.get(1)).toBe(1)
  expect(requests).toEqual([{ all: true }])
})

test('ExportBatch.fetch: failed with sections, requests none in the next attempt', async () => {
  const memory = new Semaphore(maxLateBytes)
  const expected = { sections: [{ key: 'TEXT', maxLength: 1_024 }] }
  const requested: unknown[] = []
  const onFetch = ({ sections }: FetchOptions) => {
    requested.push(sections)
    if (sections?.length) throw new AppError('unreachable', 'the connection is lost')
  }
  const attempt = () => lateBatch(memory, maxLateBytes, { expected, onFetch })
  await expect(attempt()).rejects.toMatchObject({ kind: 'unreachable' })
  await attempt()
  expect(requested).toEqual([[{ key: 'TEXT', maxLength: 1_024 }], []])
})

test('ExportBatch.fetch: no text was read, requests the same sections again', async () => {
  const memory = new Semaphore(maxLateBytes)
  const sections = [{ key: 'TEXT', maxLength: 1_024 }]
  const expected = { sections }
  await lateBatch(memory, maxLateBytes, { expected })
  expect(expected.sections).toEqual(sections)
})
