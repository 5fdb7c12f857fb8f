import { expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { AccountTarget } from '../store/target-sources.ts'
import { isEmitted, isWanted, routeTargetOf, targetOf, type TargetedEvent } from './targets.ts'

const messageNew: TargetedEvent = {
  event: 'messageNew',
  eventRow: '7',
  account: 'a',
  path: 'INBOX',
  specialUse: '\\Inbox',
  accountTarget: null,
}
const account: AccountTarget = { webhooks: null, webhooksCustomHeaders: null, tenantSet: [] }
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
])('isWanted: webhookEvents %s', (_name, selected, wanted) => {
  expect(isWanted(messageNew, selected)).toBe(wanted)
})

test.each<[string, Partial<TargetedEvent>, boolean]>([
  ['in the Inbox', {}, true],
  ['in a mailbox named inbox without special use', { path: 'inbox', specialUse: null }, true],
  ['in Sent', { path: 'Sent', specialUse: '\\Sent' }, false],
  [
    'of the Inbox, found in All Mail',
    { path: '[Gmail]/All Mail', specialUse: '\\All', messageSpecialUse: '\\Inbox' },
    true,
  ],
  ['of another event', { event: 'messageDeleted', path: 'Sent', specialUse: '\\Sent' }, true],
])('isEmitted: with inboxNewOnly, a message %s', (_name, change, emitted) => {
  expect(isEmitted({ ...messageNew, ...change }, { ...settings, inboxNewOnly: true })).toBe(emitted)
})

test('isEmitted: without inboxNewOnly, new messages of any mailbox', () => {
  expect(isEmitted({ ...messageNew, path: 'Sent', specialUse: '\\Sent' }, settings)).toBe(true)
})

test('targetOf: without an account target, the default target', () => {
  expect(targetOf(messageNew, account, settings)).toEqual({
    name: 'default',
    url: 'https://d.example/in',
    headers: [],
  })
})

test('targetOf: the account target replaces the default one', () => {
  const own = { ...account, webhooks: 'https://a.example/' }
  expect(targetOf(messageNew, own, settings)).toEqual({
    name: 'account',
    url: 'https://a.example/',
    headers: [],
  })
})

test('targetOf: the account target needs webhooksEnabled, but no default target', () => {
  const own = { ...account, webhooks: 'https://a.example/' }
  expect(targetOf(messageNew, own, { webhooksEnabled: true })).toMatchObject({ name: 'account' })
  expect(targetOf(messageNew, own, { ...settings, webhooksEnabled: false })).toBeUndefined()
  expect(targetOf(messageNew, own, {})).toBeUndefined()
})

test.each(['', 'nonsense', 'ftp://h.example/', 'javascript:alert(1)'])(
  'targetOf: the address %j is not a target',
  (webhooks) => {
    expect(targetOf(messageNew, account, { ...settings, webhooks })).toBeUndefined()
  },
)

test('targetOf: a deleted account gets its events up to accountDeleted, at its last target', () => {
  expect(targetOf(messageNew, undefined, settings)).toBeUndefined()
  const deleted = { event: 'accountDeleted', eventRow: '8', account: 'a', accountTarget: null }
  expect(targetOf(deleted, undefined, settings)).toMatchObject({ name: 'default' })
  const accountTarget = { url: 'https://a.example/', headers: [{ key: 'X-A', value: '1' }] }
  expect(targetOf({ ...deleted, accountTarget }, undefined, settings)).toEqual({
    name: 'account',
    url: 'https://a.example/',
    headers: [{ owner: 'account/a', headers: accountTarget.headers }],
  })
  const former = {
    webhooks: accountTarget.url,
    webhooksCustomHeaders: null,
    tenantSet: [],
    deletedBy: '8',
  }
  expect(targetOf(messageNew, former, settings)).toMatchObject({ url: accountTarget.url })
  expect(targetOf({ ...messageNew, eventRow: '10' }, former, settings)).toBeUndefined()
})

test('targetOf: the default target gets both headers, the account target those of the account', () => {
  const all = { ...settings, webhooksCustomHeaders: [{ key: 'X-A', value: 'default' }] }
  const headers = [{ key: 'X-A', value: 'account' }]
  expect(
    targetOf(messageNew, { ...account, webhooksCustomHeaders: headers }, all)?.headers,
  ).toEqual([
    { owner: 'settings', headers: all.webhooksCustomHeaders },
    { owner: 'account/a', headers },
  ])
  expect(
    targetOf(
      messageNew,
      { ...account, webhooks: 'https://a.example/', webhooksCustomHeaders: headers },
      all,
    )?.headers,
  ).toEqual([{ owner: 'account/a', headers }])
})

const route = { id: 'r1', url: 'https://r.example/', headers: [{ key: 'X-A', value: 'route' }] }

test('routeTargetOf: ignores webhookEvents, adds the headers of the account', () => {
  const own = {
    ...account,
    webhooks: 'https://a.example/',
    webhooksCustomHeaders: [{ key: 'X-A', value: 'own' }],
  }
  const noEvents = { webhooksEnabled: true, webhookEvents: [] }
  expect(routeTargetOf(messageNew, { route, account: own, settings: noEvents })).toEqual({
    name: 'r1',
    url: 'https://r.example/',
    headers: [
      { owner: 'route/r1', headers: route.headers },
      { owner: 'account/a', headers: own.webhooksCustomHeaders },
    ],
  })
})

test('routeTargetOf: undefined while webhooks are off, and for deleted accounts', () => {
  expect(
    routeTargetOf(messageNew, { route, account, settings: { webhooksEnabled: false } }),
  ).toBeUndefined()
  expect(routeTargetOf(messageNew, { route, account: undefined, settings })).toBeUndefined()
  const deleted = { event: 'accountDeleted', eventRow: '8', account: 'a', accountTarget: null }
  expect(routeTargetOf(deleted, { route, account: undefined, settings })).toMatchObject({
    name: 'r1',
  })
})

test('targetOf, routeTargetOf: headers of a tenant, go to the target of the tenant only', () => {
  const headers = [{ key: 'Cookie', value: 'own' }]
  const tenantSet = ['webhooks', 'webhooksCustomHeaders'] as const
  const own: AccountTarget = { webhooks: null, webhooksCustomHeaders: headers, tenantSet }
  const webhooks = 'https://a.example/'
  const sent = [{ owner: 'account/a', headers }]
  const ofRoute = [{ owner: 'route/r1', headers: route.headers }]
  expect(targetOf(messageNew, own, settings)).toMatchObject({ name: 'default', headers: [] })
  expect(targetOf(messageNew, { ...own, webhooks }, settings)?.headers).toEqual(sent)
  expect(routeTargetOf(messageNew, { route, account: own, settings })?.headers).toEqual(ofRoute)
  const accountTarget = { url: webhooks, headers, isTenants: true, isTenantsUrl: true }
  const deleted = { ...messageNew, event: 'accountDeleted', accountTarget }
  expect(routeTargetOf(deleted, { route, account: undefined, settings })?.headers).toEqual(ofRoute)
  expect(targetOf(deleted, undefined, settings)?.headers).toEqual(sent)
})

test.each(['webhooks', 'webhooksCustomHeaders'] as const)(
  'targetOf: target and headers of which a tenant has set the %s only, are not combined',
  (member) => {
    const headers = [{ key: 'Cookie', value: 'own' }]
    const url = 'https://a.example/'
    const account = { webhooks: url, webhooksCustomHeaders: headers, tenantSet: [member] }
    expect(targetOf(messageNew, account, settings)).toMatchObject({ url, headers: [] })
    const isTenants = member === 'webhooksCustomHeaders'
    const accountTarget = { url, headers, isTenants, isTenantsUrl: !isTenants }
    const deleted = { ...messageNew, event: 'accountDeleted', accountTarget }
    expect(targetOf(deleted, undefined, settings)).toMatchObject({ url, headers: [] })
  },
)
