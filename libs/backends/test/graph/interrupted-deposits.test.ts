import { describe, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { createHttpCaller, type HttpCaller } from '@posthorn/net/http-caller'
import { eventually } from '@posthorn/testkit'
import type { GraphFake } from '@posthorn/testkit/graph-fake'
import { DeliveryGate, providerFaults } from '@posthorn/testkit/providers'
import { signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

const messageIdHeader = '<large@mail.example>'
/**
 * Requests that store a Graph draft with two files, one by one: the second file is uploaded in two
 * slices.
 */
const sizes = [200_000, 4_000_000]
const requests = [
  'POST /messages',
  'POST /messages/{message-id}/attachments',
  'POST /messages/{message-id}/attachments/createUploadSession',
  'upload',
  'upload',
  'PATCH /messages/{message-id}',
]
const cuts = requests.flatMap((operation, index) =>
  (['before', 'after'] as const).map((phase) => [phase, index + 1, operation] as const),
)

const content = Buffer.from(
  `From: ann@mail.example\r\nTo: bob@mail.example\r\nSubject: large\r\nMessage-ID: ${messageIdHeader}\r\n` +
    `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n` +
    `${sizes.map((size) => filePart(size)).join('')}--b--\r\n`,
)

function filePart(size: number): string {
  const fields = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment'
  const text = Buffer.alloc(size, 'x').toString('base64')
  return `--b\r\n${fields}; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n${text}\r\n`
}

/**
 * HTTP caller of a process that dies around its n-th request: later requests are not sent either.
 */
function dyingCaller(
  inner: HttpCaller,
  { at, phase }: { at: number; phase: 'before' | 'after' },
): Pick<HttpCaller, 'open'> {
  let count = 0
  const dead = () => new AppError('unreachable', 'the process is dead')
  return {
    async open(...args) {
      count += 1
      if (count > at || (count === at && phase === 'before')) throw dead()
      const response = await inner.open(...args)
      if (count < at) return response
      response[Symbol.dispose]()
      throw dead()
    },
  }
}

const open = ({ origins }: GraphFake) =>
  createHttpCaller({ policy: 'off', timeoutMs: 60_000, maxResponseBytes: 1_000_000, origins })

describe('graph depositDraft', () => {
  test.each(cuts)(
    'process dies %s request %d (%s), the draft is complete or found as incomplete',
    async (phase, at) => {
      await using setup = await startGraph()
      using caller = open(setup.fake)
      const { messages, sent } = setup.fake.mailbox
      const dying = setup.create({ deps: { caller: dyingCaller(caller, { at, phase }) } })
      await expect(dying.depositDraft(content, {}, signal)).rejects.toMatchObject({
        failure: 'unavailable',
      })
      const executed = phase === 'before' ? at - 1 : at
      const complete = await setup.api.findDrafts({ messageIdHeader }, signal)
      const query = { messageIdHeader, incomplete: true }
      const incomplete = await setup.api.findDrafts(query, signal)
      expect(complete).toHaveLength(executed === requests.length ? 1 : 0)
      expect(complete.length + incomplete.length).toBe(Math.min(executed, 1))
      for (const { id } of incomplete) await setup.api.discardDraft(id, signal)
      expect(messages.size).toBe(complete.length)
      const [draft] = complete.length > 0 ? complete : [await deposit()]
      await setup.api.releaseDraft(draft?.id ?? '', signal)
      expect(sent).toHaveLength(1)
      expect(messages.size).toBe(1)
      const [message] = messages.values()
      expect(message?.content.internetMessageId).toBe(messageIdHeader)
      expect(message?.content.attachments.map(({ bytes }) => bytes.length)).toEqual(sizes)

      function deposit() {
        return setup.api.depositDraft(content, {}, signal)
      }
    },
  )

  test.each(cuts)(
    'upload that dies %s request %d (%s): its draft is complete or found by its own Message-ID',
    async (phase, at) => {
      await using setup = await startGraph()
      using caller = open(setup.fake)
      const { mailbox } = setup.fake
      const { messages } = mailbox
      const keys: string[] = []
      const onIncomplete = async (key: string) => void keys.push(key)
      const folderId = mailbox.folder('inbox').id
      const target = { folderId, draft: true, unseen: false, onIncomplete }
      const dying = setup.create({ deps: { caller: dyingCaller(caller, { at, phase }) } })
      await expect(dying.appendMessage(content, target, signal)).rejects.toBeDefined()
      const executed = phase === 'before' ? at - 1 : at
      // A second upload of the message to Graph must not be found instead of the first upload.
      const gate = new DeliveryGate()
      const remove = setup.fake.server.on('upload', providerFaults.holds(gate))
      const again = setup.api.appendMessage(content, target, signal)
      await eventually(() => expect(gate.waiting).toBe(1))
      expect(new Set(keys).size).toBe(2)
      const query = { messageIdHeader: keys[0] ?? '', incomplete: true }
      const incomplete = await setup.api.findDrafts(query, signal)
      expect(incomplete).toHaveLength(executed === 0 || executed === requests.length ? 0 : 1)
      for (const { id } of incomplete) await setup.api.discardDraft(id, signal)
      remove()
      gate.open()
      const { id } = await again
      expect(messages.get(id)?.content.internetMessageId).toBe(messageIdHeader)
      expect(messages.get(id)?.folderId).toBe(folderId)
      expect(messages.size).toBe(executed === requests.length ? 2 : 1)
    },
  )

  test('removal of an incomplete draft fails, the error tells', async () => {
    await using setup = await startGraph()
    using caller = open(setup.fake)
    setup.fake.faults.delegatedShared = true
    const deposit = (at: number) => {
      const dying = dyingCaller(caller, { at, phase: 'before' })
      return setup.create({ deps: { caller: dying } }).depositDraft(content, {}, signal)
    }
    const refused = { failure: 'too-large' }
    await expect(deposit(4)).rejects.toMatchObject({ ...refused, leavesDraft: true })
    await expect(deposit(9)).rejects.toMatchObject({ ...refused, leavesDraft: false })
  })
})
