import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from '@posthorn/local/paths'

/**
 * Bundles the processes of all services as `make build` does. Returns the output folder. Disposing
 * of the stack deletes the folder.
 */
export async function buildBundle(stack: AsyncDisposableStack): Promise<string> {
  const bundle = await mkdtemp(join(tmpdir(), 'posthorn-bundle-'))
  stack.defer(() => rm(bundle, { recursive: true }))
  const main = join(checkout, 'deploy/image/src/build-main.ts')
  await promisify(execFile)(process.execPath, [main, bundle])
  return bundle
}
