import { expect, test } from '@jest/globals'
import type { Agents } from './agents.ts'
import { followProxy, type HttpProxy, proxyOfSettings } from './follow-proxy.ts'

const first: HttpProxy = { url: 'http://one.example', egress: 'off' }

function world(initial: HttpProxy | undefined) {
  const state = { proxy: initial, opened: [] as (string | undefined)[], closed: 0 }
  const ways = followProxy(
    async () => state.proxy,
    (proxy) => {
      state.opened.push(proxy?.url)
      return { [Symbol.dispose]: () => (state.closed += 1) } as unknown as Agents
    },
  )
  return { state, ways }
}

test('a change takes the next call elsewhere, and ends the old way with the last call on it', async () => {
  const { state, ways } = world(undefined)
  const [one, two] = [await ways.take(), await ways.take()]
  expect(state.opened).toEqual([undefined])
  state.proxy = first
  const three = await ways.take()
  expect([state.opened, state.closed]).toEqual([[undefined, first.url], 0])
  expect(three.agents).not.toBe(one.agents)
  one.release()
  expect(state.closed).toBe(0)
  two.release()
  expect(state.closed).toBe(1)
  three.release()
  expect(state.closed).toBe(1)
  ways[Symbol.dispose]()
  expect(state.closed).toBe(2)
})

test('a way that nobody is on ends with the change', async () => {
  const { state, ways } = world(first)
  ;(await ways.take()).release()
  state.proxy = undefined
  ;(await ways.take()).release()
  expect([state.opened, state.closed]).toEqual([[first.url, undefined], 1])
})

test('settings name the proxy, and what they said last holds while they cannot be read', async () => {
  const answers: (() => object)[] = [
    () => ({}),
    () => ({ httpProxyEnabled: true }),
    () => ({ httpProxyEnabled: true, httpProxyUrl: 'http://set.example' }),
    () => {
      throw new Error('away')
    },
    () => ({ httpProxyEnabled: false, httpProxyUrl: 'http://set.example' }),
  ]
  const open = async (address: string) => address.replace('set', 'opened')
  const read = async () => answers.shift()?.() ?? {}
  const proxy = proxyOfSettings(read, { egress: 'private', otherwise: first, open })
  const set = { url: 'http://opened.example', egress: 'private' }
  const seen: unknown[] = []
  for (let n = 0; n < 5; n += 1) seen.push(await proxy())
  expect(seen).toEqual([first, first, set, set, first])
})
