import { type ApiSchema, apiDocument } from './api-document.ts'
import { markdownTable } from './markdown.ts'
import { memberRows, type MemberRow, namedSchemasIn } from './schema-rows.ts'

/**
 * Documentation table of the members of an object schema. Empty if the schema has no known members.
 */
export function memberTable(schema: ApiSchema): string {
  return tableOf(memberRows(schema))
}

function tableOf(rows: readonly MemberRow[]): string {
  return markdownTable(
    ['member', 'type', 'description'],
    rows.map(({ path, type, isRequired, description }) => [
      `\`${path}\``,
      isRequired ? `${type}, required` : type,
      description,
    ]),
  )
}

/**
 * Section with the named schemas to which schemas of a documentation page refer. Members that an
 * earlier object of the section describes in the same words are listed by name only.
 */
export function namedSchemaSection(schemas: unknown): string[] {
  const { schemas: components } = apiDocument.components
  const names = namedSchemasIn(schemas, components).toSorted(
    (a, b) => Number(isChange(a)) - Number(isChange(b)),
  )
  if (names.length === 0) return []
  const described = new Map<string, string>()
  return [
    '## Objects',
    ...names.flatMap((name) => {
      const schema = components[name] ?? {}
      return [
        `### ${name} object`,
        schema.description ?? '',
        ...distinctMembers(name, memberRows(schema), described),
      ]
    }),
  ]
}

/**
 * True for the name of an API schema that repeats members of another schema, such as the schema of
 * an update.
 */
function isChange(name: string): boolean {
  return /Update$|Record$|Disabled$|ListEntry$|Detail$/.test(name)
}

/**
 * Table of the schema members that are new on the documentation page, and the names of the other
 * members by object. Adds the members of the object to `described`.
 */
function distinctMembers(
  name: string,
  rows: readonly MemberRow[],
  described: Map<string, string>,
): string[] {
  const repeated = new Map<string, string[]>()
  const own = rows.filter((row) => {
    const origin = described.get(keyOf(row))
    if (origin !== undefined)
      repeated.set(origin, [...(repeated.get(origin) ?? []), `\`${row.path}\``])
    return origin === undefined
  })
  for (const row of own) described.set(keyOf(row), name)
  return [
    tableOf(own),
    ...[...repeated].map(
      ([origin, paths]) =>
        `As in the [${origin} object](#${origin.toLowerCase()}-object): ${paths.join(', ')}.`,
    ),
  ]
}

/**
 * Name, type and description of a schema member, without the path of the object that has the
 * member.
 */
function keyOf({ path, type, description }: MemberRow): string {
  return JSON.stringify([path.split('.').at(-1), type.replaceAll(' or null', ''), description])
}
