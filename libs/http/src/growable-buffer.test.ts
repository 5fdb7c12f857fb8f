import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { GrowableBuffer } from './growable-buffer.ts'

test('whatever the pieces are, they come out as one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40_000 })),
      fc.nat(50_000),
      (pieces, expected) => {
        const gathered = new GrowableBuffer(expected)
        for (const piece of pieces) gathered.append(Buffer.from(piece))
        const whole = Buffer.concat(pieces)
        expect(gathered.size).toBe(whole.length)
        expect(gathered.take().equals(whole)).toBe(true)
      },
    ),
    { numRuns: 50 },
  )
})
