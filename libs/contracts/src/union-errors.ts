import type { ErrorObject } from 'ajv/dist/2020.js'

/**
 * Keyword of the validation error that is reported if a value matches no branch of a union. The
 * error lists the accepted values.
 */
export const unionKeyword = 'union'

/**
 * Reduces the validation errors of a union to the errors of the branch that the caller probably
 * meant. ajv reports the errors of all branches: for an object with a bad port that may also be
 * `false`, ajv would add "must be false". If the caller meant no branch, a single error lists the
 * accepted values.
 */
export function reduceUnionErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  let remaining = [...errors]
  // Errors of inner unions are reduced before the errors of outer unions, because ajv reports the
  // errors of inner unions first.
  for (const union of errors) {
    if (union.keyword === 'anyOf' || union.keyword === 'oneOf')
      remaining = reduceUnion(remaining, union)
  }
  return remaining.filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
}

function reduceUnion(errors: ErrorObject[], union: ErrorObject): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  const others: ErrorObject[] = []
  for (const error of errors) {
    if (error === union) continue
    const branch = branchOf(error, union)
    if (branch === undefined) others.push(error)
    else branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  // The branches of a union are sorted as in the schema, so that the first branch that the caller
  // may have meant wins, regardless of the order of the errors.
  const inOrder = [...branches]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, branchErrors]) => branchErrors)
  const meant = inOrder.find((branch) => !branch.some((error) => isMismatch(error, union)))
  return [...others, ...(meant ?? [noBranchMatches(union, inOrder)])]
}

/**
 * Number of the schema union's branch in which a validation error occurred. Undefined if the error
 * belongs to another union or another value.
 */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const sameValue =
    error.instancePath === union.instancePath ||
    error.instancePath.startsWith(`${union.instancePath}/`)
  if (!sameValue || !error.schemaPath.startsWith(`${union.schemaPath}/`)) return undefined
  return error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0]
}

/**
 * True if a validation error shows that the value has another type or constant than a branch of the
 * schema union accepts.
 */
function isMismatch({ instancePath, keyword }: ErrorObject, union: ErrorObject): boolean {
  return instancePath === union.instancePath && ['type', 'const', unionKeyword].includes(keyword)
}

function noBranchMatches(union: ErrorObject, branches: ErrorObject[][]): ErrorObject {
  const accepted = branches.flatMap((errors) =>
    acceptedBy(errors.filter((error) => isMismatch(error, union))),
  )
  const nullLast = [...new Set(accepted)].sort(
    (a, b) => Number(a === 'null') - Number(b === 'null'),
  )
  return { ...union, keyword: unionKeyword, params: { wanted: nullLast } }
}

/** Values that a branch of a schema union accepts: its constants, or else the name of its type. */
function acceptedBy(mismatches: ErrorObject[]): string[] {
  const inner = mismatches.filter(({ keyword }) => keyword === unionKeyword)
  if (inner.length > 0) return inner.flatMap(({ params }) => params['wanted'] as string[])
  const constants = mismatches.filter(({ keyword }) => keyword === 'const')
  if (constants.length > 0)
    return constants.map(({ params }) => JSON.stringify(params['allowedValue']))
  return mismatches.flatMap(({ params }) => [params['type']].flat().map(String))
}
