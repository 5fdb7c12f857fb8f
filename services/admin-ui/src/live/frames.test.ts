import { expect, test } from '@jest/globals'
import { type EventFrame, frameText, readFrames } from './frames.ts'

async function framesOf(...chunks: (string | Uint8Array)[]): Promise<EventFrame[]> {
  async function* body() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
  return await Array.fromAsync(readFrames(body()))
}

test('readFrames: reads frames that are split at any byte', async () => {
  const bytes = Buffer.from(': v1\n\nid: 1-2\n\nid: 1-3\nevent: message\ndata: {"a":"ä"}\n\n')
  const expected = [{}, { id: '1-2' }, { id: '1-3', event: 'message', data: '{"a":"ä"}' }]
  for (let at = 0; at <= bytes.length; at += 1)
    expect(await framesOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected)
})

test('readFrames: an incomplete last frame is not returned', async () => {
  expect(await framesOf('data: 1\n\ndata: 2\n')).toEqual([{ data: '1' }])
})

test('readFrames: a frame without an end fails instead of filling the memory', async () => {
  const chunk = 'x'.repeat(600_000)
  await expect(framesOf(chunk, chunk)).rejects.toThrow('exceeds 1 MiB')
})

test('frameText: line breaks in data cannot start another frame', () => {
  expect(frameText('changes', [{ account: 'a\n\nevent: status' }])).toBe(
    'event: changes\ndata: [{"account":"a\\n\\nevent: status"}]\n\n',
  )
})
