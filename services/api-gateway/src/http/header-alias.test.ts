import { expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { AppError } from '@posthorn/errors'
import { createHeaderReader } from './header-alias.ts'

const { listMessages, submitMessage, downloadExport } = operations

function readerOf(settings: Settings) {
  const source = { settings, reads: 0, fails: false }
  const read = createHeaderReader({
    get: async () => {
      source.reads += 1
      if (source.fails) throw new AppError('unavailable', 'Postgres is unavailable')
      return source.settings
    },
  })
  return { source, read }
}

test('createHeaderReader: reads a header with the alias prefix, the header X-SVC-… wins', async () => {
  const { read } = readerOf({ webhooksHeaderAlias: 'X-EE-' })
  expect(await read(listMessages, { 'x-ee-timeout': '5' })).toEqual({
    values: { 'x-svc-timeout': '5' },
    aliases: { 'x-svc-timeout': 'x-ee-timeout' },
  })
  expect(await read(listMessages, { 'x-ee-timeout': '5', 'x-svc-timeout': '7' })).toEqual({
    values: { 'x-svc-timeout': '7' },
    aliases: {},
  })
  const keys = { 'x-ee-idempotency-key': 'old', 'x-ee-timeout': '5' }
  expect((await read(submitMessage, keys)).values).toEqual({
    'idempotency-key': 'old',
    'x-svc-timeout': '5',
  })
  expect((await read(submitMessage, { ...keys, 'idempotency-key': 'new' })).values).toMatchObject({
    'idempotency-key': 'new',
  })
})

test('createHeaderReader: ignores other prefixes, undeclared headers, and headers without an alias', async () => {
  const none = { values: {}, aliases: {} }
  const { read } = readerOf({ webhooksHeaderAlias: 'X-EE-' })
  expect(await read(listMessages, { 'x-other-timeout': '5', 'x-ee-idempotency-key': 'k' })).toEqual(
    none,
  )
  expect(await read(downloadExport, { 'x-ee-range': 'bytes=0-1' })).toEqual(none)
  const off = readerOf({})
  expect(await off.read(listMessages, { 'x-ee-timeout': '5', timeout: '5' })).toEqual(none)
})

test('createHeaderReader: reads the settings only for a possible alias header', async () => {
  const { read, source } = readerOf({ webhooksHeaderAlias: 'X-EE-' })
  await read(listMessages, { 'x-svc-timeout': '5', 'x-request-id': 'a', host: 'h' })
  await read(downloadExport, { 'x-ee-timeout': '5' })
  expect(source.reads).toBe(0)
  await read(listMessages, { 'x-ee-timeout': '5' })
  expect(source.reads).toBe(1)
})

test('createHeaderReader: without Postgres, the last known alias applies', async () => {
  const { read, source } = readerOf({ webhooksHeaderAlias: 'X-EE-' })
  source.fails = true
  await expect(read(listMessages, { 'x-ee-timeout': '5' })).rejects.toThrow(/unavailable/)
  source.fails = false
  const first = await read(listMessages, { 'x-ee-timeout': '5' })
  source.fails = true
  expect(await read(listMessages, { 'x-ee-timeout': '5' })).toEqual(first)
})
