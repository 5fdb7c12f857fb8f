import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { listUnpinnedImages, recordDigests } from './base-images.ts'

// `make base-images` records the digests of base images. `make image` checks that all digests are
// recorded.
const run = promisify(execFile)

/** Reads the digest of a container image's index, which covers the image for all platforms. */
async function readDigest(reference: string): Promise<string> {
  const format = ['--format', '{{.Manifest.Digest}}']
  const { stdout } = await run('docker', ['buildx', 'imagetools', 'inspect', ...format, reference])
  return stdout
}

function checkDigests(): boolean {
  const unpinned = listUnpinnedImages()
  for (const { file, reference } of unpinned)
    process.stderr.write(`${file}: ${reference} has no digest\n`)
  if (unpinned.length === 0 || process.env['POSTHORN_UNPINNED_IMAGES'] === '1') return true
  process.stderr.write(
    'images of other publishers need a digest: run `make base-images` on a machine with access to' +
      ' their registry and commit the change, or set POSTHORN_UNPINNED_IMAGES=1 for an image that' +
      ' is not released\n',
  )
  return false
}

if (process.argv[2] === 'record') {
  for (const { file, reference } of await recordDigests(readDigest))
    process.stdout.write(`${file}: ${reference}\n`)
} else if (!checkDigests()) process.exitCode = 1
