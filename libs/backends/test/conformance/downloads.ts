import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import type { Download } from '../../src/mail-session.ts'
import type { TestEnvironment } from '../environment.ts'

const megabyte = 2 ** 20

async function read({ content }: Download): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}

function digest(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function message(encoding: string, body: string): string {
  return [
    'Subject: parts',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=iso-8859-1',
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    body,
    '--b--',
    '',
  ].join('\r\n')
}

/** Source of a mail message with a given size and distinct lines. */
function source(bytes: number): Buffer {
  const lines: string[] = ['Subject: large\r\n\r\n']
  for (let length = 0, n = 0; length < bytes; n++) {
    const line = `${String(n).padStart(76, '.')}\r\n`
    lines.push(line)
    length += line.length
  }
  return Buffer.from(lines.join(''))
}

export function downloadCases({ backend, account }: TestEnvironment): void {
  test('downloadPart: returns the decoded bytes', async () => {
    await using one = await account()
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256))
    const base64 = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n')
    await one.append(message('base64', base64))
    await one.append(message('quoted-printable', 'caf=E9 =\r\nau lait'))
    await one.append('Subject: plain\r\n\r\nplain body\r\n')
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const part = await session.downloadPart(1, '1')
    expect(part.size).toBeGreaterThan(bytes.length)
    expect(digest(await read(part))).toBe(digest(bytes))
    expect((await read(await session.downloadPart(2, '1'))).toString('latin1')).toBe('café au lait')
    expect((await read(await session.downloadPart(3, '1'))).toString()).toBe('plain body\r\n')
    expect(await session.searchUids({ flag: '\\Seen' })).toEqual([])
  })

  test('downloadPart: cuts off at the limit, and fails with NotFound for an unknown part', async () => {
    await using one = await account()
    await one.append(
      message(
        'base64',
        Buffer.alloc(200_000, 'x').toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      ),
    )
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    expect(await read(await session.downloadPart(1, '1', { maxBytes: 1_000 }))).toHaveLength(1_000)
    expect(await read(await session.downloadPart(1, '1', { maxBytes: 150_001 }))).toHaveLength(
      150_001,
    )
    await expect(session.downloadPart(1, '2')).rejects.toMatchObject({
      kind: 'not-found',
      code: 'NotFound',
    })
    await expect(session.downloadPart(1, '1.MIME')).rejects.toMatchObject({
      kind: 'not-found',
      code: 'NotFound',
    })
  })

  test('downloadSource: 20 MB, streams them as stored with other calls in between', async () => {
    await using one = await account()
    const stored = source(20 * megabyte)
    await one.append(stored)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const download = await session.downloadSource(1)
    expect(download.size).toBe(stored.length)
    const hash = createHash('sha256')
    let largest = 0
    for await (const bytes of download.content) {
      hash.update(bytes)
      largest = Math.max(largest, bytes.length)
      await session.ping()
    }
    expect(hash.digest('hex')).toBe(digest(stored))
    expect(largest).toBeLessThanOrEqual(megabyte)
  })

  test('downloadSource: iteration left early, session stays usable', async () => {
    await using one = await account()
    await one.append(source(5 * megabyte))
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const { content } = await session.downloadSource(1)
    let taken = 0
    for await (const bytes of content) {
      taken += bytes.length
      if (taken > megabyte) break
    }
    expect(taken).toBeLessThan(3 * megabyte)
    expect(await session.searchUids({ all: true })).toEqual([[1, 1]])
  })

  test('downloadSource: another mailbox selected meanwhile, fails', async () => {
    await using one = await account()
    await one.append(source(2 * megabyte))
    await one.append(source(2 * megabyte), { mailbox: 'Archive' })
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const download = await session.downloadSource(1)
    await session.select('Archive')
    await expect(read(download)).rejects.toMatchObject({ name: 'AppError', kind: 'unavailable' })
  })

  test('downloadSource: 50 MB, uses less than 60 MB of memory', async () => {
    await using one = await account()
    const stored = source(50 * megabyte)
    await one.append(stored)
    const { log: _, ...options } = one.options
    const program = fileURLToPath(new URL('../read-source.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      program,
      JSON.stringify(options),
    ])
    const { bytes, grown } = JSON.parse(stdout) as { bytes: number; grown: number }
    expect(bytes).toBe(stored.length)
    expect(grown).toBeLessThan(60 * megabyte)
  })
}
