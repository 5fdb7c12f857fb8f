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
const synced: StatusTrigger = { kind: 'synced' }
const refused: StatusTrigger = {
  kind: 'authFailed',
  error: { response: 'no', serverResponseCode: 'AUTHENTICATIONFAILED' },
}
const down: StatusTrigger = {
  kind: 'connectFailed',
  error: { response: 'refused', serverResponseCode: 'ECONNREFUSED' },
}

/** Goes through happenings an hour apart and tells the states seen and the events. */
function live(happenings: StatusTrigger[], from = fresh) {
  let standing = from
  const states: string[] = []
  const events: StateEvent[] = []
  for (const [hour, happening] of happenings.entries()) {
    const next = transition(standing, happening, at(hour * 3_600_000))
    standing = next.status
    states.push(standing.state)
    events.push(...next.events)
  }
  return { standing, states, events, names: events.map(({ event }) => event) }
}

const connected = live([start, login, synced]).standing

test('a new account logs in, syncs and is connected', () => {
  const { states, names, standing } = live([start, login, synced])
  expect(states).toEqual(['init', 'init', 'connected'])
  expect(names).toEqual(['authenticationSuccess', 'accountInitialized'])
  expect(standing.initializedAt).not.toBeNull()
})

test('a worker that takes a connected account over changes and tells nothing', () => {
  expect(live([start, login], connected)).toMatchObject({
    states: ['connected', 'connected'],
    names: [],
  })
})

test('a first sync that is interrupted tells of the first login under the same id', () => {
  const { events } = live([start, login, start, login, synced])
  expect(events.map(({ event, key }) => `${event} ${key}`)).toEqual([
    'authenticationSuccess first',
    'authenticationSuccess first',
    'accountInitialized first',
  ])
})

test('equal failures are told once and counted', () => {
  const { names, standing } = live([refused, refused, refused], connected)
  expect(names).toEqual(['authenticationError'])
  expect(standing).toMatchObject({ state: 'authenticationError', errorCount: 3 })
})

test('another failure of the same kind is told', () => {
  const other: StatusTrigger = {
    kind: 'authFailed',
    error: { response: 'expired', serverResponseCode: 'EXPIRED' },
  }
  expect(live([refused, other], connected).names).toEqual([
    'authenticationError',
    'authenticationError',
  ])
})

test('without codes the text decides', () => {
  const failure = (response: string): StatusTrigger => ({
    kind: 'connectFailed',
    error: { response },
  })
  expect(live([failure('a'), failure('a'), failure('b')], connected).names).toEqual([
    'connectError',
    'connectError',
  ])
})

test('recovery from refused credentials is told, from an unreachable server it is not', () => {
  expect(live([refused, login, synced], connected).names).toEqual([
    'authenticationError',
    'authenticationSuccess',
  ])
  const recovered = live([down, login, synced], connected)
  expect(recovered.names).toEqual(['connectError'])
  expect(recovered.states).toEqual(['connectError', 'connectError', 'connected'])
})

test('credentials that were refused before the server went away count as recovered after it', () => {
  expect(live([refused, down, login], connected).names).toEqual([
    'authenticationError',
    'connectError',
    'authenticationSuccess',
  ])
})

test('every run of failures has an id of its own', () => {
  const { events } = live([refused, login, refused, login], connected)
  expect(new Set(events.map(({ event, key }) => event + key)).size).toBe(4)
})

test('a new account that is refused and then let in has one login told for each', () => {
  const { names, states } = live([start, refused, login, synced])
  expect(states).toEqual(['init', 'authenticationError', 'init', 'connected'])
  expect(names).toEqual(['authenticationError', 'authenticationSuccess', 'accountInitialized'])
})

test('credentials refused for three days switch syncing off and are told again', () => {
  const { standing, names } = live(
    Array.from({ length: 73 }, () => refused),
    connected,
  )
  expect(standing).toMatchObject({ state: 'unset', authFailureDisabledAt: at(72 * 3_600_000).now })
  expect(standing.lastError?.description).toMatch(/switched off/)
  expect(names).toEqual(['authenticationError', 'authenticationError'])
})

test('an unreachable server does not count towards the safety net', () => {
  const { standing } = live(
    Array.from({ length: 100 }, () => down),
    connected,
  )
  expect(standing).toMatchObject({ state: 'connectError', authFailureDisabledAt: null })
})

test('an account that was switched off stays so until it is registered anew', () => {
  const off = live(
    Array.from({ length: 73 }, () => refused),
    connected,
  ).standing
  expect(live([start], off).standing.state).toBe('unset')
  const again = live([{ ...start, version: '2' }, login], off)
  expect(again.states).toEqual(['init', 'connected'])
  expect(again.names).toEqual(['authenticationSuccess'])
  expect(again.standing.authFailureDisabledAt).toBeNull()
})

test('an account without a server is unset, and its errors are forgotten', () => {
  const broken = live([down], connected).standing
  expect(live([{ kind: 'starting', version: '2', enabled: false }], broken).standing).toMatchObject(
    {
      state: 'unset',
      lastError: null,
    },
  )
})

test('a connection that is lost and cannot be replaced at once is shown, and told by nobody', () => {
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

test('an account that never was connected, or is in trouble already, is not shown as disconnected', () => {
  expect(live([start, { kind: 'lost' }]).states).toEqual(['init', 'init'])
  expect(live([down, { kind: 'lost' }], connected).states).toEqual(['connectError', 'connectError'])
})

test('an answer that may be an outage counts as refused credentials after three times', () => {
  const unsure: StatusTrigger = { ...refused, ambiguous: true }
  const { states, names, standing } = live([unsure, unsure, unsure, unsure, unsure], connected)
  expect(states).toEqual([
    'connectError',
    'connectError',
    'connectError',
    'authenticationError',
    'authenticationError',
  ])
  expect(names).toEqual(['connectError', 'authenticationError'])
  expect(standing.authFailingSince).toEqual(at(3 * 3_600_000).now)
})

test('a mailbox that cannot be looked at is shown until all could be', () => {
  const refusal = { path: 'Broken', error: 'NO' }
  const { standing, names } = live([{ kind: 'synced', syncError: refusal }], connected)
  expect(standing).toMatchObject({
    state: 'connected',
    syncError: { ...refusal, time: at(0).now.toISOString() },
  })
  expect(names).toEqual([])
  expect(live([synced], standing).standing.syncError).toBeNull()
})
