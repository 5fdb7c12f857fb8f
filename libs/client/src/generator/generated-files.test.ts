import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  type ApiDocument,
  type ApiOperation,
  type ApiSchema,
  readApiDocument,
} from '@posthorn/contracts/openapi/document'
import { generateClient } from './generated-files.ts'

const source = resolve(import.meta.dirname, '..')
const root = resolve(source, '../../..')

test.each(generateClient(readApiDocument('0.0.0')))(
  'generated sources: %s is current, see `make client`',
  (path, text) => expect(readFileSync(join(source, path), 'utf8')).toBe(text),
)

/**
 * Compiles the API client as generated from a changed OpenAPI document. Returns the compiler errors
 * with their lines of code.
 */
function compileWith(change: (description: ApiDocument) => void): string {
  const description = structuredClone(readApiDocument('0.0.0'))
  change(description)
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-client-types-'))
  try {
    const filter = (path: string) => !path.endsWith('.test.ts') && !path.endsWith('/generator')
    cpSync(source, folder, { recursive: true, filter })
    for (const [path, text] of generateClient(description)) writeFileSync(join(folder, path), text)
    const options = {
      extends: join(root, 'libs/tooling/tsconfig.json'),
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
      files: [],
      include: ['**/*.ts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const compiler = join(root, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(compiler, ['-p', '.'], { cwd: folder, encoding: 'utf8' })
    return stdout.replaceAll(/^(\S+)\((\d+),\d+\):/gm, (position, file: string, line: string) => {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n')
      return `${position} ${lines[Number(line) - 1]?.trim()}`
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function find({ paths }: ApiDocument, id: string): ApiOperation {
  const operation = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id)
  if (!operation) throw new Error(`the contracts have no operation ${id}`)
  return operation
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const schemaOf = ({ components }: ApiDocument, name: string) =>
  components.schemas[name] as Mutable<ApiSchema>

const without = (properties: ApiSchema['properties'] = {}, name: string) =>
  Object.fromEntries(Object.entries(properties).filter(([key]) => key !== name))

test('type tests: with an added operation, member, parameter and event, compile', () => {
  const errors = compileWith((description) => {
    const { paths, webhooks } = description
    const added = { ...find(description, 'getStats'), operationId: 'getAdded' }
    Object.assign(paths, { '/v1/added': { get: added } })
    Object.assign(webhooks, { added: webhooks['messageNew'] })
    for (const name of ['Submission', 'MessageEntry'])
      schemaOf(description, name).properties = {
        ...schemaOf(description, name).properties,
        added: { type: 'string' },
      }
  })
  expect(errors).toBe('')
})

const breakingChanges: Record<string, (description: ApiDocument) => void> = {
  // Breaking change of the API: a removed operation.
  getStats: ({ paths }) => delete (paths as Record<string, object>)['/v1/stats'],
  // Breaking change of the API: a removed member of a request.
  subject: (description) => {
    const schema = schemaOf(description, 'Submission')
    schema.properties = without(schema.properties, 'subject')
  },
  // Breaking change of the API: a new required member of a request.
  purpose: (description) => {
    const schema = schemaOf(description, 'TokenRequest')
    schema.properties = { ...schema.properties, purpose: { type: 'string' } }
    schema.required = [...(schema.required ?? []), 'purpose']
  },
  // Breaking change of the API: another type of a parameter.
  deleteAccount: (description) => {
    const parameters = find(description, 'deleteAccount').parameters
    for (const parameter of parameters) parameter.schema = { type: 'integer' }
  },
  // Breaking change of the API: a member of a response that became optional.
  listMessages: (description) => {
    const schema = schemaOf(description, 'MessageEntry')
    schema.required = (schema.required ?? []).filter((name) => name !== 'id')
  },
  // Breaking change of the API: a removed event.
  messageSent: ({ webhooks }) => delete (webhooks as Record<string, object>)['messageSent'],
}

test('type tests: with breaking changes, the compiler reports an error for each', () => {
  const errors = compileWith((description) => {
    for (const change of Object.values(breakingChanges)) change(description)
  })
  const names = Object.keys(breakingChanges)
  expect(names.filter((name) => !errors.includes(name))).toEqual([])
})
