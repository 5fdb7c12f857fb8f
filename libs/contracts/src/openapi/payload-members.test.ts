import { expect, test } from '@jest/globals'
import { eventNames } from '../events/index.ts'
import { eventBodies } from './examples/event-bodies.ts'
import { listPayloadMembers, type PayloadMember, type PayloadMembers } from './payload-members.ts'

const payloads = listPayloadMembers()

/** Paths of the members of an event payload that are missing in the list of payload members. */
function missingPaths(value: unknown, member: PayloadMember, path: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((item) => missingPaths(item, { ...member, type: '' }, `${path}[]`))
  // Objects without listed members, such as headers, may have any members.
  if (typeof value !== 'object' || value === null || !member.members) return []
  const { members } = member
  return Object.entries(value).flatMap(([name, item]) => {
    const next = members[name]
    return next ? missingPaths(item, next, `${path}.${name}`) : [`${path}.${name}`]
  })
}

test.each(eventNames)('listPayloadMembers: has all members of the example of %s', (event) => {
  const payload = { type: 'object', members: payloads[event] }
  expect(missingPaths(eventBodies[event], payload, 'payload')).toEqual([])
  expect(payloads[event].data?.members).toBeDefined()
})

test('listPayloadMembers: names types, lists and constants', () => {
  const { serviceUrl, event, data, eventId, _route } = payloads.messageNew as Required<
    typeof payloads.messageNew
  >
  const members = data?.members as PayloadMembers
  expect([serviceUrl, event, eventId]).toEqual([
    { type: 'string | null' },
    { type: '"messageNew"' },
    { type: 'string' },
  ])
  expect(_route).toEqual({ type: 'object', members: { id: { type: 'string' } } })
  expect(members['flags']).toEqual({ type: 'string[]', isList: true })
  expect(members['to']).toEqual({
    type: 'object[]',
    members: { name: { type: 'string' }, address: { type: 'string' } },
    isList: true,
  })
  expect(payloads.accountAdded.data?.members).not.toHaveProperty('subject')
})
