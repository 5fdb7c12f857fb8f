import { expect, test } from '@jest/globals'
import type { AccountLease } from '../store/lease.ts'
import { AccountWatch, hashSecret } from './account-watch.ts'

const hour = 3_600_000
const expiresAt = new Date('2026-11-20T12:00:00Z')
const secretHash = hashSecret('secret').toString('base64url')

/**
 * Watch (registration for notifications) as this worker loaded the watch. Another worker may have
 * renewed the watch since then.
 */
function loadedWatch() {
  const lease = { account: 'a', shard: 1, owner: 'w', epoch: '1' } as AccountLease
  const watch = new AccountWatch(
    {
      lease,
      registeredAt: 1,
      provider: 'graph',
      openWatches: () => Promise.resolve(undefined),
      onNotification: () => undefined,
      log: { info: () => undefined, warn: () => undefined },
    },
    0,
  )
  watch.row = {
    remoteId: 'id',
    clientStateHash: hashSecret('secret'),
    expiresAt,
    renewAt: new Date(expiresAt.getTime() - 48 * hour),
    state: 'active',
    lastNotifiedAt: null,
    attemptedAt: null,
    createFailures: 0,
    renewFailures: 0,
    lastError: null,
  }
  watch.renewAt = watch.row.renewAt.getTime()
  return watch
}

test.each([
  ['an earlier expiry', new Date(expiresAt.getTime() - hour).toISOString(), false],
  ['the expiry in another spelling', '2026-11-20T11:59:59.999Z', true],
  ['no expiry', undefined, true],
])('AccountWatch: `expiring` with %s', (_name, reported, isRenewed) => {
  const watch = loadedWatch()
  const before = watch.renewAt
  const now = before - hour
  const expiring = { account: 'a', kind: 'expiring' as const, secretHash }
  watch.receive(reported === undefined ? expiring : { ...expiring, expiresAt: reported }, now)
  expect(watch.renewAt).toBe(isRenewed ? now : before)
})

test('AccountWatch: of many `expiring`, one renews', () => {
  const watch = loadedWatch()
  for (let at = 0; at < 20; at++) {
    watch.receive({ account: 'a', kind: 'expiring', secretHash }, at)
    if (at === 0) watch.renewAt = 7
  }
  expect(watch.renewAt).toBe(7)
})

test.each([
  ['of the provider', {}, false],
  ['of the service itself', { isOwn: true }, true],
])('AccountWatch: old unannounced change after a notification %s', (_name, origin, isReplaced) => {
  const watch = loadedWatch()
  const now = expiresAt.getTime() - hour
  watch.receive({ account: 'a', kind: 'changed', secretHash, ...origin }, now)
  watch.reportUnannounced(new Date(now - hour), now)
  expect(watch.isLost).toBe(isReplaced)
})

test.each([
  ['with no notification between', false, true],
  ['with a notification between', true, false],
])('AccountWatch: two unannounced recent changes %s', (_name, isNotified, isReplaced) => {
  const watch = loadedWatch()
  const now = expiresAt.getTime() - hour
  watch.reportUnannounced(new Date(now), now)
  expect(watch.isLost).toBe(false)
  const later = now + 6 * 60_000
  if (isNotified) watch.receive({ account: 'a', kind: 'changed', secretHash }, later - 1)
  watch.reportUnannounced(new Date(later), later)
  expect(watch.isLost).toBe(isReplaced)
})
