import { expect, test } from '@jest/globals'
import { openIdFailures } from '@posthorn/contracts/admin/open-id-failures'
import { signInFailureText } from './sign-in-failures.ts'

test('signInFailureText: each reason has a text of its own', () => {
  const texts = openIdFailures.map(signInFailureText)
  expect(new Set(texts).size).toBe(openIdFailures.length)
  expect(texts).not.toContain(undefined)
})

test.each(['', 'unknown', 'toString', '<b>text</b>'])(
  'signInFailureText: the unknown reason %j gets the general text',
  (reason) => {
    expect(signInFailureText(reason)).toBe(signInFailureText('failed'))
  },
)

test('signInFailureText: without a reason, no text', () => {
  expect(signInFailureText(undefined)).toBeUndefined()
})
