import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expectedResult, startSampleApi } from './sample-api.ts'
import { SampleProject } from './sample-project.ts'

// `make client-platforms`: runs the package of the API client in Node 20, Deno and Bun. The
// platforms are installed into .local on demand, because together they have several hundred
// megabytes.
const versions = {
  [`node-linux-${process.arch}`]: '20.20.2',
  '@types/node': '20.19.25',
  deno: '2.9.6',
  bun: '1.4.5',
}
const tools = resolve('.local/client-platforms')
mkdirSync(tools, { recursive: true })
writeFileSync(join(tools, 'package.json'), '{"private":true}')
const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
const install = ['install', '--no-save', '--no-audit', '--no-fund', ...packages]
execFileSync('npm', install, { cwd: tools, stdio: 'inherit' })
const modules = join(tools, 'node_modules')
const runtimes: Record<string, [command: string, ...args: string[]]> = {
  'Node 20': [join(modules, `node-linux-${process.arch}/bin/node`)],
  'Node 24': [process.execPath],
  Deno: [join(modules, '.bin/deno'), 'run', '--allow-net'],
  Bun: [join(modules, '.bin/bun')],
}

const folder = mkdtempSync(join(tmpdir(), 'posthorn-client-platforms-'))
try {
  const project = await SampleProject.create(folder)
  const types = { lib: ['es2022'], types: ['node'], typeRoots: [join(modules, '@types')] }
  const errors = await project.compile(types)
  report('types of Node 20', errors === '', errors)
  for (const [name, [command, ...args]] of Object.entries(runtimes)) {
    await using api = await startSampleApi()
    const result = await project.run(command, args, api.url).catch((error: unknown) => error)
    report(name, isDeepStrictEqual(result, expectedResult), result)
  }
} finally {
  rmSync(folder, { recursive: true })
}

function report(name: string, passed: boolean, result: unknown): void {
  process.stdout.write(passed ? `${name}: passed\n` : `${name}: failed: ${String(result)}\n`)
  if (!passed) process.exitCode = 1
}
