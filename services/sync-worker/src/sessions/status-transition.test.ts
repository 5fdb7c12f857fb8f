import { expect, test } from '@jest/globals'
import type { AccountStatus } from '../store/account-status.ts'
import { type StateEvent, type StatusTrigger, transition } from './status-transition.ts'

const day = 86_400_000
const at = (ms: number) => ({ now: new Date(1_700_000_000_000 + ms), maxAuthFailureMs: 3 * day })
const fresh: AccountStatus = {
  state: 'new',
  stateEpoch: 1,
  lastError: null,
  errorCount: 0,
  authFailingSince: null,
  authFailureDisabledAt: null,
  accountVersion: '1',
  initializedAt: null,
  syncTime: null,
  syncError: null,
}
const start: StatusTrigger = { kind: 'starting', version: '1', enabled: true }
const login: StatusTrigger = { kind: 'loggedIn', user: 'u' }
const connecting: StatusTrigger = { kind: 'connecting' }
const syncing: StatusTrigger = { kind: 'syncing' }
const synced: StatusTrigger = { kind: 'synced' }
const refused: StatusTrigger = {
  kind: 'authFailed',
  error: { response: 'no', serverResponseCode: 'AUTHENTICATIONFAILED' },
}
const down: StatusTrigger = {
  kind: 'connectFailed',
  error: { response: 'refused', serverResponseCode: 'ECONNREFUSED' },
}

/**
 * Applies status triggers of an account one hour apart. Returns the account states and the events.
 */
function live(triggers: StatusTrigger[], from = fresh) {
  let status = from
  const states: string[] = []
  const events: StateEvent[] = []
  for (const [hour, trigger] of triggers.entries()) {
    const next = transition(status, trigger, at(hour * 3_600_000))
    status = next.status
    states.push(status.state)
    events.push(...next.events)
  }
  return { status, states, events, names: events.map(({ event }) => event) }
}

const connected = live([start, login, synced]).status

test('transition: a new account is init, connecting, syncing, connected with two events', () => {
  const { states, names, status } = live([start, connecting, login, syncing, synced])
  expect(states).toEqual(['init', 'connecting', 'syncing', 'syncing', 'connected'])
  expect(names).toEqual(['authenticationSuccess', 'accountInitialized'])
  expect(status.initializedAt).not.toBeNull()
})

test('transition: a restart of a connected account has no change and no event', () => {
  expect(live([start, login], connected)).toMatchObject({
    states: ['connected', 'connected'],
    names: [],
  })
})

test('transition: repeated logins before the first sync have one event id', () => {
  const { events } = live([start, login, start, login, synced])
  expect(events.map(({ event, key }) => `${event} ${key}`)).toEqual([
    'authenticationSuccess first',
    'authenticationSuccess first',
    'accountInitialized first',
  ])
})

test('transition: equal failures are counted with one event', () => {
  const { names, status } = live([refused, refused, refused], connected)
  expect(names).toEqual(['authenticationError'])
  expect(status).toMatchObject({ state: 'authenticationError', errorCount: 3 })
})

test('transition: a different failure of the same kind has an event', () => {
  const other: StatusTrigger = {
    kind: 'authFailed',
    error: { response: 'expired', serverResponseCode: 'EXPIRED' },
  }
  expect(live([refused, other], connected).names).toEqual([
    'authenticationError',
    'authenticationError',
  ])
})

test('transition: failures without codes are compared by text', () => {
  const failure = (response: string): StatusTrigger => ({
    kind: 'connectFailed',
    error: { response },
  })
  expect(live([failure('a'), failure('a'), failure('b')], connected).names).toEqual([
    'connectError',
    'connectError',
  ])
})

test('transition: authenticationSuccess after authenticationError, not after connectError', () => {
  expect(live([refused, login, synced], connected).names).toEqual([
    'authenticationError',
    'authenticationSuccess',
  ])
  const recovered = live([down, login, synced], connected)
  expect(recovered.names).toEqual(['connectError'])
  expect(recovered.states).toEqual(['connectError', 'connectError', 'connected'])
})

test('transition: authenticationSuccess after authFailed then connectFailed', () => {
  expect(live([refused, down, login], connected).names).toEqual([
    'authenticationError',
    'connectError',
    'authenticationSuccess',
  ])
})

test('transition: each series of failures has its own event id', () => {
  const { events } = live([refused, login, refused, login], connected)
  expect(new Set(events.map(({ event, key }) => event + key)).size).toBe(4)
})

test('transition: a new account has one authenticationSuccess per recovery', () => {
  const { names, states } = live([start, refused, login, synced])
  expect(states).toEqual(['init', 'authenticationError', 'syncing', 'connected'])
  expect(names).toEqual(['authenticationError', 'authenticationSuccess', 'accountInitialized'])
})

test('transition: unset with an event after maxAuthFailureMs', () => {
  const { status, names } = live(
    Array.from({ length: 73 }, () => refused),
    connected,
  )
  expect(status).toMatchObject({ state: 'unset', authFailureDisabledAt: at(72 * 3_600_000).now })
  expect(status.lastError?.description).toMatch(/switched off/)
  expect(names).toEqual(['authenticationError', 'authenticationError'])
})

test('transition: connectFailed does not count towards maxAuthFailureMs', () => {
  const { status } = live(
    Array.from({ length: 100 }, () => down),
    connected,
  )
  expect(status).toMatchObject({ state: 'connectError', authFailureDisabledAt: null })
})

test('transition: a disabled account stays unset until its version changes', () => {
  const off = live(
    Array.from({ length: 73 }, () => refused),
    connected,
  ).status
  expect(live([start], off).status.state).toBe('unset')
  const again = live([{ ...start, version: '2' }, login], off)
  expect(again.states).toEqual(['init', 'connected'])
  expect(again.names).toEqual(['authenticationSuccess'])
  expect(again.status.authFailureDisabledAt).toBeNull()
})

test('transition: credentials changed after rejected ones, authenticationSuccess and the whole time', () => {
  const changed: StatusTrigger = { ...start, version: '2' }
  expect(live([refused, down, changed, login], connected).names).toEqual([
    'authenticationError',
    'connectError',
    'authenticationSuccess',
  ])
  expect(live([changed, login], connected).names).toEqual([])
  const failing = Array.from({ length: 71 }, () => refused)
  const { status } = live([...failing, changed, refused, refused], connected)
  expect(status).toMatchObject({ state: 'authenticationError', authFailureDisabledAt: null })
})

test('transition: without a server unset, errors are cleared', () => {
  const broken = live([down], connected).status
  expect(live([{ kind: 'starting', version: '2', enabled: false }], broken).status).toMatchObject({
    state: 'unset',
    lastError: null,
  })
})

test('transition: lost gives disconnected without an event', () => {
  expect(live([{ kind: 'lost' }, login, synced], connected)).toMatchObject({
    states: ['disconnected', 'connected', 'connected'],
    names: [],
  })
  expect(live([{ kind: 'lost' }, down], connected)).toMatchObject({
    states: ['disconnected', 'connectError'],
    names: ['connectError'],
  })
  expect(live([{ kind: 'lost' }, refused, login], connected).names).toEqual([
    'authenticationError',
    'authenticationSuccess',
  ])
})

test('transition: lasting attempts and syncs of a synced account have no event', () => {
  expect(live([connecting, login, syncing, connecting, login, synced], connected)).toMatchObject({
    states: ['connecting', 'connected', 'syncing', 'connecting', 'connected', 'connected'],
    names: [],
  })
})

test('transition: an attempt to connect keeps errors, and init of an account enabled again', () => {
  const states = (first: StatusTrigger) => live([first, connecting, syncing], connected).states
  expect(states(refused)).toEqual(Array(3).fill('authenticationError'))
  expect(states(down)).toEqual(Array(3).fill('connectError'))
  const off: StatusTrigger = { kind: 'starting', version: '1', enabled: false }
  const again = live([off, start, connecting, login], connected)
  expect(again.states).toEqual(['unset', 'init', 'init', 'connected'])
  expect(again.names).toEqual([])
})

test('transition: paused until the registration changes, unset without a server', () => {
  const paused: StatusTrigger = { ...start, version: '2', paused: true }
  const resumed: StatusTrigger = { ...start, version: '3' }
  expect(live([paused, resumed, login, synced], connected)).toMatchObject({
    states: ['paused', 'init', 'connected', 'connected'],
    names: [],
  })
  expect(live([refused, paused, resumed, login], connected).names).toEqual([
    'authenticationError',
    'authenticationSuccess',
  ])
  const failing = live([down], connected).status
  expect(live([paused], failing).status).toMatchObject({ state: 'paused', lastError: null })
  expect(live([{ ...paused, enabled: false }]).states).toEqual(['unset'])
})

test('transition: lost changes only the state connected', () => {
  expect(live([start, { kind: 'lost' }]).states).toEqual(['init', 'init'])
  expect(live([down, { kind: 'lost' }], connected).states).toEqual(['connectError', 'connectError'])
})

test('transition: an ambiguous authFailed counts as authenticationError after three times', () => {
  const unsure: StatusTrigger = { ...refused, ambiguous: true }
  const { states, names, status } = live([unsure, unsure, unsure, unsure, unsure], connected)
  expect(states).toEqual([
    'connectError',
    'connectError',
    'connectError',
    'authenticationError',
    'authenticationError',
  ])
  expect(names).toEqual(['connectError', 'authenticationError'])
  expect(status.authFailingSince).toEqual(at(3 * 3_600_000).now)
})

test('transition: syncError is kept until a pass without one', () => {
  const refusal = { path: 'Broken', error: 'NO' }
  const { status, names } = live([{ kind: 'synced', syncError: refusal }], connected)
  expect(status).toMatchObject({
    state: 'connected',
    syncError: { ...refusal, time: at(0).now.toISOString() },
  })
  expect(names).toEqual([])
  expect(live([synced], status).status.syncError).toBeNull()
})
