import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/**
 * Runs a program in the root of the project with its output passed on. Resolves to its exit code.
 * `signal` kills it.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { env = {}, signal }: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {},
): Promise<number> {
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
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

/** Runs all static checks concurrently. Returns the names of those that failed. */
export async function runStaticChecks(): Promise<string[]> {
  const codes = await Promise.all(
    staticChecks.map(([, command, args]) => runProgram(command, args)),
  )
  return staticChecks.flatMap(([name], index) => (codes[index] === 0 ? [] : [name]))
}

/** Jest as native ES modules. */
export function runJest(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): Promise<number> {
  return runProgram(
    'node',
    ['node_modules/jest/bin/jest.js', '--config', 'libs/tooling/jest.config.js', ...args],
    {
      env: {
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        ...env,
      },
      ...(signal ? { signal } : {}),
    },
  )
}
