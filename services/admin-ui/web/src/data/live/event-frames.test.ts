import { expect, test } from '@jest/globals'
import { type EventFrame, readEvents } from './event-frames.ts'

test('readEvents: reads frames that are split at any byte, and skips comments', async () => {
  const bytes = Buffer.from(': x\n\nevent: changes\ndata: [{"account":"ä"}]\n\n: keep-alive\n\n')
  for (let at = 0; at <= bytes.length; at += 1) {
    let arrivals = 0
    const body = ReadableStream.from([bytes.subarray(0, at), bytes.subarray(at)])
    const frames: EventFrame[] = []
    for await (const frame of readEvents(body, () => (arrivals += 1))) frames.push(frame)
    expect(frames).toEqual([{ event: 'changes', data: [{ account: 'ä' }] }])
    expect(arrivals).toBe(2)
  }
})
