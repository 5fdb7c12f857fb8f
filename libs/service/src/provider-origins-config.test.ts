import { expect, test } from '@jest/globals'
import { readProviderOrigins } from './provider-origins-config.ts'

const read = (text: string) => readProviderOrigins({ SVC_PROVIDER_ORIGINS: text })

test('readProviderOrigins: reads normalised pairs, none by default', () => {
  expect(readProviderOrigins({})).toEqual({})
  const pairs =
    ' https://Gmail.googleapis.com:443=http://127.0.0.1:1/, https://a.example = http://b '
  expect(read(pairs)).toEqual({
    'https://gmail.googleapis.com': 'http://127.0.0.1:1',
    'https://a.example': 'http://b',
  })
})

test.each([
  'https://a.example',
  'https://a.example=',
  '=http://b.example',
  'a.example=http://b.example',
  'https://a.example/v1=http://b.example',
  'https://a.example=http://b.example/?x=1',
  'https://a.example=http://user:pass@b.example',
  'https://a.example=ftp://b.example',
  'https://a.example=http://b=http://c',
  'https://a.example=http://b,https://a.example=http://c',
])('readProviderOrigins: %j, throws with the name of the variable', (text) =>
  expect(() => read(text)).toThrow(/^SVC_PROVIDER_ORIGINS: must be pairs of origins/),
)
