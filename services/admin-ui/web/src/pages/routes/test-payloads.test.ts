import { expect, test } from '@jest/globals'
import { eventNames as eventsOfContracts } from '@posthorn/contracts/events'
import {
  cpuText,
  deliveryLabel,
  eventNames,
  eventOf,
  examplePayload,
  runText,
} from './test-payloads.ts'

test('examplePayload: each event of the contracts has an example with its name', () => {
  expect(eventNames).toEqual(eventsOfContracts.toSorted())
  for (const event of eventNames) expect(JSON.parse(examplePayload(event))).toMatchObject({ event })
})

test('eventOf: an unknown event becomes the first one', () => {
  expect(eventOf('messageSent')).toBe('messageSent')
  expect(eventOf('toString')).toBe('messageNew')
  expect(eventOf(undefined)).toBe('messageNew')
})

test.each([
  [{ applies: true, errors: [] }, 'The event is delivered.'],
  [{ applies: false, errors: [] }, 'The filter function rejects the event. Nothing is delivered.'],
  [
    { applies: false, errors: [{ function: 'filter', message: 'x' }] },
    'The filter function failed. Nothing is delivered.',
  ],
  [
    { applies: true, errors: [{ function: 'map', message: 'x' }] },
    'The map function failed. The original payload is delivered.',
  ],
] as const)('runText: of %j', (run, expected) => {
  expect(runText({ ...run, errors: [...run.errors] })).toBe(expected)
})

test('deliveryLabel: leaves out the account of events without one', () => {
  const delivery = { id: 'd', event: 'messageNew', account: '', queuedAt: '2030-01-31T08:00:00Z' }
  expect(deliveryLabel(delivery)).toMatch(/^messageNew · \d\d\/\d\d\/2030, /)
  expect(deliveryLabel({ ...delivery, account: 'anna' })).toContain(' · anna · ')
})

test('cpuText: one decimal place', () => {
  expect(cpuText(1.2345)).toBe('1.2 ms')
})
