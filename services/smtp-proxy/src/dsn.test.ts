import { expect, test } from '@jest/globals'
import { toDsnRequest } from './dsn.ts'

const to = (notify?: string[], orcpt?: string) => ({
  address: 'a@example.com',
  args: false as const,
  dsn: { ...(notify ? { notify } : {}), ...(orcpt ? { orcpt } : {}) },
})
const empty = { ret: null, envid: null }

test('toDsnRequest: no parameters, undefined', () => {
  expect(toDsnRequest({ rcptTo: [to()] })).toBeUndefined()
  expect(toDsnRequest({ dsn: empty, rcptTo: [to(), to()] })).toBeUndefined()
})

test('toDsnRequest: RET and ENVID', () => {
  expect(toDsnRequest({ dsn: { ret: 'FULL', envid: 'id 1' }, rcptTo: [to()] })).toEqual({
    return: 'full',
    id: 'id 1',
  })
  expect(toDsnRequest({ dsn: { ret: 'HDRS', envid: null }, rcptTo: [to()] })).toEqual({
    return: 'headers',
  })
})

test('toDsnRequest: merges NOTIFY of all recipients, never only if all have it', () => {
  const rcptTo = [to(['SUCCESS', 'DELAY']), to(['NEVER']), to(['FAILURE'])]
  expect(toDsnRequest({ dsn: empty, rcptTo })).toEqual({
    return: 'headers',
    notify: ['success', 'failure', 'delay'],
  })
  const never = [to(['NEVER']), to(['NEVER'])]
  expect(toDsnRequest({ dsn: empty, rcptTo: never })?.notify).toEqual(['never'])
  expect(toDsnRequest({ dsn: empty, rcptTo: [to(['NEVER']), to()] })).toBeUndefined()
})

test('toDsnRequest: ORCPT of a single recipient only', () => {
  const one = to(undefined, 'rfc822;first@example.com')
  expect(toDsnRequest({ dsn: empty, rcptTo: [one] })).toEqual({
    return: 'headers',
    recipient: 'first@example.com',
  })
  expect(toDsnRequest({ dsn: empty, rcptTo: [one, to()] })).toBeUndefined()
  expect(toDsnRequest({ dsn: empty, rcptTo: [to(undefined, 'x400;/c=us')] })).toBeUndefined()
})
