import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { GrowableBuffer } from './read-body.ts'

test('GrowableBuffer: take returns all chunks in order, whatever their sizes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40_000 })),
      fc.nat(50_000),
      (chunks, expected) => {
        const body = new GrowableBuffer(expected)
        for (const chunk of chunks) body.append(Buffer.from(chunk))
        const whole = Buffer.concat(chunks)
        expect(body.size).toBe(whole.length)
        expect(body.take().equals(whole)).toBe(true)
      },
    ),
    { numRuns: 50 },
  )
})
