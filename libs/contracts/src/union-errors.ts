import type { ErrorObject } from 'ajv/dist/2020.js'

/** One failed `anyOf` where no branch fits the value: what the branches would have taken. */
export const unionKeyword = 'union'

/**
 * A union reports what each of its branches finds wrong: an object that has a bad port, where `false` would do as well, is told
 * that it is not `false`. Keeps what the branch says that was meant, and where none was, says once what would do.
 */
export function reduceUnionErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = [...errors]
  // The inner unions of a branch come before the union itself: each finds its own branches settled.
  for (const union of errors) {
    if (union.keyword === 'anyOf' || union.keyword === 'oneOf') kept = settle(kept, union)
  }
  return kept.filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
}

function settle(errors: ErrorObject[], union: ErrorObject): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  const others: ErrorObject[] = []
  for (const error of errors) {
    if (error === union) continue
    const branch = branchOf(error, union)
    if (branch === undefined) others.push(error)
    else branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  // The first branch wins, whichever of them was told of first.
  const inOrder = [...branches].sort(([a], [b]) => Number(a) - Number(b)).map(([, found]) => found)
  const meant = inOrder.find((found) => !found.some((error) => isMismatch(error, union)))
  return [...others, ...(meant ?? [noneFits(union, inOrder)])]
}

/** The number of the branch that an error belongs to, if it belongs to this union and this value. */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const sameValue =
    error.instancePath === union.instancePath ||
    error.instancePath.startsWith(`${union.instancePath}/`)
  if (!sameValue || !error.schemaPath.startsWith(`${union.schemaPath}/`)) return undefined
  return error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0]
}

/** The value is not what the branch is for: of another type, or not the one word it takes. */
function isMismatch({ instancePath, keyword }: ErrorObject, union: ErrorObject): boolean {
  return instancePath === union.instancePath && ['type', 'const', unionKeyword].includes(keyword)
}

function noneFits(union: ErrorObject, branches: ErrorObject[][]): ErrorObject {
  const wanted = branches.flatMap((errors) =>
    wantedBy(errors.filter((error) => isMismatch(error, union))),
  )
  const nullLast = [...new Set(wanted)].sort((a, b) => Number(a === 'null') - Number(b === 'null'))
  return { ...union, keyword: unionKeyword, params: { wanted: nullLast } }
}

/** What one branch would have taken: its word, where it takes one, else its type. */
function wantedBy(mismatches: ErrorObject[]): string[] {
  const inner = mismatches.filter(({ keyword }) => keyword === unionKeyword)
  if (inner.length > 0) return inner.flatMap(({ params }) => params['wanted'] as string[])
  const words = mismatches.filter(({ keyword }) => keyword === 'const')
  if (words.length > 0) return words.map(({ params }) => JSON.stringify(params['allowedValue']))
  return mismatches.flatMap(({ params }) => [params['type']].flat().map(String))
}
