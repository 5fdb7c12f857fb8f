import { expect, test } from '@jest/globals'
import { optionsByAddress, targetAddress } from './target-address.ts'

test('targetAddress: removes credentials, query and fragment', () => {
  expect(targetAddress('https://user:pass@h.example:8443/in?token=x#y')).toBe(
    'https://h.example:8443/in',
  )
})

test('optionsByAddress: of several entries with the same address, the last applies', () => {
  const [first, last] = [
    { target: 'https://a.example', paused: true },
    { target: 'https://a.example/' },
  ]
  expect([...optionsByAddress([first, last])]).toEqual([['https://a.example/', last]])
})
