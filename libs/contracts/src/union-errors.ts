import type { ErrorObject } from 'ajv/dist/2020.js'

/** Keyword of an error that lists the accepted values of a union without a matching branch. */
export const unionKeyword = 'union'

/**
 * Reduces the errors of a union to the errors of the branch that the caller meant. ajv reports
 * errors of all branches: a bad port in an object that may also be `false` would yield "must be
 * false" as well. If no branch was meant, one error lists the accepted values.
 */
export function reduceUnionErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  let remaining = [...errors]
  // Validation errors of inner unions precede errors of the outer union.
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
  // The first branch of the union wins, regardless of the order of errors.
  const inOrder = [...branches]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, branchErrors]) => branchErrors)
  const meant = inOrder.find((branch) => !branch.some((error) => isMismatch(error, union)))
  return [...others, ...(meant ?? [noBranchMatches(union, inOrder)])]
}

/**
 * Number of the union's branch that a validation error belongs to. Undefined if the error concerns
 * another union or value.
 */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const sameValue =
    error.instancePath === union.instancePath ||
    error.instancePath.startsWith(`${union.instancePath}/`)
  if (!sameValue || !error.schemaPath.startsWith(`${union.schemaPath}/`)) return undefined
  return error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0]
}

/**
 * True if the error shows that the value has another type or constant than the branch of the union.
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

/** Accepted values of a branch of a union: its constants, otherwise its type. */
function acceptedBy(mismatches: ErrorObject[]): string[] {
  const inner = mismatches.filter(({ keyword }) => keyword === unionKeyword)
  if (inner.length > 0) return inner.flatMap(({ params }) => params['wanted'] as string[])
  const constants = mismatches.filter(({ keyword }) => keyword === 'const')
  if (constants.length > 0)
    return constants.map(({ params }) => JSON.stringify(params['allowedValue']))
  return mismatches.flatMap(({ params }) => [params['type']].flat().map(String))
}
