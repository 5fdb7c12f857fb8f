import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/** Runs a program in the root of the project with its output passed on. Resolves to its exit code. */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** Types, lint and format: what needs neither a server nor a test runner. */
export const staticChecks: readonly (readonly [
  name: string,
  command: string,
  args: readonly string[],
])[] = [
  ['types', 'tsc', ['-p', 'libs/tooling/tsconfig.json']],
  [
    'lint',
    'oxlint',
    [
      '--type-aware',
      '--deny-warnings',
      '-c',
      'libs/tooling/oxlintrc.json',
      'libs',
      'services',
      'deploy',
      'test-e2e',
    ],
  ],
  [
    'format',
    'oxfmt',
    [
      '-c',
      'libs/tooling/oxfmtrc.json',
      '--check',
      'libs',
      'services',
      'deploy',
      'test-e2e',
      'package.json',
      '!**/*.md',
      '!libs/contracts/openapi.json',
    ],
  ],
]

/** Runs all of them, also after a failure, and says which failed. */
export async function runStaticChecks(): Promise<string[]> {
  const failed: string[] = []
  for (const [name, command, args] of staticChecks) {
    if ((await runProgram(command, args)) !== 0) failed.push(name)
  }
  return failed
}

/** Jest as native ES modules. */
export function runJest(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return runProgram(
    'node',
    ['node_modules/jest/bin/jest.js', '--config', 'libs/tooling/jest.config.js', ...args],
    {
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      ...env,
    },
  )
}
