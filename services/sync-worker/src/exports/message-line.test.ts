import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import { type ExportContent, maxAttachmentBytes } from '../drivers/export-driver.ts'
import { MailFailure } from './failures/mail-failure.ts'
import { ContentError, isStreamed, maxPieceLength, messageLine } from './message-line.ts'

const attachment = (id: string) => ({ id, contentType: 'text/plain' })
const messageWith = (...ids: string[]) =>
  ({ id: 'm', subject: 'a "quoted" line\n', attachments: ids.map(attachment) }) as MessageDetail

async function lineOf(message: MessageDetail, contents: readonly ExportContent[]): Promise<string> {
  return (await Array.fromAsync(messageLine({ message, contents }))).join('')
}

/** Content of an attachment that an export reads in pieces of some lengths. */
function streamed(bytes: Buffer, ...lengths: number[]): ExportContent {
  return {
    async open() {
      let at = 0
      const pieces = [...lengths, bytes.length].map((length) =>
        bytes.subarray(at, (at = Math.min(bytes.length, at + length))),
      )
      return (async function* () {
        yield* pieces
      })()
    },
  }
}

const failing = (error: Error): ExportContent => ({ open: () => Promise.reject(error) })

describe('messageLine', () => {
  test('message without attachments, is one line of JSON', async () => {
    const message = { id: 'm', subject: 'a\nb' } as MessageDetail
    expect(await lineOf(message, [])).toBe('{"id":"m","subject":"a\\nb"}\n')
  })

  test('contents in memory, in pieces of any length, or missing, are base64 or an error', async () => {
    const bytes = randomBytes(1_000)
    const contents = [
      { bytes },
      streamed(bytes, 1, 1, 0, 5, 100),
      { error: 'The attachment is larger than 50 MiB' },
      streamed(Buffer.alloc(0)),
    ]
    const message = messageWith('a', 'b', 'c', 'd')
    const line = await lineOf(message, contents)
    expect(line.endsWith('}\n')).toBe(true)
    const content = bytes.toString('base64')
    expect(JSON.parse(line)).toEqual({
      ...message,
      attachments: [
        { ...attachment('a'), content },
        { ...attachment('b'), content },
        { ...attachment('c'), contentError: 'The attachment is larger than 50 MiB' },
        { ...attachment('d'), content: '' },
      ],
    })
  })

  test('contents that were not requested, are left out', async () => {
    const message = messageWith('a')
    expect(JSON.parse(await lineOf(message, []))).toEqual(message)
  })

  test('content longer than 50 MiB, fails with the position of the attachment', async () => {
    const open = async () =>
      (async function* () {
        for (let left = maxAttachmentBytes + 1; left > 0; left -= 1024 ** 2)
          yield Buffer.alloc(1024 ** 2)
      })()
    const failed = lineOf(messageWith('a', 'b'), [{ bytes: Buffer.alloc(1) }, { open }])
    await expect(failed).rejects.toMatchObject({ at: 1 })
  })

  test('content that the server refuses, fails for good; a lost connection does not', async () => {
    const line = (error: Error) => lineOf(messageWith('a'), [failing(error)])
    await expect(line(new AppError('rejected', 'no'))).rejects.toBeInstanceOf(ContentError)
    await expect(line(new AppError('unreachable', 'lost'))).rejects.toBeInstanceOf(MailFailure)
  })
})

describe('messageLine of a long message', () => {
  /**
   * Writes the export line of a message. Converts each piece of the line to bytes without its
   * neighbours, as in a chunk. Returns the line, and the length of the longest piece.
   */
  async function piecesOf(message: MessageDetail, contents: ExportContent[] = []) {
    const pieces = await Array.fromAsync(messageLine({ message, contents }))
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
    return { longest: Math.max(...pieces.map(({ length }) => length)), line: bytes.toString() }
  }

  test.each([0, 1])('text of surrogate pairs at offset %d, has short pieces', async (offset) => {
    const plain = 'x'.repeat(offset) + '😀'.repeat(maxPieceLength)
    const message = { id: 'm', text: { plain } } as unknown as MessageDetail
    const { longest, line } = await piecesOf(message)
    expect(longest).toBeLessThanOrEqual(maxPieceLength)
    expect(JSON.parse(line)).toEqual(message)
  })

  test('contents in memory or in one long piece, have short pieces', async () => {
    const bytes = randomBytes(1_000_000)
    const contents = [{ bytes }, streamed(bytes)]
    const { longest, line } = await piecesOf(messageWith('a', 'b'), contents)
    expect(longest).toBeLessThanOrEqual(maxPieceLength)
    const { attachments } = JSON.parse(line) as { attachments: { content: string }[] }
    for (const { content } of attachments) expect(content === bytes.toString('base64')).toBe(true)
  })
})

test('isStreamed: more than 512 KiB of texts and contents in memory, true', () => {
  const half = 256 * 1024
  const message = (plain: string, html: string) =>
    ({ id: 'm', text: { plain, html } }) as unknown as MessageDetail
  const contents = [{ bytes: Buffer.alloc(half) }]
  expect(isStreamed({ message: message('x'.repeat(half), ''), contents })).toBe(false)
  expect(isStreamed({ message: message('x'.repeat(half), 'x'), contents })).toBe(true)
  expect(isStreamed({ message: message('', 'é'.repeat(half / 2 + 1)), contents })).toBe(true)
})

test('isStreamed: contents in memory, false; a content to open, true', () => {
  const message = messageWith('a')
  expect(isStreamed({ message, contents: [{ bytes: Buffer.alloc(1) }, { error: 'x' }] })).toBe(
    false,
  )
  expect(isStreamed({ message, contents: [streamed(Buffer.alloc(1))] })).toBe(true)
})
