import { expect, test } from '@jest/globals'
import { filterAddress, optionsByAddress, targetAddress } from './target-address.ts'

test('targetAddress: removes credentials, query and fragment', () => {
  expect(targetAddress('https://user:pass@h.example:8443/in?token=x#y')).toBe(
    'https://h.example:8443/in',
  )
})

test('filterAddress: any spelling of a URL, other texts unchanged', () => {
  for (const text of ['HTTP://H.example', 'http://u:p@h.example:80/', 'http://h.example/x/../?a=b'])
    expect(filterAddress(text)).toBe('http://h.example/')
  expect(filterAddress('h.example')).toBe('h.example')
})

test('optionsByAddress: a later entry replaces an earlier entry with the same address', () => {
  const [first, last] = [
    { target: 'https://a.example', paused: true },
    { target: 'https://a.example/' },
  ]
  expect([...optionsByAddress([first, last])]).toEqual([['https://a.example/', last]])
})
