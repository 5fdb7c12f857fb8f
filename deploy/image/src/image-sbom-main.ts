import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { addComponents, debianComponents } from './bill-of-materials.ts'

// Prints the bill of materials of a container image, which lists the bundled packages, Node, and
// the packages of Debian. Needs Docker. Usage: node deploy/image/src/image-sbom-main.ts <image>
const run = promisify(execFile)
const [image = ''] = process.argv.slice(2)

async function read(path: string): Promise<string> {
  const options = ['--rm', '--network=none', '--read-only', '--entrypoint=cat']
  const { stdout } = await run('docker', ['run', ...options, image, path], {
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

const [bundled, status] = [
  await read('/posthorn/sbom.cdx.json'),
  await read('/var/lib/dpkg/status'),
]
process.stdout.write(addComponents(bundled, debianComponents(status)))
