import type { TSchema } from 'typebox'
import { type EventName, eventNames } from '../events/index.ts'
import { webhookBody } from './webhooks.ts'

/** Member of a webhook body, or of an object in the body. */
export interface PayloadMember {
  /** Type of a webhook body's member in the notation of TypeScript: `string | null`, `object[]`. */
  type: string
  /**
   * Members of the object that a webhook body's member has as value. For a list, the members of its
   * entries.
   */
  members?: PayloadMembers
  /** True for a member of a webhook body whose value is a list. */
  isList?: true
}

/** Members of a webhook body, or of an object in the body, by their names. */
export type PayloadMembers = Readonly<Record<string, PayloadMember>>

/** JSON Schema of a value in a webhook body, as far as it names types and members. */
interface ValueSchema {
  type?: string
  const?: unknown
  properties?: Readonly<Record<string, ValueSchema>>
  items?: ValueSchema
  anyOf?: readonly ValueSchema[]
  allOf?: readonly ValueSchema[]
}

/**
 * Lists the members of the payload that the functions of a webhook route get, by event name. The
 * payload has the members of the webhook body, the id of the event and the id of the route.
 * Descriptions are left out to keep the list small, because pages load the list.
 */
export function listPayloadMembers(): Readonly<Record<EventName, PayloadMembers>> {
  const entries = eventNames.map((name) => [name, membersOfPayload(name)] as const)
  return Object.fromEntries(entries) as Record<EventName, PayloadMembers>
}

function membersOfPayload(name: EventName): PayloadMembers {
  const { members = {} } = describeValue(webhookBody(name) as TSchema & ValueSchema)
  return { ...members, eventId: { type: 'string' }, _route: routeMember }
}

/**
 * Member of a webhook function's payload with the id of the webhook route that runs the function.
 */
const routeMember: PayloadMember = { type: 'object', members: { id: { type: 'string' } } }

function describeValue(schema: ValueSchema): PayloadMember {
  const { anyOf, allOf, items, properties } = schema
  if (anyOf) return joinValues(anyOf.map(describeValue), ' | ')
  if (allOf) return joinValues(allOf.map(describeValue), ' & ')
  if (items) {
    const { type, members } = describeValue(items)
    return { type: listType(type), ...(members && { members }), isList: true }
  }
  if (properties) {
    const entries = Object.entries(properties)
    const members = entries.map(([name, value]) => [name, describeValue(value)] as const)
    return { type: 'object', members: Object.fromEntries(members) }
  }
  if (schema.const !== undefined) return { type: JSON.stringify(schema.const) }
  return { type: schema.type ?? 'unknown' }
}

function listType(type: string): string {
  return type.includes(' ') ? `(${type})[]` : `${type}[]`
}

/**
 * Describes a member of a webhook body that has one of several types (`|`), or all of these types
 * (`&`).
 */
function joinValues(values: readonly PayloadMember[], separator: string): PayloadMember {
  const members = values.map((value) => value.members).filter((each) => each !== undefined)
  const isList = values.some((value) => value.isList)
  return {
    type: [...new Set(values.map(({ type }) => type))].join(separator),
    ...(members.length > 0 && { members: Object.assign({}, ...members) as PayloadMembers }),
    ...(isList && { isList }),
  }
}
