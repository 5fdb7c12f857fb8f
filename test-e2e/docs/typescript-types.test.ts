import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'
import { readExamples } from '@posthorn/docs/examples'
import { referencePages } from '@posthorn/docs/reference'
import { readCalls } from '@posthorn/docs/reference/read-calls'
import { checkout } from '@posthorn/local/paths'

const dir = await mkdtemp(join(tmpdir(), 'posthorn-types-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

/** TypeScript options of a reader's strict project that only checks types. */
const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

/** TypeScript examples of the guides, by file name. */
function guideExamples(): [string, string][] {
  return globSync('libs/docs/guides/*.md', { cwd: checkout }).flatMap((path) =>
    readExamples(readFileSync(join(checkout, path), 'utf8'))
      .examples.filter(({ language }) => language === 'ts')
      .map(({ code, line }): [string, string] => [`${basename(path, '.md')}-${line}.ts`, code]),
  )
}

test('documentation: TypeScript calls and examples have correct types', async () => {
  const calls = readCalls(referencePages()).map(({ operationId, ts }): [string, string] => [
    `${operationId}.ts`,
    ts,
  ])
  const files = [...calls, ...guideExamples()]
  expect(files.length).toBeGreaterThan(80)
  for (const [file, code] of files) await writeFile(join(dir, file), code)
  await mkdir(join(dir, 'node_modules/@posthorn'), { recursive: true })
  await symlink(join(checkout, 'libs/client'), join(dir, 'node_modules/@posthorn/client'))
  await symlink(join(checkout, 'node_modules/@types'), join(dir, 'node_modules/@types'))
  await writeFile(join(dir, 'package.json'), '{"type": "module"}')
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const tsc = join(checkout, 'node_modules/.bin/tsc')
  const problems = await promisify(execFile)(tsc, ['-p', dir], { cwd: dir }).then(
    () => '',
    ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
  )
  expect(problems).toBe('')
})
