import { expect, test } from '@jest/globals'
import { linkOfFinding } from './finding-links.ts'

test.each([
  ['queueLate:submit', '/outbox', { state: 'queued' }],
  ['queueLate:notify', '/deliveries', { state: 'due' }],
  ['queuePaused:submit', '/queues', undefined],
  [
    'webhookTargetFailing:https://hooks.example:8443/a',
    '/deliveries',
    { state: 'failed', address: 'https://hooks.example:8443/a' },
  ],
  ['webhookTargetPaused:https://a.example/', '/targets', { address: 'https://a.example/' }],
  ['unheldShards', '/workers', undefined],
  ['mailProxyCertificate:imap-proxy', '/mail-proxies', undefined],
  ['mailProxyMissing:smtp-proxy', '/mail-proxies', undefined],
  ['mailProxyNotListening:imap-proxy', '/mail-proxies', undefined],
])('linkOfFinding: %s leads to %s', (id, path, query) => {
  expect(linkOfFinding(id)).toMatchObject({ path, ...(query && { query }) })
})

test('linkOfFinding: other findings have no page', () => {
  expect(linkOfFinding('clockSkew')).toBeUndefined()
  expect(linkOfFinding('constructor')).toBeUndefined()
})
