import { expect, test } from '@jest/globals'
import { sign } from './signature.ts'

// Worked out with: printf %s '<body>' | openssl dgst -sha256 -hmac '<key>' -binary | basenc --base64url | tr -d =
test.each([
  ['{"event":"messageNew"}', 'secret', 'txhuDB1JCGLeAJVf5CrwyqdblaVgA5iflb09spyoUV0'],
  ['{"text":"zażółć ✓"}', 'clé', 'xmufuV6cZDu-FNIBHNSJhO2vT551uVsyr2Wz86FVJng'],
  ['', 'k', 'i7mQxAp9YcuXWXqUISUCW-UKyL63RDbjc1uYiTp_ZiA'],
])('%s signed with %s', (body, key, signature) => {
  expect(sign(body, key)).toBe(signature)
  expect(sign(Buffer.from(body), key)).toBe(signature)
})
