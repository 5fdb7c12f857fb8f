import { expect, test } from '@jest/globals'
import { secretSettings } from '@posthorn/contracts/settings/settings'
import {
  findSettings,
  type SettingField,
  settingFields,
  shownValue,
  textOfValue,
  valueOfText,
} from './setting-fields.ts'

test('settingFields: each setting has a meaning and a group', () => {
  expect(settingFields.length).toBeGreaterThan(40)
  expect(settingFields.filter(({ description }) => description === '')).toEqual([])
  const kinds = Object.fromEntries(settingFields.map(({ key, kind }) => [key, kind]))
  expect(kinds).toMatchObject({
    serviceUrl: 'text',
    webhooksEnabled: 'flag',
    webhooksConcurrency: 'number',
    webhookEvents: 'json',
  })
})

test('settingFields: settings of a group are beside each other', () => {
  const order = settingFields.map(({ group }) => group)
  const changes = order.filter((group, index) => group !== order[index - 1])
  expect(changes).toEqual([...new Set(order)])
})

test('findSettings: all words, in key or meaning', () => {
  expect(findSettings('serviceurl').map(({ key }) => key)).toContain('serviceUrl')
  expect(findSettings('no setting has these words')).toEqual([])
  expect(findSettings('')).toEqual(settingFields)
})

test.each([
  ['flag', true, 'true'],
  ['flag', false, 'false'],
  ['number', 5, '5'],
  ['text', 'a', 'a'],
  ['json', ['a'], '[\n  "a"\n]'],
  ['text', null, ''],
] as const)('textOfValue and valueOfText: %s %j', (kind, value, text) => {
  expect(textOfValue({ kind, isSecret: false }, value)).toBe(text)
  expect(valueOfText(kind, text)).toEqual(value)
})

test('settingFields: secrets are marked, and their form fields start empty', () => {
  const secrets = settingFields.filter(({ isSecret }) => isSecret)
  expect(secrets.map(({ key }) => key).toSorted()).toEqual([...secretSettings].toSorted())
  expect(secrets.map((field) => textOfValue(field, true))).toEqual(secrets.map(() => ''))
})

const fieldOf = (key: string) => settingFields.find((field) => field.key === key) as SettingField

test.each([
  ['openAiAPIKey', true, 'set, not shown'],
  ['openAiAPIKey', false, 'unset'],
  ['webhooks', 'https://hooks.example/', 'https://hooks.example/'],
  ['webhooks', null, 'unset'],
  ['serviceSecretOverlap', null, 'unset, default 86400'],
])('shownValue: %s with %j is %s', (key, value, text) => {
  expect(shownValue(fieldOf(key), value)).toBe(text)
})

test('valueOfText: wrong JSON is rejected', () => {
  expect(() => valueOfText('json', '{')).toThrow(SyntaxError)
})
