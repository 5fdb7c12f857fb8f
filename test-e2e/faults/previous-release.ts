import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkout, localDirectory } from '@posthorn/local/paths'

const run = promisify(execFile)

/**
 * Commit of the previous release, from which the test of the rolling upgrade starts. Set to the
 * released commit with each release (deploy/README.md). Before the first release: the last commit
 * before migration 0035 whose services drain at SIGTERM.
 */
export const previousRelease = 'b076ee00affb121ed3ca080b8aad8c226fdc2467'

/**
 * True if the previous release may refuse reads of accounts that move between workers. Replicas of
 * api-gateway before 1.0.0-rc.1 are ready before they are connected to RabbitMQ. They wait 3 s for
 * the next worker, which a busy machine exceeds. Connections for reads queue behind connections of
 * sessions. False from the first release on.
 */
export const previousMayRefuseMoved = true

const folder = join(localDirectory, 'releases')

/**
 * Returns the reason why a commit cannot be exported, for example from a shallow clone. Undefined
 * if the export is possible.
 */
export async function missingReason(commit: string): Promise<string | undefined> {
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: checkout }).then(
    () => undefined,
    (error: { stderr?: string }) => `${commit} is not in this clone: ${error.stderr?.trim()}`,
  )
}

/**
 * Returns the bundle of a commit, which is built by `make build` in an export of that commit.
 * Bundles are stored in `.local/releases`.
 */
export async function buildRelease(commit: string): Promise<string> {
  const bundle = join(folder, commit)
  if (existsSync(bundle)) return bundle
  await mkdir(folder, { recursive: true })
  const sources = await mkdtemp(join(folder, 'build-'))
  try {
    const archive = join(sources, 'sources.tar')
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: checkout })
    await run('tar', ['--extract', `--file=${archive}`, `--directory=${sources}`])
    await run('make', ['build'], { cwd: sources, env: withoutMake(process.env) })
    await rename(join(sources, '.local/dist'), bundle)
  } finally {
    await rm(sources, { recursive: true, force: true })
  }
  return bundle
}

/** Environment of this process without the variables of the `make` that runs the tests. */
function withoutMake(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _old, ...rest } = env
  return rest
}
