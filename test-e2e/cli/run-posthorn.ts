import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { WorldAccess } from '../world.ts'

const root = resolve(import.meta.dirname, '../..')

/** Directory, input and environment of a run of `posthorn`. */
export interface PosthornRun {
  /** Working directory, also the home directory: `posthorn` stores its login there. */
  cwd: string
  /** Standard input of `posthorn`. Default: none. */
  stdin?: string | Uint8Array
  env?: Readonly<Record<string, string>>
}

/** Result of a run of `posthorn`. */
export interface PosthornResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Environment variables with which `posthorn` calls the system of a test. */
export function connectionOf({ url, token }: Pick<WorldAccess, 'url' | 'token'>) {
  return { POSTHORN_URL: url, POSTHORN_TOKEN: token }
}

/**
 * Starts `posthorn` as a process. `line` is a command line of a shell that calls `posthorn`, such
 * as `posthorn accounts list | head -1`.
 */
export function startPosthorn(line: string, { cwd, env }: PosthornRun): ChildProcess {
  const script = `${shellFunction}; ${line}`
  return spawn('bash', ['-o', 'pipefail', '-c', script], {
    cwd,
    env: { ...programEnv(cwd), ...env },
  })
}

/** Function of a shell that runs `posthorn`. Needs `programEnv`. */
export const shellFunction = 'posthorn() { "$POSTHORN_NODE" "$POSTHORN_PROGRAM" "$@"; }'

/** Environment of a run of `posthorn`: Node, the program, and a home directory of its own. */
export function programEnv(cwd: string) {
  const bundle = process.env['TEST_BUNDLE']
  return {
    PATH: process.env['PATH'],
    HOME: cwd,
    LC_ALL: 'C.UTF-8',
    POSTHORN_NODE: process.execPath,
    POSTHORN_PROGRAM: bundle
      ? join(bundle, 'posthorn.js')
      : join(root, 'deploy/image/src/posthorn.ts'),
  }
}

/** Runs a command line of `posthorn` until it ends. See `startPosthorn`. */
export async function runPosthorn(line: string, run: PosthornRun): Promise<PosthornResult> {
  const child = startPosthorn(line, run)
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the streams of the program are missing')
  // A process of `posthorn` that does not read its input closes the pipe.
  stdin.on('error', () => undefined)
  stdin.end(run.stdin ?? '')
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code))
  })
  const [code, out, errors] = await Promise.all([ended, buffer(stdout), buffer(stderr)])
  return { code, stdout: String(out), stderr: String(errors) }
}

/** JSON values that `posthorn` has printed, one per line. */
export function jsonLines<T>({ stdout }: Pick<PosthornResult, 'stdout'>): T[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
