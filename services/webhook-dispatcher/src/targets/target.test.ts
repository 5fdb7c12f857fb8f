import { expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/contracts'
import {
  type AccountTarget,
  isWanted,
  laneOf,
  routeTargetOf,
  targetOf,
  type TargetedEvent,
} from './target.ts'

const messageNew: TargetedEvent = {
  event: 'messageNew',
  account: 'a',
  path: 'INBOX',
  specialUse: '\\Inbox',
  accountTarget: null,
}
const account: AccountTarget = { webhooks: null, webhooksCustomHeaders: null }
const settings: Settings = {
  webhooks: 'https://d.example/in',
  webhooksEnabled: true,
  webhookEvents: ['*'],
}

test.each<[string, Settings, boolean]>([
  ['unset', {}, false],
  ['empty', { webhookEvents: [] }, false],
  ['without it', { webhookEvents: ['messageSent'] }, false],
  ['with it', { webhookEvents: ['messageSent', 'messageNew'] }, true],
  ['with all', { webhookEvents: ['*'] }, true],
])('an allowlist that is %s', (_name, given, wanted) => {
  expect(isWanted(messageNew, given)).toBe(wanted)
})

test.each<[string, Partial<TargetedEvent>, boolean]>([
  ['in the Inbox', {}, true],
  ['in a folder called inbox, whose use nobody named', { path: 'inbox', specialUse: null }, true],
  ['in Sent', { path: 'Sent', specialUse: '\\Sent' }, false],
  [
    'of the Inbox, found in All Mail',
    { path: '[Gmail]/All Mail', specialUse: '\\All', messageSpecialUse: '\\Inbox' },
    true,
  ],
  ['that is another event', { event: 'messageDeleted', path: 'Sent', specialUse: '\\Sent' }, true],
])('with inboxNewOnly a message %s', (_name, change, wanted) => {
  expect(isWanted({ ...messageNew, ...change }, { ...settings, inboxNewOnly: true })).toBe(wanted)
})

test('without inboxNewOnly a new message of any folder is wanted', () => {
  expect(isWanted({ ...messageNew, path: 'Sent', specialUse: '\\Sent' }, settings)).toBe(true)
})

test('the default target takes what accounts do not take themselves', () => {
  expect(targetOf(messageNew, account, settings)).toEqual({
    name: 'default',
    url: 'https://d.example/in',
    headers: [],
  })
})

test("an account's target replaces the default one", () => {
  const own = { webhooks: 'https://a.example/', webhooksCustomHeaders: null }
  expect(targetOf(messageNew, own, settings)).toEqual({
    name: 'account',
    url: 'https://a.example/',
    headers: [],
  })
})

test("an account's target works without a default one, but not while webhooks are off", () => {
  const own = { webhooks: 'https://a.example/', webhooksCustomHeaders: null }
  expect(targetOf(messageNew, own, { webhooksEnabled: true })).toMatchObject({ name: 'account' })
  expect(targetOf(messageNew, own, { ...settings, webhooksEnabled: false })).toBeUndefined()
  expect(targetOf(messageNew, own, {})).toBeUndefined()
})

test.each(['', 'nonsense', 'ftp://h.example/', 'javascript:alert(1)'])(
  'the address %j is none',
  (webhooks) => {
    expect(targetOf(messageNew, account, { ...settings, webhooks })).toBeUndefined()
  },
)

test('an account that is gone gets nothing but word of its deletion, at the target it had', () => {
  expect(targetOf(messageNew, undefined, settings)).toBeUndefined()
  const deleted = { event: 'accountDeleted', account: 'a', accountTarget: null }
  expect(targetOf(deleted, undefined, settings)).toMatchObject({ name: 'default' })
  const accountTarget = { url: 'https://a.example/', headers: [{ key: 'X-A', value: '1' }] }
  expect(targetOf({ ...deleted, accountTarget }, undefined, settings)).toEqual({
    name: 'account',
    url: 'https://a.example/',
    headers: [{ owner: 'account/a', headers: accountTarget.headers }],
  })
})

test("custom headers: the default target gets the account's after its own, an account's target the account's alone", () => {
  const all = { ...settings, webhooksCustomHeaders: [{ key: 'X-A', value: 'default' }] }
  const headers = [{ key: 'X-A', value: 'account' }]
  expect(
    targetOf(messageNew, { webhooks: null, webhooksCustomHeaders: headers }, all)?.headers,
  ).toEqual([
    { owner: 'settings', headers: all.webhooksCustomHeaders },
    { owner: 'account/a', headers },
  ])
  expect(
    targetOf(messageNew, { webhooks: 'https://a.example/', webhooksCustomHeaders: headers }, all)
      ?.headers,
  ).toEqual([{ owner: 'account/a', headers }])
})

test('a lane is the address without what may be secret', () => {
  expect(laneOf({ url: 'https://user:pass@h.example:8443/in?token=x#y' })).toBe(
    'https://h.example:8443/in',
  )
})

const route = { id: 'r1', url: 'https://r.example/', headers: [{ key: 'X-A', value: 'route' }] }

test('a route takes what the settings do not list, with its headers and those of the account', () => {
  const own = {
    webhooks: 'https://a.example/',
    webhooksCustomHeaders: [{ key: 'X-A', value: 'own' }],
  }
  const quiet = { webhooksEnabled: true, webhookEvents: [], inboxNewOnly: true }
  expect(routeTargetOf(messageNew, { route, account: own, settings: quiet })).toEqual({
    name: 'r1',
    url: 'https://r.example/',
    headers: [
      { owner: 'route/r1', headers: route.headers },
      { owner: 'account/a', headers: own.webhooksCustomHeaders },
    ],
  })
})

test('a route takes nothing while webhooks are off, nor of accounts that are gone but word of that', () => {
  expect(
    routeTargetOf(messageNew, { route, account, settings: { webhooksEnabled: false } }),
  ).toBeUndefined()
  expect(routeTargetOf(messageNew, { route, account: undefined, settings })).toBeUndefined()
  const deleted = { event: 'accountDeleted', account: 'a', accountTarget: null }
  expect(routeTargetOf(deleted, { route, account: undefined, settings })).toMatchObject({
    name: 'r1',
  })
})
