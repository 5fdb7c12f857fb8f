import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../commands.ts'

/**
 * Global setup of Jest for the integration and the end-to-end tests. Builds the bundle from which
 * tests start services as processes, and services their workers: a process starts from the bundle
 * in 0.5 s of CPU time, and from its sources in 1.7 s. The teardown is `bundle-teardown.ts`.
 */
// oxlint-disable-next-line import/no-default-export -- Jest calls the default export
export default async function setup(): Promise<void> {
  const bundle = await mkdtemp(join(tmpdir(), 'posthorn-test-bundle-'))
  await promisify(execFile)(process.execPath, [
    join(root, 'deploy/image/src/build-main.ts'),
    bundle,
  ])
  process.env['TEST_BUNDLE'] = bundle
}

/** Deletes the bundle from which tests start services. */
export async function deleteBundle(): Promise<void> {
  const bundle = process.env['TEST_BUNDLE']
  if (bundle !== undefined) await rm(bundle, { recursive: true, force: true })
}
