import { expect, test } from '@jest/globals'
import { routingOf } from './routing.ts'

test.each([
  [{}, { localAddress: undefined, name: 'host' }, undefined],
  [
    {},
    { localAddress: '192.0.2.1', name: 'mail.b.c' },
    { localAddress: '192.0.2.1', name: 'mail.b.c' },
  ],
  [
    { proxy: 'socks5://user:pass@proxy.b.c:1080/x?token=y' },
    { localAddress: undefined, name: 'host' },
    { name: 'host', proxy: 'socks5://proxy.b.c:1080' },
  ],
  [
    { requestedLocalAddress: '192.0.2.9' },
    { localAddress: '192.0.2.1', name: undefined },
    { localAddress: '192.0.2.1', requestedLocalAddress: '192.0.2.9' },
  ],
  [
    { requestedLocalAddress: '192.0.2.9' },
    { localAddress: undefined, name: 'host' },
    { name: 'host', requestedLocalAddress: '192.0.2.9' },
  ],
  [
    { requestedLocalAddress: '192.0.2.9' },
    { localAddress: '192.0.2.9', name: 'host' },
    { localAddress: '192.0.2.9', name: 'host' },
  ],
])('%j, connected as %j: %j', (target, as, routing) => {
  expect(routingOf(target, as)).toEqual(routing)
})
