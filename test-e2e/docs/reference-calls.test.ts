import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { allOperations } from '@posthorn/contracts/operations'
import { referencePages } from '@posthorn/docs/reference'
import { readCalls, type ShownCalls } from '@posthorn/docs/reference/read-calls'
import { checkout } from '@posthorn/local/paths'
import { isFullFaultRun } from '@posthorn/testkit'
import { CallObjects } from './call-objects.ts'
import { startDocsSystem } from './docs-system.ts'
import { expectedErrors, preparations, withValues } from './prepared-calls.ts'
import { PythonInterpreter } from './python-interpreter.ts'
import { pythonShape } from './python-shape.ts'
import { type CallResult, curlStatus, curlTimeout, runCall } from './run-call.ts'

const pages = referencePages()
const calls = readCalls(pages)
const dir = await mkdtemp(join(tmpdir(), 'posthorn-calls-'))
await mkdir(join(dir, 'node_modules/@posthorn'), { recursive: true })
await symlink(join(checkout, 'libs/client'), join(dir, 'node_modules/@posthorn/client'))
const docs = await startDocsSystem()
const objects = await CallObjects.create(docs.system)
const python = new PythonInterpreter(docs.variables)
afterAll(async () => {
  await python[Symbol.asyncDispose]()
  await objects[Symbol.asyncDispose]()
  await docs[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** API operations whose responses do not end, so that their documented calls are stopped. */
const endless: ReadonlySet<string> = new Set(['followChanges', 'followEvents'])

/**
 * API operations whose documented calls together have each form of example code, such as a stream
 * or an upload. These calls run in a new interpreter each, as a reader of the pages would run the
 * calls.
 */
const forms = new Set(
  'getStats submitMessage getMessageSource getAttachment downloadExport getLogs followChanges setLicense'.split(
    ' ',
  ),
)

/** Creates the objects that a call of a reference page needs, and runs the call. */
async function run(call: ShownCalls, language: 'sh' | 'ts' | 'py'): Promise<CallResult> {
  const { operationId } = call
  const replacements = (await preparations[operationId]?.(objects)) ?? {}
  const code = withValues(call[language], replacements)
  const timeoutMs = endless.has(operationId) ? 8_000 : 90_000
  const options = { dir: join(dir, `${operationId}-${language}`), timeoutMs }
  if (language === 'py' && !forms.has(operationId)) return python.run(code, options)
  return runCall(code, language, { ...options, variables: docs.variables })
}

/**
 * Expected exit code of a documented Python or TypeScript call. Null for a call that is stopped.
 */
function exitCodeOf({ operationId }: ShownCalls): number | null {
  return endless.has(operationId) ? null : 0
}

test('reference pages: have a call of each documented operation', () => {
  const documented = allOperations.filter(({ hidden }) => !hidden).map(({ id }) => id)
  expect(calls.map(({ operationId }) => operationId).sort()).toEqual(documented.sort())
})

test('expected errors: are documented', () => {
  for (const [operationId, { status }] of Object.entries(expectedErrors)) {
    const [page = ''] = [...pages.values()].filter((text) =>
      text.includes(`, \`${operationId}\` in the client.`),
    )
    const [, errors = ''] = page.split(`\`${operationId}\` in the client.`)
    expect([operationId, new RegExp(`\\*\\*Errors.*\\b${status}\\b`).test(errors)]).toEqual([
      operationId,
      true,
    ])
  }
})

test.each(calls)('curl: the call of $operationId has the documented result', async (call) => {
  const result = await run(call, 'sh')
  const { status = 200 } = expectedErrors[call.operationId] ?? {}
  const code = endless.has(call.operationId) ? curlTimeout : 0
  expect({ ...result, status: curlStatus(result) }).toMatchObject({ status, code })
})

/**
 * Documented Python calls that run: all in `make test-faults`. Otherwise, one call runs for each
 * structure of code and for each form of example code.
 */
const pythonCalls = calls.filter(
  ({ operationId, py }, index) =>
    isFullFaultRun ||
    forms.has(operationId) ||
    calls.findIndex((call) => pythonShape(call.py) === pythonShape(py)) === index,
)

test('Python: the calls that run have many structures of code', () => {
  expect(new Set(pythonCalls.map(({ py }) => pythonShape(py))).size).toBeGreaterThan(20)
})

test.each(pythonCalls)(
  'Python: the call of $operationId has the documented result',
  async (call) => {
    const { code, stderr } = await run(call, 'py')
    const error = expectedErrors[call.operationId]
    if (error) expect(stderr).toContain(`HTTP Error ${error.status}`)
    else expect({ code, stderr }).toEqual({ code: exitCodeOf(call), stderr: '' })
  },
)

// Another test checks the types of all documented TypeScript calls. One call runs for each form of
// example code.
const formCalls = calls.filter(({ operationId }) => forms.has(operationId))

test.each(formCalls)(
  'TypeScript: the call of $operationId has the documented result',
  async (call) => {
    const { code, stderr } = await run(call, 'ts')
    const error = expectedErrors[call.operationId]
    if (error) expect(stderr).toContain(`status: ${error.status}`)
    else expect({ code, stderr }).toEqual({ code: exitCodeOf(call), stderr: '' })
  },
)
