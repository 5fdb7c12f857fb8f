import { expect, test } from '@jest/globals'
import { toDsnRequest } from './dsn.ts'

const to = (notify?: string[], orcpt?: string) => ({
  address: 'a@example.com',
  args: false as const,
  dsn: { ...(notify ? { notify } : {}), ...(orcpt ? { orcpt } : {}) },
})
const nothing = { ret: null, envid: null }

test('nothing asked for is nothing asked on', () => {
  expect(toDsnRequest({ rcptTo: [to()] })).toBeUndefined()
  expect(toDsnRequest({ dsn: nothing, rcptTo: [to(), to()] })).toBeUndefined()
})

test('what is asked for the message', () => {
  expect(toDsnRequest({ dsn: { ret: 'FULL', envid: 'id 1' }, rcptTo: [to()] })).toEqual({
    return: 'full',
    id: 'id 1',
  })
  expect(toDsnRequest({ dsn: { ret: 'HDRS', envid: null }, rcptTo: [to()] })).toEqual({
    return: 'headers',
  })
})

test('what is asked for one recipient is asked for all, and never only where it is said of each', () => {
  const rcptTo = [to(['SUCCESS', 'DELAY']), to(['NEVER']), to(['FAILURE'])]
  expect(toDsnRequest({ dsn: nothing, rcptTo })).toEqual({
    return: 'headers',
    notify: ['success', 'failure', 'delay'],
  })
  const never = [to(['NEVER']), to(['NEVER'])]
  expect(toDsnRequest({ dsn: nothing, rcptTo: never })?.notify).toEqual(['never'])
  expect(toDsnRequest({ dsn: nothing, rcptTo: [to(['NEVER']), to()] })).toBeUndefined()
})

test('the original recipient is that of the only one', () => {
  const one = to(undefined, 'rfc822;first@example.com')
  expect(toDsnRequest({ dsn: nothing, rcptTo: [one] })).toEqual({
    return: 'headers',
    recipient: 'first@example.com',
  })
  expect(toDsnRequest({ dsn: nothing, rcptTo: [one, to()] })).toBeUndefined()
  expect(toDsnRequest({ dsn: nothing, rcptTo: [to(undefined, 'x400;/c=us')] })).toBeUndefined()
})
