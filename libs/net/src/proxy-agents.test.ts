import { expect, test } from '@jest/globals'
import type { Agents } from './agents.ts'
import { createProxyAgents, type HttpProxy, proxyFromSettings } from './proxy-agents.ts'

const first: HttpProxy = { url: 'http://one.example', egress: 'off' }

function createFixture(initial: HttpProxy | undefined) {
  const state = { proxy: initial, opened: [] as (string | undefined)[], closed: 0 }
  const ways = createProxyAgents(
    async () => state.proxy,
    (proxy) => {
      state.opened.push(proxy?.url)
      return { [Symbol.dispose]: () => (state.closed += 1) } as unknown as Agents
    },
  )
  return { state, ways }
}

test('createProxyAgents: after a change, closes the old agents with their last call', async () => {
  const { state, ways } = createFixture(undefined)
  const [one, two] = [await ways.acquire(), await ways.acquire()]
  expect(state.opened).toEqual([undefined])
  state.proxy = first
  const three = await ways.acquire()
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

test('createProxyAgents: after a change, closes unused agents immediately', async () => {
  const { state, ways } = createFixture(first)
  ;(await ways.acquire()).release()
  state.proxy = undefined
  ;(await ways.acquire()).release()
  expect([state.opened, state.closed]).toEqual([[first.url, undefined], 1])
})

test('proxyFromSettings: unreadable settings, keeps the last proxy', async () => {
  const results: (() => object)[] = [
    () => ({}),
    () => ({ httpProxyEnabled: true }),
    () => ({ httpProxyEnabled: true, httpProxyUrl: 'http://set.example' }),
    () => {
      throw new Error('unavailable')
    },
    () => ({ httpProxyEnabled: false, httpProxyUrl: 'http://set.example' }),
  ]
  const unseal = async (address: string) => address.replace('set', 'unsealed')
  const read = async () => results.shift()?.() ?? {}
  const proxy = proxyFromSettings(read, { egress: 'private', fallback: first, unseal })
  const set = { url: 'http://unsealed.example', egress: 'private' }
  const seen: unknown[] = []
  for (let n = 0; n < 5; n += 1) seen.push(await proxy())
  expect(seen).toEqual([first, first, set, set, first])
})
