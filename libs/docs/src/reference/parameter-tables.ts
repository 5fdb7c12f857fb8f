import type { ApiParameter, LocatedOperation } from './api-document.ts'
import { markdownTable } from './markdown.ts'
import { typeText } from './schema-rows.ts'

/**
 * Minimum number of API operations on a documentation page for which a common parameter is
 * described only once.
 */
const sharedFrom = 3

/** Parameters that several API operations of a documentation page have in the same words. */
export function sharedParameters(operations: readonly LocatedOperation[]): ApiParameter[] {
  const groups = Map.groupBy(
    operations.flatMap(({ parameters }) => parameters),
    keyOf,
  )
  return [...groups.values()].flatMap((same) =>
    same.length >= sharedFrom && same[0] !== undefined ? [same[0]] : [],
  )
}

/** Table of an API operation's parameters, with their place, type and description. */
export function parameterTable(parameters: readonly ApiParameter[]): string {
  return markdownTable(
    ['parameter', 'in', 'type', 'description'],
    parameters.map(({ name, in: place, required, schema, description }) => [
      `\`${name}\``,
      place,
      required ? `${typeText(schema)}, required` : typeText(schema),
      description,
    ]),
  )
}

/** Parts of a documentation page that describe the parameters of one API operation. */
export function parameterParts(
  parameters: readonly ApiParameter[],
  shared: readonly ApiParameter[],
): string[] {
  if (parameters.length === 0) return []
  const keys = new Set(shared.map(keyOf))
  const names = parameters
    .filter((parameter) => keys.has(keyOf(parameter)))
    .map(({ name, required }) => (required ? `\`${name}\` (required)` : `\`${name}\``))
  return [
    names.length === 0
      ? '**Parameters**'
      : `**Parameters** [described below](#parameters): ${names.join(', ')}.`,
    parameterTable(parameters.filter((parameter) => !keys.has(keyOf(parameter)))),
  ]
}

function keyOf({ name, in: place, description, required, schema }: ApiParameter): string {
  return JSON.stringify([name, place, description, required, schema])
}
