import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { openAsBlob } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { Posthorn } from '@posthorn/client'
import { eventually, TcpRelay } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId } from '../world.ts'

// Large uploads and downloads through the typed API client, and connections that are cut.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const world = stack.use(await useSharedWorld())
const { account } = await world.connectAccount(uniqueAccount('large'))
const target = { hostname: '127.0.0.1', port: new URL(world.url).port }
const relay = stack.use(await TcpRelay.to(target))
const posthorn = new Posthorn({ url: `http://${relay.address}`, token: world.token })
const folder = await mkdtemp(join(tmpdir(), 'posthorn-transfers-'))
stack.defer(() => rm(folder, { recursive: true }))

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const cut = () => relay.retarget(target)
/** Size of a file that has 50 MB in base64. */
const size = 37_500_000

/** Writes a message with a large attachment into a file, whose size is about `bytes`. */
async function writeMessage(
  name: string,
  bytes: number,
): Promise<{ file: string; content: Buffer }> {
  const content = randomBytes((bytes * 3) / 4 - 100_000)
  const base64 = content.toString('base64').replaceAll(/(.{76})/g, '$1\r\n')
  const head = [
    `Message-ID: ${freshMessageId()}`,
    `Date: ${new Date().toUTCString()}`,
    `Subject: ${name}`,
    'MIME-Version: 1.0',
    'Content-Type: application/octet-stream; name=large.bin',
    'Content-Disposition: attachment; filename=large.bin',
    'Content-Transfer-Encoding: base64',
  ]
  const file = join(folder, `${name}.eml`)
  await writeFile(file, `${head.join('\r\n')}\r\n\r\n${base64}\r\n`)
  return { file, content }
}

test('uploads with up to 50 MB of base64 arrive unchanged, downloads return them', async () => {
  for (const [name, bytes] of [
    ['first', size],
    ['second', size / 6],
  ] as const) {
    const { file, content } = await writeMessage(name, bytes)
    const raw = await openAsBlob(file)
    const { id = '' } = await posthorn.uploadMessage({
      account,
      body: { path: 'INBOX', raw },
      timeout: 120_000,
    })
    const source = await posthorn.getMessageSource({ account, message: id, timeout: 120_000 })
    expect(digest(await source.bytes())).toBe(digest(await raw.bytes()))
    const { attachments = [] } = await posthorn.getMessage({ account, message: id })
    const attachment = attachments[0]?.id ?? ''
    const part = await posthorn.getAttachment({ account, attachment, timeout: 120_000 })
    expect(digest(await part.bytes())).toBe(digest(content))
  }
})

test('an export of more than 25 MB continues after each cut connection', async () => {
  const day = 86_400_000
  const { exportId } = await posthorn.createExport({
    account,
    body: {
      startDate: new Date(Date.now() - day).toISOString(),
      endDate: new Date(Date.now() + day).toISOString(),
      includeAttachments: true,
    },
  })
  await eventually(
    async () => {
      const { status } = await posthorn.getExport({ account, exportId })
      expect(status).toBe('completed')
    },
    { timeoutMs: 120_000 },
  )
  const whole = await new Posthorn({ ...world }).downloadExport({ account, exportId })
  const expected = await whole.bytes()
  expect(expected.length).toBeGreaterThan(25_000_000)
  const { body } = await posthorn.downloadExport({ account, exportId })
  const hash = createHash('sha256')
  let received = 0
  let cuts = 0
  for await (const chunk of body ?? []) {
    hash.update(chunk)
    received += chunk.length
    if (received > (cuts + 1) * 7_500_000) {
      cuts += 1
      cut()
    }
  }
  expect(cuts).toBeGreaterThanOrEqual(3)
  expect(hash.digest('hex')).toBe(digest(expected))
})

test('a submission whose response is lost is stored once', async () => {
  const direct = new Posthorn({ ...world })
  const sendAt = new Date(Date.now() + 3_600_000).toISOString()
  const body = { to: [{ address: 'ben@mail.test' }], subject: 'once', text: 'Hello', sendAt }
  relay.delay(500)
  const submitted = posthorn.submitMessage({ account, body })
  await eventually(async () => expect((await direct.listOutbox({ account })).total).toBe(1))
  cut()
  relay.delay(0)
  const { queueId = '' } = await submitted
  const { messages } = await direct.listOutbox({ account })
  expect(messages.map((entry) => entry.queueId)).toEqual([queueId])
})

/** Reads the current position of the API's stream of changes. */
async function currentPosition(): Promise<string> {
  const { body } = await posthorn.followChanges()
  let text = ''
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk)
    const [, position] = /^id: (\S+)$/m.exec(text) ?? []
    if (position !== undefined) return position
  }
  throw new Error(`the stream has no position: ${text}`)
}

test('changes() continues after cut connections without a gap', async () => {
  const followed = [uniqueAccount('seen'), uniqueAccount('seen'), uniqueAccount('seen')]
  const connected: (string | null)[] = []
  const lastEventId = await currentPosition()
  const following = (async () => {
    for await (const change of posthorn.changes({ lastEventId })) {
      if (change.key !== 'connected' || !followed.includes(change.account ?? '')) continue
      connected.push(change.account)
      if (connected.length === followed.length) return
    }
  })()
  for (const name of followed) {
    await world.connectAccount(name)
    cut()
  }
  await following
  expect(connected).toEqual(followed)
})
